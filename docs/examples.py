"""For mkdocstrings: examples of docstrings as code blocks. Markdown itself takes >>> for quotes within quotes."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


def fenced(text: str) -> str:
    """Each example, up to the next empty line, in a fence."""
    return EXAMPLE.sub(lambda found: f"\n```pycon\n{found[0]}\n```\n", text)


class Examples(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
