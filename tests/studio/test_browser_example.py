"""By example in a browser: a sample is painted or uploaded, and three techniques imitate it."""

from __future__ import annotations

import io
import re

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import expect

from tests.studio.page import Studio
from tilewright.studio.example.state import SampleState, list_techniques
from tilewright.studio.state import State, ViewSettings

TECHNIQUES = list_techniques()
QUICK = State(
    view_settings=ViewSettings(tab="example"),
    example=SampleState(width=16, height=12).with_knob("patterns", "iterations", 10_000),
)
RIVER = ["........", ".~~~....", "...~....", "...~~~~.", "......~.", "......~.", "........"]
DONE = re.compile(r"^done in ")


def wait_for_maps(studio: Studio) -> list[str]:
    """Wait for all three maps and return their pictures."""
    for technique in TECHNIQUES:
        expect(studio[f"state-{technique}"]).to_have_text(DONE)
        expect(studio[f"divergence-{technique}"]).to_have_text(re.compile(r"^\d"))
        expect(studio[f"novelty-{technique}"]).to_have_text(re.compile(r"^\d+ %$"))
    return [studio[f"picture-{technique}"].get_attribute("src") or "" for technique in TECHNIQUES]


def wait_for_other_maps(studio: Studio, before: list[str]) -> list[str]:
    """Wait until all maps have changed and return their pictures."""
    for technique, picture in zip(TECHNIQUES, before, strict=True):
        expect(studio[f"picture-{technique}"]).not_to_have_attribute("src", picture)
    return wait_for_maps(studio)


def test_a_sample_is_painted_and_three_maps_are_made(studio: Studio) -> None:
    studio.open(QUICK)
    maps = wait_for_maps(studio)
    assert len(set(maps)) == 3
    expect(studio["fitness-patterns"]).to_be_visible()
    before = studio.cells("sample-canvas")
    studio.take("rectangle", "floor", canvas="sample-canvas")
    studio.stroke((1, 1), (14, 10), canvas="sample-canvas")
    painted = before.copy()
    painted[1:11, 1:15] = "floor"
    studio.holds(painted, "sample-canvas")
    maps = wait_for_other_maps(studio, maps)
    studio.press("Control+z")
    studio.holds(before, "sample-canvas")
    maps = wait_for_other_maps(studio, maps)

    studio["maps-reroll"].click()
    wait_for_other_maps(studio, maps)
    studio["continue-wfc"].click()
    expect(studio["tab-make"]).to_have_attribute("aria-selected", "true")
    expect(studio["technique"]).to_have_text("wfc")
    expect(studio.map).to_have_attribute("data-width", "16")


def edit_tiles(studio: Studio, water: NDArray[np.bool_]) -> None:
    """Change the tiles of a sample of floor and water in the dialog."""
    studio["edit-tiles"].click()
    expect(studio["edit-passable-1"]).to_have_attribute("aria-checked", "false")
    expect(studio["edit-color-1"]).to_have_value("#3f84b0")
    studio.enter("edit-name-1", "floor")
    expect(studio["tile-editor-line"]).to_have_text("name: there is already a tile 'floor'; choose another name")
    expect(studio["edit-name-1"]).to_have_value("water")
    studio.enter("edit-name-1", "lava")
    expect(studio["sample-facts"]).to_contain_text(", changed")
    studio.holds(np.where(water, "lava", "floor"), "sample-canvas")
    studio["edit-color-1"].fill("#ff4000")
    studio["edit-passable-1"].click()
    expect(studio["edit-passable-1"]).to_have_attribute("aria-checked", "true")
    studio["tile-editor-close"].click()
    expect(studio["tile-editor"]).to_have_count(0)
    studio["edit-tiles"].click()
    expect(studio["edit-color-1"]).to_have_value("#ff4000")
    expect(studio["edit-passable-1"]).to_have_attribute("aria-checked", "true")
    studio.press("Escape")
    expect(studio["tile-editor"]).to_have_count(0)


def test_files_are_dropped_and_uploaded(studio: Studio) -> None:
    studio.open(QUICK)
    maps = wait_for_maps(studio)
    studio.drop("example", "river.txt", "\n".join(RIVER).encode())
    expect(studio["sample-facts"]).to_have_text("river.txt · 8×7 · 2 tiles")
    shown = studio.cells("sample-canvas")
    water = np.array([[glyph == "~" for glyph in row] for row in RIVER])
    assert np.array_equal(shown, np.where(water, "water", "floor"))
    maps = wait_for_other_maps(studio, maps)
    edit_tiles(studio, water)

    rows = [[int(glyph == "~") for glyph in row] for row in RIVER]
    studio.upload("sample-open", "river.csv", "\n".join(",".join(map(str, row)) for row in rows).encode())
    expect(studio["sample-facts"]).to_contain_text("river.csv · 8×7")
    shown = studio.cells("sample-canvas")
    assert np.array_equal(shown == shown[1, 1], water)
    wait_for_maps(studio)

    pixels = np.where(water[..., None], [40, 90, 200], [90, 160, 70])
    picture = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(picture, "png")
    studio.drop("example", "river.png", picture.getvalue())
    expect(studio["sample-facts"]).to_have_text("river.png · 8×7 · 2 tiles")
    shown = studio.cells("sample-canvas")
    assert np.array_equal(shown == shown[1, 1], water)
    wait_for_maps(studio)

    studio.drop("example", "odd.txt", b"...\n..")
    expect(studio["sample-line"]).to_have_text("odd.txt: row 2 has 2 cells, the first has 3")
    expect(studio["sample-facts"]).to_contain_text("river.png")
