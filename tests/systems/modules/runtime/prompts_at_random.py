"""Small schemas and prompts at random: nested modules, unions, parameters, uncached text, scaffolds."""

from hypothesis import assume
from hypothesis import strategies as st

from teltheory.systems.modules import NO_ROLES, layout, plan, read_prompt, read_schema, resolve

WORDS = st.text("abcdefgh ", min_size=1, max_size=6)


@st.composite
def planned(draw, tokenizer):
    """The plan of a prompt; its schema is its layout's."""
    names = (f"m{k}" for k in range(1_000))
    source, choices = draw(bodies(names, 0))
    laid = layout(read_schema(f'<schema name="s">{source}</schema>', NO_ROLES), tokenizer)
    imports = "".join(draw(chosen(choices)))
    text = draw(st.one_of(st.just(""), WORDS.map(lambda words: f"x{words}")))
    if not imports and not text:
        text = "x"
    prompt = resolve(read_prompt(f'<prompt schema="s">{imports}{text}</prompt>', NO_ROLES), laid)
    assume(prompt.total)
    way = draw(st.sampled_from(["alone", "ancestors", "whole"]))
    members = (
        st.lists(st.sampled_from(prompt.kept), min_size=2, unique=True) if len(prompt.kept) > 1 else st.nothing()
    )
    scaffolds = draw(st.lists(members, max_size=1)) if len(prompt.kept) > 1 else []
    return plan(prompt, way, scaffolds)


@st.composite
def bodies(draw, names, depth):
    """Source of what stands in a module, and what of it can be imported: a list of choices of one at most."""
    source, choices = "", []
    for kind in draw(st.lists(st.sampled_from(["text", "module", "union"]), min_size=1, max_size=3)):
        if kind == "text" or depth == 2:
            source += draw(WORDS)
        else:
            made = [draw(modules(names, depth)) for _ in range(1 if kind == "module" else 2)]
            inside = "".join(one for one, _ in made)
            source += inside if kind == "module" else f"<union>{inside}</union>"
            choices.append([choice for _, choice in made])
    return source, choices


@st.composite
def modules(draw, names, depth):
    name = next(names)
    source, choices = draw(bodies(names, depth + 1))
    parameters = draw(st.lists(st.sampled_from(["p", "q"]), unique=True, max_size=2))
    for parameter in parameters:
        scaffold = draw(st.sampled_from(["", ' scaffold="ab"']))
        source = f'{draw(WORDS)}<parameter name="{parameter}" length="4"{scaffold}/>' + source
    cached = draw(st.sampled_from(["", "", "", ' cache="false"']))
    return f'<module name="{name}"{cached}>{source}</module>', (name, parameters, choices)


@st.composite
def chosen(draw, choices):
    """Imports, at most one of each choice."""
    imports = []
    for choice in choices:
        picked = draw(st.sampled_from([None, *choice]))
        if picked is not None:
            name, parameters, inside = picked
            given = {one: draw(st.text("xyz", max_size=4)) for one in parameters if draw(st.booleans())}
            arguments = "".join(f' {one}="{value}"' for one, value in given.items())
            imports.append(f"<{name}{arguments}>{''.join(draw(chosen(inside)))}</{name}>")
    return draw(st.permutations(imports))
