"""Where traces come from if not from files: the paper's conversation model, laws and fits."""

from teltheory.workloads.chat_data import sharegpt_like, wildchat_like
from teltheory.workloads.chats import Chats
from teltheory.workloads.conversations import LabelledTrace, sample_conversations, sample_labelled
from teltheory.workloads.data import data_folder
from teltheory.workloads.fitting import FittedConversations, fit_conversations, log_likelihood
from teltheory.workloads.laws import Empirical, Finite, Law, LogNormal, Quantiles, fixed
from teltheory.workloads.model import ConversationMixture, ConversationModel, Conversations, GammaRates, Kind
from teltheory.workloads.module_sets import draw_module_trace
from teltheory.workloads.times import (
    SHAREGPT_TIMES,
    ExponentialGaps,
    Gaps,
    LogNormalGaps,
    ParetoGaps,
    Times,
    parse_times,
)

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
    "draw_module_trace",
    "fit_conversations",
    "fixed",
    "log_likelihood",
    "parse_times",
    "sample_conversations",
    "sample_labelled",
    "sharegpt_like",
    "wildchat_like",
]
