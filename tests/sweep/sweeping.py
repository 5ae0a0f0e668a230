"""A sweep in a process of its own, to be killed: `python sweeping.py KIND FOLDER STORE WORKERS HELD`."""

import json
import sys

from sweep import noting, serving_cells

from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.sweep import sweep

if __name__ == "__main__":
    kind, folder, store, workers, held = sys.argv[1:]
    if kind == "servers":
        trace, grid = serving_cells.TRACE, serving_cells.serving_grid(folder, held=int(held))
    else:
        trace, grid = noting.some_trace(), noting.noting_grid(folder, held=int(held))
    cells = sweep(trace, grid, A100_LLAMA2_7B, workers=int(workers), store=store)
    sys.stdout.write(json.dumps([cell.as_dict() for cell in cells]))
