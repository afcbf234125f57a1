"""A page with the JavaScript modules of pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser import chromium, complaints, serving
from tilewright.formats._page import MODULES


@pytest.fixture(scope="module")
def module_page() -> Iterator[Page]:
    """A page with all modules as `modules`."""
    with chromium() as browser, serving(MODULES) as address:
        page = browser.new_page()
        found = complaints(page)
        page.route("**/empty", lambda route: route.fulfill(body="<!doctype html>", content_type="text/html"))
        page.goto(f"{address}/empty")
        page.evaluate("async (address) => (window.modules = await import(address))", f"{address}/index.js")
        yield page
        assert found == []
