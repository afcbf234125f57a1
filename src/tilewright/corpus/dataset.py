"""Maps for PyTorch: a map-style dataset, and arrays that PyTorch accepts. PyTorch itself is not imported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .rows import as_numbers

if TYPE_CHECKING:
    from .reader import Corpus


@dataclass(eq=False, repr=False)
class Dataset:
    """Map-style dataset of maps, for `torch.utils.data.DataLoader` with any number of workers.

    A sample is a (row, column) array of tile ids. With `onehot`, it is a (tile, row, column) array of floats. With
    `columns`, it is a pair of that array and the values of the columns.
    """

    corpus: Corpus
    """The corpus to read."""
    ids: NDArray[np.int64]
    """Ids of the maps."""
    columns: tuple[str, ...] = ()
    """Numeric columns to return with each map."""
    onehot: bool = field(default=False, kw_only=True)
    """Whether to encode tiles as one-hot layers."""
    transform: Callable[[Any], Any] | None = field(default=None, kw_only=True)
    """Function applied to each sample."""

    def __repr__(self) -> str:
        return f"<Dataset of {len(self):,} maps of {self.corpus!r}>"

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, position: int) -> Any:
        """Return the sample at a position."""
        return self.__getitems__([position])[0]

    def __getitems__(self, positions: Sequence[int]) -> list[Any]:
        """Return several samples at once, as newer versions of PyTorch request them."""
        chosen = self.ids[np.asarray(positions, dtype=np.int64)]
        samples: list[Any] = []
        tiles = len(self.corpus.tileset) if self.onehot else 0
        for batch in self.corpus.batches(max(1, len(chosen)), ids=chosen, columns=self.columns):
            samples += [as_torch(cells, tiles) for cells in batch.cells]
            if self.columns:
                samples = list(zip(samples, _column_values(batch.table, self.columns), strict=True))
        return samples if self.transform is None else [self.transform(sample) for sample in samples]


def make_samples(
    cells: NDArray[Any] | list[NDArray[Any]], table: pa.Table, columns: Sequence[str], tiles: int = 0
) -> Any:
    """Return a batch of samples: cells, or cells and the values of some columns."""
    if isinstance(cells, list):
        samples: Any = [as_torch(one, tiles) for one in cells]
    else:
        samples = as_torch(cells, tiles, batched=True)
    return (samples, _column_values(table, columns)) if columns else samples


def as_torch(cells: NDArray[Any], tiles: int = 0, *, batched: bool = False) -> NDArray[Any]:
    """Return cells as an array that `torch.from_numpy` accepts: writable, in C order and of a supported type."""
    if tiles:
        return one_hot(cells, tiles, batched=batched)
    return np.require(cells, np.int32 if cells.dtype == np.uint16 else cells.dtype, ["C", "W", "O"])


def one_hot(cells: NDArray[Any], tiles: int, *, batched: bool = False) -> NDArray[np.float32]:
    """Return tile ids in one-hot encoding: an array (tile, row, column) of ones and zeros.

    Parameters
    ----------
    cells : ndarray of int
        Tile ids.
    tiles : int
        Number of tiles.
    batched : bool
        Whether the first axis of `cells` is the map; the tile axis then comes second.

    Returns
    -------
    ndarray of float32

    Examples
    --------
    >>> one_hot(np.array([[0, 1]]), 2).tolist()
    [[[1.0, 0.0]], [[0.0, 1.0]]]
    """
    axis = 1 if batched else 0
    shape = list(cells.shape)
    shape.insert(axis, tiles)
    layers = np.zeros(shape, dtype=np.float32)
    np.put_along_axis(layers, np.expand_dims(cells, axis).astype(np.int64), 1.0, axis=axis)
    return layers


def _column_values(table: pa.Table, columns: Sequence[str]) -> NDArray[np.float32]:
    """Return the values of columns as an array (map, column), with NaN for missing values."""
    return np.stack([as_numbers(table[name]) for name in columns], axis=1).astype(np.float32)
