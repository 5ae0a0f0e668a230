"""A sweep of servers in a process to be killed: `python sweeping_servers.py FOLDER STORE WORKERS HELD`."""

import json
import sys

from sweep.serving_cells import TRACE, serving_grid

from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.sweep import sweep

if __name__ == "__main__":
    folder, store, workers, held = sys.argv[1:]
    grid = serving_grid(folder, held=int(held))
    cells = sweep(TRACE, grid, A100_LLAMA2_7B, workers=int(workers), store=store)
    sys.stdout.write(json.dumps([cell.as_dict() for cell in cells]))
