"""Faults in units, models' shapes and latencies, and what a trace chooses where nothing is given."""

from mutants.fault import Fault

UNITS = "teltheory/units.py"
SPEC = "teltheory/policies/spec.py"
DEFAULTS = "teltheory/cli/defaults.py"
SERVED = "teltheory/cli/served.py"
UNITS_TESTS = "tests/test_units.py"
OPTIONS_TESTS = "tests/cli/test_units_of_options.py"
DEFAULTS_TESTS = "tests/cli/test_defaults.py"
SERVED_TESTS = "tests/cli/test_served_model.py"
CONFIG_TESTS = "tests/test_kv_config.py"

FAULTS = (
    Fault(
        "kib-of-a-thousand",
        UNITS,
        '"KiB": 2**10',
        '"KiB": 10**3',
        "binary and decimal units are one",
        tests=(UNITS_TESTS,),
    ),
    Fault(
        "thousands-are-a-list",
        UNITS,
        'if any(re.match(r"0\\d", value',
        'if any(re.match(r"0\\d\\d\\d", value',
        "1,000,000 is a list of 1, 0 and 0",
        tests=(UNITS_TESTS,),
    ),
    Fault(
        "seconds-as-tokens",
        SPEC,
        "return latency.threshold(value.seconds)",
        "return int(value.seconds)",
        "a policy's threshold in seconds is as many tokens",
        tests=(OPTIONS_TESTS,),
    ),
    Fault(
        "parameters-begin-policies",
        SPEC,
        'if "=" in part.partition(":")[0]:',
        'if "=" in part:',
        "a policy with parameters is taken for a parameter of the one before",
        tests=(OPTIONS_TESTS,),
    ),
    Fault(
        "peak-without-trimming",
        "teltheory/trace.py",
        "past[self.previous_turn], 0)",
        "past[self.previous_turn] * 0, 0)",
        "an endless cache holds every turn's past anew",
        tests=(DEFAULTS_TESTS,),
    ),
    Fault(
        "default-slo-not-least",
        DEFAULTS,
        "        number += 1",
        "        number += 2",
        "a threshold that nobody gave is not the least number of milliseconds",
        tests=(DEFAULTS_TESTS,),
    ),
    Fault(
        "full-at-the-peak",
        DEFAULTS,
        "size >= trace.peak",
        "size > trace.peak",
        "a capacity of just the peak is not said to be never full",
        tests=(DEFAULTS_TESTS,),
    ),
    Fault(
        "latency-in-silence",
        SERVED,
        '(DEFAULT if self._named is None else "")',
        "DEFAULT",
        "every model has Llama-2-7B's latency",
        tests=(SERVED_TESTS,),
    ),
    Fault(
        "heads-without-copies",
        "teltheory/kv_cache.py",
        "max(gpus // self.kv_heads, 1)",
        "1",
        "more GPUs than key-value heads need no more bytes",
        tests=(CONFIG_TESTS,),
    ),
    Fault(
        "latent-twice",
        "teltheory/kv_config.py",
        "latent=True)",
        "latent=False)",
        "latent attention keeps a key and a value",
        tests=(CONFIG_TESTS,),
    ),
)
