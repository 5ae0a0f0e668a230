"""What the language refuses, each case by a small source; as a script it prints them all for docs/pml-refused.md.

The files of a case stand in a folder beside another folder with a file, `outside/secret.txt`.
"""

import sys
import textwrap
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from teltheory.errors import FileError
from teltheory.systems.modules import BYTES, layout, read_prompt, resolve
from teltheory.systems.modules.pml.reading import read_schemas

HOUSE = (
    '<schema name="s">Hi<module name="a">a<parameter name="p" length="3"/><module name="b">b</module></module>'
    '<union><module name="x">x</module><module name="y">y</module></union></schema>'
)


@dataclass(frozen=True)
class Refused:
    """A case: its name, the source of a schema, and what is read with it, a prompt or another schema."""

    name: str
    schema: str | bytes
    prompt: str | None = None
    other: str | None = None

    def message(self, folder: Path) -> str:
        """Write the sources, read them, and return what is said of them."""
        for place in ("here", "outside"):
            (folder / place).mkdir()
        (folder / "outside" / "secret.txt").write_text("secret")
        with chdir(folder / "here"):
            try:
                self.read()
            except FileError as error:
                return str(error)
        raise AssertionError(f"{self.name}: nothing was refused")

    def read(self) -> None:
        """Write the sources to the current folder, and read them."""
        Path("latin.txt").write_bytes(b"caf\xe9")
        Path("link.txt").symlink_to("../outside/secret.txt")
        Path("circle.txt").symlink_to("circle.txt")
        sources = {"schema.xml": self.schema, "other.xml": self.other, "prompt.xml": self.prompt}
        for name, source in sources.items():
            if source is not None:
                Path(name).write_bytes(source if isinstance(source, bytes) else source.encode())
        schemas = read_schemas(Path(name) for name in ("schema.xml", "other.xml") if Path(name).exists())
        laid = {name: layout(schema, BYTES) for name, schema in schemas.items()}
        if self.prompt is not None:
            asked = read_prompt(Path("prompt.xml"))
            resolve(asked, laid.get(asked.schema) or laid["s"])


def schema(inside: str) -> str:
    """Return a schema that holds something."""
    return f'<schema name="s">{inside}</schema>'


def module(inside: str) -> str:
    """Return a schema with a module that holds something."""
    return schema(f'<module name="a">{inside}</module>')


def prompt(inside: str) -> dict[str, str]:
    """Return a prompt made from `HOUSE`."""
    return {"schema": HOUSE, "prompt": f'<prompt schema="s">{inside}</prompt>'}


def source_cases() -> Iterator[Refused]:
    """What is no XML, and what XML can do that the language does not take."""
    yield Refused("an empty file", "")
    yield Refused("a tag that is not closed", '<schema name="s"><module name="a"></schema>')
    yield Refused("an ampersand", schema("salt & pepper"))
    yield Refused("an attribute twice", '<schema name="s" name="t"/>')
    yield Refused("an entity that is not declared", schema("&nbsp;"))
    yield Refused("a document type", '<!DOCTYPE schema><schema name="s"/>')
    yield Refused("an entity bomb", '<!DOCTYPE s [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>' + schema("&b;"))
    yield Refused("an external entity", '<!DOCTYPE s [<!ENTITY a SYSTEM "/etc/passwd">]>' + schema("&a;"))
    yield Refused("bytes that are not UTF-8", schema("caf\u00e9").encode("latin-1"))
    yield Refused("UTF-16", schema("").encode("utf-16"))
    yield Refused("NUL", schema("\0"))
    yield Refused("another encoding declared", '<?xml version="1.0" encoding="latin-1"?>' + schema(""))
    yield Refused("65 elements inside each other", "<schema>" * 65)
    yield Refused("100,001 elements", "<schema>" + "<a/>" * 100_000)
    yield Refused("16 MiB and a byte", schema("x" * (2**24 + 1 - len(schema("")))))


def schema_cases() -> Iterator[Refused]:
    """Schemas, modules and text."""
    yield Refused("another root", '<module name="s"/>')
    yield Refused("a schema without a name", "<schema/>")
    yield Refused("an empty name", '<schema name=""/>')
    yield Refused("a name that no tag can have", '<schema name="my schema"/>')
    yield Refused("a schema's name twice", schema(""), other='<schema name="s"/>')
    yield Refused("an unknown attribute", '<schema name="s" version="2"/>')
    yield Refused("a namespace", '<schema name="s" xmlns="urn:x"/>')
    yield Refused("an unknown tag", schema("<b>bold</b>"))
    yield Refused("a module without a name", schema("<module/>"))
    yield Refused("a module named like a role", schema('<module name="user"/>'))
    yield Refused("a module named like a tag", schema('<module name="prompt"/>'))
    yield Refused("a module twice", schema('<module name="a"/>\n<module name="a"/>'))
    yield Refused("a member of a union named like a sibling", module('<module name="x"/>' + union(member("x"))))
    yield Refused("cache is neither true nor false", schema('<module name="a" cache="True"/>'))
    yield Refused("a role inside a role", schema("<system>Hi<user>you</user></system>"))
    yield Refused("a role inside a role's module", schema('<user><module name="a"><system/></module></user>'))
    yield Refused("a role with an attribute", schema('<user name="me"/>'))


