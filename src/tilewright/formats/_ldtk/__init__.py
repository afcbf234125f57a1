"""Maps as projects of LDtk 1.5.3.

`writing` builds a project from maps of one tileset: `definitions` describes its parts, `layers` the layers, and
`auto_layers` converts skins to auto-layer rules. `document` validates the data that was read, and `reading` builds
the maps.

A level has these layers, from the bottom:

- `Cells`, an IntGrid: the value of a cell is its tile id + 1. Tiles that are drawn over a ground, such as doors, are
  instead in `Things`, an IntGrid that is 0 elsewhere, and `Cells` has the ground under them.
- `Ground`, `Ground_2`, ...: the sprites of `Cells`, as auto layers whose rules are made from the skins of the tileset.
- `Things`, with a rule for each of its tiles.
- `Entities`: an entity per marker, with the marker's name and properties, and a resizable entity `Room` per room.

The level field `tilewright` has everything else: provenance, tileset, links, numbers and float layers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator

from ...core.params import Params, param
from .._files import read_path

MAX_IDENTIFIER = 60
LABEL_FIELD = "tilewright"
"""Identifier of the level field with the data that LDtk has no place for."""
MARKER_TAG, ROOM_TAG = "marker", "room"
CELLS_LAYER, THINGS_LAYER, ENTITIES_LAYER = "Cells", "Things", "Entities"


class LdtkParams(Params):
    """Options of LDtk projects."""

    tile_size: int = param(16, ge=1, le=256)
    """Writing: width and height of a drawn sprite in pixels; a tileset with its own picture has its own size."""
    image_path: Annotated[str, AfterValidator(read_path)] = param("")
    """Writing: path of the tileset's own picture relative to the project, if it is not where it was found."""
    rules: bool = param(True)
    """Writing: whether sprites are auto layers with rules, which follow edits, rather than plain tile layers."""
    level: str = param("", reading=True)
    """Reading: level to read, by name or by number from 1; by default all levels."""
    layer: str = param("", reading=True)
    """Reading: IntGrid or tile layer to read, by name; by default those that Tilewright wrote, or the first IntGrid
    layer, or else all tile layers."""


def make_identifier(name: str) -> str:
    """Return a name as an identifier of LDtk: letters, digits and single underscores.

    >>> make_identifier("deep water"), make_identifier("2nd"), make_identifier("é")
    ('deep_water', '_2nd', '_')
    """
    cleaned = re.sub("_+", "_", re.sub("[^A-Za-z0-9_]", "_", name))[:MAX_IDENTIFIER]
    return f"_{cleaned}" if not cleaned or cleaned[0].isdigit() else cleaned


def choose_identifier(name: str, taken: set[str]) -> str:
    """Return the identifier of a name that is not taken, and add it to those taken. Case does not distinguish them."""
    base = make_identifier(name)
    chosen, number = base, 1
    while chosen.lower() in taken:
        number += 1
        chosen = f"{base.rstrip('_')}_{number}"
    taken.add(chosen.lower())
    return chosen


def list_identifiers(names: Iterable[str]) -> list[str]:
    """Return a different identifier for each name.

    >>> list_identifiers(["deep water", "deep_water"])
    ['deep_water', 'deep_water_2']
    """
    taken: set[str] = set()
    return [choose_identifier(name, taken) for name in names]


def escape(text: str) -> str:
    """Escape a string as the editor does in fields, documentation and custom data."""
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def unescape(text: str) -> str:
    r"""Return the string that `escape` escaped.

    >>> unescape(escape("a\nb\\n"))
    'a\nb\\n'
    """
    return re.sub(r"\\(\\|n)", lambda found: "\n" if found[1] == "n" else "\\", text)
