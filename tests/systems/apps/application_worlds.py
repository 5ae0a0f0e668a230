"""Random traces of applications, as the package and as the judge of the rows have them."""

from hypothesis import strategies as st

import teltheory as tt
from proofs_checks.parrot.small_applications import Applications
from teltheory.model.applications import ApplicationTrace


@st.composite
def worlds(draw, max_turns=9, most=6, measure=None):
    """Return a case: conversations of up to three applications, with edges, in any order."""
    names = draw(st.lists(st.integers(0, 3), min_size=1, max_size=max_turns))
    codes = {name: k for k, name in enumerate(dict.fromkeys(names))}
    owners = draw(st.lists(st.integers(0, 2), min_size=4, max_size=4))
    order = {owner: k for k, owner in enumerate(dict.fromkeys(owners[name] for name in names))}
    lengths = st.integers(0, most)
    turns = tuple((order[owners[name]], codes[name], draw(lengths), draw(lengths)) for name in names)
    earlier = [[j for j in range(k) if turns[j][0] == turns[k][0]] for k in range(len(turns))]
    after = tuple(
        tuple(sorted(draw(st.sets(st.sampled_from(some), max_size=3)))) if some else () for some in earlier
    )
    chosen = draw(st.sampled_from(["sum", "path"])) if measure is None else measure
    tokens = sum(q + a for _, _, q, a in turns)
    return Applications(
        turns,
        after,
        draw(st.integers(0, tokens)),
        draw(st.integers(0, 2 * tokens)),
        chosen,
        draw(st.integers(0, 2)),
    )


def of_case(case):
    """Return the package's trace of a case."""
    application, conversation, prompt, response = zip(*case.turns, strict=True)
    return ApplicationTrace.of(tt.Trace.from_turns(conversation, prompt, response), application, case.after)


def by_application(excesses):
    """Return the judge's excesses in order of the applications."""
    return [excess for _, excess in sorted(excesses.items())]
