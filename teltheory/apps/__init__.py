"""Applications of many requests, joined by semantic variables (Parrot: Lin et al. 2024)."""

from teltheory.apps.faults import AppError
from teltheory.apps.graph import Graph
from teltheory.apps.requests import Port, Request, Sampling
from teltheory.apps.template import Placeholder, parse

__all__ = ["AppError", "Graph", "Placeholder", "Port", "Request", "Sampling", "parse"]
