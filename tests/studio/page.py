"""The studio in Chromium: its server, its page and user actions."""

from __future__ import annotations

import base64
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import BrowserContext, FilePayload, FloatRect, Locator, Page, expect

import tilewright as tw
from tests.browser import complaints
from tilewright.studio.map.payloads import encode_map
from tilewright.studio.state import State

PATIENCE = 60_000
"""Timeout in milliseconds, for a busy machine."""
COMPONENT = "(map) => getElement(Number(map.id.slice(1)))"
"""JavaScript that returns the canvas component of an element."""
DEFAULT = State()
BROWSERS_OWN = ("data", "blob", "about")
"""Schemes of URLs that cause no network request."""

expect.set_options(timeout=PATIENCE)


@contextmanager
def serving(log: Path, **settings: Any) -> Iterator[str]:
    """Start the studio as a separate program on a free port; yields its address."""
    flags = [f"--{name}={value}" for name, value in settings.items()]
    command = [sys.executable, "-m", "tilewright", "studio", "--port=0", "--no-browser", *flags]
    # NiceGUI behaves differently if it detects pytest.
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    with log.open("w") as stderr:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment)
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        found = re.search(r"http://\S+?(?=/ )", line)
        assert found, line + log.read_text()
        yield found[0]
    finally:
        server.terminate()
        server.communicate(timeout=60)
    assert log.read_text() == "", log.read_text()


