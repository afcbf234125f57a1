"""Trained networks as a parameter: integer weights, the tiles that they predict, and a manifest.

A network is quantized (Jacob et al., "Quantization and training of neural networks for efficient
integer-arithmetic-only inference", 2018). Weights are 8-bit integers with one scale per output channel, and the values
of cells are integers from 0 to 1023. All sums are integers, so predictions are equal on every machine.

A recipe stores the name of a built-in network, or the digest of any other network. `verify --with` finds the file by
its digest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from os import PathLike, fsdecode
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import data
from .errors import InvalidRecipe, TooLarge, short_repr
from .params import AtomicValue
from .ports import files
from .resolver import Resolver
from .tileset import Tileset

VERSION = 1
"""Version of the files of networks."""
TAPS = 9
"""Number of cells that a 3x3 convolution reads, row by row."""
MAX_CHANNELS, MAX_LAYERS, MAX_DILATION, MAX_TILES = 256, 64, 64, 250
"""Bounds that keep all sums within 32 bits, and memory and time within reason."""
MAX_BIAS = 1 << 56
Shape = tuple[int | str, ...]
ARRAYS: Mapping[str, tuple[type[np.signedinteger[Any]], Shape]] = {
    "input": (np.int8, (TAPS, "kinds", "channels")),
    "layers": (np.int8, ("layers", "channels", TAPS, "channels")),
    "output": (np.int8, ("tiles", "channels")),
    "input_scale": (np.int32, ("channels",)),
    "layer_scale": (np.int32, ("layers", "channels")),
    "residual_scale": (np.int32, ("layers",)),
    "output_scale": (np.int32, ("tiles",)),
    "input_bias": (np.int64, ("channels",)),
    "layer_bias": (np.int64, ("layers", "channels")),
    "output_bias": (np.int64, ("tiles",)),
}
"""Type and shape of each array. The kinds of cells are the tiles, then masked cells, then cells outside the map."""


class Network(AtomicValue):
    """A network that predicts the tile of a cell from the tiles around it.

    `tw.learn` makes networks for the technique `diffusion`, and `tw.load_network` reads them. Two networks are equal if
    their weights and tilesets are equal.

    Parameters
    ----------
    labels
        Names of the tiles that the network predicts.
    tileset
        Tileset with these tiles.
    dilations
        Distance between the cells that a layer reads, for each layer.
    arrays
        Integer arrays by name; see `ARRAYS`.
    manifest
        Facts about the training: digests of the maps, settings, losses.
    name
        Name of the built-in network, or of the file.

    Raises
    ------
    InvalidRecipe
        If the arrays do not fit together.
    """

    __slots__ = ("__dict__", "arrays", "dilations", "labels", "manifest", "name", "tileset")
    technique: ClassVar[str] = "diffusion"
    """Name of the technique that uses the network."""
    json_schema: ClassVar = {"title": "Network", "type": ["string", "object"], "control": "network"}

    def __init__(
        self,
        labels: Sequence[str],
        tileset: Tileset,
        dilations: Sequence[int],
        arrays: Mapping[str, NDArray[Any]],
        manifest: Mapping[str, Any],
        name: str = "",
    ) -> None:
        self.labels = tuple(labels)
        """Names of the tiles that the network predicts."""
        self.tileset = tileset
        """Tileset with the tiles."""
        self.dilations = tuple(dilations)
        """Distance between the cells that a layer reads, for each layer."""
        self.arrays = dict(arrays)
        """Read-only integer arrays by name."""
        self.manifest = dict(manifest)
        """Facts about the training, as JSON-compatible data."""
        self.name = name
        """Name of the built-in network, or of the file. Comparisons ignore it."""
        self._check()
        for array in self.arrays.values():
            array.flags.writeable = False

    @classmethod
    def of(cls, value: Any, resolver: Resolver | None = None) -> Network:
        """Read a network.

        Parameters
        ----------
        value
            A network, the name of a built-in network, a path, or plain data with a digest.
        resolver
            Object that opens files. By default, only built-in names are known.

        Returns
        -------
        Network
            The network.

        Raises
        ------
        InvalidRecipe
            If the value is not a network, or no network has the digest.
        """
        if isinstance(value, Network):
            return value
        resolver = resolver or Resolver()
        if isinstance(value, (str, PathLike)):
            return resolver.read_network(fsdecode(value))
        if isinstance(value, Mapping) and set(value) <= {"model", "digest"} and isinstance(value.get("digest"), str):
            return resolver.find_network(value["digest"], str(value.get("model", "")))
        raise InvalidRecipe("must be a network that was trained by `tilewright learn`, or its name", got=value)

    def to_data(self, *, inline: bool = True) -> Any:
        """Return the name of a built-in network; for any other, its name and digest."""
        if self.name in data.list_names("models") and Resolver().read_network(self.name) == self:
            return self.name
        return {"model": self.name, "digest": self.digest}

    @property
    def channels(self) -> int:
        """Number of values per cell in each layer."""
        return int(self.arrays["input"].shape[2])

    @property
    def are_pieces_chosen(self) -> bool:
        """Whether a tile represents all pieces of its kind, so that fitting pieces are chosen afterwards."""
        return self.manifest.get("pieces") == "chosen"

    @cached_property
    def digest(self) -> str:
        """Digest of the tileset, the tiles and all arrays."""
        facts = [self.labels, self.tileset.digest, self.dilations, self.are_pieces_chosen, *self.unique_tiles]
        found = blake2b(json.dumps(facts).encode(), digest_size=16)
        for name, (kind, _) in ARRAYS.items():
            found.update(self.arrays[name].astype(np.dtype(kind).newbyteorder("<")).tobytes())
        return found.hexdigest()

    @property
    def unique_tiles(self) -> list[str]:
        """Tiles with exactly one cell in each training map, such as the player; empty for networks of version 0.2."""
        found = self.manifest.get("unique_tiles", ())
        return [label for label in self.labels if label in found] if isinstance(found, list) else []

    @property
    def digests(self) -> list[str]:
        """Short digests of the maps that the network was trained on."""
        found = self.manifest.get("digests", ())
        return [str(digest) for digest in found] if isinstance(found, list) else []

    def save(self, path: str | PathLike[str]) -> None:
        """Write the network to an .npz file."""
        files.get().save_network(self, path)

    def _check(self) -> None:
        """Raise InvalidRecipe if an array has a wrong type, shape or value. Kernels rely on this check."""
        if not 1 <= len(self.labels) <= MAX_TILES:
            raise InvalidRecipe(f"must be 1 to {MAX_TILES} tiles, got {len(self.labels)}", at="tiles")
        if len(set(self.labels)) < len(self.labels):
            raise InvalidRecipe("must not contain a tile twice", at="tiles")
        unknown = [label for label in self.labels if label not in self.tileset.by_name]
        if unknown:
            raise InvalidRecipe(f"the tileset {self.tileset.name!r} has no tile {short_repr(unknown[0])}", at="tiles")
        if len(self.dilations) > MAX_LAYERS or any(not 1 <= step <= MAX_DILATION for step in self.dilations):
            raise InvalidRecipe(f"must be at most {MAX_LAYERS} numbers from 1 to {MAX_DILATION}", at="dilations")
        missing = sorted(set(ARRAYS) ^ set(self.arrays))
        if missing:
            raise InvalidRecipe(f"must have the arrays {', '.join(ARRAYS)}; {missing[0]} is missing or unknown")
        first = self.arrays["input"]
        channels = first.shape[2] if first.ndim == 3 else 0
        if not 1 <= channels <= MAX_CHANNELS:
            raise TooLarge(f"must have 1 to {MAX_CHANNELS} channels, got {channels}", at="input")
        sizes = {
            "channels": channels,
            "kinds": len(self.labels) + 2,
            "tiles": len(self.labels),
            "layers": len(self.dilations),
        }
        for name, (kind, shape) in ARRAYS.items():
            wanted = tuple(sizes[side] if isinstance(side, str) else side for side in shape)
            array = self.arrays[name]
            if array.shape != wanted or array.dtype != kind:
                got = f"{array.dtype} of shape {list(array.shape)}"
                raise InvalidRecipe(f"must be {np.dtype(kind)} of shape {list(wanted)}, got {got}", at=name)
            if name.endswith("_scale") and array.size and int(array.min()) < 0:
                raise InvalidRecipe("must not be negative", at=name)
            if name.endswith("_bias") and array.size and max(-int(array.min()), int(array.max())) > MAX_BIAS:
                raise InvalidRecipe(f"must be within ±{MAX_BIAS}", at=name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        return Network, (self.labels, self.tileset, self.dilations, self.arrays, self.manifest, self.name)

    def __repr__(self) -> str:
        return f"<Network {self.name}: {len(self.labels)} tiles, {len(self.dilations)} layers of {self.channels}>"
