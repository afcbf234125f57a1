"""Files of models, with the samples inside: JSON, or for large ones npz, with the cells of all samples in one array."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, TilewrightError, TooLarge
from ..core.grid import INLINE_CELLS, MOST_CELLS, Grid, read_shape, read_word
from ..core.model import Model
from ..core.samples import refuse_too_many
from . import Source
from ._archive import archive_of, arrays_in
from ._data import parse
from ._files import read_file, write_files
from ._text import read_text

ENDINGS = (".json", ".npz")
ARRAYS = {"cells": "u", "rest": "u"}
"""Of an npz: positions in the words of each sample, one sample after the other; and all else, as JSON in bytes."""


def save_model(model: Model, path: str | PathLike[str]) -> None:
    """Write a model; a killed process leaves the old file or the new one."""
    refuse_ending(path)
    if Path(path).suffix.lower() == ".npz":
        content = _archive(model)
    else:
        for number, grid in enumerate(model.samples, 1):
            if grid.cells.size > INLINE_CELLS:
                raise InvalidRecipe(
                    f"sample {number} has {grid.cells.size:,} cells, JSON holds samples of up to {INLINE_CELLS:,}; "
                    "save the model as .npz",
                    at=fspath(path),
                )
        content = json.dumps(model.to_data(), indent=1).encode()
    write_files(path, {Path(path).name: content})


def refuse_ending(path: str | PathLike[str]) -> None:
    """Say before the work that a model cannot be called like that."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise InvalidRecipe(f"a model is saved as {' or '.join(ENDINGS)}", at=fspath(path))


def load_model(path: str | PathLike[str]) -> Model:
    """Read a model."""
    try:
        return _model(*_document(path))
    except BadFile:
        raise
    except TilewrightError as error:
        raise BadFile(f"not a model ({error})", at=fspath(path)) from None


def find_model(path: str | PathLike[str]) -> Model | None:
    """The model in a file; None where the file holds something else, such as a map."""
    if Path(path).suffix.lower() not in ENDINGS or not Path(path).is_file():
        return None
    try:
        is_model = "learned" in _document(path)[0]
    except TilewrightError:
        return None
    return load_model(path) if is_model else None


def _document(path: str | PathLike[str]) -> tuple[dict[str, Any], NDArray[Any] | None]:
    """What a file tells, and the cells that it keeps apart from that."""
    source = Source(read_file(path), fspath(path))
    if Path(path).suffix.lower() != ".npz":
        return parse(read_text(source)), None
    arrays = arrays_in(source.content, ARRAYS, source.name)
    if "rest" not in arrays or "cells" not in arrays:
        raise InvalidRecipe("holds no arrays called 'cells' and 'rest'")
    return parse(read_text(Source(arrays["rest"].tobytes(), source.name))), arrays["cells"]


def _model(told: dict[str, Any], cells: NDArray[Any] | None) -> Model:
    if cells is None:
        return Model.of(told)
    samples = told.pop("samples", None)
    if not isinstance(told.get("learned"), Mapping) or not isinstance(samples, list):
        raise InvalidRecipe("tells no samples, or not what is learned from them")
    return Model.of({**told, "learned": {**told["learned"], "sample": _grids(samples, cells)}})


def _archive(model: Model) -> bytes:
    told = model.to_data()
    del told["learned"]["sample"]
    told["samples"] = [{"shape": list(grid.shape), "words": list(grid.words)} for grid in model.samples]
    total = sum(grid.cells.size for grid in model.samples)
    if total > MOST_CELLS:
        raise TooLarge(f"samples of {total:,} cells are more than the {MOST_CELLS:,} that a model holds")
    most = max(len(grid.words) for grid in model.samples)
    kind = np.min_scalar_type(most - 1)
    cells = np.concatenate([grid.cells.reshape(-1).astype(kind) for grid in model.samples])
    return archive_of({"cells": cells, "rest": np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)})


def _grids(samples: list[Any], cells: NDArray[Any]) -> list[Grid]:
    """The samples whose cells stand one after the other."""
    refuse_too_many(len(samples))
    grids, start = [], 0
    for sample in samples:
        if not isinstance(sample, Mapping) or not isinstance(sample.get("words"), list):
            raise InvalidRecipe("each has a shape and words", at="samples", got=sample)
        shape, words = read_shape(sample.get("shape")), [read_word(word) for word in sample["words"]]
        part = cells.reshape(-1)[start : start + prod(shape)]
        start += prod(shape)
        if len(part) < prod(shape) or not len(words) or int(part.max()) >= len(words):
            raise InvalidRecipe("the cells do not have the shapes and words that are told", at="samples")
        grids.append(Grid(words, part.reshape(shape).astype(np.int32)))
    if start != cells.size:
        raise InvalidRecipe("the cells do not have the shapes that are told", at="samples")
    return grids
