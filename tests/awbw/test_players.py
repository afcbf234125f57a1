"""Players: two-player maps are fair, connected, and keep locked cells."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

import numpy as np
import pytest

import tilewright as tw
from tests.refusals import refused
from tilewright.analysis.paths import distances
from tilewright.autotile.grammar import grammar_of
from tilewright.core.notation import read_pairs
from tilewright.core.registry import shapers
from tilewright.core.tilemap import Marker, Room, TileMap
from tilewright.core.tileset import Tileset
from tilewright.core.tilesets import tilesets
from tilewright.shaping.mirror import MOVES, apply_move

WAR = tilesets.get("awbw")
Symmetry = Literal["half_turn", "horizontal", "vertical", "diagonal", "antidiagonal"]
SYMMETRIES = ("half_turn", "horizontal", "vertical", "diagonal", "antidiagonal")
LANDSCAPE = read_pairs(
    "deep=sea,water=sea,sand=shoal n,grass=plain,forest=wood,hill=plain,mountain=mountain,snow=mountain", "tiles"
)
FAIR = {"player_count": 2, "income_balance": 1, "distance_balance": 1, "capturable_reach": 1, "misfits": 0}


def landscape(seed: int, width: int = 20, height: int = 20, **words: Any) -> TileMap:
    given: dict[str, Any] = {"thresholds": (0.1, 0.3, 0.35, 0.6, 0.75, 0.85, 0.95), "feature_size": 8}
    return tw.make("noise", width=width, height=height, tileset="awbw", tiles=LANDSCAPE, seed=seed, **given, **words)


def soup(seed: int, width: int = 20, height: int = 20) -> TileMap:
    """Return random land, water, pieces that do not join, and buildings of all countries."""
    random = np.random.default_rng(seed)
    kinds = ("plain", "plain", "plain", "wood", "mountain", "sea", "sea", "reef", "pipe ns", "road ew", "river ns")
    cells = random.choice([WAR.id(kind) for kind in kinds], (height, width))
    random_cells = random.random(cells.shape) < 0.1
    cells[random_cells] = random.integers(0, len(WAR), int(random_cells.sum()))
    return TileMap(cells, WAR)


def partners(move: str, one: str = "orange star", other: str = "blue moon") -> np.ndarray[Any, Any]:
    """Return the tile that must be at the image of each tile."""
    table = WAR.reorient_tiles(move)
    named = {one: other, other: one}
    for number, tile in enumerate(WAR):
        if tile.country in named:
            table[number] = WAR.id(tile.name.replace(tile.country, named[tile.country]))
    return table


def is_symmetric(map: TileMap, symmetry: str, **countries: str) -> bool:
    (move,) = MOVES[symmetry]  # type: ignore[index]
    return bool((map.cells == partners(move, **countries)[apply_move(map.cells.astype(np.int64), move)]).all())


def counts(map: TileMap) -> Counter[tuple[str, str]]:
    tiles = (map.tileset[int(cell)] for cell in map.cells.reshape(-1))
    return Counter((tile.country, tile.kind) for tile in tiles if tile.country)


def expected(bases: int = 2, cities: int = 2, **neutral: int) -> Counter[tuple[str, str]]:
    wanted: Counter[tuple[str, str]] = Counter()
    for country in ("orange star", "blue moon"):
        wanted |= Counter({(country, "headquarters"): 1, (country, "base"): bases, (country, "city"): cities})
    for kind, count in ({"city": 6, "base": 1, "airport": 1} | neutral).items():
        wanted[("neutral", kind)] = 2 * count
    return +wanted


@pytest.mark.parametrize("symmetry", SYMMETRIES)
@pytest.mark.parametrize("base", [landscape, soup])
def test_both_players_have_the_same_and_reach_everything_on_foot(base: Any, symmetry: Symmetry) -> None:
    for seed in range(15):
        start = base(seed, 20 + seed % 2, 20 + seed % 2)
        found = tw.shape(start, "players", symmetry=symmetry)
        assert counts(found) == expected()
        assert tw.measure(found, *FAIR) == FAIR
        assert is_symmetric(found, symmetry)
        assert found == tw.shape(start, "players", symmetry=symmetry)
        fitted = tw.shape(found, "autotile", keep="pieces")
        assert (fitted.cells == found.cells).all(), "all pieces fit already"


@pytest.mark.parametrize(("width", "height"), [(8, 8), (9, 14), (40, 12), (50, 50)])
def test_other_sizes(width: int, height: int) -> None:
    few: dict[str, Any] = {"cities": 0, "bases": 1, "neutral_cities": 2, "neutral_bases": 0, "airports": 0}
    for seed in range(6):
        found = tw.shape(landscape(seed, width, height), "players", **few)
        assert counts(found) == expected(bases=1, cities=0, city=2, base=0, airport=0)
        assert tw.measure(found, *FAIR) == FAIR
        assert is_symmetric(found, "half_turn")


def test_without_a_symmetry_both_have_the_same_number_at_similar_distances() -> None:
    balances = []
    for seed in range(20):
        start = landscape(seed)
        found = tw.shape(start, "players", symmetry="none", roads=False)
        assert counts(found) == expected()
        balances.append(tw.measure(found, *FAIR)["distance_balance"])
        assert {**FAIR, "distance_balance": balances[-1]} == tw.measure(found, *FAIR)
        assert (found.cells == start.cells).mean() > 0.8, "the land stays unchanged"
    assert np.mean(balances) > 0.85
    assert min(balances) > 0.65


def test_headquarters_are_far_apart_and_bases_near() -> None:
    for seed in range(20):
        found = tw.shape(landscape(seed), "players")
        (one,), (other,) = (np.argwhere(found.where(f"{name} headquarters")) for name in ("orange star", "blue moon"))
        assert np.hypot(*(one - other)) > 12
        assert tuple(one) < tuple(other), "the first country gets the first half"
        bases = np.argwhere(found.where("orange star base"))
        assert (np.abs(bases - one).sum(axis=1) <= 12).all()
        contact = tw.measure(found, "first_contact")["first_contact"]
        assert contact > 1


def test_buildings_are_not_orthogonal_neighbors() -> None:
    for seed in range(20):
        found = tw.shape(landscape(seed), "players", neutral_cities=10)
        building = np.array([bool(tile.country) for tile in WAR])[found.cells]
        assert not (building[1:] & building[:-1]).any()
        assert not (building[:, 1:] & building[:, :-1]).any()


def test_ports_are_at_the_sea() -> None:
    count = 0
    for seed in range(20):
        try:
            found = tw.shape(landscape(seed), "players", ports=1, com_towers=1, labs=1)
        except tw.GaveUp:  # no shore
            continue
        count += 1
        assert counts(found) == expected(port=1, lab=1, **{"com tower": 1})
        sea = np.pad(found.where("sea") | np.isin(found.cells, [WAR.id("bridge ew"), WAR.id("bridge ns")]), 1)
        for row, column in np.argwhere(found.where("port")).tolist():
            assert sea[row, column + 1] or sea[row + 2, column + 1] or sea[row + 1, column] or sea[row + 1, column + 2]
    assert count > 10


def test_all_land_is_joined_on_demand() -> None:
    for seed in range(10):
        found = tw.shape(soup(seed), "players", join_all=True)
        assert tw.measure(found, "regions")["regions"] == 1
        assert is_symmetric(found, "half_turn")


def test_roads_lead_from_headquarters_to_bases_and_are_optional() -> None:
    start = landscape(3)
    road = np.array([tile.kind in ("road", "bridge") for tile in WAR])
    building = np.array([bool(tile.country) for tile in WAR])
    for seed in range(10):
        found = tw.shape(landscape(seed), "players")
        passable = road[found.cells] | building[found.cells]
        (home,) = np.argwhere(found.where("orange star headquarters")).tolist()
        steps = distances(passable, home)
        assert np.isfinite(steps[found.where("orange star base")]).all()
        assert np.isfinite(steps[found.where("blue moon headquarters")]).all()
    assert road[tw.shape(start, "players").cells].sum() > road[tw.shape(start, "players", roads=False).cells].sum()


def test_countries_by_name_or_initials() -> None:
    found = tw.shape(landscape(1), "players", countries=("ge", "Yellow Comet"))
    assert {country for country, _ in counts(found)} == {"green earth", "yellow comet", "neutral"}
    assert is_symmetric(found, "half_turn", one="green earth", other="yellow comet")
    with refused("players: countries: unknown country 'orange stare'; did you mean 'orange star'", tw.InvalidRecipe):
        tw.shape(landscape(1), "players", countries=("orange stare", "bm"))
    with refused("players: countries: must contain each country once, got 'blue moon' twice", tw.InvalidRecipe):
        tw.shape(landscape(1), "players", countries=("bm", "blue moon"))


def test_old_buildings_are_removed_and_neutral_sites_are_reused() -> None:
    start = landscape(2)
    cells = start.cells.copy()
    open_ = np.argwhere(start.where("plain"))[::7]
    cells[tuple(open_.T)] = WAR.id("city")
    cells[tuple(open_[::5].T)] = WAR.id("red fire headquarters")
    found = tw.shape(TileMap(cells, WAR), "players")
    assert counts(found) == expected()
    neutral = np.array([tile.country == "neutral" for tile in WAR])
    kept = neutral[found.cells] & (cells == WAR.id("city"))
    assert kept[:10].sum() >= 5, "of eight in the half that is copied"


def test_locks_are_kept_or_the_shaper_gives_up() -> None:
    count = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        liked = landscape(seed, shaping=["players"])
        mask = np.zeros(liked.shape, dtype=np.bool_)
        row, column = random.integers(0, 10, 2).tolist()
        mask[row : row + 10, column : column + 10] = True
        try:
            found = landscape(seed + 100, locks=liked.to_locks(mask), shaping=["players"])
        except tw.GaveUp:
            continue
        count += 1
        assert (found.cells[mask] == liked.cells[mask]).all()
        assert is_symmetric(found, "half_turn")
        assert {**tw.measure(found, *FAIR), "misfits": 0} == FAIR
        assert not (grammar_of(WAR).find_misfits(found.cells) & ~mask & ~mask[::-1, ::-1]).any()
        assert counts(found) == expected()
    assert count >= 38


def test_a_locked_headquarters_is_used() -> None:
    for symmetry in ("half_turn", "none"):
        start = landscape(4, shaping=[{"players": {"symmetry": symmetry}}], locks=[[15, 4, "orange star headquarters"]])
        assert np.argwhere(start.where("orange star headquarters")).tolist() == [[4, 15]]
        assert counts(start) == expected()


@pytest.mark.parametrize(
    ("locks", "reason"),
    [
        ([[0, 0, "plain"], [19, 19, "sea"]], "locked cells break the symmetry"),
        ([[2, 2, "red fire city"]], "locked buildings belong to a country that does not play"),
        (
            [[2, 2, "orange star headquarters"], [9, 2, "orange star headquarters"]],
            "2 locked of the kind 'headquarters' for orange star, at most 1 wanted",
        ),
        ([[2, 2, "lab"]], "2 locked of the kind 'lab' for neutral, at most 0 wanted"),
    ],
)
def test_impossible_locks_are_refused(locks: Any, reason: str) -> None:
    with pytest.raises(tw.GaveUp, match=reason) as caught:
        landscape(4, shaping=["players"], locks=locks)
    assert caught.value.cells


def test_a_locked_moat_is_reported() -> None:
    start = landscape(4)
    cells = np.full(start.shape, WAR.id("plain"))
    cells[9:11] = WAR.id("sea")
    moat = TileMap(cells, WAR).to_locks(cells == WAR.id("sea"))
    with pytest.raises(tw.GaveUp, match="leave infantry no path") as caught:
        landscape(4, shaping=["players"], locks=moat)
    assert all(9 <= row < 11 for row, _ in caught.value.cells)


def test_impossible_maps_are_refused_in_one_line() -> None:
    with pytest.raises(tw.InvalidRecipe, match="two players need at least 8x8 cells, got 7x20"):
        tw.shape(landscape(1, 7, 20), "players")
    with pytest.raises(tw.InvalidRecipe, match="symmetry: diagonal needs a square map, this one is 20x12"):
        tw.shape(landscape(1, 20, 12), "players", symmetry="diagonal")
    with pytest.raises(tw.InvalidRecipe, match="tileset 'cave' has no countries"):
        tw.shape(tw.make("caves", width=20, height=20, seed=1), "players")
    for tile in ("sea", "reef", "river ew"):
        with pytest.raises(tw.GaveUp, match="players: the map has no land to build on"):
            tw.shape(TileMap(np.full((20, 20), WAR.id(tile)), WAR), "players")
    islet = np.full((20, 20), WAR.id("sea"))
    islet[9:11, 9:11] = WAR.id("plain")
    with pytest.raises(tw.GaveUp, match="no room for two headquarters"):
        tw.shape(TileMap(islet, WAR), "players")
    with pytest.raises(tw.GaveUp, match="neutral buildings wanted, room for"):
        tw.shape(landscape(1), "players", neutral_cities=500)
    poor = Tileset.validate(
        {
            "name": "poor",
            "tiles": [
                {"name": "plain", "kind": "plain"},
                {"name": "red home", "kind": "headquarters", "country": "red"},
                {"name": "blue home", "kind": "headquarters", "country": "blue"},
            ],
        }
    )
    with pytest.raises(tw.InvalidRecipe, match="'poor' has no tile of the kind 'base' for red"):
        tw.shape(TileMap(np.zeros((12, 12), dtype=int), poor), "players", countries=("red", "blue"))
    none: dict[str, Any] = {"bases": 0, "cities": 0, "neutral_cities": 0, "neutral_bases": 0, "airports": 0}
    found = tw.shape(TileMap(np.zeros((12, 12), dtype=int), poor), "players", countries=("red", "blue"), **none)
    assert tw.measure(found, "player_count", "first_contact")["player_count"] == 2


def test_layers_are_copied_and_rooms_and_markers_removed() -> None:
    start = landscape(1)
    height = np.arange(400.0).reshape(20, 20)
    start = start.replace(rooms=[Room(2, 3, 4, 5)], markers=[Marker("start", 2, 3)], layers={"height": height})
    found = tw.shape(start, "players")
    assert (found.layers["height"] == found.layers["height"][::-1, ::-1]).all()
    assert (found.rooms, found.markers) == ((), ())
    alone = tw.shape(start, "players", symmetry="none")
    assert alone.rooms == start.rooms
    assert (alone.layers["height"] == height).all()


def test_watching_changes_nothing() -> None:
    map = landscape(5, shaping=["players"])
    assert map.recipe is not None
    *frames, last = tw.watch(map.recipe)
    assert last.map == map
    assert {"buildings", "roads"} <= {frame.note for frame in frames}


def test_params_are_described_and_round_trip() -> None:
    entry = shapers.get("players")
    assert entry.summary.endswith(".")
    assert all(field.description for field in entry.params.model_fields.values())
    recipe = landscape(5, shaping=[{"players": {"symmetry": "vertical", "cities": 1}}]).recipe
    assert recipe is not None
    assert tw.run(recipe.to_data()) == tw.run(recipe)


def test_double_roads_become_single_and_short_ones_that_lead_nowhere_disappear() -> None:
    cells = np.full((14, 20), WAR.id("plain"))
    cells[3:5] = WAR.id("road ew")
    cells[8, 2:5] = WAR.id("road ew")
    cells[11, 3] = WAR.id("bridge ew")
    few: dict[str, Any] = {"cities": 0, "bases": 0, "neutral_cities": 1, "neutral_bases": 0, "airports": 0}
    found = tw.shape(TileMap(cells, WAR), "players", symmetry="horizontal", roads=False, seed=2, **few)
    road = np.isin([tile.kind for tile in WAR], ("road", "bridge"))[found.cells]
    assert np.flatnonzero(road.any(axis=1)).tolist() == [4]
    assert road[4].all()
    assert tw.measure(found, "misfits") == {"misfits": 0}


def test_war_maps_have_no_double_roads() -> None:
    for seed in range(12):
        map = tw.run("skirmish", seed=seed)
        road = np.isin([tile.kind for tile in WAR], ("road", "bridge"))[map.cells]
        blocks = road[1:, 1:] & road[:-1, 1:] & road[1:, :-1] & road[:-1, :-1]
        # A road through the center needs a ring to be symmetric.
        blocks[map.height // 2 - 1, map.width // 2 - 1] = False
        assert not blocks.any(), seed
