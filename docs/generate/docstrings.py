"""Docstrings as Markdown: examples become blocks of code."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).+)*(?:\n\s*\n>>> .*(?:\n(?!\s*$).+)*)*", re.MULTILINE)
SECTION = re.compile(r"^Examples?\n-{3,}$", re.MULTILINE)


class FencedExamples(griffe.Extension):
    """Put a fence around examples that are in no `Examples` section; those in one are found by griffe itself."""

    def on_object(self, *, obj: griffe.Object, **others: Any) -> None:
        if obj.docstring is not None and not SECTION.search(obj.docstring.value):
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
