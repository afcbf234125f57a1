"""A web page (.html): one file that shows the map with its sprites, its measures and its recipe, and plays it.

The page works without a network, from a disk or any server, on desktops and phones. Zoom and pan the map, and press
Play: a player walks from the marker start to exit, with field of view, keys and locks. Platformer levels, box
puzzles and ladder-and-gold games are played with the rules that `solve` uses, and on war maps, the range of a unit is
shown. The games are those of the studio.

The page contains the map with its provenance, so it is read back, and `verify` checks it. Maps of too many different
cells for sprites are shown in colors.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from json import dumps
from pathlib import Path
from typing import Any

from ..core.errors import BadFile, check_limit
from ..core.measure_groups import format_measure, group_numbers
from ..core.params import Params, param
from ..core.ports import measure_map
from ..core.stored import parse_json
from ..core.tilemap import TileMap, format_size
from ..core.yaml import write_data
from . import LoadedMap, Source, file_format
from ._data import StoredMap, describe_map, encode_label, pack_array
from ._documents import read_text
from ._page.document import MAP_BLOCK, render_page
from ._page.scene import encode_scene

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
