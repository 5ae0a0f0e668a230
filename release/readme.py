"""The README as a package index shows it: links to files of the repository would lead nowhere there.

Hatchling calls `ReadmeHook` where it makes the metadata of sdist and wheel (`pyproject.toml`).
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"""!?\[(?P<text>[^\]]*)\]\((?!https?://|#|mailto:)[^)\s]*\)|<img src="(?!https?://)[^>]*>""")
"""A link or picture in Markdown, or a picture in HTML, whose target is a file."""


def without_files(markdown: str) -> str:
    """Return Markdown whose links to files are only their text."""
    parts = re.split(r"(```.*?```)", markdown, flags=re.DOTALL)
    return "".join(
        part if part.startswith("```") else LINK.sub(lambda found: found["text"] or "", part) for part in parts
    )


class ReadmeHook(MetadataHookInterface):
    """Sets the field `readme`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set it to the README without links to files."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": without_files(text)}
