"""The best assignment and order of applications' requests on engines: small instances, between two sides."""

from teltheory.optimal.schedules.dispatch import Moment, by_order, dispatched
from teltheory.optimal.schedules.optimum import best_schedule
from teltheory.optimal.schedules.problem import PlacedTask, Plan, Scheduling, Task, TaskServer, cost_of, ends_of

__all__ = [
    "Moment",
    "PlacedTask",
    "Plan",
    "Scheduling",
    "Task",
    "TaskServer",
    "best_schedule",
    "by_order",
    "cost_of",
    "dispatched",
    "ends_of",
]
