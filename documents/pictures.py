"""Draw the pictures of the pages into `docs/assets`, from what the library says and pages print.

python -m documents.pictures [NAME...]
"""

import sys
from collections.abc import Callable, Mapping

from documents import guides
from documents.drawing import DOCS
from documents.mechanisms import application, figure_2, forest, kept_tokens, tiers, tlru_cut

ASSETS = DOCS / "assets"
PICTURES: Mapping[str, Callable[[], str]] = {
    "figure-2": figure_2,
    "tlru-cut": tlru_cut,
    "forest": forest,
    "tiers": tiers,
    "application": application,
    "kept-tokens": kept_tokens,
    "curves": guides.curves,
    "share-closed": guides.share_closed,
    "union": guides.union,
    "refuted": guides.refuted,
    "above-xi": guides.above_xi,
    "rows-of-a-log": guides.rows_of_a_log,
    "lengths": guides.lengths,
    "estimates": guides.estimates,
    "fit": guides.fit,
    "plan": guides.plan,
    "gain-left": guides.gain_left,
    "price-of-hints": guides.price_of_hints,
    "two-replicas": guides.two_replicas,
    "whole-nodes": guides.whole_nodes,
    "speculation": guides.speculation,
    "item-store": guides.item_store,
    "two-requests": guides.two_requests,
    "contexts": guides.contexts,
    "routing": guides.routing,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        (ASSETS / f"{name}.svg").write_text(PICTURES[name](), encoding="utf-8")
