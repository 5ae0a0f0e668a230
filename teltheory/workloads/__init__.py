"""Where traces come from: files and the paper's conversation model."""

from teltheory.workloads.conversations import LabelledTrace, sample_conversations, sample_labelled
from teltheory.workloads.fitting import FittedConversations, fit_conversations
from teltheory.workloads.laws import Empirical, Finite, Law, LogNormal, fixed
from teltheory.workloads.likelihood import kind_posterior, log_likelihood
from teltheory.workloads.model import ConversationMixture, ConversationModel, Conversations, GammaRates, Kind
from teltheory.workloads.readers import data_folder, read_trace

__all__ = [
    "ConversationMixture",
    "ConversationModel",
    "Conversations",
    "Empirical",
    "Finite",
    "FittedConversations",
    "GammaRates",
    "Kind",
    "LabelledTrace",
    "Law",
    "LogNormal",
    "data_folder",
    "fit_conversations",
    "fixed",
    "kind_posterior",
    "log_likelihood",
    "read_trace",
    "sample_conversations",
    "sample_labelled",
]
