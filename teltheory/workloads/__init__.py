"""Where traces come from: files and the paper's conversation model."""

from teltheory.workloads.chat_data import sharegpt_like, wildchat_like
from teltheory.workloads.chats import Chats
from teltheory.workloads.conversations import LabelledTrace, sample_conversations, sample_labelled
from teltheory.workloads.fitting import FittedConversations, fit_conversations
from teltheory.workloads.gaps import ExponentialGaps, Gaps, LogNormalGaps, ParetoGaps
from teltheory.workloads.laws import Empirical, Finite, Law, LogNormal, fixed
from teltheory.workloads.likelihood import kind_posterior, log_likelihood
from teltheory.workloads.model import ConversationMixture, ConversationModel, Conversations, GammaRates, Kind
from teltheory.workloads.quantiles import Quantiles
from teltheory.workloads.readers import data_folder, read_trace
from teltheory.workloads.times import SHAREGPT_TIMES, Times, parse_times
from teltheory.workloads.writing import write_trace

__all__ = [
    "SHAREGPT_TIMES",
    "Chats",
    "ConversationMixture",
    "ConversationModel",
    "Conversations",
    "Empirical",
    "ExponentialGaps",
    "Finite",
    "FittedConversations",
    "GammaRates",
    "Gaps",
    "Kind",
    "LabelledTrace",
    "Law",
    "LogNormal",
    "LogNormalGaps",
    "ParetoGaps",
    "Quantiles",
    "Times",
    "data_folder",
    "fit_conversations",
    "fixed",
    "kind_posterior",
    "log_likelihood",
    "parse_times",
    "read_trace",
    "sample_conversations",
    "sample_labelled",
    "sharegpt_like",
    "wildchat_like",
    "write_trace",
]
