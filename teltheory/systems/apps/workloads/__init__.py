"""The workloads of Parrot's evaluation, made up: lengths, shapes and times, with seeds."""

from teltheory.systems.apps.workloads.agents import multi_agent
from teltheory.systems.apps.workloads.application import ClientApp
from teltheory.systems.apps.workloads.chats import background, bing_like, chat, gpts_like
from teltheory.systems.apps.workloads.summaries import chain_summary, map_reduce

__all__ = [
    "ClientApp", "background", "bing_like", "chain_summary", "chat", "gpts_like", "map_reduce", "multi_agent",
]  # fmt: skip
