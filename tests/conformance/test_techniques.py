"""All techniques pass the conformance set. A new file in generators/ is included automatically."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.core.registry import techniques
from tilewright.testing import CHECKS, Check, check_other_process, check_technique, compare_processes

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    "check", [check for check in CHECKS if check is not check_other_process], ids=lambda check: check.__name__
)
@pytest.mark.parametrize("name", techniques.names())
def test_conformance(name: str, check: Check) -> None:
    check(techniques.get(name), 100)


def test_another_process_makes_the_same_maps() -> None:
    """`check_other_process` starts one for each technique."""
    compare_processes(list(techniques))


@pytest.mark.parametrize("name", techniques.names())
def test_technique_has_a_page_with_its_picture(name: str) -> None:
    page = (DOCS / "techniques" / f"{name}.md").read_text()
    assert f"{name}.png" in page


def test_the_conformance_set_finds_a_broken_technique() -> None:
    """The checks can fail: a technique that ignores its locks is found."""
    from tilewright import Sized, technique

    @technique(Sized, tileset="cave")
    def careless(p, site, rng):  # type: ignore[no-untyped-def]
        """Technique that ignores its locks."""
        from tilewright import TileMap

        return TileMap((rng.cells(*site.window) < 0.5).astype("uint8"), site.tileset)

    with pytest.raises(Exception, match="locked"):
        check_technique(careless, seeds=3)


@pytest.mark.parametrize("declares", [False, True])
@pytest.mark.parametrize("uses", [False, True])
def test_a_technique_may_ignore_the_seed_if_it_says_so(uses: bool, declares: bool) -> None:
    import numpy as np

    from tilewright import Sized, technique

    @technique(Sized, tileset="cave", tiles=("floor", "wall"), uses_seed=declares)
    def checkers(p, site, rng):  # type: ignore[no-untyped-def]
        """Checkers: floor and wall in turn."""
        cells = (np.indices(site.shape).sum(axis=0) + (rng.below(2) if uses else 0)) % 2
        return site.map(site.apply_locks(cells.astype(np.uint8)))
        yield

    if uses == declares:
        check_technique(checkers, seeds=2)
    else:
        with pytest.raises(AssertionError, match="uses_seed"):
            check_technique(checkers, seeds=2)


def test_a_technique_that_declares_nothing_has_defaults() -> None:
    from tilewright import Samples, Sized, param, technique

    class Copied(Sized):
        sample: Samples = param("dungeon")
        """Maps to copy."""
        offset: int = param(0, ge=0, le=9)
        """Number that is not the offset of a window."""
        population: int = param(5, ge=1, le=9)
        """Number that is not declared as copies."""

    @technique(Copied, tileset="cave")
    def copied(p, site, rng):  # type: ignore[no-untyped-def]
        """Technique without declarations."""

    params = Copied.validate({"width": 6, "height": 4})
    assert copied.shape_of(params) == (4, 6)
    assert (copied.offset_of(params), copied.margin_of(params), copied.copies_of(params)) == (None, 0, 1)
    assert copied.cells_of(params) == copied.cost_of(params) == 24
    assert copied.by_example is None
    training = copied.training_of(params)
    assert training is not None
    assert (training.samples, training.wrap, training.symmetries) == (params.sample, "none", 1)


def test_params_that_are_not_sized_make_one_cell() -> None:
    from tilewright import technique
    from tilewright.core.params import Params

    @technique(Params, tileset="cave")
    def single(p, site, rng):  # type: ignore[no-untyped-def]
        """Technique without declarations and size."""

    assert single.shape_of(Params()) == (1, 1)
    assert single.training_of(Params()) is None