class Studio:
    """A page of the studio."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.address = address
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.complaints = complaints(self.page)
        self.requested: set[str] = set()
        """URLs of all requests and websockets."""
        self.page.on("request", lambda request: self.requested.add(request.url))
        self.page.on("websocket", lambda socket: self.requested.add(socket.url))

    def open(self, state: State | Mapping[str, Any] | str = DEFAULT) -> Studio:
        """Open the page with a state, a recipe or a link. An empty link opens the first screen."""
        if isinstance(state, Mapping):
            state = State.from_recipe(state)
        link = state.to_link() if isinstance(state, State) else state
        self.page.goto(f"{self.address}/{link and '#'}{link}")
        self.ready()
        return self

    def ready(self) -> None:
        """Wait for the first map."""
        expect(self.map).to_have_attribute("data-key", re.compile("."))

    def close(self) -> None:
        """Close the page; asserts that there were no errors and no requests to other hosts."""
        external, complaints = {url for url in self.requested if not self.is_own(url)}, list(self.complaints)
        self.page.close()
        assert external == set(), external
        assert complaints == [], complaints

    def is_own(self, url: str) -> bool:
        parts = urlsplit(url)
        return parts.scheme in BROWSERS_OWN or parts.netloc == urlsplit(self.address).netloc

    # -- content ------------------------------------------------------------------------------------------------

    def __getitem__(self, test: str) -> Locator:
        """Return an element by its test id."""
        return self.page.get_by_test_id(test)

    @property
    def map(self) -> Locator:
        return self["map"]

    @property
    def line(self) -> Locator:
        """The error line."""
        return self["line"]

    @property
    def key(self) -> str:
        """The key of the map on the canvas."""
        return self.map.get_attribute("data-key") or ""

    def shows(self, map: tw.TileMap) -> None:
        """Wait until the canvas shows exactly this map."""
        expect(self.map).to_have_attribute("data-key", encode_map(map, sprites=False)["key"])

    @contextmanager
    def another(self) -> Iterator[None]:
        """Wait after the block until another map is shown."""
        before = self.key
        yield
        expect(self.map).not_to_have_attribute("data-key", before)

    def cells(self, canvas: str = "map") -> NDArray[np.str_]:
        """Return the names of the tiles on the canvas: (row, column), or (level, row, column)."""
        shape, names, cells = self[canvas].evaluate(
            f"(map) => {{ const {{ scene, tiles }} = ({COMPONENT})(map);"
            " return [[scene.depth, scene.height, scene.width], tiles.map(({ name }) => name), [...scene.cells]]; }"
        )
        found = np.array(names)[np.array(cells)].reshape(shape)
        shown: NDArray[np.str_] = found[0] if shape[0] == 1 else found
        return shown

    def holds(self, cells: NDArray[np.str_], canvas: str = "map") -> None:
        """Wait until the canvas shows these tiles."""
        self.page.wait_for_function(
            f"""([canvas, names]) => {{
              const {{ scene, tiles }} = ({COMPONENT})(document.querySelector(`[data-testid=${{canvas}}]`));
              const isThere = (tile, place) => tiles[tile].name === names[place];
              return scene.cells.length === names.length && scene.cells.every(isThere);
            }}""",
            arg=[canvas, cells.ravel().tolist()],
        )

    def box(self, element: str | Locator) -> FloatRect:
        """Return the rectangle of a visible element in the window."""
        box = (self[element] if isinstance(element, str) else element).bounding_box()
        assert box is not None, element
        return box

    def touch(self, *path: list[tuple[float, float]]) -> None:
        """Put fingers on the screen, move them along a path, and lift them."""
        session = self.page.context.new_cdp_session(self.page)
        for number, points in enumerate(path):
            fingers = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(points)]
            kind = "touchMove" if number else "touchStart"
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    def wait_for_drawing(self) -> None:
        """Wait until the browser has drawn the page."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def pixels(self) -> NDArray[np.uint8]:
        """Return the pixels of the canvas, when they no longer change: (row, column, 3)."""
        pictures: list[str] = []
        while len(pictures) < 4 or len(set(pictures[-4:])) > 1:
            self.page.wait_for_timeout(25)
            self.wait_for_drawing()
            pictures.append(self.map.locator("canvas").evaluate("(canvas) => canvas.toDataURL()"))
        picture = Image.open(io.BytesIO(base64.b64decode(pictures[-1].partition(",")[2])))
        return np.asarray(picture.convert("RGB"))

    def colors(self, cells: list[tuple[int, int]]) -> list[str]:
        """Return the colors of the center pixels of cells (x, y)."""
        pixels = self.pixels()
        places = self.map.evaluate(
            f"""(map, cells) => {{
              const {{ left, top }} = map.querySelector("canvas").getBoundingClientRect();
              const middles = cells.map(([x, y]) => ({COMPONENT})(map).place(x, y));
              return middles.map(([x, y]) => [Math.floor(x - left), Math.floor(y - top)]);
            }}""",
            cells,
        )
        return ["#" + "".join(f"{part:02x}" for part in pixels[y, x]) for x, y in places]

    def copy(self, button: str) -> str:
        """Press a button that copies, and return the content of the clipboard."""
        self.page.evaluate("navigator.clipboard.writeText(' ')")
        self[button].click()
        text: str = self.page.evaluate(
            """async (patience) => {
              for (const start = performance.now(); performance.now() < start + patience;) {
                const text = await navigator.clipboard.readText();
                if (text.trim()) return text;
                await new Promise(requestAnimationFrame);
              }
              return "";
            }""",
            PATIENCE,
        )
        return text

    def reopen(self) -> str:
        """Open the copied link in an empty page, and return it."""
        link = self.copy("copy-link")
        self.page.goto("about:blank")
        self.page.goto(link)
        return link

    # -- user actions -------------------------------------------------------------------------------------------

    def tab(self, name: str) -> None:
        self[f"tab-{name}"].click()
        expect(self[f"tab-{name}"]).to_have_attribute("aria-selected", "true")

    def enter(self, field: str, value: object) -> None:
        """Type a value into a field, and press Enter."""
        self[field].fill(str(value))
        self[field].press("Enter")

    def set_param(self, name: str, value: object) -> None:
        """Type the value of a parameter."""
        self.enter(f"param-{name}", value)

    def slider(self, name: str) -> Locator:
        """Return the slider of a parameter."""
        return self.page.locator(f".tc-row:has([data-testid=param-{name}]) .q-slider__track-container")

    def set_seed(self, seed: object) -> None:
        self.enter("seed", seed)

    def choose(self, select: str, option: str) -> None:
        """Choose an option of a drop-down list."""
        self[select].click()
        self.page.locator(".q-menu .q-item").filter(has_text=re.compile(rf"^\s*{re.escape(option)}\s*$")).click()
        expect(self.page.locator(".q-menu")).to_have_count(
            0
        )  # a menu that is still closing could be mistaken for the next

    def take(self, tool: str, tile: str = "", *, canvas: str = "map") -> None:
        """Select a tool, and a tile to paint with."""
        if tile:
            self[canvas].get_by_test_id(f"tile-{tile}").click()
        self[canvas].get_by_test_id(f"tool-{tool}").click()
        expect(self[canvas]).to_have_attribute("data-tool", tool)

    def place(self, x: int, y: int, canvas: str = "map") -> tuple[float, float]:
        """Return the position of a cell's center in the window."""
        left, top = self[canvas].evaluate(f"(map, [x, y]) => ({COMPONENT})(map).place(x, y)", [x, y])
        return left, top

    def stroke(self, *cells: tuple[int, int], canvas: str = "map") -> None:
        """Press the mouse on the first cell, move over the others, and release it on the last."""
        first, *others = [self.place(x, y, canvas) for x, y in cells]
        self.page.mouse.move(*first)
        self.page.mouse.down()
        for other in others:
            self.page.mouse.move(*other, steps=4)
        self.page.mouse.up()

    def press(self, *keys: str) -> None:
        """Press keys."""
        for key in keys:
            self.page.keyboard.press(key)

    def download(self, button: str, folder: Path) -> Path:
        """Press a button that downloads, and return the file."""
        with self.page.expect_download() as download:
            self[button].click()
        path = folder / download.value.suggested_filename
        download.value.save_as(path)
        return path

    def upload(self, button: str, name: str, content: bytes) -> None:
        """Press a button that uploads, and choose a file."""
        with self.page.expect_file_chooser() as chooser:
            self[button].click()
        chooser.value.set_files(FilePayload(name=name, mimeType="application/octet-stream", buffer=content))

    def drop(self, target: str, name: str, content: bytes) -> None:
        """Drop a file onto an element."""
        files = self.page.evaluate_handle(
            """([name, bytes]) => {
              const files = new DataTransfer();
              files.items.add(new File([new Uint8Array(bytes)], name));
              return files;
            }""",
            [name, list(content)],
        )
        self[target].dispatch_event("drop", {"dataTransfer": files})
