from __future__ import annotations

import json
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilewright as tw
from tests.cases import read_table
from tests.formats.maps import deep_map
from tests.refusals import refused
from tilewright import formats
from tilewright.awbw.format import COUNTRIES, SYMBOLS, UNITS
from tilewright.core.tilesets import tilesets
from tilewright.formats import Source, decode
from tilewright.formats._icons import find_icon

AWBW = formats.format_registry.get("awbw")
TILES = tilesets.get("awbw")
CODES = {tile.code: tile.name for tile in TILES}


def read(content: bytes | str, tileset: tw.Tileset | None = None, **options: Any) -> tw.TileMap:
    raw = content.encode() if isinstance(content, str) else content
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return decode(Source(raw, "x.csv", tileset), AWBW, **options)[0].map


def encode(map: tw.TileMap, **options: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return formats.encode(map, "awbw", **options).decode()


def names(map: tw.TileMap) -> list[list[str]]:
    return [[map.tileset[number].name for number in row] for row in map.cells.tolist()]


# -- ids --------------------------------------------------------------------------------------------------------


def test_ids_in_rows_and_nothing_else() -> None:
    rows = [["plain", "sea"], ["orange star headquarters", "teleport"]]
    map = tw.TileMap([[TILES.id(name) for name in row] for row in rows], TILES)
    assert encode(map) == "1,28\n42,195\n"


def test_every_map_of_the_reference_round_trips(reference: Path, tmp_path: Path) -> None:
    files = sorted((reference / "awbw").glob("*.csv"))
    assert len(files) >= 6
    for path in files:
        map = tw.load(path, format="awbw")
        assert map.tileset is TILES
        assert encode(map).split() == path.read_text().split()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            map.save(tmp_path / "map.csv", format="awbw")
            map.save(tmp_path / "map.awbw")
        assert tw.load(tmp_path / "map.csv", format="awbw") == tw.load(tmp_path / "map.awbw") == map


@settings(max_examples=40)
@given(data=st.data())
def test_any_map_round_trips(data: st.DataObject) -> None:
    height, width = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 8))
    some = data.draw(st.lists(st.integers(0, len(TILES) - 1), min_size=1, max_size=6))
    cells = np.array(data.draw(st.lists(st.sampled_from(some), min_size=height * width, max_size=height * width)))
    map = tw.TileMap(cells.reshape(height, width), TILES)
    assert read(encode(map)) == map
    if all(TILES[number].code in SYMBOLS for number in some):
        assert read(encode(map, old=True), old=True) == map


@pytest.mark.parametrize("content", read_table(__file__, "variants of the format are read"))
def test_variants_of_the_format_are_read(content: str) -> None:
    assert names(read(content)) == [["plain", "sea"], ["teleport", "wood"]]


def test_an_empty_field_is_a_teleport_tile_also_at_the_end() -> None:
    assert names(read("1,2,\n,,3\n")) == [["plain", "mountain", "teleport"], ["teleport", "teleport", "wood"]]
    assert read("28\n1\n").shape == (2, 1)


