"""Cache of what is learned from samples: its size is bounded."""

from __future__ import annotations

import ast
import gc
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.core import caching
from tilewright.core.caching import SizedCache, cached_by_size, count_bytes


class Growing:
    """A value that becomes larger when it is used."""

    @cached_property
    def table(self) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
        return np.zeros(600, dtype=np.uint8)


def test_the_size_of_values_includes_what_they_refer_to() -> None:
    grid = tw.Grid.of(["#." * 50] * 50)
    assert count_bytes(grid) > grid.cells.nbytes
    assert count_bytes({"a": [grid, (grid, "x" * 1000)]}) < 2 * grid.cells.nbytes
    many = [np.zeros(100) for _ in range(10)]
    assert 8000 < count_bytes(many) < 10_000


def test_the_least_recently_used_values_are_dropped() -> None:
    cache = SizedCache(5000)
    for number in range(4):
        cache.get(number, lambda: bytes(1000))
        cache.get(0, lambda: b"")
    assert cache.get(0, lambda: b"other") == bytes(1000)
    assert cache.get(1, lambda: b"new") in (b"new", bytes(1000))
    for number in range(50):
        cache.get(number + 100, lambda: bytes(1000))
    assert cache.count_bytes() <= 5000
    assert cache.get(149, lambda: b"other") == bytes(1000)
    assert cache.get(100, lambda: b"computed again") == b"computed again"


def test_a_value_that_is_too_large_is_not_stored_and_drops_no_other() -> None:
    cache = SizedCache(5000)
    cache.get("small", lambda: b"first")
    assert len(cache.get("large", lambda: bytes(10_000))) == 10_000
    assert cache.get("small", lambda: b"second") == b"first"
    assert cache.get("large", lambda: b"again") == b"again"


def test_values_that_grow_are_counted_again() -> None:
    cache = SizedCache(2000)
    values = [cache.get(number, Growing) for number in range(3)]
    assert [cache.get(number, Growing) for number in range(3)] == values
    for value in values:
        assert value.table.size
    cache.get("next", Growing)
    assert cache.count_bytes() <= 2000


