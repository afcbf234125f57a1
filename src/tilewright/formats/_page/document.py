"""The document of an exported page: one HTML file with everything in it.

All text is escaped, and the content security policy allows only the page's own script and style sheet, by their
digests, and no requests.

Browsers do not load modules from files on a disk, so all JavaScript modules become one script. Each module becomes a
function that returns its exports, called in the order of the imports. Written by hand, because bundlers need Node.js:
the modules only use `import { names } from "./module.js"` and `export` before declarations, and everything else is
refused.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from html import escape
from string import Template

from .._data import escape_json
from . import MODULES, PAGE, PAGE_STYLE, PLAY_STYLE

MAP_BLOCK = "tilewright-map"
"""Id of the block with the map, which is read back."""
LEVEL_BUTTONS = """
<button type="button" data-testid="level-down" aria-label="Level below" title="Level below">↓</button>
<span data-testid="level"></span>
<button type="button" data-testid="level-up" aria-label="Level above" title="Level above">↑</button>"""


def render_page(
    *,
    title: str,
    summary: str,
    levels: int,
    measures: Mapping[str, Mapping[str, str]],
    recipe: str,
    facts: Mapping[str, str],
    map: str,
    scene: str,
) -> str:
    """Return the document of a page.

    Parameters
    ----------
    title, summary, facts
        Texts to show; facts by name.
    levels
        Number of levels of the map.
    measures
        Measures as text, by group.
    recipe
        The recipe as YAML, or a sentence that says why there is none.
    map
        The map as JSON, in ASCII.
    scene
        What the page shows, as JSON in ASCII.
    """
    style = "\n".join(path.read_text("utf-8") for path in (PAGE_STYLE, PLAY_STYLE))
    script = bundle("viewer")
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return Template(PAGE.read_text("utf-8")).substitute(
        policy=policy,
        title=escape(title),
        style=style,
        summary=escape(summary),
        levels=LEVEL_BUTTONS if levels > 1 else "",
        measures=_render_measures(measures),
        recipe=escape(recipe),
        facts=_render_list("Provenance", facts),
        map_block=MAP_BLOCK,
        map=escape_json(map),
        scene=escape_json(scene),
        script=script,
    )


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


IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
OTHER = re.compile(r"^[ \t]*(?:import|export)\b.*$|\bimport\(", re.MULTILINE)


@lru_cache(maxsize=4)
def bundle(entry: str) -> str:
    """Return a script that runs a module with all modules that it imports."""
    bodies: dict[str, str] = {}
    _add_module(entry, bodies, ())
    return '"use strict";\n' + "\n".join(bodies.values())


def _add_module(name: str, bodies: dict[str, str], importing: tuple[str, ...]) -> None:
    """Add a module after the modules that it imports."""
    if name in importing:
        raise ValueError(f"{name}.js imports itself, by {', '.join(importing)}")
    if name in bodies:
        return
    source = (MODULES / f"{name}.js").read_text("utf-8")
    for _, imported in IMPORT.findall(source):
        _add_module(imported, bodies, (*importing, name))
    exports = ", ".join(EXPORT.findall(source))
    body = EXPORT.sub("", IMPORT.sub(r"const { \1 } = module_\2;", source))
    if left := OTHER.search(body):
        raise ValueError(f"{name}.js has an import or export that cannot be bundled: {left[0].strip()}")
    bodies[name] = f"const module_{name} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();"
