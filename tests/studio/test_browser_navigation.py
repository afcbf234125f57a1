"""The back and forward buttons in a browser."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio

SMALL: dict[str, Any] = {"width": 30, "height": 20}


def test_back_and_forward_step_through_what_was_opened(studio: Studio) -> None:
    studio.open({"technique": "caves", "params": SMALL, "seed": 7})
    studio.set_param("walls", 0.4)
    caves = tw.make("caves", **SMALL, walls=0.4, seed=7)
    studio.shows(caves)

    studio["chosen"].click()
    studio["pick-maze"].click()
    maze = tw.make("maze", **SMALL, seed=7)
    studio.shows(maze)
    studio.set_param("braid", 0.5)
    studio.set_param("braid", 1)
    braided = tw.make("maze", **SMALL, braid=1.0, seed=7)
    studio.shows(braided)

    studio.tab("gallery")
    expect(studio["variation-2"]).to_have_class(re.compile("tw-made"))
    studio["variation-2"].click()
    expect(studio["tab-make"]).to_have_attribute("aria-selected", "true")
    expect(studio["seed"]).not_to_have_value("7")
    picture = tw.make("maze", **SMALL, braid=1.0, seed=int(studio["seed"].input_value()))
    studio.shows(picture)

    # Back to the gallery, and then to the caves with their changed parameter: changes are no steps.
    studio.page.go_back()
    expect(studio["tab-gallery"]).to_have_attribute("aria-selected", "true")
    expect(studio["gallery-grid"]).to_be_visible()
    studio.page.go_back()
    expect(studio["tab-make"]).to_have_attribute("aria-selected", "true")
    studio.shows(caves)
    studio.page.go_forward()
    studio.page.go_forward()
    studio.shows(picture)

    # Going back is a change that undo reverts.
    studio.page.go_back()
    studio.tab("make")
    studio.shows(braided)
    studio["undo"].click()
    studio.shows(picture)
