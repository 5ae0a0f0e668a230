"""Where traces come from: files and the paper's conversation model."""

from teltheory.workloads.conversations import ConversationModel, sample_conversations
from teltheory.workloads.readers import data_folder, read_trace

__all__ = ["ConversationModel", "data_folder", "read_trace", "sample_conversations"]
