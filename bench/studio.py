"""The studio in Chromium: first screen, from a changed parameter to pixels, the gallery, and frames of Play."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, expect

from tests.browser import chromium
from tests.studio.page import Studio, serving
from tilewright.studio.state import State

from .row import Row

DESKTOP = {"width": 1440, "height": 900}
ROUNDS = 5
STEPS = 10
"""Number of values of each parameter."""
KNOBS: dict[str, tuple[str, float, float]] = {
    "caves": ("walls", 0.40, 0.01),
    "bsp": ("rooms", 6, 4),
    "rooms": ("rooms", 6, 4),
    "maze": ("braid", 0.05, 0.09),
    "noise": ("feature_size", 12, 4),
    "voronoi": ("spacing", 6, 1),
    "drunkard": ("coverage", 0.2, 0.03),
    "aggregation": ("coverage", 0.12, 0.02),
    "fashion": ("generations", 20, 1),
}
"""Constructive techniques, each with a parameter, its first value and the distance of its values."""
USABLE = """() => {
  const picture = document.querySelector('[data-testid=goal-dungeon] img');
  const isUsable = picture?.complete && picture.naturalWidth && picture.checkVisibility() && window.socket?.connected;
  return isUsable && performance.now();
}"""
"""Returns the milliseconds since the start of the navigation once the first goal is shown and a click has an effect."""
CHANGE = """async ([knob, values]) => {
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
"""Sets a parameter to each value in turn and returns the milliseconds until the new map is on the screen."""
FILL = """async () => {
  const start = performance.now();
  document.querySelector('[data-testid=tab-gallery]').click();
  await new Promise((done) => {
    const look = () => (document.querySelectorAll('.tw-map-cell.tw-made').length < 24
      ? requestAnimationFrame(look) : done());
    look();
  });
  return performance.now() - start;
}"""
"""Opens the gallery and returns the milliseconds until all its maps are shown."""

WALK = """async (frames) => {
  const keys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp'];
  const next = () => new Promise(requestAnimationFrame);
  const times = [await next()];
  while (times.length <= frames) {
    const key = keys[times.length % keys.length];
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code: key, bubbles: true }));
    times.push(await next());
  }
  const lengths = times.slice(1).map((time, place) => time - times[place]).sort((one, other) => one - other);
  return lengths[lengths.length >> 1];
}"""
"""Takes a step in every frame and returns the median milliseconds of a frame."""
FRAMES = 240


def rows() -> Iterator[Row]:
    with TemporaryDirectory() as folder, serving(Path(folder) / "log") as address, chromium() as browser:
        yield _time_first_screen(browser, address)
        yield from _time_knobs(browser, address)
        yield _time_gallery(browser, address)
        yield _time_play(browser, address)


def _open(browser: Browser, address: str, state: State | str) -> Studio:
    """Open a page, and wait until all techniques are compiled."""
    context = browser.new_context(viewport=DESKTOP)  # type: ignore[arg-type]
    studio = Studio(context, address).open(state)
    expect(studio["compiling"]).to_be_hidden(timeout=600_000)
    return studio


def _time_first_screen(browser: Browser, address: str) -> Row:
    studio = _open(browser, address, "")
    times = []
    for _ in range(ROUNDS):
        studio.page.goto("about:blank")
        studio.page.goto(address)
        times.append(float(studio.page.wait_for_function(USABLE, polling="raf").json_value()))
    studio.page.context.close()
    return Row(what="studio: first screen usable, warm", unit="s", ours=median(times) / 1000, at_most=1.2)


def _time_knobs(browser: Browser, address: str) -> Iterator[Row]:
    for technique, (knob, first, distance) in KNOBS.items():
        recipe = {"technique": technique, "params": {"width": 128, "height": 128}, "seed": 7}
        studio = _open(browser, address, State.from_recipe(recipe))
        if not studio[f"param-{knob}"].count():
            studio["param-more"].click()
        studio[f"param-{knob}"].wait_for()
        values = [round(first + distance * step, 3) for step in range(STEPS)]
        times = studio.page.evaluate(CHANGE, [knob, values])
        studio.page.context.close()
        yield Row(what=f"studio: {knob} of {technique} to pixels, 128x128", unit="ms", ours=median(times), at_most=100)


def _time_gallery(browser: Browser, address: str) -> Row:
    times = []
    for seed in range(ROUNDS):
        studio = _open(browser, address, State.from_recipe({"technique": "caves", "seed": seed}))
        times.append(float(studio.page.evaluate(FILL)))
        studio.page.context.close()
    return Row(what="studio: gallery of 24 caves", unit="s", ours=median(times) / 1000, at_most=1)


def _time_play(browser: Browser, address: str) -> Row:
    recipe = {"technique": "caves", "params": {"width": 200, "height": 200}, "shaping": ["connect", "place"], "seed": 7}
    studio = _open(browser, address, State.from_recipe(recipe))
    studio["play-map"].click()
    studio["game"].wait_for()
    milliseconds = float(studio.page.evaluate(WALK, FRAMES))
    if studio["game"].get_attribute("data-steps") == "0":
        raise RuntimeError("the player did not walk")
    studio.page.context.close()
    return Row(
        what="studio: Play, a step in every frame, 200x200", unit="frames/s", ours=1000 / milliseconds, at_least=59
    )
