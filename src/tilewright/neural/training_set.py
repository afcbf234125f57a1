"""Maps to train a network on."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ..autotile.grammar import find_tile_classes
from ..core.errors import InvalidRecipe, pluralize
from ..core.network import MAX_TILES
from ..core.pieces import VIEWS
from ..core.samples import Samples
from ..core.tileset import Tileset

MIN_SIDE = 6
"""Minimum width and height of a map to learn from."""
MIN_CELLS = 400
"""Minimum number of cells of all maps together."""
GOOD_COUNT = 500
"""Number of maps that usually gives good results, for messages."""
MIN_MAPS = 10
"""Minimum number of maps of which some are held out."""
MAX_HELD_OUT = 64
DIGEST_BYTES = 8
PaddedMap = NDArray[np.uint8]
"""Tile numbers, with a border of one cell outside the map. The border is missing where a map was cut."""


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Maps as arrays of tile numbers, and the tiles that the numbers stand for."""

    labels: tuple[str, ...]
    tileset: Tileset
    maps: tuple[NDArray[np.uint8], ...]
    are_pieces_chosen: bool = False
    """Whether a label represents all pieces of its kind, so that fitting pieces are chosen for generated maps."""

    @classmethod
    def of(cls, samples: Samples, *, are_pieces_chosen: bool = False) -> TrainingSet:
        """Return the training set of samples.

        Raises
        ------
        InvalidRecipe
            If the samples have levels, too many tiles, or too few cells.
        """
        if samples.axes != 2:
            raise InvalidRecipe("must be flat; diffusion does not support levels", at="sample", rule="flat_sample")
        tileset, labels = samples.tileset, samples.labels
        classes = np.arange(len(labels))
        if are_pieces_chosen:
            classes = np.array(find_tile_classes(tileset, [tileset.by_name[label] for label in labels]))
        used, numbers = np.unique(classes, return_inverse=True)
        if len(used) > MAX_TILES:
            raise InvalidRecipe(f"must have at most {MAX_TILES} different tiles, got {len(used)}", at="sample")
        maps = tuple(numbers[map].astype(np.uint8) for map in samples.maps)
        found = cls(tuple(labels[number] for number in used.tolist()), tileset, maps, are_pieces_chosen)
        found.check_size()
        return found

    def check_size(self) -> None:
        """Raise InvalidRecipe if the maps are too few or too small to learn from."""
        advice = f"about {GOOD_COUNT} maps of the size to generate give good results"
        for number, map in enumerate(self.maps, 1):
            if min(map.shape) < MIN_SIDE:
                size = f"{map.shape[1]}x{map.shape[0]}"
                text = f"map {number} of {size} cells is smaller than {MIN_SIDE}x{MIN_SIDE}; {advice}"
                raise InvalidRecipe(text, at="sample", rule="sample_size")
        cells = sum(map.size for map in self.maps)
        if cells < MIN_CELLS:
            text = (
                f"{pluralize(len(self.maps), 'map')} with {cells} cells in total, but at least {MIN_CELLS} are needed"
            )
            raise InvalidRecipe(f"{text}; {advice}", at="sample", rule="sample_size")

    @property
    def unique_tiles(self) -> list[str]:
        """Labels of the tiles that have exactly one cell in each of several maps, such as the player."""
        if len(self.maps) < 2:
            return []
        counts = np.array([np.bincount(map.ravel(), minlength=len(self.labels)) for map in self.maps])
        return [self.labels[number] for number in np.flatnonzero((counts == 1).all(axis=0)).tolist()]

    @property
    def digests(self) -> list[str]:
        """Short digests of the maps."""
        found = []
        for map in self.maps:
            text = repr((map.shape, self.labels)).encode()
            found.append(blake2b(text + map.tobytes(), digest_size=DIGEST_BYTES).hexdigest())
        return found

    def split(self, symmetry: int = 1) -> tuple[list[PaddedMap], list[PaddedMap]]:
        """Split the set into maps to train on, in all views, and maps to evaluate the network on.

        A tenth of the maps is held out. Of fewer than ten maps, the right part of each is held out instead, so that
        the training can stop before the network remembers the maps.

        Parameters
        ----------
        symmetry
            Number of views to train on: 1 as they are, 2 also mirrored, 8 also rotated.

        Returns
        -------
        tuple of lists of ndarray
            Maps with a border of cells outside, except where a map was cut.
        """
        padded = [np.pad(map, 1, constant_values=len(self.labels) + 1) for map in self.maps]
        if len(padded) < MIN_MAPS:
            cuts = [_find_cut(map) for map in padded]
            kept = [map[:, :cut] for map, cut in zip(padded, cuts, strict=True)]
            held_out = [map[:, cut:] for map, cut in zip(padded, cuts, strict=True) if cut < map.shape[1]]
        else:
            count = min(MAX_HELD_OUT, len(padded) // 10)
            chosen = {number * (len(padded) // count) for number in range(count)}
            kept = [map for number, map in enumerate(padded) if number not in chosen]
            held_out = [padded[number] for number in sorted(chosen)]
        return [self._reorient(map, view) for view in VIEWS[:symmetry] for map in kept], held_out

    def _reorient(self, map: PaddedMap, view: str) -> PaddedMap:
        """Return a map mirrored and transposed, with the tiles of pieces that face the new directions."""
        ids = [self.tileset.by_name[label] for label in self.labels]
        images = self.tileset.reorient_tiles(view)
        numbers = {tile: number for number, tile in enumerate(ids)}
        table = [numbers.get(int(images[tile]), own) for own, tile in enumerate(ids)]
        moved = np.array([*table, len(table), len(table) + 1], dtype=np.uint8)[map]
        for step in view:
            moved = {"x": moved[:, ::-1], "y": moved[::-1], "d": moved.T}[step]
        return np.ascontiguousarray(moved)


def _find_cut(map: PaddedMap) -> int:
    """Return the first column of the part to hold out; the number of columns if the map is too narrow."""
    columns: int = map.shape[1]
    held_out = max(MIN_SIDE, columns // 6)
    return columns - held_out if columns >= 4 * held_out else columns
