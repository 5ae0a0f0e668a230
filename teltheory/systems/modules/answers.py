"""Where an answer begins: after a prompt's last role, the text that lets the assistant speak."""

from __future__ import annotations

from dataclasses import replace

from teltheory.systems.modules.pml.prompt import Prompt
from teltheory.systems.modules.pml.roles import CHATML, Roles

__all__ = ["opened"]


def opened(prompt: Prompt, roles: Roles = CHATML, opening: str = "") -> Prompt:
    """Return a prompt after which the model answers.

    A prompt whose new text ends with what a role says is followed by the template's beginning of an answer; any
    other is left as it is, and the model continues its text.

    Parameters
    ----------
    prompt : Prompt
        The prompt.
    roles : Roles
        The template that it was read with.
    opening : str
        How the answer begins, if that is given.
    """
    said = prompt.text.rstrip()
    after = {text.strip(): text for text in roles.after.values() if text.strip()}
    end = next((end for end in after if said.endswith(end)), None)
    text = prompt.text if end is None else said.removesuffix(end) + after[end] + roles.answer
    return replace(prompt, text=text + opening)
