"""The XML of public WFC tile sets: orientations, rules in all views, subsets, and errors in one line."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tilewright.cli import main
from tilewright.core.pieces import SIDES
from tilewright.core.tileset import Tileset
from tilewright.formats._resolver import FileResolver
from tilewright.studio.controls.maps import read_object_file
from tilewright.studio.settings import Settings

Sides = tuple[int, int, int, int]
"""What a tile has at its sides n, e, s and w."""
CLASSES: dict[str, tuple[str, Sides]] = {
    "field": ("X", (0, 0, 0, 0)),
    "bend": ("L", (1, 1, 0, 0)),
    "fork": ("T", (0, 1, 1, 1)),
    "pipe": ("I", (1, 0, 1, 0)),
    "valve": ("F", (1, 2, 0, 3)),
}
"""Symmetry class of our tiles, and the sides of orientation 0."""
COUNTS = {"X": 1, "L": 4, "T": 4, "I": 2, "F": 8}
TILES = "".join(f'<tile name="{name}" symmetry="{symmetry}"/>' for name, (symmetry, _) in CLASSES.items())


def turn(sides: Sides) -> Sides:
    """Return the sides after a counterclockwise quarter turn."""
    n, e, s, w = sides
    return e, s, w, n


def mirror(sides: Sides) -> Sides:
    n, e, s, w = sides
    return n, w, s, e


def orient(sides: Sides, orientation: int) -> Sides:
    """Return the sides of an orientation: quarter turns; from 4 on, of the mirrored tile in the other direction."""
    turns = orientation % 4 if orientation < 4 else -orientation % 4
    sides = mirror(sides) if orientation >= 4 else sides
    for _ in range(turns):
        sides = turn(sides)
    return sides


def list_oriented() -> dict[str, Sides]:
    """Return the sides of all tiles in all orientations."""
    found = {}
    for name, (symmetry, sides) in CLASSES.items():
        for number in range(COUNTS[symmetry]):
            found[name if symmetry == "X" else f"{name} {number}"] = orient(sides, number)
    return found


def views_of(left: Sides, right: Sides) -> set[tuple[Sides, str, Sides]]:
    """Return a pair in all rotations and reflections, as a tile, its side and its neighbor."""
    views = set()
    for mirrored, turns in product((False, True), range(4)):
        one, other, side = left, right, "enws"[turns]
        for _ in range(turns):
            one, other = turn(one), turn(other)
        if mirrored:
            one, other, side = mirror(one), mirror(other), side.translate(str.maketrans("ew", "we"))
        views |= {(one, side, other), (other, side.translate(str.maketrans("news", "swen")), one)}
    return views


def write_set(path: Path, neighbors: str, *, tiles: str = TILES, more: str = "", head: str = "") -> Path:
    path.write_text(f"{head}<set><tiles>{tiles}</tiles><neighbors>{neighbors}</neighbors>{more}</set>")
    return path


def format_neighbors(*pairs: tuple[str, str]) -> str:
    return "".join(f'<neighbor left="{left}" right="{right}"/>' for left, right in pairs)


def write_pipes(folder: Path) -> Path:
    """Write a set in which equal sides fit, with one rule for all rotations and reflections of a pair."""
    oriented = list_oriented()
    known: set[tuple[Sides, str, Sides]] = set()
    pairs = []
    for (left, one), (right, other) in product(oriented.items(), repeat=2):
        if one[1] == other[3] and (one, "e", other) not in known:
            known |= views_of(one, other)
            pairs.append((left, right))
    assert len(pairs) < 60
    return write_set(folder / "pipes.xml", format_neighbors(*pairs))


def read(path: Path | str, folder: Path = Path()) -> Tileset:
    return FileResolver(folder).read_tileset(str(path))


def test_rules_apply_in_all_rotations_and_reflections(tmp_path: Path) -> None:
    oriented, tileset = list_oriented(), read(write_pipes(tmp_path))
    assert tileset.names == tuple(oriented)
    for side, (tile, other) in product(range(4), product(oriented, repeat=2)):
        fits = oriented[tile][side] == oriented[other][(side + 2) % 4]
        found = tileset.neighbours[side, tileset.by_name[tile], tileset.by_name[other]]
        assert found == fits, (tile, SIDES[side], other)


def test_diagonal_tiles_have_two_orientations(tmp_path: Path) -> None:
    path = write_set(tmp_path / "d.xml", format_neighbors(("d", "d 1")), tiles='<tile name="d" symmetry="\\"/>')
    tileset = read(path)
    assert tileset.names == ("d 0", "d 1")
    assert np.array_equal(tileset.neighbours, np.broadcast_to([[False, True], [True, False]], (4, 2, 2)))


def test_all_orientations_have_the_weight_of_their_tile(tmp_path: Path) -> None:
    tiles = '<tile name="a" symmetry="I" weight="2.5"/><tile name="b"/>'
    tileset = read(write_set(tmp_path / "w.xml", format_neighbors(("a", "b")), tiles=tiles))
    assert [(tile.name, tile.weight, tile.kind) for tile in tileset] == [
        ("a 0", 2.5, "a"), ("a 1", 2.5, "a"), ("b", 1.0, "b"),
    ]  # fmt: skip


def test_maps_follow_the_rules(tmp_path: Path) -> None:
    file, size = str(tmp_path / "map.json"), ["--width", "20", "--height", "12", "--seed", "1"]
    assert main(["make", "wfc", "--rules", str(write_pipes(tmp_path)), *size, "-o", file]) == 0
    map = tw.load(file)
    oriented = list_oriented()
    sides = np.array([oriented[name] for name in map.tileset.names])[map.cells]
    assert (sides[:, :-1, 1] == sides[:, 1:, 3]).all()
    assert (sides[:-1, :, 2] == sides[1:, :, 0]).all()
    assert len(np.unique(map.cells)) > 3
    assert main(["verify", file]) == 0


def test_a_subset_is_named_after_the_file(tmp_path: Path) -> None:
    subsets = '<subsets><subset name="Only bends"><tile name="bend"/><tile name="field"/></subset></subsets>'
    path = write_set(
        tmp_path / "s.xml", format_neighbors(("bend", "bend 1"), ("field", "field"), ("pipe", "field")), more=subsets
    )
    assert read(f"{path}#Only bends").names == ("field", "bend 0", "bend 1", "bend 2", "bend 3")
    assert "pipe 0" in read(path).names
    with pytest.raises(tw.TilewrightError, match=r"s\.xml: unknown subset 'Only bend'; did you mean 'Only bends'\?"):
        read(f"{path}#Only bend")


@pytest.mark.parametrize(
    ("neighbors", "options", "words"),
    [
        *read_table(__file__, "mistakes are explained"),
        (format_neighbors(("bend", "bendd")), {}, "neighbors.0: unknown tile 'bendd'; did you mean 'bend'?"),
        (format_neighbors(("bend 4", "bend")), {}, "neighbors.0: tile 'bend' has orientations 0 to 3, got 4"),
        (format_neighbors(("field 1", "bend")), {}, "neighbors.0: tile 'field' has orientation 0 only, got 1"),
    ],
)
def test_mistakes_are_explained(tmp_path: Path, neighbors: str, options: dict[str, str], words: str) -> None:
    path = write_set(tmp_path / "bad.xml", neighbors, **options)
    with pytest.raises(tw.TilewrightError) as error:
        read("bad.xml", path.parent)
    assert str(error.value).startswith(f"bad.xml: {words}")


def test_other_xml_files_and_many_tiles_are_refused(tmp_path: Path) -> None:
    (tmp_path / "map.xml").write_text("<map/>")
    with pytest.raises(tw.TilewrightError, match=r"map\.xml: must be a tile set <set>, got <map>"):
        read("map.xml", tmp_path)
    tiles = "".join(f'<tile name="t{number}" symmetry="F"/>' for number in range(600))
    write_set(tmp_path / "large.xml", "", tiles=tiles)
    with pytest.raises(tw.TilewrightError, match=r"large\.xml: tiles: must have at most 4,096 tiles"):
        read("large.xml", tmp_path)


def test_the_studio_and_explain_read_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_pipes(tmp_path)
    data = read_object_file(path.read_bytes(), "pipes.xml", Settings())
    assert Tileset.validate(data) == read(path)
    assert main(["explain", str(path)]) == 0
    assert "bend 3" in capsys.readouterr().out
