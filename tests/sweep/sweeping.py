"""A sweep in a process of its own, to be killed: `python sweeping.py FOLDER STORE WORKERS HELD`."""

import json
import sys

from sweep.noting import noting_grid, some_trace

from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.sweep import sweep

if __name__ == "__main__":
    folder, store, workers, held = sys.argv[1:]
    grid = noting_grid(folder, held=int(held))
    cells = sweep(some_trace(), grid, A100_LLAMA2_7B, workers=int(workers), store=store)
    sys.stdout.write(json.dumps([cell.as_dict() for cell in cells]))
