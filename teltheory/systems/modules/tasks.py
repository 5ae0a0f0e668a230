"""Questions whose answers stand in the modules of their prompts, made by code from a seed.

=========  ===========================================================================================
kind       what is asked
=========  ===========================================================================================
key        the number of one box, of several whose modules are in the prompt
persona    where one of several persons lives, each described by a module
union      the guide in the city of a plan; it is one of a union, so that positions stay empty
two-hop    where somebody's brother lives: the brother is in one module, his city in another
code       the value that a function returns, one of several modules of code
=========  ===========================================================================================

A schema has more modules than a prompt imports, so that gaps stay. The candidates of an answer are those of all
modules of the prompt: who only guesses is right once in `len(candidates)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.systems.modules.pml.schema import Path

CITIES = ("Paris", "London", "Rome", "Berlin", "Madrid", "Vienna", "Tokyo", "Boston", "Chicago", "Dublin")
NAMES = ("Anna", "Peter", "Maria", "David", "Laura", "Simon", "Emma", "Oscar", "Julia", "Martin")
BROTHERS = ("Tom", "Jack", "Henry", "George", "Frank", "Louis", "Walter", "Robert", "Adam", "Charles")
COLOURS = ("red", "blue", "green", "yellow", "white", "black", "orange", "purple", "brown", "silver")
JOBS = ("doctor", "teacher", "farmer", "lawyer", "painter", "baker", "singer", "pilot", "nurse", "writer")
FUNCTIONS = ("fee", "tax", "limit", "price", "weight", "height", "score", "delay", "margin", "budget")
SYSTEM = "<system>You answer questions about the notes with a word or a number.</system>"
OFFERED, IMPORTED = 8, 5
"""Modules of a schema, and those of them that a prompt imports."""


@dataclass(frozen=True)
class QuestionTask:
    """A question with its modules.

    Attributes
    ----------
    kind : str
        What is asked, see above.
    schema, prompt : str
        PML; the answer comes right after `opening`, which the model has said already.
    facts : tuple of paths
        The modules that the answer needs, and those that they are taken from.
    candidates : tuple of str
        Possible answers, each once.
    right : int
        Which of them is right.
    opening : str
        How the model's answer begins.
    notes : tuple of str
        Texts of the modules that the prompt imports, in order.
    """

    kind: str
    schema: str
    prompt: str
    facts: tuple[Path, ...]
    candidates: tuple[str, ...]
    right: int
    opening: str
    notes: tuple[str, ...]


def in_one_module(task: QuestionTask) -> QuestionTask:
    """Return a task whose notes are all in one module, which the prompt imports."""
    name, question = f"{task.kind}-in-one", task.prompt[task.prompt.index("<user>") :]
    schema = _schema(name, f'<module name="notes">{"".join(task.notes)}</module>')
    return replace(task, schema=schema, prompt=f'<prompt schema="{name}"><notes/>{question}', facts=(("notes",),))


def tasks(number: int, seed: int | str = 0, kinds: Sequence[str] | None = None) -> list[QuestionTask]:
    """Return questions, the kinds in turn; the same for the same arguments, on every machine.

    Parameters
    ----------
    number : int
        How many.
    seed : int or str
        Seed of what is drawn.
    kinds : sequence of str or None
        Which kinds; None: all.
    """
    for kind in kinds or ():
        if kind not in KINDS:
            raise ArgumentError("kind", kind, f"one of {', '.join(KINDS)}")
    number, made = whole_number("items", number), [KINDS[kind] for kind in kinds or KINDS]
    draws = Random(f"prompt cache {seed}")
    return [made[k % len(made)](draws) for k in range(number)]


def _task(kind: str, modules: str, notes: dict[str, str], asked: _Asked) -> QuestionTask:
    """Return a task from the modules of its schema and the texts of those that it imports."""
    prompt = (
        f'<prompt schema="{kind}">{"".join(f"<{name}/>" for name in notes)}<user>{asked.question}</user></prompt>'
    )
    return QuestionTask(
        kind,
        _schema(kind, modules),
        prompt,
        tuple((name,) for name in notes),
        asked.candidates,
        asked.right,
        asked.opening,
        tuple(notes.values()),
    )


def _schema(name: str, modules: str) -> str:
    return f'<schema name="{name}">{SYSTEM}<user>Notes:{modules}</user></schema>'


def _modules(notes: dict[str, str]) -> str:
    return "".join(f'<module name="{name}">{text}</module>' for name, text in notes.items())


def _some(kind: str, notes: dict[str, str], draws: Random, ask: Callable[[list[str]], _Asked]) -> QuestionTask:
    """Return a task that imports some of the modules."""
    names = [list(notes)[k] for k in sorted(draws.sample(range(len(notes)), IMPORTED))]
    return _task(kind, _modules(notes), {name: notes[name] for name in names}, ask(names))


@dataclass(frozen=True)
class _Asked:
    question: str
    candidates: tuple[str, ...]
    right: int
    opening: str


def _numbers(draws: Random) -> list[str]:
    return [str(number) for number in draws.sample(range(100, 1000), OFFERED)]


def _key(draws: Random) -> QuestionTask:
    colours, numbers = draws.sample(COLOURS, OFFERED), _numbers(draws)
    value = dict(zip(colours, numbers, strict=True))
    notes = {colour: f" The {colour} box has the number {value[colour]}." for colour in colours}

    def ask(names: list[str]) -> _Asked:
        right = draws.randrange(len(names))
        opening = f"The {names[right]} box has the number"
        return _Asked(f"Which number has the {names[right]} box?", tuple(value[n] for n in names), right, opening)

    return _some("key", notes, draws, ask)


def _persona(draws: Random) -> QuestionTask:
    names, cities, jobs = (draws.sample(some, OFFERED) for some in (NAMES, CITIES, JOBS))
    city = dict(zip(names, cities, strict=True))
    told = zip(names, cities, jobs, strict=True)
    notes = {name: f" {name} lives in {place} and works as a {job}." for name, place, job in told}

    def ask(names: list[str]) -> _Asked:
        right = draws.randrange(len(names))
        name = names[right]
        return _Asked(f"Where does {name} live?", tuple(city[n] for n in names), right, f"{name} lives in")

    return _some("persona", notes, draws, ask)


def _two_hop(draws: Random) -> QuestionTask:
    sisters, brothers, cities = (draws.sample(some, OFFERED // 2) for some in (NAMES, BROTHERS, CITIES))
    kin = {sister: f" {sister}'s brother is {brother}." for sister, brother in zip(sisters, brothers, strict=True)}
    homes = [(brother, f" {brother} lives in {city}.") for brother, city in zip(brothers, cities, strict=True)]
    draws.shuffle(homes)
    right, notes = draws.randrange(len(sisters)), {**kin, **dict(homes)}
    sister = sisters[right]
    asked = _Asked(f"Where does {sister}'s brother live?", tuple(cities), right, f"{sister}'s brother lives in")
    return _task("two-hop", _modules(notes), notes, asked)


def _union(draws: Random) -> QuestionTask:
    cities, guides = draws.sample(CITIES, 3), draws.sample(BROTHERS, 3)
    stays = ("", ", take a boat and see the old town", ", take a boat, see the old town, climb the tower and rest")
    plans = {
        city: f" We fly to {city}{stay}. The guide in {city} is {guide}."
        for city, stay, guide in zip(cities, stays, guides, strict=True)
    }
    guests, hotel = {"guests": " The guests are Ben and Kate."}, {"hotel": " The manager of the hotel is Paul."}
    right = draws.randrange(3)
    city = cities[right]
    modules = f"{_modules(guests)}<union>{_modules(plans)}</union>{_modules(hotel)}"
    candidates = (*guides, "Ben", "Kate", "Paul")
    asked = _Asked(f"Who is the guide in {city}?", candidates, right, f"The guide in {city} is")
    return _task("union", modules, {**guests, city: plans[city], **hotel}, asked)


def _code(draws: Random) -> QuestionTask:
    functions, numbers = draws.sample(FUNCTIONS, OFFERED), _numbers(draws)
    value = dict(zip(functions, numbers, strict=True))
    notes = {name: f" def {name}(): return {value[name]};" for name in functions}

    def ask(names: list[str]) -> _Asked:
        right = draws.randrange(len(names))
        return _Asked(
            f"Complete the line: assert {names[right]}() ==",
            tuple(value[n] for n in names),
            right,
            f"assert {names[right]}() ==",
        )

    return _some("code", notes, draws, ask)


KINDS: dict[str, Callable[[Random], QuestionTask]] = {
    "key": _key,
    "persona": _persona,
    "union": _union,
    "two-hop": _two_hop,
    "code": _code,
}
"""Kinds of tasks by name."""
