"""Maps for PyTorch, which is not imported here: what its DataLoader asks for, and arrays that it can take over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .rows import as_numbers

if TYPE_CHECKING:
    from .reader import Corpus


class Dataset:
    """Maps by their places, from 0 on; `torch.utils.data.DataLoader` takes it as it is, with any number of workers.

    A sample is an array of tile ids (row, column), with `onehot` one of floats (tile, row, column), and with columns
    a pair of it and their numbers; `transform` may make anything of it. `ids` are the maps' numbers in the corpus.
    """

    def __init__(
        self,
        corpus: Corpus,
        ids: NDArray[np.int64],
        columns: tuple[str, ...] = (),
        *,
        onehot: bool = False,
        transform: Callable[[Any], Any] | None = None,
    ) -> None:
        self.corpus = corpus
        self.ids = ids
        self.columns = columns
        self.transform = transform
        self._tiles = len(corpus.tileset) if onehot else 0

    def __repr__(self) -> str:
        return f"<Dataset of {len(self):,} maps of {self.corpus!r}>"

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, place: int) -> Any:
        """The sample at a place; an IndexError after the last, so that it can be gone through."""
        return self.__getitems__([place])[0]

    def __getitems__(self, places: Sequence[int]) -> list[Any]:
        """Several samples at once, which is how newer versions of PyTorch ask."""
        chosen = self.ids[np.asarray(places, dtype=np.int64)]
        samples: list[Any] = []
        for batch in self.corpus.batches(max(1, len(chosen)), ids=chosen, columns=self.columns):
            samples += [as_torch(cells, self._tiles) for cells in batch.cells]
            if self.columns:
                samples = list(zip(samples, _column_values(batch.table, self.columns), strict=True))
        return samples if self.transform is None else [self.transform(sample) for sample in samples]


def make_samples(
    cells: NDArray[Any] | list[NDArray[Any]], table: pa.Table, columns: Sequence[str], tiles: int = 0
) -> Any:
    """A batch of samples: cells, or cells and the numbers of some columns."""
    if isinstance(cells, list):
        taken: Any = [as_torch(one, tiles) for one in cells]
    else:
        taken = as_torch(cells, tiles, batched=True)
    return (taken, _column_values(table, columns)) if columns else taken


def as_torch(cells: NDArray[Any], tiles: int = 0, *, batched: bool = False) -> NDArray[Any]:
    """Cells as `torch.from_numpy` takes them: writable, in C order, and of a type that every version knows."""
    if tiles:
        return one_hot(cells, tiles, batched=batched)
    return np.require(cells, np.int32 if cells.dtype == np.uint16 else cells.dtype, ["C", "W", "O"])


def one_hot(cells: NDArray[Any], tiles: int, *, batched: bool = False) -> NDArray[np.float32]:
    """Tile ids as a layer of ones and zeros for each tile, before rows and columns: (tile, row, column).

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
    """(map, column) numbers; what is missing is no number."""
    return np.stack([as_numbers(table[name]) for name in columns], axis=1).astype(np.float32)
