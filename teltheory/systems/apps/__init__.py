"""Applications of many requests, joined by semantic variables (Parrot: Lin et al. 2024).

NetworkX, SimPy, HTTPX, Starlette and Uvicorn are the extra `apps`. The server is
`teltheory.systems.apps.server`, the cluster in simulated time
`teltheory.systems.apps.simulation`, made-up applications are `teltheory.systems.apps.workloads`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from teltheory.cost.applications import application_excess, application_tel, application_uncached
from teltheory.formats.applications import read_application_trace, write_application_trace
from teltheory.model.applications import ApplicationTrace
from teltheory.policies.application_tlru import ApplicationTLRU
from teltheory.replay.applications import replay_applications
from teltheory.systems.apps.algorithm_1 import EngineView, Job, algorithm_1, find_engine
from teltheory.systems.apps.blocking import BlockingManager, BlockingSession
from teltheory.systems.apps.deduction import groups, labels
from teltheory.systems.apps.engines.protocol import Engine
from teltheory.systems.apps.engines.remote import RemoteEngine
from teltheory.systems.apps.engines.tiny import TinyEngine
from teltheory.systems.apps.explain import explain, shared_prefixes
from teltheory.systems.apps.fairness import jain, largest_slowdown, slowdowns
from teltheory.systems.apps.faults import AppError
from teltheory.systems.apps.functions import Input, Output, SemanticFunction, semantic_function
from teltheory.systems.apps.graph import Graph
from teltheory.systems.apps.langchain import from_langchain
from teltheory.systems.apps.lift import as_applications, as_trace, lift
from teltheory.systems.apps.prefixes import prefix_hashes
from teltheory.systems.apps.queues import Placing
from teltheory.systems.apps.records import Application, read_applications, write_applications
from teltheory.systems.apps.requests import Port, Request, Sampling
from teltheory.systems.apps.sessions import Manager, Session
from teltheory.systems.apps.template import Placeholder, parse
from teltheory.systems.apps.values import Variable

if TYPE_CHECKING:
    from teltheory.optimal.applications import application_optimum

__all__ = [
    "AppError",
    "Application",
    "ApplicationTLRU",
    "ApplicationTrace",
    "BlockingManager",
    "BlockingSession",
    "Engine",
    "EngineView",
    "Graph",
    "Input",
    "Job",
    "Manager",
    "Output",
    "Placeholder",
    "Placing",
    "Port",
    "RemoteEngine",
    "Request",
    "Sampling",
    "SemanticFunction",
    "Session",
    "TinyEngine",
    "Variable",
    "algorithm_1",
    "application_excess",
    "application_optimum",
    "application_tel",
    "application_uncached",
    "as_applications",
    "as_trace",
    "explain",
    "find_engine",
    "from_langchain",
    "groups",
    "jain",
    "labels",
    "largest_slowdown",
    "lift",
    "parse",
    "prefix_hashes",
    "read_application_trace",
    "read_applications",
    "replay_applications",
    "semantic_function",
    "shared_prefixes",
    "slowdowns",
    "write_application_trace",
    "write_applications",
]


def __getattr__(name: str) -> Any:
    """Load what needs a solver when it is first asked for."""
    if name != "application_optimum":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("teltheory.optimal.applications"), name)
