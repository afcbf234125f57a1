"""The page in a browser: sizes, keyboard shortcuts and response times."""

from __future__ import annotations

import json
import os
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio
from tilewright.studio.state import TABS, State

SIZES = ((1280, 720), (1024, 768), (820, 1180))
OUTSIDE = """() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight) found.push('the page scrolls');
  for (const panel of document.querySelectorAll('.tw-panel, .tw-right, .tw-header, .tw-bar'))
    if (panel.offsetParent && panel.scrollWidth > panel.clientWidth + 1)
      found.push(`${panel.className} is ${panel.scrollWidth} wide and shows ${panel.clientWidth}`);
  for (const control of document.querySelectorAll('button, input, textarea, .q-slider, [role=tab]')) {
    if (!control.checkVisibility() || control.closest('.q-uploader, .tw-chips')) continue;
    const { left, right, width } = control.getBoundingClientRect();
    if (width && (left < -1 || right > innerWidth + 1))
      found.push(`${control.dataset.testid ?? control.className} from ${left} to ${right}`);
  }
  return found;
}"""
"""Returns the elements that do not fit."""


def test_everything_fits(studio: Studio) -> None:
    studio.open()
    for width, height in SIZES:
        studio.page.set_viewport_size({"width": width, "height": height})
        for tab in TABS:
            studio.tab(tab)
            studio.wait_for_drawing()
            assert studio.page.evaluate(OUTSIDE) == [], (tab, width)
    studio.tab("make")
    for technique in ("fashion", "wfc", "rules", "voronoi", "noise"):
        studio["chosen"].click()
        studio[f"pick-{technique}"].click()
        expect(studio["technique"]).to_have_text(technique)
        studio.wait_for_drawing()
        assert studio.page.evaluate(OUTSIDE) == [], technique


def test_measures_open_and_close_on_small_screens(studio: Studio) -> None:
    studio.open()
    row = studio["measure-floor_share"]
    expect(row).to_be_visible()
    studio.page.set_viewport_size({"width": 1024, "height": 768})
    share = row.text_content() or ""
    expect(row).to_be_hidden()
    expect(studio["measures-open"]).to_contain_text(f"floor share {share}")
    studio["measures-open"].click()
    expect(row).to_be_visible()
    expect(studio["measures-open"]).to_have_attribute("aria-expanded", "true")
    studio["measures-open"].click()
    expect(row).to_be_hidden()
    studio.page.set_viewport_size({"width": 820, "height": 1180})
    expect(row).to_be_hidden()
    expect(studio["measures-open"]).to_contain_text(f"floor share {share}")


def test_keys(studio: Studio) -> None:
    studio.open()
    studio.press("?")
    expect(studio["keys"]).to_be_visible()
    studio.press("Escape")
    expect(studio["keys"]).to_be_hidden()
    for key, tool in {"s": "select", "b": "brush", "m": "rectangle", "k": "bucket", "i": "picker", "h": "hand"}.items():
        studio.press(key)
        expect(studio.map).to_have_attribute("data-tool", tool)
    studio.press("2")
    expect(studio.map).to_have_attribute("data-tile", "wall")
    expect(studio.map).to_have_attribute("data-tool", "brush")
    studio.press("]", "]", "[")
    expect(studio["brush-size"]).to_have_text("2")
    with studio.another():
        studio.press("r")
    studio.press("Control+z")
    studio.shows(tw.make("caves", seed=7))
    # Keys typed into an input field are not shortcuts.
    studio["seed"].fill("")
    studio["seed"].press_sequentially("grb")
    studio.press("Enter")
    studio.shows(tw.make("caves", seed="grb"))
    expect(studio.map).to_have_attribute("data-tool", "brush")
    expect(studio["grid"]).not_to_have_attribute("aria-pressed", "true")
    # Tabs can be used without a mouse.
    studio["tab-make"].focus()
    studio.press("ArrowRight", "Enter")
    expect(studio["tab-shape"]).to_have_attribute("aria-selected", "true")


KNOBS: dict[str, tuple[str, list[float]]] = {
    "caves": ("walls", [0.40 + 0.01 * step for step in range(10)]),
    "bsp": ("rooms", [6 + 4 * step for step in range(10)]),
    "rooms": ("rooms", [6 + 4 * step for step in range(10)]),
    "maze": ("braid", [0.05 + 0.09 * step for step in range(10)]),
    "noise": ("feature_size", [12 + 4 * step for step in range(10)]),
    "voronoi": ("spacing", [6 + step for step in range(10)]),
    "drunkard": ("coverage", [0.2 + 0.03 * step for step in range(10)]),
    "aggregation": ("coverage", [0.12 + 0.02 * step for step in range(10)]),
    "fashion": ("generations", [20 + step for step in range(10)]),
}
"""Constructive techniques, each with a parameter and its values."""
CHANGE_SCRIPT = """async ([knob, values]) => {
  const map = document.querySelector('[data-testid=map]');
  const box = document.querySelector(`[data-testid=param-${knob}]`);
  const times = [];
  for (const value of values) {
    const before = map.dataset.key;
    const start = performance.now();
    box.value = value;
    for (const event of ['input', 'change']) box.dispatchEvent(new Event(event, { bubbles: true }));
    await new Promise((done) => {
      const look = () => (map.dataset.key === before ? requestAnimationFrame(look) : done());
      look();
    });
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));  // drawn, and on the screen
    times.push(performance.now() - start);
  }
  return times;
}"""
USABLE_SCRIPT = """() => {
  const map = document.querySelector('[data-testid=map]');
  return map?.dataset.key && performance.now();
}"""


def test_response_times(studio: Studio, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Report the time from a changed parameter to the pixels of a 128x128 map, and to load the page."""
    report: dict[str, Any] = {"usable": [], "knob to pixels": {}}
    for _ in range(4):
        studio.page.goto("about:blank")
        studio.page.goto(studio.address)
        report["usable"].append(studio.page.wait_for_function(USABLE_SCRIPT, polling="raf").json_value())
    for technique, (knob, values) in KNOBS.items():
        first = {"technique": technique, "params": {"width": 128, "height": 128}, "seed": 7}
        studio.page.evaluate("(link) => { location.hash = link }", State.from_recipe(first).to_link())
        studio.shows(tw.run(first))
        if not studio[f"param-{knob}"].count():
            studio["param-more"].click()
        studio[f"param-{knob}"].wait_for()
        times = studio.page.evaluate(CHANGE_SCRIPT, [knob, [round(value, 3) for value in values]])
        assert len(times) == len(values)
        report["knob to pixels"][technique] = times
    path = Path(os.environ.get("TILEWRIGHT_STUDIO_REPORT") or tmp_path / "studio.json")
    path.write_text(json.dumps(report, indent=1))
    with capsys.disabled():
        print(f"\nThe studio in a browser, milliseconds ({path}):")
        print(f"  page usable, warm   {median(report['usable'][1:]):6.0f}")
        for technique, times in report["knob to pixels"].items():
            print(f"  {technique:18}  {median(times):6.0f}   from {min(times):.0f} to {max(times):.0f}")
