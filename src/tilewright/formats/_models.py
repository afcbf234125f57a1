"""Files of models: JSON with the samples inside."""

from __future__ import annotations

import json
from os import PathLike, fspath
from pathlib import Path

from ..core.errors import BadFile, InvalidRecipe, TilewrightError
from ..core.grid import INLINE_CELLS
from ..core.model import Model
from . import Source
from ._data import parse
from ._files import read_file, write_files
from ._text import read_text

ENDING = ".json"


def save_model(model: Model, path: str | PathLike[str]) -> None:
    """Write a model; a killed process leaves the old file or the new one."""
    if Path(path).suffix.lower() != ENDING:
        raise InvalidRecipe(f"{fspath(path)}: a model is saved as {ENDING}")
    for number, grid in enumerate(model.samples, 1):
        if grid.cells.size > INLINE_CELLS:
            raise InvalidRecipe(f"sample {number} has {grid.cells.size:,} cells, a model holds up to {INLINE_CELLS:,}")
    write_files(path, {Path(path).name: json.dumps(model.to_data(), indent=1).encode()})


def load_model(path: str | PathLike[str]) -> Model:
    """Read a model."""
    text = read_text(Source(read_file(path), fspath(path)))
    try:
        return Model.of(parse(text))
    except TilewrightError as error:
        raise BadFile(f"{fspath(path)}: not a model ({error})") from None
