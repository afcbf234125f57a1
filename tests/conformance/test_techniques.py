"""Every technique keeps every promise. A new file in generators/ is covered by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.core.registry import techniques
from tilewright.testing import CHECKS, Check, check_technique

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", techniques.names())
def test_promise(name: str, check: Check) -> None:
    check(techniques.get(name), 100)


@pytest.mark.parametrize("name", techniques.names())
def test_has_a_page_with_its_picture(name: str) -> None:
    page = (DOCS / "techniques" / f"{name}.md").read_text()
    assert f"{name}.png" in page


def test_the_set_finds_a_broken_technique() -> None:
    """A check that cannot fail is worse than none: a technique that ignores its locks is found out."""
    from tilewright import Sized, technique

    @technique(Sized, tileset="cave")
    def careless(p, site, rng):  # type: ignore[no-untyped-def]
        """Ignores its locks."""
        from tilewright import TileMap

        return TileMap((rng.cells(*site.window) < 0.5).astype("uint8"), site.tileset)

    with pytest.raises(Exception, match="locked"):
        check_technique(careless, seeds=3)
