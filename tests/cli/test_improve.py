"""`tilewright improve`, and `--improve` of make and run."""

from __future__ import annotations

import tilewright as tw
from tests.cli.conftest import Run


def test_a_level_is_improved_and_verified(tilewright: Run) -> None:
    base = tw.make("rooms", width=40, height=22, seed=3, shaping=["place"])
    base.save("level.tmx")
    ran = tilewright.succeed("improve", "level.tmx", "path_length=70..80", "-o", "better.tmx", "-o", "better.png")
    assert "path_length 58 -> 7" in ran.err
    assert "cells changed, wrote better.tmx, better.png" in ran.err
    assert tw.load("better.tmx") == tw.improve(base, {"path_length": "70..80"})
    tilewright.succeed("verify", "better.tmx")


def test_a_map_without_a_recipe_has_a_seed_and_can_be_drawn_and_animated(tilewright: Run) -> None:
    base = tw.make("caves", width=24, height=16, seed=3)
    base.replace(recipe=None).save("level.txt")
    flags = ("--tileset", "cave", "--seed", "5", "--style", "0.2", "--keep", "moss,crystal", "--no-connected")
    drawn = tilewright.succeed("improve", "level.txt", "floor_share=0.7..0.75", "regions=1", *flags)
    expected = tw.improve(
        tw.load("level.txt", tileset="cave"), {"floor_share": "0.7..0.75", "regions": 1}, seed=5, style=0.2,
        keep=["moss", "crystal"], connected=False,
    )  # fmt: skip
    assert drawn.out.strip() == str(expected)
    tilewright.succeed("improve", "level.txt", "path_length=most", "--steps", "500", "-o", "search.gif")


def test_the_option_is_the_last_shaper(tilewright: Run) -> None:
    make = ("make", "caves", "--width", "24", "--height", "16", "--seed", "3", "--shape", "connect")
    tilewright.succeed(*make, "--improve", "path_length=50..60", "--improve", "dead_ends=0", "-o", "a.json")
    found = tw.load("a.json")
    targets = {"path_length": "50..60", "dead_ends": 0}
    assert found == tw.make(
        "caves", width=24, height=16, seed=3, shaping=["connect", {"improve": {"targets": targets}}]
    )
    tilewright.succeed("run", "open-caves", "--seed", "2", "--improve", "dead_ends=0", "-o", "b.json")
    assert tw.measure(tw.load("b.json"), "dead_ends") == {"dead_ends": 0}
