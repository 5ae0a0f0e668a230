"""Random schemas as plain tuples, their PML, and a second layout, written without the first.

A part is a text; ("role", name, parts); ("parameter", name, length, scaffold); ("module", name, cache, parts); or
("union", default, modules).
"""

import re
from itertools import count
from zlib import crc32

from hypothesis import assume
from hypothesis import strategies as st

from teltheory.systems.modules import NO_ROLES, layout, read_prompt, read_schema, resolve
from teltheory.systems.modules.pml import programs
from teltheory.systems.modules.pml.tokens import BYTES, Tokenizer

THREES = Tokenizer(
    "threes", lambda text: [crc32(text[k : k + 3].encode()) for k in range(0, len(text), 3)], lambda ids: "", 7
)
"""A token is three characters, so that the tokens of joined texts are not the joined tokens."""
TOKENIZERS = st.sampled_from([BYTES, THREES])
WORDS = st.text(st.sampled_from(" \n\tab<&\"'é]>"), max_size=6)
ROLES = ("system", "user", "assistant")


@st.composite
def schemas(draw):
    """Return the parts of a schema, names given in order."""
    numbers = count()

    def parts(depth, in_module, in_role, most=4):
        kinds = ["text"] * 2 + ["module", "union"] * (depth < 3)
        kinds += ["parameter"] * in_module + ["role"] * (not in_role)
        return tuple(part(draw(st.sampled_from(kinds)), depth, in_module, in_role) for _ in range(draw(few(most))))

    def part(kind, depth, in_module, in_role):
        if kind == "text":
            return draw(WORDS)
        if kind == "role":
            return ("role", draw(st.sampled_from(ROLES)), parts(depth + 1, in_module, True, 2))
        name = f"n{next(numbers)}"
        if kind == "parameter":
            length = draw(st.integers(1, 5))
            return ("parameter", name, length, "s" * draw(st.integers(0, length)))
        if kind == "module":
            return module(name, depth, in_role)
        members = [module(f"n{next(numbers)}", depth, in_role) for _ in range(draw(st.integers(1, 3)))]
        return ("union", draw(st.sampled_from([None, *(one[1] for one in members)])), tuple(members))

    def module(name, depth, in_role):
        return ("module", name, draw(st.booleans()), parts(depth + 1, True, in_role, 3))

    return parts(0, False, False)


def few(most):
    """Return how many of something there are."""
    return st.integers(0, most)


def written(parts):
    """Return parts as the calls that make PML take them."""
    return [part if isinstance(part, str) else element(*part) for part in parts]


def element(kind, *what):
    """Return one part as an element."""
    match kind, what:
        case "role", (name, parts):
            return programs.role(name, *written(parts))
        case "parameter", (name, length, scaffold):
            return programs.parameter(name, length, scaffold)
        case "module", (name, cache, parts):
            return programs.when(name, *written(parts), cache=cache)
        case "union", (default, members):
            return programs.choose(*written(members), default=default)
    raise AssertionError(kind)


def spaced(text):
    """Return a text with one space for a run of white space at either end."""
    return re.sub(r"\A\s+|\s+\Z", " ", text)


def flat(parts, roles):
    """Return parts without roles, neighbouring texts joined."""
    found = []
    for part in parts:
        if part[:1] == ("role",):
            inner = [roles.before[part[1]], *flat(part[2], roles), roles.after[part[1]]]
        else:
            inner = [part]
        for one in inner:
            if isinstance(one, str) and found and isinstance(found[-1], str):
                found[-1] += one
            elif one:
                found.append(one)
    return found


def placed(parts, tokenizer, roles, at, path=(), cached=True):
    """Return where parts end, and rows of what they place: (path, kind, start, length, facts)."""
    rows = []
    for part in flat(parts, roles):
        if isinstance(part, str):
            size, kind, facts = len(tokenizer.encode(spaced(part))), "text", spaced(part)
        elif part[0] == "parameter":
            size, kind, facts = part[2], "parameter", part[1]
        else:
            members = [part] if part[0] == "module" else part[2]
            ends = []
            for _, name, cache, inside in members:
                inner = (*path, name)
                end, found = placed(inside, tokenizer, roles, at, inner, cached and cache)
                rows += [(inner, "module", at, end - at, cached and cache), *found]
                ends.append(end)
            at = max(ends)
            continue
        rows.append((path, kind, at, size, facts))
        at += size
    return at, rows


@st.composite
def imports(draw, parts, tokenizer):
    """Return imports of modules that some parts hold, in any order, with arguments that fit their parameters."""
    found = []
    for part in flat(parts, NO_ROLES):
        kind = "text" if isinstance(part, str) else part[0]
        members = {"module": [part], "union": part[-1]}.get(kind, [])
        chosen = draw(st.sampled_from([None, *members]))
        if chosen is not None:
            _, name, _, inside = chosen
            rooms = [one for one in flat(inside, NO_ROLES) if one[0] == "parameter" and not isinstance(one, str)]
            arguments = {one[1]: draw(fitting(one[2], tokenizer)) for one in rooms if draw(st.booleans())}
            found.append(programs.use(name, *draw(imports(inside, tokenizer)), **arguments))
    return draw(st.permutations(found))


def fitting(length, tokenizer):
    """Return arguments of at most `length` tokens."""
    return WORDS.filter(lambda text: len(tokenizer.encode(text)) <= length)


@st.composite
def resolved(draw):
    """Return a resolved prompt of a random schema, with what was imported and its new text."""
    parts, tokenizer = draw(schemas()), draw(TOKENIZERS)
    asked, text = draw(imports(parts, tokenizer)), draw(WORDS)
    made = layout(read_schema(programs.program("s", *written(parts)).to_pml()), tokenizer)
    assume(asked or text.strip())
    prompt = read_prompt(programs.prompt("s", *asked, text).to_pml())
    return resolve(prompt, made), asked, text
