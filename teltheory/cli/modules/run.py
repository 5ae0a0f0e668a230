"""`teltheory modules run`: prompts answered by a model that reuses the modules of their schema."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path as File
from typing import TYPE_CHECKING, Any, get_args

import click

from teltheory.cli.asked.completion import policies
from teltheory.cli.asked.options import Option, bundled, table_options, whole
from teltheory.cli.modules.options import Loading, loading, roles_option, scaffolds_of
from teltheory.cli.parts import command, option
from teltheory.cli.printed.output import check_target, report
from teltheory.cli.printed.tables import plain_table
from teltheory.errors import ArgumentError
from teltheory.model.display import counted
from teltheory.model.units import bytes_in
from teltheory.policies.spec import parse_policy
from teltheory.systems.modules.answers import opened
from teltheory.systems.modules.items import Way
from teltheory.systems.modules.pml.layout import layout
from teltheory.systems.modules.pml.prompt import Prompt, read_prompt
from teltheory.systems.modules.pml.reading import read_schema
from teltheory.systems.modules.pml.roles import TEMPLATES, Roles

if TYPE_CHECKING:
    from teltheory.systems.modules.runtime.cache import CachedAnswer, PromptCache
    from teltheory.systems.modules.runtime.full import FullAnswer

LEGEND = (
    "kept: tokens at hand. encoded: tokens of modules that were not at hand. fresh: arguments and new text. "
    "gaps: empty positions. TTFT includes encoding."
)
COMPARED = "full: TTFT of full attention over the same tokens without gaps. KL: of the first token, nats."
TIERS = "slow: items that were copied from the slow tier. MiB: copied between the tiers."
SIMULATED = (
    "Both tiers are this machine's memory: they are told apart by bytes, and copies between them cost no time."
)


@dataclass(frozen=True)
class Keeping:
    """How modules are encoded, and where they are kept."""

    way: Way
    scaffolds: tuple[str, ...]
    fast: str | None
    slow: str | None
    policy: str

    def made(self) -> dict[str, Any]:
        """Return the tiers and the policy as `PromptCache` takes them."""
        spec = parse_policy(self.policy)
        for name in ("xi", "q_hat"):
            if spec.needs(name):
                raise ArgumentError("--policy", self.policy, f"{name}=... with it, in tokens")
        sizes = {name: _bytes(f"--{name}", getattr(self, name)) for name in ("fast", "slow")}
        return {**sizes, "policy": spec.build(0, 0)}


def _bytes(option: str, text: str | None) -> int | None:
    size = None if text is None else bytes_in(text)
    if text is not None and size is None:
        raise ArgumentError(option, text, "bytes such as 64MiB or 4GB")
    return None if size is None else int(size)


_keeping: Option = bundled(
    "keeping",
    Keeping,
    option(
        "--way",
        type=click.Choice(get_args(Way)),
        default="alone",
        show_default=True,
        help="What a module attends to when it is encoded.",
    ),
    option(
        "--scaffold",
        "scaffolds",
        multiple=True,
        metavar="A+B/C",
        help="Modules that are encoded together; repeatable.",
    ),
    option(
        "--fast",
        metavar="BYTES",
        help="Most bytes of kept modules in the model's memory, such as 64MiB; no bound if left out.",
    ),
    option(
        "--slow",
        metavar="BYTES",
        help="Most bytes of kept modules in the processor's memory; no bound if left out.",
    ),
    option(
        "--policy",
        default="lru",
        metavar="POLICY",
        shell_complete=policies,
        show_default=True,
        help="Policy of the cache. lru, lfu, gdsf or tlru:..., for each memory.",
    ),
)


@dataclass(frozen=True)
class AnsweredPrompt:
    """A prompt that was answered."""

    prompt: str
    answer: CachedAnswer
    full: FullAnswer | None


@command(None, "modules run schema.xml prompt.xml --compare")
@click.argument("schema", metavar="SCHEMA")
@click.argument("prompts", nargs=-1, required=True, metavar="PROMPT...")
@loading
@_keeping
@roles_option
@whole("--answer-tokens", 32, "Most tokens of an answer.", dest="tokens")
@option("--batch", is_flag=True, help="Answer all prompts together, as one sequence; times are the batch's.")
@option("--compare", is_flag=True, help="Also answer by full attention over the same tokens.")
@table_options
def run(
    schema: str,
    prompts: tuple[str, ...],
    loading: Loading,
    keeping: Keeping,
    roles: str,
    tokens: int,
    batch: bool,
    compare: bool,
    target: str | None,
) -> int:
    """Answer prompts with a model that reuses their modules.

    Each PROMPT, a file, is answered in turn; the modules of SCHEMA are kept.
    """
    check_target(target)
    template, kept = TEMPLATES[roles], keeping.made()
    read, asked = read_schema(File(schema), template), [_prompt(file, template) for file in prompts]
    model = loading.load()
    laid = layout(read, model.tokenizer)
    from teltheory.systems.modules.runtime.cache import PromptCache
    from teltheory.systems.modules.runtime.full import answer_full

    cache = PromptCache(model, laid, keeping.way, scaffolds_of(laid, keeping.scaffolds), **kept)
    questions = [cache.resolved(prompt) for prompt in asked]
    answers = cache.batch(questions, tokens) if batch else [cache.answer(one, tokens) for one in questions]
    full = [answer_full(model, one, tokens) if compare else None for one in questions]
    found = [AnsweredPrompt(*one) for one in zip(prompts, answers, full, strict=True)]
    tiers = keeping.fast is not None or keeping.slow is not None
    said = [
        loading.said(model),
        LEGEND,
        *[COMPARED] * compare,
        *[TIERS] * tiers,
        *[SIMULATED] * cache.simulated * tiers,
    ]
    title = f"{read.name}: {counted(laid.length, 'position')}, modules encoded {keeping.way}"
    report(target, (*said, _table(title, found, tiers), *_texts(found)), _data(said[0], keeping, cache, found))
    return 0


def _prompt(file: str, roles: Roles) -> Prompt:
    return opened(read_prompt(File(file), roles), roles)


def _table(title: str, found: Sequence[AnsweredPrompt], tiers: bool) -> Any:
    compared = found[0].full is not None
    columns = ["prompt", "kept", "encoded", "fresh", "gaps", "TTFT s", "CPU s"]
    columns += ["slow", "MiB"] * tiers + ["full s", "KL"] * compared
    return plain_table(title, columns, [_cells(one, tiers) for one in found], left=("prompt",))


def _cells(one: AnsweredPrompt, tiers: bool) -> list[str]:
    own = one.answer
    cells = [one.prompt, *(f"{number:,}" for number in (own.kept, own.encoded, own.fresh, own.gaps))]
    cells += [f"{own.ttft:.3f}", f"{own.cpu:.3f}"]
    cells += [str(list(own.found.values()).count("slow")), f"{own.copied / 2**20:,.1f}"] * tiers
    return cells if one.full is None else [*cells, f"{one.full.ttft:.3f}", f"{_kl(one):.2f}"]


def _kl(one: AnsweredPrompt) -> float:
    from teltheory.systems.modules.quality import divergence, log_probabilities

    assert one.full is not None
    return divergence(log_probabilities(one.full.logits), log_probabilities(one.answer.logits))


def _texts(found: Sequence[AnsweredPrompt]) -> Iterable[str]:
    for one in found:
        yield f"{one.prompt}: {one.answer.text.strip()}"
        if one.full is not None:
            yield f"{one.prompt}, full attention: {one.full.text.strip()}"


def _data(said: str, keeping: Keeping, cache: PromptCache, found: Sequence[AnsweredPrompt]) -> dict[str, Any]:
    prompts = [_of_prompt(one) for one in found]
    return {"model": said, **asdict(keeping), "simulated": cache.simulated, "prompts": prompts}


def _of_prompt(one: AnsweredPrompt) -> dict[str, Any]:
    names = ("tokens", "text", "kept", "encoded", "fresh", "gaps", "ttft", "cpu", "copied")
    data: dict[str, Any] = {"prompt": one.prompt, **{name: getattr(one.answer, name) for name in names}}
    data["found"] = {item.name: tier for item, tier in one.answer.found.items()}
    data["stages"] = {name: asdict(seconds) for name, seconds in one.answer.stages.items()}
    if one.full is not None:
        full = {name: getattr(one.full, name) for name in ("tokens", "text", "ttft", "cpu")}
        data["full"] = {**full, "kl": _kl(one)}
    return data
