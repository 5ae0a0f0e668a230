"""The hindsight optimum of applications with a threshold each: two sides, both checked in exact numbers."""

from teltheory.optimal.applications.hindsight import application_optimum

__all__ = ["application_optimum"]
