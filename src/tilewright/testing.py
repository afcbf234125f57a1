"""The conformance set: checks that every technique must pass. Authors can run the checks on their own techniques.

>>> from tilewright.testing import check_technique
>>> check_technique("caves", seeds=3)
"""

from __future__ import annotations

import json
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, get_args

import numpy as np

from .core.entries import Technique
from .core.errors import GaveUp, TilewrightError
from .core.model import LearningParams
from .core.pipeline import iter_steps, run, watch
from .core.provenance import digest
from .core.recipe import Recipe
from .core.registry import techniques
from .core.site import ALL_BLOCKS, block_limits
from .core.tilemap import TileMap

SIZES = ((1, 1), (1, 7), (7, 1), (2, 2), (3, 5), (9, 17), (33, 20), (64, 64))
"""Unusual sizes (width, height). Sizes below a technique's minimum are skipped."""
Check = Callable[[Technique, int], None]


def check_technique(technique: str | Technique, *, seeds: int = 20) -> None:
    """Run the conformance set on a technique.

    Parameters
    ----------
    technique
        The technique or its name. A technique that is not registered is registered during the checks.
    seeds
        Number of maps for the checks that repeat over seeds. Tilewright's own tests use 100.

    Raises
    ------
    AssertionError
        If a check fails. The message names the technique and the broken rule.

    Examples
    --------
    >>> check_technique("noise", seeds=1)
    """
    entry = techniques.get(technique) if isinstance(technique, str) else technique
    added = entry.name not in techniques or techniques.get(entry.name) is not entry
    if added:
        techniques.add(entry)
    try:
        for check in CHECKS:
            check(entry, seeds)
    finally:
        if added:
            techniques.remove(entry.name)


@contextmanager
def block_size(size: int, *names: str) -> Iterator[None]:
    """Limit the number of cells or steps between two yields, as a context manager.

    Techniques yield after each block of work. Small blocks test that the map does not depend on where a technique
    yields.

    Parameters
    ----------
    size
        Maximum number of cells or steps in a block.
    *names
        Names of the block sizes to limit, as `tilewright.core.site.block_size` takes them. By default, all.

    Examples
    --------
    >>> with block_size(100):
    ...     check_technique("caves", seeds=1)
    """
    before = dict(block_limits)
    block_limits.update({name: min(size, before.get(name, size)) for name in names or [ALL_BLOCKS]})
    try:
        yield
    finally:
        block_limits.clear()
        block_limits.update(before)


def small_recipe(entry: Technique, seed: int | str = 1, width: int = 24, height: int = 18, **keywords: Any) -> Recipe:
    """Return a recipe for a small map, with the technique's quick parameters."""
    fields = entry.params.model_fields
    params = {name: value for name, value in (("width", width), ("height", height)) if name in fields}
    given = keywords.pop("params", {})
    return Recipe.of({"technique": entry.name, "params": {**params, **entry.quick, **given}, "seed": seed, **keywords})


def check_seeds(entry: Technique, seeds: int) -> None:
    """Check that the map depends only on the seed, and that no global random state is used."""
    before = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    maps = [run(small_recipe(entry, seed)) for seed in range(6)]
    for seed, map in enumerate(maps):
        assert run(small_recipe(entry, seed)) == map, f"{entry.name}: seed {seed} gave two maps"
        assert run(small_recipe(entry, str(seed))) == map, f"{entry.name}: seeds {seed} and {str(seed)!r} differ"
    check_use_of_seed(entry, maps)
    after = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    assert before == after, f"{entry.name}: draws from a global random source"


def check_use_of_seed(entry: Technique, maps: Sequence[TileMap]) -> None:
    """Check that the maps of several seeds differ if the technique declares that it uses the seed, and only then."""
    differ = any(map != maps[0] for map in maps)
    assert differ or not entry.uses_seed, f"{entry.name}: the seed changes nothing; declare uses_seed=False if intended"
    assert entry.uses_seed or not differ, f"{entry.name}: the seed changes the map, but uses_seed is False"


def check_watching(entry: Technique, seeds: int) -> None:
    """Check that watching, skipping frames and canceling do not change the map, and that snapshots stay valid."""
    expected = run(small_recipe(entry))
    frames = list(watch(small_recipe(entry)))
    assert frames[-1].map == expected, f"{entry.name}: watching changes the map"
    assert list(watch(small_recipe(entry), every=3))[-1].map == expected, (
        f"{entry.name}: skipping frames changes the map"
    )
    for frame in frames:
        assert frame.progress is None or 0 <= frame.progress <= 1, f"{entry.name}: progress is {frame.progress}"
        assert frame.cells is None or frame.cells.shape == expected.shape, f"{entry.name}: a frame has another shape"
    kept = [frame.cells.copy() for frame in frames if frame.cells is not None]
    run(small_recipe(entry, 2))
    for frame, copy in zip((frame for frame in frames if frame.cells is not None), kept, strict=True):
        assert np.array_equal(frame.cells, copy), f"{entry.name}: a frame changes after it was yielded"
    for count in range(min(4, len(frames))):
        work = iter_steps(small_recipe(entry))
        for _, _ in zip(range(count), work, strict=False):
            pass
        work.close()
    assert run(small_recipe(entry)) == expected, f"{entry.name}: canceling changes later maps"


