"""Faults in an advice: what it is chosen on, what it promises, what it is held against."""

from mutants.fault import Fault

BOOTSTRAP = "teltheory/bootstrap.py"
LIMITS = "teltheory/advice/limits.py"
CHOICE = "teltheory/advice/choice.py"
HELD_OUT = "teltheory/advice/held_out.py"
CHOOSING = "tests/advice/test_choice.py"
HOLDING_OUT = "tests/advice/test_held_out.py"
ADVISING = "tests/advice/test_advise.py"

FAULTS = (
    Fault(
        "percentile-of-a-draw-rounded-down",
        BOOTSTRAP,
        "needed = -(-counts * level.numerator // level.denominator)",
        "needed = counts * level.numerator // level.denominator",
        "a percentile of a draw is the value of a rank too low",
        tests=("tests/test_bootstrap.py",),
    ),
    Fault(
        "interval-not-widened",
        BOOTSTRAP,
        "* (blocks / (blocks - 1)) ** 0.5",
        "* 0.5",
        "intervals are half as wide as they should be",
        tests=("tests/test_bootstrap.py",),
    ),
    Fault(
        "advice-that-has-seen-the-rest",
        "teltheory/advice/__init__.py",
        "beginning = trace.first(start)",
        "beginning = trace.first(start + 100)",
        "the threshold is chosen on turns that it is judged on",
        tests=(ADVISING,),
    ),
    Fault(
        "best-margin-at-the-cliff",
        CHOICE,
        "worth = near @ gains",
        "worth = gains",
        "a margin is worth its own gain alone, however near the cliff it is",
        tests=(CHOOSING,),
    ),
    Fault(
        "promise-of-the-same-draws",
        CHOICE,
        "later[again, np.arange(DRAWS)]",
        "gains[again, np.arange(DRAWS)]",
        "the promise forgets that the rest is another sample",
        tests=(CHOOSING, ADVISING),
    ),
    Fault(
        "promise-that-forgets-what-moved",
        CHOICE,
        "widened(alike, float(moved[best]))",
        "widened(alike, 0.0)",
        "the promise holds only if the rest is like the first part",
        tests=(CHOOSING,),
    ),
    Fault(
        "promise-of-more-than-all",
        CHOICE,
        "min(float(high), 1.0)",
        "float(high)",
        "more than 100 % lower is promised",
        tests=(CHOOSING,),
    ),
    Fault(
        "choice-beyond-the-limits",
        CHOICE,
        "return Choice(candidates[best]",
        "return Choice(candidates[freely]",
        "what costs too much is recommended",
        tests=(CHOOSING, ADVISING),
    ),
    Fault(
        "median-next-to-its-own",
        LIMITS,
        "self.median * Fraction(lru.median)",
        "self.median * Fraction(tried.median)",
        "P50 is compared to that of the wrong policy",
        tests=(CHOOSING,),
    ),
    Fault(
        "estimate-below-0",
        "teltheory/advice/__init__.py",
        "estimate = max(slo_xi - margin, 0)",
        "estimate = slo_xi - margin",
        "a prompt estimate below 0 is printed",
        tests=(ADVISING,),
    ),
    Fault(
        "recommended-although-a-limit-broke",
        "teltheory/advice/__init__.py",
        " and not self.held_out.broken",
        "",
        "what costs too much on the rest is recommended",
        tests=(ADVISING,),
    ),
    Fault(
        "optimum-of-the-rest-counts-the-first-part",
        HELD_OUT,
        ".objective - unavoidable",
        ".objective",
        "the hindsight optimum of the rest has the openings' TEL in it",
        tests=(HOLDING_OUT,),
    ),
    Fault(
        "memory-one-step-short",
        HELD_OUT,
        "low, high = (low, middle) if enough",
        "low, high = (low, middle - 1) if enough",
        "LRU is said to reach the same with less than it needs",
        tests=(HOLDING_OUT,),
    ),
    Fault(
        "settings-swapped-for-the-engine",
        "teltheory/advice/engines.py",
        '{"threshold": xi, "next_prompt_estimate": q_hat}',
        '{"threshold": q_hat, "next_prompt_estimate": xi}',
        "an engine is given the estimate for the threshold",
        tests=(ADVISING,),
    ),
)
