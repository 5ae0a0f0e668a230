"""Role tags: system, user and assistant become the text of a chat template around what they hold."""

from dataclasses import dataclass

ROLES = ("system", "user", "assistant")


@dataclass(frozen=True)
class Roles:
    """A chat template by its parts.

    Attributes
    ----------
    name : str
        What a report calls it.
    before, after : dict of str
        Text before and after what a role says.
    answer : str
        Text after which the model answers.
    """

    name: str
    before: dict[str, str]
    after: dict[str, str]
    answer: str


CHATML = Roles(
    "chatml",
    {role: f"<|im_start|>{role}\n" for role in ROLES},
    dict.fromkeys(ROLES, "<|im_end|>\n"),
    "<|im_start|>assistant\n",
)
LLAMA2 = Roles(
    "llama2",
    {"system": "<s>[INST] <<SYS>>\n", "user": " ", "assistant": " "},
    {"system": "<</SYS>>\n\n", "user": "[/INST]", "assistant": "</s><s>[INST]"},
    "",
)
NO_ROLES = Roles("none", dict.fromkeys(ROLES, ""), dict.fromkeys(ROLES, ""), "")
TEMPLATES = {roles.name: roles for roles in (CHATML, LLAMA2, NO_ROLES)}
