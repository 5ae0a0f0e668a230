"""A campaign in a process of its own, to be killed: `campaigning.py FOLDER STORE WORKERS HELD NAP BATCHES`."""

import json
import sys

from claims.noted_trials import FEW, NotedTrial, campaign, claim_named, store_at, told

from teltheory.claims.campaign import run

if __name__ == "__main__":
    folder, store_file, workers, held, nap, batches = sys.argv[1:]
    trial = NotedTrial(claim_named, None, FEW, folder, int(held), nap=float(nap))
    plan, store = campaign(int(batches), trial), store_at(store_file)
    run(plan, store, workers=int(workers))
    sys.stdout.write(json.dumps(told(plan, store)))
