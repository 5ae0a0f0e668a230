"""The hindsight optimum of applications with a threshold each: two sides, both checked in exact numbers."""

from teltheory.optimal.applications.hindsight import application_optimum
from teltheory.optimal.applications.optimum import ApplicationOptimum

__all__ = ["ApplicationOptimum", "application_optimum"]
