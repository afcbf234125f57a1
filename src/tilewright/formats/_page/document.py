"""The document of an exported page: one HTML file with everything in it.

All text is escaped, and the content security policy allows only the page's own script and style sheet, by their
digests, and no requests.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from string import Template

from . import PAGE, PAGE_STYLE, PLAY_STYLE
from .bundle import bundle

MAP_BLOCK = "tilewright-map"
"""Id of the block with the map, which is read back."""
SCENE_BLOCK = "tilewright-scene"


@dataclass(frozen=True, kw_only=True)
class Document:
    """The content of a page."""

    title: str
    summary: str
    levels: int
    measures: Mapping[str, Mapping[str, str]]
    """Measures as text, by group."""
    recipe: str
    """The recipe as YAML, or a sentence that says why there is none."""
    facts: Mapping[str, str]
    map: str
    """The map as JSON, in ASCII."""
    scene: str
    """What the page shows, as JSON in ASCII."""

    def render(self) -> str:
        style = "\n".join(path.read_text("utf-8") for path in (PAGE_STYLE, PLAY_STYLE))
        script = bundle("viewer")
        policy = (
            f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
            "base-uri 'none'; form-action 'none'"
        )
        return Template(PAGE.read_text("utf-8")).substitute(
            policy=policy,
            title=escape(self.title),
            style=style,
            summary=escape(self.summary),
            levels=self._render_levels(),
            measures=_render_measures(self.measures),
            recipe=escape(self.recipe),
            facts=_render_list("Provenance", self.facts),
            map_block=MAP_BLOCK,
            map=escape_json(self.map),
            scene_block=SCENE_BLOCK,
            scene=escape_json(self.scene),
            script=script,
        )

    def _render_levels(self) -> str:
        if self.levels == 1:
            return ""
        return """
<button type="button" data-testid="level-down" aria-label="Level below" title="Level below">↓</button>
<span data-testid="level"></span>
<button type="button" data-testid="level-up" aria-label="Level above" title="Level above">↑</button>"""


def escape_json(text: str) -> str:
    """Return JSON without characters that HTML gives a meaning."""
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _render_measures(groups: Mapping[str, Mapping[str, str]]) -> str:
    lists = [_render_list(*group, heading="h3") for group in groups.items()]
    return "\n".join(["<h2>Measures</h2>", *lists] if lists else ())


def _render_list(title: str, values: Mapping[str, str], *, heading: str = "h2") -> str:
    if not values:
        return ""
    rows = "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in values.items())
    return f"<{heading}>{escape(title)}</{heading}>\n<dl>\n{rows}\n</dl>"


def _digest(text: str) -> str:
    """Return the digest of a script or style sheet as a content security policy names it."""
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"