def test_storing_a_value_counts_few_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that uses many samples would otherwise become slower with each of them."""
    counted: list[object] = []

    def count(value: object) -> int:
        counted.append(value)
        return 100

    monkeypatch.setattr(caching, "count_bytes", count)
    cache = SizedCache(50_000)
    for number in range(300):
        cache.get(number, object)
    assert len(counted) <= 300 * (1 + caching.MAX_RECOUNTED)


def test_functions_do_not_share_values() -> None:
    @cached_by_size
    def double(number: int) -> list[int]:
        return [2 * number]

    @cached_by_size
    def triple(number: int) -> list[int]:
        return [3 * number]

    assert double(2) is double(2)
    assert (double(2), triple(2)) == ([4], [6])


@pytest.mark.parametrize("technique", ["wfc", "markov", "patterns"])
def test_many_samples_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch, technique: str) -> None:
    cache = SizedCache(400_000)
    monkeypatch.setattr(caching, "shared_cache", cache)
    rng = np.random.default_rng(1)
    sizes = []
    for _ in range(12):
        rows = ["".join(row) for row in rng.choice(list("#."), (24, 24)).tolist()]
        params: dict[str, Any] = {"width": 6, "height": 6, "sample": rows}
        more = {"iterations": 100} if technique == "patterns" else {}
        tw.run({"technique": technique, "params": {**params, **more}}, seed=1)
        sizes.append(cache.count_bytes())
    # The newest values may grow until the next one is stored. Without a limit, 12 samples take a megabyte.
    assert 0 < max(sizes) <= 700_000


# -- other caches -------------------------------------------------------------------------------------------------

BOUNDED = {
    # Data that ships with Tilewright, by name, and facts about its classes and modules.
    "_built_in.find_names": "names of modules",
    "api._file_resolver": "one object",
    "cli._drawing._ground_style": "colors of a terminal",
    "cli._drawing._pixel_style": "colors of a terminal",
    "cli._drawing._tile_style": "colors of a terminal",
    "compat.libfbcagen._make_palette": "one object",
    "core.fields.fields_by_name": "classes",
    "core.fields.fields_of": "classes",
    "core.params._list_limits": "classes",
    "core.params._number_fields": "classes",
    "core.recipe._find_recipe_fields": "classes",
    "core.plugins.find_own": "names of plugins",
    "core.plugins.find_plugins": "names of plugins",
    "core.resolver._load_built_in_member": "built-in samples",
    "core.resolver._load_built_in_network": "built-in networks",
    "core.resolver._load_built_in_sample": "built-in samples",
    "core.resolver._read_declarations": "built-in samples",
    "core.resolver.list_built_in_samples": "names of samples",
    "data._list_collections": "names of files",
    "data.list_names": "names of files",
    "formats._page.bundle.bundle": "built-in scripts",
    "formats._textures.strokes._read_drawing": "built-in drawings",
    "generators._fashion.gallery.load_gallery": "built-in archives",
    "generators._wfc.params._default_sample": "built-in sample",
    "kernels._source_digest": "modules",
    "kernels.gpu.find_problem": "one string",
    "pictures.charts.load_font": "built-in font",
    "studio.catalogue.describe_entry": "registered entries",
    "studio.catalogue.list_entries": "registered entries",
    "studio.goals.list_goals": "built-in goals",
    "studio.goals.list_searchable": "built-in goals",
    "studio.page.controls.form._list_controls": "classes",
    "studio.page.controls.previews.draw_built_in": "built-in samples",
    "studio.page.rules.start.list_rulebooks": "built-in rulebooks",
    "studio.page.scripts.script": "built-in scripts",
    "studio.sample_state.load_built_in": "built-in samples",
    # Values and keys of a few bytes or of one size, and not many of them.
    "analysis.regions.neighbor_offsets": "a few offsets",
    "core.appearance.distinct_color": "a color per number of a tile",
    "corpus.manifest._find_small_recipe": "recipes of at most MAX_SMALL_RECIPE characters",
    "formats._artwork.draw_texture": "sprites of one size",
    "formats._files._remove_stale": "no values",
    "formats._icons.find_icon": "three strings",
    "formats._ldtk.definitions.load_templates": "a few files of the package",
    "formats._sheet._decode": "four pictures of at most MAX_CACHED_PIXELS",
    "formats._textures.edges._draw_surface": "sprites of one size",
    "formats._textures.edges._edge_distance": "sprites of one size",
    "formats._textures.edges._waves": "one sprite",
    "formats._textures.landscape._draw_stamps_of_mask": "sprites of one size",
    "generators._markov.contexts._find_offsets": "a few offsets",
    "generators._rules.compact_model._parse_cached": "strings of at most MAX_CACHED_LENGTH characters",
    "kernels.fashion._list_pairs": "pairs of states",
    "kernels.fashion.build_key_table": "tables of at most MAX_KEYS numbers",
    "kernels.gpu.fashion_rules._make_rule": "tables of at most MAX_KEYS numbers",
    "neural.inference.exp_table": "one table",
    "shaping._improve.canvas._make_multipliers": "one table",
    # The work of a worker process, which has few of them at a time.
    "corpus.batches._open_part_maker": "four corpora",
    "corpus.build._read_manifest": "one corpus",
    "search.candidates._source_of": "four sets",
    "search.evaluation._evaluator_of": "four searches",
}
"""Caches that are bounded by the number of their values, and what these are."""
SOURCE = Path(tw.__file__).parent


def list_caches() -> set[str]:
    """Return the names of all functions that functools caches."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "cache" in text else ():
            if isinstance(node, ast.FunctionDef) and any(map(is_cache, node.decorator_list)):
                found.add(f"{module}.{node.name}")
            elif isinstance(node, ast.Assign) and is_cache(node.value):
                found.add(f"{module}.{ast.unparse(node.targets[0])}")
    return found


def is_cache(node: ast.expr) -> bool:
    while isinstance(node, ast.Call):
        node = node.func
    return ast.unparse(node).removeprefix("functools.") in ("cache", "lru_cache")


def test_caches_that_are_not_bounded_by_size_hold_little() -> None:
    """Values of any size belong into the cache that is bounded by its size."""
    compiled = {name for name in list_caches() if name.startswith("kernels.gpu.") and name not in BOUNDED}
    assert all(name.rpartition(".")[2].startswith(("build_", "port", "unfuse")) for name in compiled)
    assert list_caches() - compiled == set(BOUNDED)


def count_held_bytes() -> int:
    """Return the approximate size of everything that caches of functools hold for modules of Tilewright."""
    total = 0
    for one in gc.get_objects():
        if type(one).__name__ == "_lru_cache_wrapper" and one.__module__.startswith("tilewright."):
            total += count_bytes(gc.get_referents(one))
    return total


def test_new_samples_stay_within_the_bound() -> None:
    """Each sample of 120x120 cells makes indexes of several megabytes."""
    rng = np.random.default_rng(1)
    before = None
    for _ in range(5):
        rows = ["".join(row) for row in rng.choice(list("#.~"), (120, 120)).tolist()]
        tw.make("patterns", sample=rows, width=12, height=12, iterations=200, seed=1)
        before = count_held_bytes() if before is None else before
    assert before is not None
    assert count_held_bytes() - before < 100_000
    assert caching.shared_cache.count_bytes() < 1.5 * caching.MAX_CACHED_BYTES
