"""Take the pictures of the studio for the documentation, in a real browser: python docs/screenshots.py [NAME ...]

The pictures show the studio at the time of the last run. No test compares pixels.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

import tilewright as tw  # noqa: E402
from tests.browser import chromium  # noqa: E402
from tests.studio.page import Studio, serving  # noqa: E402
from tilewright.studio.search.options import find_owner  # noqa: E402
from tilewright.studio.search.state import SearchViewState  # noqa: E402
from tilewright.studio.state import State  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
SIZE = {"width": 1280, "height": 760}


def build_crypt() -> State:
    """Return a dungeon with some locked rooms."""
    recipe = {
        "technique": "bsp",
        "params": {"width": 44, "height": 28},
        "shaping": ["doors", {"place": {"markers": ["start", "exit"]}}],
        "tileset": "dungeon",
        "seed": 12,
    }
    keep = tw.run(recipe).to_locks(np.s_[2:12, 3:17])
    return State.from_recipe({**recipe, "locks": keep.to_data()})


def open_recipe(tab: str, recipe: str, seed: int) -> State:
    """Return a built-in recipe, opened in a tab."""
    data = tw.recipe(recipe, seed=seed).to_data()
    return State().open_recipe(data, recipe).with_view_settings(tab=tab)


def open_picks() -> State:
    """Return the second generation of a dungeon, with picks."""
    state = open_recipe("search", "roguelike-dungeon", 3)
    vary = {path: {"from": low, "to": high} for path, low, high in PICK_RANGES}
    search = SearchViewState(
        owner=find_owner(state), mode="eye", vary={**vary, "seed": {}}, picks=((1, 4), (2, 5)), generation=1
    )
    return replace(state, search=search)


FIND_SEED = {
    "technique": "caves",
    "params": {"width": 48, "height": 30},
    "require": {"regions": 1, "path_length": "most"},
    "seed": 7,
}
PICK_RANGES = (("params.rooms", 6, 24), ("params.loops", 0, 1), ("params.spacing", 1, 4))
VIEWS = {
    "studio-make": ("dark", build_crypt()),
    "studio-find-seed": ("dark", State.from_recipe(FIND_SEED)),
    "studio-example": ("light", State().with_view_settings(tab="example")),
    "studio-rules": ("light", open_recipe("rules", "lake-cave", 7)),
    "studio-gallery": ("dark", open_recipe("gallery", "skirmish", 3)),
    "studio-search": ("light", State().with_view_settings(tab="search")),
    "studio-pick": ("dark", open_picks()),
    "studio-play": ("dark", open_recipe("make", "platformer", 8)),
}
"""Color scheme and state of each picture, by its name."""


def main() -> None:
    """Take all pictures, or those named on the command line."""
    views = {name: view for name, view in VIEWS.items() if name in sys.argv[1:] or len(sys.argv) == 1}
    with TemporaryDirectory() as folder, serving(Path(folder) / "log") as address, chromium() as browser:
        for name, (scheme, state) in views.items():
            context = browser.new_context(viewport=SIZE, color_scheme=scheme)  # type: ignore[arg-type]
            studio = Studio(context, address).open(state)
            studio.page.wait_for_load_state("networkidle")
            expect(studio["compiling"]).to_be_hidden(timeout=600_000)
            if name == "studio-find-seed":
                studio["find-seed"].click()
                expect(studio["find-seed"]).to_contain_text("More seeds", timeout=600_000)
                expect(studio.page.locator(".tw-found-grid .tw-waits:visible")).to_have_count(0)
                studio["found-0"].get_by_role("button").click()
                studio.page.mouse.move(*(side // 2 for side in SIZE.values()))  # away from the tooltip
            if name == "studio-gallery":
                expect(studio.page.locator(".tw-map-cell.tw-made")).to_have_count(24, timeout=600_000)
            if name == "studio-search":
                studio["search-main"].click()
                expect(studio["search-status"]).to_have_text("Done.", timeout=600_000)
            if name == "studio-pick":
                expect(studio.page.locator(".tw-map-choice.tw-made")).to_have_count(12, timeout=600_000)
            if name == "studio-play":
                studio.press("y")
                for column in range(1, 4):
                    studio.press("d")
                    expect(studio["game"]).to_have_attribute("data-x", str(column))
            if name == "studio-example":
                for technique in ("patterns", "wfc", "markov"):
                    expect(studio[f"state-{technique}"]).to_contain_text("done", timeout=600_000)
            studio.page.wait_for_timeout(4000)
            studio.page.screenshot(path=PICTURES / f"{name}.png")
            context.close()


if __name__ == "__main__":
    main()