def test_a_comma_at_the_end_of_all_rows_gives_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"x.csv: all rows end with a comma, so the last column is all teleport"):
        map = decode(Source(b"1,2,\n3,4,\n", "x.csv"), AWBW)[0].map
    assert names(map) == [["plain", "mountain", "teleport"], ["wood", "river ew", "teleport"]]
    assert read("1,195\n3,195\n").shape == (2, 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        *read_table(__file__, "anything else is refused with its place"),
        ("9" * 5000, "row 1, column 1"),
        ("1," * 70_000 + "1", "at most 65,536 cells"),
        (b"1,\xff\n", "not UTF-8 text"),
        (bytes(range(32)) * 50, "neither rows of ids nor the old format"),
        (",".join(str(code) for code in range(1000, 3000)), "2,000 different ids without a tile"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_anything_else_is_refused_with_its_place(content: bytes | str, message: str) -> None:
    with refused(message, tw.BadFile, start="x.csv: "):
        read(content)


@pytest.mark.parametrize("row", ["1\n", "1,2,3,4,5,6,7\n", ".....\n", "\n,"])
def test_a_million_rows_are_refused(row: str) -> None:
    with pytest.raises(tw.BadFile, match=r"must have at most 65,536 rows"):
        read(row * 1_000_000)


def test_levels_and_tiles_without_a_code_are_refused() -> None:
    with pytest.raises(tw.InvalidRecipe, match="awbw: cannot hold a map with levels, got 3 levels"):
        encode(deep_map())
    with pytest.raises(tw.InvalidRecipe, match=r"the tile '\w+' of tileset 'cave' has no code"):
        encode(tw.make("caves", width=9, height=9, seed=1))
    with pytest.raises(tw.BadFile, match="tileset 'cave' has no codes"):
        read("1,2\n", tilesets.get("cave"))


@pytest.mark.parametrize(("width", "height"), [(4, 9), (9, 4), (51, 9), (9, 51)])
def test_sizes_that_the_site_refuses_are_written_with_a_warning(width: int, height: int) -> None:
    map = tw.TileMap(np.zeros((height, width), dtype=np.uint8), TILES)
    with pytest.warns(UserWarning, match=rf"accepts maps of 5 to 50 cells per side, got {width}x{height}"):
        content = formats.encode(map, "awbw")
    assert read(content) == map


@pytest.mark.parametrize(("width", "height"), [(5, 50), (50, 5)])
def test_sizes_that_the_site_accepts_are_written_without_a_warning(width: int, height: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        formats.encode(tw.TileMap(np.zeros((height, width), dtype=np.uint8), TILES), "awbw")


# -- unknown ids, and the user's own tileset ---------------------------------------------------------------------


def test_unknown_ids_are_kept_with_a_warning() -> None:
    content = "1,58,300\n300,300,28\n"
    with pytest.warns(UserWarning, match=r"x.csv: unknown ids, .* 58 \(1 cell\), 300 \(3 cells\); define them"):
        map = decode(Source(content.encode(), "x.csv"), AWBW)[0].map
    assert names(map) == [["plain", "unknown 58", "unknown 300"], ["unknown 300", "unknown 300", "sea"]]
    tile = map.tileset[map.tileset.id("unknown 300")]
    assert (tile.kind, tile.code, tile.passable) == ("unknown", 300, True)
    assert map.tileset.tiles[: len(TILES)] == TILES.tiles
    assert map.tileset.joints == TILES.joints
    assert encode(map) == content


def test_unknown_ids_are_added_to_the_given_tileset(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1,58\n58,28\n")
    with pytest.warns(UserWarning, match="unknown ids"):
        map = tw.load(tmp_path / "a.csv", format="awbw", tileset="awbw")
    assert map.tileset.names == (*TILES.names, "unknown 58")
    map.save(tmp_path / "a.json")
    assert tw.load(tmp_path / "a.json", tileset="awbw") == map


OWN = read_table(__file__, "own tileset")


def test_an_own_tileset_names_unknown_ids(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(OWN)
    (tmp_path / "a.csv").write_text("1,58\n28,3\n")
    map = tw.load(tmp_path / "a.csv", format="awbw", tileset=str(tmp_path / "mine.toml"))
    assert names(map) == [["meadow", "volcano"], ["sea", "wood"]]
    own = map.tileset
    assert own.name == "mine"
    assert len(own) == len(TILES) + 1
    assert own.id("volcano") == len(TILES)
    assert own.id("meadow") == TILES.id("plain")
    assert own[own.id("meadow")].kind == "plain"  # fields that are not given are inherited
    assert own[own.id("sea")] == TILES[TILES.id("sea")].model_copy(update={"color": "#000080"})
    assert [joint.kind for joint in own.joints] == [
        *(joint.kind for joint in TILES.joints if joint.kind != "road"),
        "road",
    ]
    assert encode(map) == "1,58\n28,3\n"
    assert tw.Tileset.validate(own.to_data()) == own


def test_a_tileset_may_extend_without_changes() -> None:
    assert tw.Tileset.from_toml('extends = "awbw"', "mine").tiles == TILES.tiles


# -- the old format -----------------------------------------------------------------------------------------------


def test_the_old_format_both_ways() -> None:
    content = "i.@^,\n{}~- \nabc[o\n,,,,%\n"
    map = read(content)
    assert names(map)[0] == ["orange star headquarters", "plain", "wood", "mountain", "sea"]
    assert names(map)[1][4] == "teleport"
    assert names(map)[3] == ["sea"] * 4 + ["reef"]
    assert encode(map, old=True) == content
    assert read(encode(map)) == map


def test_every_symbol_is_a_tile() -> None:
    assert len(set(SYMBOLS.values())) == len(SYMBOLS) == 91
    assert SYMBOLS.keys() <= CODES.keys()
    text = "".join(SYMBOLS.values())
    map = read(f"{text}\n{text}\n")
    assert [map.tileset[number].code for number in map.cells[0].tolist()] == list(SYMBOLS)
    assert encode(map, old=True) == f"{text}\n{text}\n"


def test_ambiguous_text_can_be_forced_to_a_format() -> None:
    assert names(read(",,,\n,,,\n")) == [["sea"] * 3] * 2  # no number at all
    assert read("1,2\n").shape == (1, 2)
    assert names(read("1,2\n", old=True)) == [["black hole city", "sea", "black hole base"]]
    assert names(read(",\n", old=False)) == [["teleport", "teleport"]]
    assert names(read("   \n", old=True)) == [["teleport"] * 3]
    assert read("1;2\n3;4\n", old=True).shape == (2, 3)
    assert read(";;;1\n....\n").shape == (2, 4)
    assert read("[[,,\n[],,\n").shape == read("{[,,\n[],,\n").shape == (2, 4)


def test_the_old_format_lacks_tiles_and_rows_must_be_equal() -> None:
    map = tw.TileMap([[TILES.id("jade sun base")] * 5] * 5, TILES)
    with pytest.raises(tw.InvalidRecipe, match="old format has no character for the tile 'jade sun base'"):
        encode(map, old=True)
    with pytest.raises(tw.BadFile, match="row 2 has 2 cells, the first has 3"):
        read("...\n..\n")


# -- the site's JSON ----------------------------------------------------------------------------------------------


def site(**changes: Any) -> str:
    document = read_table(__file__, "map of the site")
    return json.dumps({key: value for key, value in {**document, **changes}.items() if value is not ...})


def test_the_sites_json_is_read_column_by_column() -> None:
    map = read(site())
    assert names(map) == [
        ["plain", "orange star headquarters", "blue moon headquarters"],
        ["sea", "teleport", "teleport"],
    ]
    assert map.markers == (tw.Marker("unit infantry orange star", 2, 1), tw.Marker("unit mega tank zz", 0, 0))
    assert read(site(**{"Size X": ..., "Size Y": ..., "Predeployed Units": ...})).shape == (2, 3)
    assert set(COUNTRIES.values()) == {tile.country for tile in TILES} - {"", "neutral"}


def test_units_outside_are_skipped_with_a_warning() -> None:
    content = site(**{"Predeployed Units": [{"Unit ID": 1, "Unit X": 3, "Unit Y": 0}]})
    with pytest.warns(UserWarning, match="1 unit outside the map skipped"):
        assert decode(Source(content.encode(), "x.json"), AWBW)[0].map.markers == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"err": true, "message": "No map matches given ID."}', "it says 'No map matches given ID.'"),
        ("{}", "must contain a 'Terrain Map'"),
        ('{"Terrain Map": [[1,', "damaged JSON"),
        ('{"Terrain Map": ' + "[" * 100_000, "damaged JSON"),
        (site()[:40], "damaged JSON"),
        (site()[:-9], "damaged JSON"),
        ('{"Na', "damaged JSON"),
        ("[[1, 28, 28], [3, 4, 5], [", "damaged JSON"),
        ('[{"Name": "x", "Terr', "damaged JSON"),
        ("[[1, 28], [3, 4]]", "must be a JSON object, got list"),
        ('{"Terrain Map": [[NaN]]}', "NaN is not a number"),
        (site(**{"Terrain Map": 3}), "Terrain Map: must be a list of columns"),
        (site(**{"Terrain Map": [1, 2]}), "Terrain Map: must be a list of columns"),
        (site(**{"Terrain Map": []}), "Terrain Map: contains no cells"),
        (site(**{"Terrain Map": [[], []]}), "Terrain Map: contains no cells"),
        (site(**{"Terrain Map": [[1, 2], [3], [4, 5]]}), "column 2 has 1 cell, the first has 2"),
        (site(**{"Terrain Map": [[1, 2], [3, -1], [4, 5]]}), "x=1 y=1: an id must be an integer"),
        (site(**{"Terrain Map": [[1, 2], [3, 1e300], [4, 5]]}), "x=1 y=1: an id must be an integer"),
        (site(**{"Terrain Map": [[1, 2], [3, True], [4, {}]]}), "x=1 y=1: an id must be an integer"),
        (site(**{"Size X": 1_000_000}), "Size X: must be 3 as in the Terrain Map, got 1000000"),
        (site(**{"Size Y": None}), "Size Y: must be 2 as in the Terrain Map, got None"),
        (site(**{"Predeployed Units": 7}), "Predeployed Units: must be a list"),
        (site(**{"Predeployed Units": [7]}), "Predeployed Units: must be a list"),
        (site(**{"Predeployed Units": [{}]}), "Predeployed Units.0: must have integers"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_invalid_json_is_refused_in_one_line(content: str, message: str) -> None:
    with refused(message, tw.BadFile):
        read(content)


@settings(max_examples=60)
@given(value=st.recursive(st.none() | st.integers() | st.text(max_size=3), st.lists, max_leaves=6), data=st.data())
def test_any_value_in_json_is_read_or_refused(value: Any, data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(["Terrain Map", "Size X", "Predeployed Units"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(tw.TilewrightError):
            decode(Source(site(**{key: value}).encode(), "x"), AWBW)


def test_every_unit_and_country_has_its_own_icon_and_color() -> None:
    soldiers = [name for name in UNITS.values() if find_icon(f"unit {name}").drawing == "soldier"]
    assert soldiers == ["infantry", "mech"]
    colors = {find_icon(f"unit tank {country}").color for country in COUNTRIES.values() if country != "neutral"}
    assert len(colors) >= 19
