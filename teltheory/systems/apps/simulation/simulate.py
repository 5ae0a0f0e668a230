"""`simulate`: what becomes of applications on a cluster; how it runs is in `simulation.run`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from teltheory.base.extras import needed
from teltheory.systems.apps.simulation.cluster import Cluster
from teltheory.systems.apps.simulation.simulated import Simulated
from teltheory.systems.apps.simulation.systems import System
from teltheory.systems.apps.workloads.application import ClientApp

__all__ = ["simulate"]


def simulate(
    workload: Sequence[ClientApp], cluster: Cluster, system: System, rng: np.random.Generator | None = None
) -> Simulated:
    """Run applications on a cluster.

    Parameters
    ----------
    workload : sequence of Application
        In any order; of those that come at one instant the first goes first.
    cluster : Cluster
        Engines and network.
    system : System
        What the server knows and does.
    rng : numpy.random.Generator, optional
        Draws the delays of the network; left out, every delay is the mean of the least and the most.

    Returns
    -------
    Simulated
        Times of each request, and what follows from them.

    Raises
    ------
    AppError
        413: a request is larger than any engine; 404: no engine has its model; what a graph refuses.
    """
    needed("simpy", "apps")
    from teltheory.systems.apps.simulation.run import AppSimulation

    return AppSimulation(workload, cluster, system, rng).run()
