"""`tilewright search variety`, and the gallery on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image

import tilewright as tw
from tests.cli.conftest import Run

SMALL = ("--set", "width=24", "--set", "params.height=16")
VARIETY = ("search", "variety", "caves", *SMALL, "--seed", "7")


def test_maps_are_written_with_their_numbers(tilewright: Run, tmp_path: Path) -> None:
    targets = ("--target", "path_length=20..29", "--target", "path_length=30..45,regions<=3")
    done = tilewright.succeed(
        *VARIETY, *targets, "--count", "4", "--min-distance", "0.3", "-o", "level_{number}.json", "--sheet", "all.png"
    )
    maps = [tw.load(tmp_path / f"level_{number}.json") for number in range(1, 5)]
    assert tw.search.compare(maps)[0, 1:].min() >= 0.3
    for number, map in enumerate(maps):
        found = tw.measure(map, "path_length", "regions")
        low, high = ((20, 29), (30, 45))[number % 2]
        assert low <= found["path_length"] <= high
        assert number % 2 == 0 or found["regions"] <= 3
    assert Image.open(tmp_path / "all.png").width > 800
    assert "wrote 4 maps up to level_4.json" in done.err
    assert "4 maps by caves that differ by at least 0.3" in done.err
    assert [line.split()[0] for line in done.out.splitlines()] == ["map", "1", "2", "3", "4"]


def test_json_has_seeds_measures_and_distances(tilewright: Run) -> None:
    distance = ("--distance", "patterns,pattern_size=2", "--min-distance", "0.02")
    done = tilewright.succeed(*VARIETY, "--count", "3", *distance, "--json")
    found = json.loads(done.out)
    recipe = {"technique": "caves", "params": {"width": 24, "height": 16}}
    expected = tw.search.variety(recipe, count=3, distance="patterns,pattern_size=2", min_distance=0.02, seed=7)
    assert found["distances"] == expected.distances.tolist()
    assert [one["seed"] for one in found["maps"]] == [map.recipe.seed for map in expected if map.recipe is not None]
    assert (found["distance"], found["candidates"]) == ("patterns,pattern_size=2", expected.candidates)


def test_recipes_knobs_and_varied_parameters(tilewright: Run, tmp_path: Path) -> None:
    settings = ("--seed", "1", "--set", "params.width=30", "--set", "params.height=20", "--vary", "walls=0.4..0.5")
    tilewright.succeed("search", "variety", "open-caves", *settings, "--count", "2", "-o", "{number}.json")
    maps: list[Any] = [tw.load(tmp_path / f"{number}.json") for number in (1, 2)]
    assert maps[0].recipe.params.walls != maps[1].recipe.params.walls
    assert all(map.shape == (20, 30) for map in maps)


def test_maps_are_changed_to_reach_targets(tilewright: Run) -> None:
    wanted = ("--count", "2", "--target", "path_length=60..66", "--candidates", "20")
    done = tilewright.succeed(*VARIETY, *wanted, "--reach-targets", "--json")
    assert all(60 <= one["measures"]["path_length"] <= 66 for one in json.loads(done.out)["maps"])


def test_the_gallery(tilewright: Run, tmp_path: Path) -> None:
    size = ("--width", "20", "--height", "12", "--seed", "1")
    tilewright.succeed("make", "fashion", *size, "--scores", "archive:12,3", "--morph", "archive:4,7", "-o", "map.json")
    expected: Any = tw.make("fashion", scores="archive:12,3", morph="archive:4,7", width=20, height=12, seed=1)
    assert tw.load(tmp_path / "map.json") == expected
    tilewright.succeed("search", "pair", "archive:caverns", "12,3", "4,7", "--set", "width=20", "-o", "pair.json")
    pair: Any = tw.load(tmp_path / "pair.json").recipe
    assert pair.params.scores == expected.recipe.params.scores
    assert pair.params.morph == expected.recipe.params.morph
    assert "styles over 64 seeds by fashion" in tilewright("search", "info", "archive:caverns").out
