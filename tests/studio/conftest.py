"""Fixtures of the browser tests: one server per session, one browser per module, one page per test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.browser import chromium
from tests.studio.page import Studio, serving
from tests.studio.screens import SCREENS, open_screen


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a studio with default settings."""
    with serving(tmp_path_factory.mktemp("studio") / "log.txt") as address:
        yield address


# One per module: while Playwright runs in this thread, other tests cannot use an event loop.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def context(browser: Browser, server: str) -> Iterator[BrowserContext]:
    """Return a browser context with a small screen."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, color_scheme="dark", reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server)
    yield context
    context.close()


@pytest.fixture
def phone(browser: Browser, server: str) -> Iterator[Studio]:
    """Return the page on a phone with touch, not opened yet."""
    with open_screen(browser, server, **SCREENS["phone"]) as studio:
        yield studio


@pytest.fixture(params=SCREENS)
def screen(request: pytest.FixtureRequest, browser: Browser, server: str) -> Iterator[Studio]:
    """Return the page on each screen, not opened yet."""
    with open_screen(browser, server, color_scheme="light", **SCREENS[request.param]) as studio:
        yield studio


@pytest.fixture
def studio(context: BrowserContext, server: str) -> Iterator[Studio]:
    """Return the page, not opened yet."""
    studio = Studio(context, server)
    yield studio
    studio.close()