def check_other_process(entry: Technique, seeds: int) -> None:
    """Check that another process with another hash seed makes the same map."""
    if techniques.get(entry.name) is entry and entry.name not in techniques.added:  # else unknown to other processes
        compare_processes([entry])


def compare_processes(entries: Sequence[Technique]) -> None:
    """Check that one other process with another hash seed makes the same map with each technique."""
    program = (
        "import sys, json; from tilewright.core.recipe import Recipe; from tilewright.core.pipeline import run\n"
        "from tilewright.core.provenance import digest\n"
        "for recipe in json.loads(sys.argv[1]): print(digest(run(Recipe.of(recipe))))"
    )
    recipes = [small_recipe(entry, "elsewhere") for entry in entries]
    environment = {**os.environ, "PYTHONHASHSEED": "4242"}
    command = [sys.executable, "-c", program, json.dumps([recipe.to_data() for recipe in recipes])]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    for recipe, other in zip(recipes, done.stdout.splitlines(), strict=True):
        assert other == digest(run(recipe)), f"{recipe.technique}: another process makes another map"


def check_locks(entry: Technique, seeds: int) -> None:
    """Check that a locked 10x10 rectangle from another seed's map is kept, for at least 95% of the seeds."""
    given_up = 0
    for seed in range(seeds):
        other = run(small_recipe(entry, f"other-{seed}"))
        row, column = seed % (other.height - 9), (seed * 7) % (other.width - 9)
        mask = np.zeros(other.shape, dtype=bool)
        mask[..., row : row + 10, column : column + 10] = True
        try:
            map = run(small_recipe(entry, seed, locks=other.to_locks(mask)))
        except GaveUp:
            given_up += 1
            continue
        assert np.array_equal(map.cells[mask], other.cells[mask]), f"{entry.name}: a locked cell changed, seed {seed}"
    assert given_up <= seeds * 0.05, f"{entry.name}: gave up on {given_up} of {seeds} locked rectangles"


def check_unlocked_cells(entry: Technique, seeds: int) -> None:
    """Check that scattered locks are kept and that the other cells still depend on the seed, as declared."""
    first = run(small_recipe(entry, "first"))
    scattered = np.random.default_rng(5).random(first.shape) < 0.02
    locks = first.to_locks(scattered)
    maps = [run(small_recipe(entry, seed, locks=locks)) for seed in range(4)]
    for map in maps:
        assert np.array_equal(map.cells[scattered], first.cells[scattered]), f"{entry.name}: a locked cell changed"
    check_use_of_seed(entry, maps)


def check_result(entry: Technique, seeds: int) -> None:
    """Check that the cells are read-only, owned by the map and of the tileset's dtype, before and after pickling."""
    expected = run(small_recipe(entry))
    for map in (expected, pickle.loads(pickle.dumps(expected))):  # noqa: S301 - our own bytes
        assert isinstance(map, TileMap)
        assert map == expected, f"{entry.name}: pickling changes the map"
        assert not map.cells.flags.writeable, f"{entry.name}: the cells are writable"
        assert map.cells.base is None, f"{entry.name}: the cells belong to another array"
        assert map.cells.dtype == map.tileset.dtype, f"{entry.name}: the cells have dtype {map.cells.dtype}"


def check_sizes(entry: Technique, seeds: int) -> None:
    """Check that maps of unusual sizes, including the smallest, can be made."""
    for width, height in SIZES:
        minimum = [_min_size(entry, name) for name in ("width", "height")]
        if width < minimum[0] or height < minimum[1]:
            continue
        for seed in range(3):
            map = run(small_recipe(entry, seed, width, height))
            assert map.shape[-2:] == (height, width), f"{entry.name}: requested {width}x{height}, got {map.shape}"
            assert list(watch(small_recipe(entry, seed, width, height)))[-1].map == map


def check_recipe(entry: Technique, seeds: int) -> None:
    """Check that a map's recipe regenerates the map, before and after a round trip through JSON."""
    expected = run(small_recipe(entry))
    assert expected.recipe is not None
    assert run(expected.recipe) == expected, f"{entry.name}: its own recipe makes another map"
    text = json.dumps(expected.recipe.to_data())
    again = Recipe.of(json.loads(text))
    assert again == expected.recipe, f"{entry.name}: its recipe changes in JSON"
    assert run(again) == expected, f"{entry.name}: its recipe, read from JSON, makes another map"


