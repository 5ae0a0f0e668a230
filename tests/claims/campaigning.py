"""A campaign in a process of its own, to be killed: `campaigning.py FOLDER STORE HELD BATCHES`."""

import json
import sys

from claims.noted_trials import FEW, NotedTrial, campaign, claim_named, store_at, told

from teltheory.claims.campaign import run

if __name__ == "__main__":
    folder, store_file, held, batches = sys.argv[1:]
    trial = NotedTrial(claim_named, FEW, folder, int(held))
    plan, store = campaign(int(batches), trial), store_at(store_file)
    run(plan, store, workers=2)
    sys.stdout.write(json.dumps(told(plan, store)))
