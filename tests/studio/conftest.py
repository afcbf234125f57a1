"""The studio for tests in a browser: one server for all of them, a browser for every module, a page for every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.browser import chromium
from tests.studio.page import Studio, serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a studio with its usual settings."""
    with serving(tmp_path_factory.mktemp("studio") / "log.txt") as address:
        yield address


# No longer than a module: while Playwright is at work in this thread, no other test can have an event loop there.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def context(browser: Browser, server: str) -> Iterator[BrowserContext]:
    """A person's browser at a small screen."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, color_scheme="dark", reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server)
    yield context
    context.close()


@pytest.fixture
def studio(context: BrowserContext, server: str) -> Iterator[Studio]:
    """The page, not opened yet."""
    studio = Studio(context, server)
    yield studio
    studio.close()