def check_params(entry: Technique, seeds: int) -> None:
    """Check that params round-trip through JSON and pickle with equal hashes."""
    params = small_recipe(entry).params
    again = entry.params.validate(json.loads(params.model_dump_json()))
    assert again == params, f"{entry.name}: params change in JSON"
    assert hash(again) == hash(params), f"{entry.name}: equal params hash differently"
    for name, kind in vars(type(params)).items():  # Cached properties must not be pickled.
        if isinstance(kind, cached_property):
            getattr(params, name)
    pickled = pickle.loads(pickle.dumps(params))  # noqa: S301 - our own bytes
    assert pickled == params, f"{entry.name}: params change when pickled"
    assert hash(pickled) == hash(params), f"{entry.name}: equal params hash differently"
    entry.params.model_json_schema()


def check_bad_params(entry: Technique, seeds: int) -> None:
    """Check that wrong names and values are rejected with one line that names the parameter."""
    for name, value in _bad_values(entry):
        try:
            Recipe.of({"technique": entry.name, "params": {name: value}})
        except TilewrightError as found:
            error = found
        else:
            raise AssertionError(f"{entry.name}: accepts {name}={value!r}")
        assert len(str(error).splitlines()) == 1, f"{entry.name}: the error has more than one line: {error}"
        named = any(name in one.path for one in error.problems)
        assert named, f"{entry.name}: no problem has the path of {name}: {error}"
        pickled = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
        assert (str(pickled), pickled.problems) == (str(error), error.problems), (
            f"{entry.name}: the error changes when pickled"
        )


def check_descriptions(entry: Technique, seeds: int) -> None:
    """Check that the technique has a summary and every parameter a description and a default."""
    assert entry.summary, f"{entry.name}: its module has no docstring"
    for name, field in entry.params.model_fields.items():
        assert field.description, f"{entry.name}: the parameter {name} has no description"
        assert not field.is_required(), f"{entry.name}: the parameter {name} has no default"


def check_declarations(entry: Technique, seeds: int) -> None:
    """Check that the shape, cost and training data that a technique declares agree with its maps and params."""
    recipe = small_recipe(entry)
    params, fields = recipe.params, entry.params.model_fields
    assert run(recipe).shape == recipe.shape, f"{entry.name}: the map has another shape than declared"
    assert entry.cells_of(params) >= run(recipe).cells.size, f"{entry.name}: declares fewer cells than its map has"
    assert entry.cost_of(params) >= 1, f"{entry.name}: declares a cost below 1"
    if issubclass(entry.params, LearningParams):
        assert entry.training_of(params) is not None, f"{entry.name}: learns, but declares no training data"
    shown = entry.by_example
    if shown is None:
        return
    assert entry.training_of(params) is not None, f"{entry.name}: has by_example, but no training data"
    for name in (shown.sample, *shown.shared, *shown.knobs):
        assert name in fields, f"{entry.name}: by_example names {name}, which is no parameter"
    for name, values in shown.knobs.items():
        for value in values:
            entry.params.validate({name: value})


def check_windows(entry: Technique, seeds: int) -> None:
    """Check that windows of an endless world agree where they overlap."""
    if "offset" not in entry.params.model_fields:
        return
    here = entry.params.validate({"offset": [5, 3]})
    assert entry.offset_of(here) == (5, 3), f"{entry.name}: declares another offset than the parameter"
    for seed, (x, y) in enumerate([(5, 3), (-7, 4), (0, -9), (-40, -2_000_000)]):
        base = run(small_recipe(entry, seed, params={"offset": [x - 5, y - 3]}))
        other = run(small_recipe(entry, seed, params={"offset": [x, y]}))
        overlap = base.cells[3:, 5:], other.cells[:-3, :-5]
        assert np.array_equal(*overlap), f"{entry.name}: windows at {x - 5},{y - 3} and {x},{y} differ"


CHECKS: tuple[Check, ...] = (
    check_seeds,
    check_watching,
    check_other_process,
    check_locks,
    check_unlocked_cells,
    check_result,
    check_sizes,
    check_recipe,
    check_params,
    check_bad_params,
    check_descriptions,
    check_declarations,
    check_windows,
)


def _min_size(entry: Technique, name: str) -> int:
    field = entry.params.model_fields.get(name)
    return next((int(rule.ge) for rule in field.metadata if hasattr(rule, "ge")), 1) if field else 1


def _bad_values(entry: Technique) -> Iterator[tuple[str, Any]]:
    """Yield invalid parameters: an unknown name and, for numbers, a boolean, NaN, infinity and values out of range."""
    yield "no_such_parameter", 1
    for name, field in entry.params.model_fields.items():
        kinds = {field.annotation, *get_args(field.annotation)}
        if not kinds & {int, float}:
            continue
        if bool not in kinds:
            yield name, True
        yield name, float("nan")
        yield name, float("inf")
        for rule in field.metadata:
            if hasattr(rule, "ge"):
                yield name, rule.ge - 1
            if hasattr(rule, "le"):
                yield name, rule.le + 1
