"""Tile sets of the public WaveFunctionCollapse project as XML: tiles, their symmetry, and which may be neighbors.

A tile has a symmetry class, named by a character of that symmetry: X has one orientation, I and \\ have two, L and T
four, F eight. The result has one tile per orientation, named `corner 0`, `corner 1` and so on, as in the file's own
rules; a tile of class X keeps its name. Each rule says that two orientations may be neighbors from left to right, and
applies in all rotations and reflections.

Pictures are not read. `size`, `unique` and unknown attributes are ignored.

Source of the format: Gumin, "WaveFunctionCollapse", 2016 (github.com/mxgmn/WaveFunctionCollapse).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element

from ..core.errors import InvalidRecipe, TilewrightError, UnknownName, errors_within
from ..core.tileset import Tileset
from ._documents import parse_xml

MAX_ORIENTED_TILES = 4096
"""Maximum number of tiles, each orientation counted."""


class Symmetry(NamedTuple):
    """Orientations of a symmetry class."""

    orientations: int
    """Number of different orientations."""
    rotate: Callable[[int], int]
    """Orientation after a counterclockwise quarter turn."""
    mirror: Callable[[int], int]
    """Orientation after a reflection left to right."""


SYMMETRIES = {
    "X": Symmetry(1, lambda i: 0, lambda i: 0),
    "I": Symmetry(2, lambda i: 1 - i, lambda i: i),
    "\\": Symmetry(2, lambda i: 1 - i, lambda i: 1 - i),
    "L": Symmetry(4, lambda i: (i + 1) % 4, lambda i: i ^ 1),
    "T": Symmetry(4, lambda i: (i + 1) % 4, lambda i: (4 - i) % 4 if i % 2 else i),
    "F": Symmetry(8, lambda i: (i + 1) % 4 if i < 4 else 4 + (i - 1) % 4, lambda i: (i + 4) % 8),
}
DIRECTIONS = "enws"
"""Directions after 0 to 3 counterclockwise quarter turns of a step to the right."""
MIRRORED = {"e": "w", "w": "e", "n": "n", "s": "s"}
OPPOSITE = {"e": "w", "w": "e", "n": "s", "s": "n"}


class OrientedTile(NamedTuple):
    """A tile of the file in one orientation."""

    name: str
    symmetry: Symmetry
    orientation: int

    @property
    def label(self) -> str:
        return self.name if self.symmetry.orientations == 1 else f"{self.name} {self.orientation}"

    def reorient(self, turns: int, mirrored: bool) -> OrientedTile:
        """Return the tile after quarter turns and then a reflection."""
        orientation = self.orientation
        for _ in range(turns):
            orientation = self.symmetry.rotate(orientation)
        return self._replace(orientation=self.symmetry.mirror(orientation) if mirrored else orientation)


def read_tile_rules(content: bytes, name: str, subset: str = "") -> Tileset:
    """Read a tile set.

    Parameters
    ----------
    content
        Content of the XML file.
    name
        Name of the tileset.
    subset
        Name of the subset to use. By default, all tiles are used.

    Returns
    -------
    Tileset
        Tiles with their weights, and adjacency rules.

    Raises
    ------
    InvalidRecipe
        If the content is no tile set, or a tile, rule or subset is not valid.
    """
    root = parse_xml(content, ["set"], "tile set")
    tiles, weights = _read_tiles(root)
    used = _read_subset(root, subset, tiles) if subset else tuple(tiles)
    labels = [
        (OrientedTile(tile, tiles[tile], orientation).label, tile)
        for tile in used
        for orientation in range(tiles[tile].orientations)
    ]
    if len(labels) > MAX_ORIENTED_TILES:
        text = f"must have at most {MAX_ORIENTED_TILES:,} tiles, each orientation counted, got {len(labels):,}"
        raise InvalidRecipe(text, at="tiles", rule="maximum")
    allowed: dict[tuple[str, str], dict[str, None]] = {}
    for left, right in _read_neighbors(root, tiles):
        if left.name in used and right.name in used:
            for tile, side, other in _iter_views(left, right):
                allowed.setdefault((tile, side), {})[other] = None
    if not allowed:
        raise InvalidRecipe("has no rules for the tiles in use; it needs <neighbor left=... right=...>", at="neighbors")
    return Tileset.validate(
        {
            "name": name,
            "tiles": [{"name": label, "kind": tile, "weight": weights[tile]} for label, tile in labels],
            "beside": [
                {"tile": tile, "sides": side, "others": list(others), "symmetry": 1}
                for (tile, side), others in allowed.items()
            ],
        }
    )


def _read_tiles(root: Element) -> tuple[dict[str, Symmetry], dict[str, float]]:
    """Return the symmetry and the weight of each tile."""
    symmetries: dict[str, Symmetry] = {}
    weights: dict[str, float] = {}
    for element in root.iterfind("tiles/tile"):
        name = _require(element, "name", "tiles")
        if name in symmetries:
            raise InvalidRecipe(f"there are two tiles {name!r}", at=("tiles", name), rule="duplicate")
        symmetry = element.get("symmetry", "X")
        if symmetry not in SYMMETRIES:
            text = f"symmetry must be one of {', '.join(SYMMETRIES)}"
            raise InvalidRecipe(text, at=("tiles", name), got=symmetry, rule="unknown_name")
        symmetries[name] = SYMMETRIES[symmetry]
        weights[name] = _read_weight(element, name)
    if not symmetries:
        raise InvalidRecipe("has no tiles; it needs <tiles> with <tile name=...>", at="tiles", rule="missing")
    return symmetries, weights


def _read_weight(element: Element, name: str) -> float:
    text = element.get("weight", "1")
    try:
        weight = float(text)
    except ValueError:
        weight = 0.0
    if not 0 < weight <= 1_000_000:
        raise InvalidRecipe("weight must be above 0 and at most 1,000,000", at=("tiles", name), got=text, rule="range")
    return weight


def _read_subset(root: Element, subset: str, tiles: dict[str, Symmetry]) -> tuple[str, ...]:
    """Return the names of the tiles of a subset."""
    subsets = {_require(element, "name", "subsets"): element for element in root.iterfind("subsets/subset")}
    if subset not in subsets:
        raise UnknownName("subset", subset, subsets, "" if subsets else "the file has no subsets")
    names = [_require(element, "name", "subsets") for element in subsets[subset].iterfind("tile")]
    unknown = [name for name in names if name not in tiles]
    if unknown:
        raise UnknownName("tile", unknown[0], tiles).within("subsets", subset)
    if not names:
        raise InvalidRecipe("has no tiles", at=("subsets", subset), rule="missing")
    return tuple(name for name in tiles if name in names)


def _read_neighbors(root: Element, tiles: dict[str, Symmetry]) -> Iterator[tuple[OrientedTile, OrientedTile]]:
    """Yield the tiles that may be neighbors from left to right."""
    for number, element in enumerate(root.iterfind("neighbors/neighbor")):
        with errors_within("neighbors", number, kind=TilewrightError):
            left, right = (_read_oriented(_require(element, side, ""), tiles) for side in ("left", "right"))
        yield left, right


def _read_oriented(text: str, tiles: dict[str, Symmetry]) -> OrientedTile:
    """Return the tile of `corner 1`: a name and an orientation, which is 0 by default."""
    name, orientation = text, 0
    words = text.rsplit(maxsplit=1)
    if name not in tiles and len(words) == 2 and re.fullmatch(r"\d{1,2}", words[1], re.ASCII):
        name, orientation = words[0].strip(), int(words[1])
    if name not in tiles:
        raise UnknownName("tile", name, tiles)
    count = tiles[name].orientations
    if orientation >= count:
        orientations = "orientation 0 only" if count == 1 else f"orientations 0 to {count - 1}"
        raise InvalidRecipe(f"tile {name!r} has {orientations}, got {orientation}", rule="range")
    return OrientedTile(name, tiles[name], orientation)


def _iter_views(left: OrientedTile, right: OrientedTile) -> Iterator[tuple[str, str, str]]:
    """Yield a tile, its side e or s, and the tile allowed there, for all rotations and reflections of a rule."""
    for mirrored in (False, True):
        for turns in range(4):
            first, second = left.reorient(turns, mirrored).label, right.reorient(turns, mirrored).label
            side = MIRRORED[DIRECTIONS[turns]] if mirrored else DIRECTIONS[turns]
            if side in "es":
                yield first, side, second
            else:
                yield second, OPPOSITE[side], first


def _require(element: Element, attribute: str, part: str) -> str:
    value = element.get(attribute, "")
    if not value:
        text = f"<{element.tag}> needs the attribute {attribute}"
        raise InvalidRecipe(text, at=part or (), rule="missing")
    return value


def split_subset(reference: str) -> tuple[str, str] | None:
    """Return the file and the subset of `Knots.xml#Fabric`; None if the file is not XML."""
    file, _, subset = reference.partition("#")
    return (file, subset) if file.lower().endswith(".xml") else None
