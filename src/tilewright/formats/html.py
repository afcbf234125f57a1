"""A web page (.html): one file that shows the map with its sprites, its measures and its recipe, and plays it.

The page works without a network, from a disk or any server, on desktops and phones. Zoom and pan the map, and press
Play: a player walks from the marker start to exit, with field of view, keys and locks. Platformer levels, box
puzzles and ladder-and-gold games are played with the rules that `solve` uses, and on war maps, the range of a unit is
shown. The games are those of the studio.

The page contains the map with its provenance, so it is read back, and `verify` checks it. Maps of too many different
cells for sprites are shown in colors.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from html import escape
from json import dumps
from pathlib import Path
from string import Template
from typing import Any

from ..core.errors import BadFile, check_limit
from ..core.measure_groups import format_measure, group_numbers
from ..core.params import Params, param
from ..core.ports import measure_map
from ..core.stored import parse_json
from ..core.tilemap import TileMap, format_size
from ..core.yaml import write_data
from . import LoadedMap, Source, file_format
from ._data import StoredMap, describe_map, encode_label, escape_json, pack_array
from ._documents import read_text
from ._page import MODULES, PAGE, PAGE_STYLE, PLAY_STYLE
from ._page.scene import encode_scene

MAP_BLOCK = "tilewright-map"
"""Id of the block with the map, which is read back."""
LEVEL_BUTTONS = """
<button type="button" data-testid="level-down" aria-label="Level below" title="Level below">↓</button>
<span data-testid="level"></span>
<button type="button" data-testid="level-up" aria-label="Level above" title="Level above">↑</button>"""
MAX_CELLS = 1 << 20
"""Maximum number of cells. Browsers draw larger maps slowly, and games on them need too much memory."""
MAX_RECIPE_LENGTH = 20_000
"""Maximum number of characters of the recipe that are shown. The file contains all of it."""
BLOCK = re.compile(rf'<script type="application/json" id="{MAP_BLOCK}">([^<]*)</script>')


class HtmlParams(Params):
    """Options of web pages."""

    title: str | None = param(None, max_length=200)
    """Title of the page; by default the technique and the seed."""
    sprites: bool = param(True)
    """Whether to draw sprites instead of colors."""
    measures: bool = param(True)
    """Whether to show the measures of the map."""


def read(source: Source, options: HtmlParams) -> list[LoadedMap]:
    found = BLOCK.search(read_text(source))
    if found is None:
        reason = "contains no map; only pages of Tilewright are read as maps"
        raise BadFile(reason, at=source.name)
    return [StoredMap.read(parse_json(found[1]), source.content).to_map()]


@file_format(
    HtmlParams, read=read, extensions=(".html", ".htm"), media_type="text/html; charset=utf-8", use="web pages"
)
def html(map: TileMap, options: HtmlParams, path: Path) -> Mapping[str, bytes]:
    check_limit("cells", map.cells.size, MAX_CELLS, of="a page", advice="crop the map, or use png")
    data = describe_map(map)
    provenance = data["provenance"]
    measures = measure_map.get()(map, (), None) if options.measures else {}
    document = render_page(
        title=options.title or _make_title(map),
        summary=", ".join(filter(None, (format_size(map.shape), f"tileset {map.tileset.name}"))),
        levels=map.shape[0] if map.cells.ndim == 3 else 1,
        measures=_format_measures(map, measures),
        recipe=_format_recipe(provenance),
        facts=_list_facts(provenance),
        map=encode_label(map, {**data, "cells": pack_array(map.cells)}, "page"),
        scene=dumps(encode_scene(map, sprites=options.sprites, measures=measures)),
    )
    # A lone surrogate has no UTF-8 encoding.
    return {path.name: document.encode("utf-8", "backslashreplace")}


def _make_title(map: TileMap) -> str:
    return f"{map.recipe.title}, seed {map.recipe.seed}" if map.recipe is not None else f"{map.tileset.name} map"


def _format_measures(map: TileMap, measures: Mapping[str, float]) -> dict[str, dict[str, str]]:
    """Return the measures as text, by group; nothing without measures."""
    groups = group_numbers(measures, map.numbers) if measures else {}
    return {
        group or "reported by the technique": {
            name.replace("_", " "): format_measure(name if group else "", number) for name, number in numbers.items()
        }
        for group, numbers in groups.items()
    }


def _format_recipe(provenance: Mapping[str, Any]) -> str:
    if "recipe" not in provenance:
        return "too large to store" if "left_out" in provenance else "none: the map was read from a file or edited"
    text = write_data(provenance["recipe"]).rstrip("\n")
    return text if len(text) <= MAX_RECIPE_LENGTH else f"{text[:MAX_RECIPE_LENGTH]} …"


def _list_facts(provenance: Mapping[str, Any]) -> dict[str, str]:
    facts = {"Tilewright": provenance["tilewright"], "digest": provenance["digest"]}
    return {**facts, "seed": str(provenance["seed"])} if "seed" in provenance else facts


# -- the document ------------------------------------------------------------------------------------------------

# All text is escaped, and the content security policy allows only the page's own script and style sheet, by their
# digests, and no requests.


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


# -- the script --------------------------------------------------------------------------------------------------

# Browsers do not load modules from files on a disk, so all JavaScript modules become one script. Each module becomes a
# function that returns its exports, called in the order of the imports. Written by hand, because bundlers need Node.js:
# the modules only use `import { names } from "./module.js"` and `export` before declarations, and everything else is
# refused.

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