def union(inside: str, scaffold: str = "") -> str:
    """Return a union that holds something."""
    return f"<union{scaffold}>{inside}</union>"


def member(name: str) -> str:
    """Return a module that holds its name."""
    return f'<module name="{name}">{name}</module>'


def part_cases() -> Iterator[Refused]:
    """Unions, parameters and files."""
    yield Refused("text in a union", schema(union("or" + member("x"))))
    yield Refused("a role in a union", schema(union(f"<user>{member('x')}</user>")))
    yield Refused("a parameter in a union", module(union('<parameter name="p" length="1"/>')))
    yield Refused("an empty union", schema(union("")))
    yield Refused("an unknown scaffold", schema(union(member("x"), ' scaffold="z"')))
    yield Refused("a member of a union twice", schema(union(member("x") * 2)))
    yield Refused("a parameter in the schema", schema('<parameter name="p" length="1"/>'))
    yield Refused("a parameter without a name", module('<parameter length="1"/>'))
    yield Refused("a parameter without a length", module('<parameter name="p"/>'))
    for length in ("0", "-3", "2.5", "٣"):
        yield Refused(f"a length of {length}", module(f'<parameter name="p" length="{length}"/>'))
    yield Refused("a length of 17 million", module('<parameter name="p" length="17000000"/>'))
    yield Refused("a parameter twice", module('<parameter name="p" length="1"/>' * 2))
    yield Refused("text in a parameter", module('<parameter name="p" length="1">x</parameter>'))
    yield Refused("a scaffold that is too long", module('<parameter name="p" length="3" scaffold="four"/>'))
    yield Refused("src is missing", schema('<module name="a" src="none.txt"/>'))
    yield Refused("src is a folder", schema('<module name="a" src="."/>'))
    yield Refused("src outside the folder", schema('<module name="a" src="../outside/secret.txt"/>'))
    yield Refused("src elsewhere", schema('<module name="a" src="/etc/passwd"/>'))
    yield Refused("src is a link to the outside", schema('<module name="a" src="link.txt"/>'))
    yield Refused("src is a link to itself", schema('<module name="a" src="circle.txt"/>'))
    yield Refused("src is not UTF-8", schema('<module name="a" src="latin.txt"/>'))
    yield Refused("src and text", schema('<module name="a" src="schema.xml">text</module>'))


def prompt_cases() -> Iterator[Refused]:
    """Prompts, alone and against their schema."""
    yield Refused("a prompt with another root", HOUSE, '<question schema="s"/>')
    yield Refused("a prompt without a schema", HOUSE, "<prompt>Hi</prompt>")
    yield Refused("a prompt with another attribute", HOUSE, '<prompt schema="s" model="m">Hi</prompt>')
    yield Refused("an unknown schema", HOUSE, '<prompt schema="t">Hi</prompt>')
    yield Refused("an empty prompt", **prompt(""))
    yield Refused("a prompt of white space", **prompt(" \n "))
    yield Refused("text before an import", **prompt("Hi<a/>"))
    yield Refused("text between imports", **prompt("<a/>and<x/>"))
    yield Refused("a role between imports", **prompt("<a/><user/><x/>"))
    yield Refused("an import in a role", **prompt("<user>Hi<a/></user>"))
    yield Refused("text in an import", **prompt("<a>Hi</a>"))
    yield Refused("a role in an import", **prompt("<a><user>Hi</user></a>"))
    yield Refused("an unknown module", **prompt("<z/>"))
    yield Refused("a module without the one around it", **prompt("<b/>"))
    yield Refused("a module imported twice", **prompt("<a/><a/>"))
    yield Refused("two members of a union", **prompt("<x/><y/>"))
    yield Refused("an unknown argument", **prompt('<a q="1"/>'))
    yield Refused("an argument twice", **prompt('<a p="1" p="2"/>'))
    yield Refused("an argument that is too long", **prompt('<a p="four"/>'))


CASES = [*source_cases(), *schema_cases(), *part_cases(), *prompt_cases()]


def main() -> None:
    """Print each case that is the first to expect what it does: its name, and what is said of it."""
    first = dict[str, str]()
    for case in CASES:
        with TemporaryDirectory() as folder:
            said = case.message(Path(folder))
        first.setdefault(said.partition(", expected ")[2], f"{case.name}\n{folded(said)}\n")
    sys.stdout.write(f"the schema of most prompts:\n{folded(HOUSE)}\n{''.join(first.values())}")


def folded(said: str) -> str:
    """Return a message in lines of at most 80 characters, unless a word is longer."""
    return textwrap.indent(textwrap.fill(said, 78, break_long_words=False, break_on_hyphens=False), "  ")


if __name__ == "__main__":
    main()
