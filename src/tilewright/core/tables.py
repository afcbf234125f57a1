"""Results as tables of pandas and datasets of xarray. Both packages are optional and are imported at first use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import TilewrightError
from .tileset import Tileset

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset

DIMENSIONS = ("map", "level", "y", "x")
CELLS = "tile"
"""Variable of a dataset that contains the tile ids."""


def make_dataframe(columns: Mapping[str, Any]) -> DataFrame:
    """Return columns as a DataFrame of pandas. Raise TilewrightError if pandas is missing."""
    try:
        import pandas
    except ImportError:
        raise _explain_missing("pandas") from None
    return pandas.DataFrame({name: _to_array(values) for name, values in columns.items()})


def make_dataset(
    cells: NDArray[Any], tileset: Tileset, columns: Mapping[str, Any], facts: Mapping[str, str | int]
) -> Dataset:
    """Return maps as a Dataset of xarray. Raise TilewrightError if xarray is missing.

    Parameters
    ----------
    cells
        (map, row, column) tile ids, or (map, level, row, column).
    tileset
        Tileset of the maps. The names of its tiles are the attribute `tiles`.
    columns
        Values of all maps by name. A name that is also a dimension or the variable of the cells gets the suffix
        `_value`.
    facts
        Further attributes.
    """
    try:
        import xarray
    except ImportError:
        raise _explain_missing("xarray") from None
    names = DIMENSIONS if cells.ndim == len(DIMENSIONS) else tuple(name for name in DIMENSIONS if name != "level")
    taken = {*DIMENSIONS, CELLS}
    variables = {f"{name}_value" if name in taken else name: ("map", _to_array(own)) for name, own in columns.items()}
    attributes = {"tiles": [*tileset.names], "tileset": tileset.name, **facts}
    return xarray.Dataset({CELLS: (names, cells), **variables}, attrs=attributes)


def _to_array(values: Any) -> NDArray[Any]:
    """Return values as a one-dimensional array; values of different types and lists as objects."""
    if isinstance(values, np.ndarray):
        if values.dtype != object:
            return values
        values = values.tolist()
    kinds = {type(value) for value in values}
    if kinds in ({bool}, {int}, {float}, {int, float}, {str}):
        return np.array(values)
    if kinds and kinds <= {int, float, type(None)}:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    found = np.empty(len(values), dtype=object)
    found[:] = _list_objects(values)
    return found


def _list_objects(values: Sequence[Any]) -> list[Any]:
    return [list(value) if isinstance(value, tuple) else value for value in values]


def _explain_missing(name: str) -> TilewrightError:
    return TilewrightError(f"this needs {name}; install it with: pip install {name}")
