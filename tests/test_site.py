"""The documentation site: it builds strictly, loads nothing from the network, and can be searched as files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser import chromium, complaints

ROOT = Path(__file__).parents[1]
LOADED = re.compile(r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?https?:|<link\b[^>]*\bhref=["']?https?:""")


def test_the_site_builds_strictly_and_works_as_files(tmp_path: Path) -> None:
    """One test, because the build takes seconds and each process of the test run would repeat it."""
    pytest.importorskip("mkdocs")
    build(tmp_path)
    check_pages(tmp_path)
    check_search(tmp_path)


def build(folder: Path) -> None:
    """Build the site; a link or anchor that leads nowhere, or a public name without a reference, fails the build."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def check_pages(folder: Path) -> None:
    """No page loads anything from the network, and the parts that only the site has are there."""
    texts = {page.relative_to(folder).as_posix(): page.read_text(encoding="utf-8") for page in folder.rglob("*.html")}
    assert len(texts) > 50
    for name, text in texts.items():
        assert not LOADED.search(text), f"{name} loads something from the network"
        assert "<!-- site:" not in text, f"{name} has a part that was not filled in"
    assert "pictures/recipe-skirmish.png" in texts["gallery.html"]
    assert "POST /api/make" in texts["http-api.html"]
    assert texts["benchmarks.html"].count("<svg xmlns") >= 4
    assert 'id="tilewright.make"' in texts["reference/making.html"]


def check_search(folder: Path) -> None:
    """Opened as a file, without a server: no error, no request elsewhere, and the search finds pages."""
    with chromium() as browser:
        page = browser.new_page()
        wrong = complaints(page)
        requested: list[str] = []
        page.on("request", lambda request: requested.append(request.url))
        page.goto((folder / "index.html").as_uri())
        page.locator(".md-search__input").click()
        page.keyboard.type("lock_and_key")
        page.locator(".md-search-result__item").first.wait_for()
        assert wrong == []
        assert [url for url in requested if not url.startswith(("file:", "data:", "about:"))] == []
