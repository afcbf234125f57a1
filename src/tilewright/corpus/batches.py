"""Parts of a corpus whose maps are made by kernels in one call, with the bytes of maps that are made one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from ..batch import NoKernel, open_engine
from ..batch.columns import Column, collect_needs, compute_values, find_column
from ..batch.engine import Made, MapEngine, decode_cells
from ..core.errors import InvalidRecipe
from ..core.provenance import digest_cells
from ..core.seeds import number_seed
from .manifest import Manifest
from .tiles import tileset_of

MAX_PREFIX = 64
"""Maximum length of a corpus' seed in bytes, so that it fits into a block of blake2b with the number of a map."""


@dataclass(frozen=True)
class PartMaker:
    """Engine and measures of a corpus."""

    engine: MapEngine
    columns: Sequence[Column]

    def make(self, manifest: Manifest, numbers: range) -> Made:
        """Make some maps."""
        prefix, needs = number_seed(manifest.seed, 0)[:-1], collect_needs(self.columns)
        return self.engine.make_range(numbers.start, len(numbers), prefix=prefix, needs=needs, keeps=True)

    def make_columns(self, manifest: Manifest, numbers: range, made: Made) -> Mapping[str, Any]:
        """Return the columns of the table of some maps. `cells` is an array (map, row, column)."""
        program, prefix = self.engine.program, number_seed(manifest.seed, 0)[:-1]
        assert made.planes is not None
        cells = decode_cells(made.planes, program)
        values = compute_values(self.columns, made.numbers, program.cells)
        return {
            "id": np.arange(numbers.start, numbers.stop),
            "seed": [f"{prefix}{number}" for number in numbers],
            "digest": [digest_cells(one, program.recipe.tileset) for one in cells],
            "levels": np.ones(len(numbers), dtype=np.int32),
            "height": np.full(len(numbers), program.height, dtype=np.int32),
            "width": np.full(len(numbers), program.width, dtype=np.int32),
            "cells": cells,
            "reason": pa.nulls(len(numbers), pa.string()),
            **{name: pa.array(found, from_pandas=True) for name, found in values.items()},
        }


def open_part_maker(manifest: Manifest, device: str) -> PartMaker | None:
    """Return the engine for a corpus; None if it has no kernels.

    Raises
    ------
    InvalidRecipe
        If the device is `gpu`, and the GPU has no kernels for the corpus.
    """
    try:
        return _open_part_maker(manifest.text, device)
    except NoKernel as error:
        if device == "gpu":
            text = f"the GPU has no kernel for {error}; use auto or cpu"
            raise InvalidRecipe(text, at="device", place="device gpu", rule="conflict") from None
        return None


@lru_cache(maxsize=4)
def _open_part_maker(text: str, device: str) -> PartMaker:
    manifest = Manifest.from_text(text)
    if manifest.sweep.axes or manifest.sweep.seeds:
        raise NoKernel("a sweep")
    if len(manifest.seed.encode()) > MAX_PREFIX:
        raise NoKernel(f"a seed of more than {MAX_PREFIX} bytes")
    recipe = manifest.recipe_of(0)
    if tileset_of(manifest).names != recipe.tileset.names:
        raise NoKernel("tiles of inner recipes")
    engine = open_engine(recipe, device)
    return PartMaker(engine, [find_column(name, engine.program) for name in manifest.measures])
