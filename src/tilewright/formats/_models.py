"""Files of what techniques learn: models with their samples, and trained networks.

A model is JSON or, if it is large, npz with the cells of all samples in one array. A network is an npz archive of
integer arrays, with a manifest as JSON.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, TilewrightError, check_limit, errors_within, short_repr
from ..core.grid import MAX_CELLS, MAX_INLINE_CELLS, Grid, read_label, read_shape
from ..core.model import Model
from ..core.network import ARRAYS, VERSION, Network
from ..core.samples import check_sample_count
from ..core.stored import parse_json
from ..core.tileset import Tileset
from . import Source
from ._archive import decode_archive, encode_archive
from ._documents import read_text
from ._files import read_file, write_files

EXTENSIONS = (".json", ".npz")
MODEL_ARRAYS = {"cells": "u", "counts": "i", "rest": "u"}
"""Names of the arrays in an npz file: the concatenated label indices of all samples, the concatenated counts, and all
other data as JSON bytes.
"""


def save_model(model: Model, path: str | PathLike[str]) -> None:
    """Write a model to a file. An interrupted process leaves either the old or the new file."""
    check_model_extension(path)
    if Path(path).suffix.lower() == ".npz":
        content = _encode_npz(model)
    else:
        for number, grid in enumerate(model.samples, 1):
            if grid.cells.size > MAX_INLINE_CELLS:
                raise InvalidRecipe(
                    f"sample {number} has {grid.cells.size:,} cells, JSON holds at most {MAX_INLINE_CELLS:,}; "
                    "save the model as .npz",
                    at=fspath(path),
                )
        content = json.dumps(model.to_data(), indent=1).encode()
    write_files(path, {Path(path).name: content})


def check_model_extension(path: str | PathLike[str]) -> None:
    """Raise InvalidRecipe if the extension is not that of a model file."""
    if Path(path).suffix.lower() not in EXTENSIONS:
        raise InvalidRecipe(f"a model file must end in {' or '.join(EXTENSIONS)}", at=fspath(path))


def load_model(path: str | PathLike[str]) -> Model:
    """Read a model from a file."""
    with _named_as("a model", fspath(path)):
        return _build_model(*_read(path))


def find_model(path: str | PathLike[str]) -> Model | None:
    """Return the model in a file, or None if the file contains other data, such as a map."""
    if Path(path).suffix.lower() not in EXTENSIONS or not Path(path).is_file():
        return None
    try:
        data, arrays = _read(path)
    except TilewrightError:
        return None
    with _named_as("a model", fspath(path)):
        return _build_model(data, arrays) if "learned" in data else None


@contextmanager
def _named_as(noun: str, name: str) -> Iterator[None]:
    """Convert any TilewrightError of a reader to the line that a file is not what it should be."""
    try:
        yield
    except BadFile:
        raise
    except TilewrightError as error:
        raise BadFile(f"not {noun} ({error})", at=name) from None


def _build_model(data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Model:
    """Return a model from the JSON data and the arrays of an archive."""
    if not arrays:
        return Model.of(data)
    samples, sizes = data.pop("samples", None), data.pop("counts", {})
    if not isinstance(data.get("learned"), Mapping) or not isinstance(samples, list):
        raise InvalidRecipe("must contain samples and what is learned from them")
    data["learned"] = {**data["learned"], "sample": _build_grids(samples, arrays["cells"])}
    if sizes or "counts" in arrays:
        data["counts"] = _split(arrays.get("counts", np.empty(0, dtype=np.int64)), sizes)
    return Model.of(data)


def _read(path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the JSON data of a file, and the arrays of an npz file."""
    source = Source(read_file(path), fspath(path))
    if Path(path).suffix.lower() != ".npz":
        return parse_json(read_text(source)), {}
    arrays = decode_archive(source.content, MODEL_ARRAYS, source.name)
    if "rest" not in arrays or "cells" not in arrays:
        raise InvalidRecipe("must contain arrays named 'cells' and 'rest'")
    return parse_json(read_text(Source(arrays["rest"].tobytes(), source.name))), arrays


def _encode_npz(model: Model) -> bytes:
    data = model.to_data(inline=False)
    data["samples"] = [{"shape": list(grid.shape), "words": list(grid.labels)} for grid in model.samples]
    total = sum(grid.cells.size for grid in model.samples)
    check_limit("cells in total", total, MAX_CELLS, of="samples")
    label_count = max(len(grid.labels) for grid in model.samples)
    kind = np.min_scalar_type(label_count - 1)
    arrays = {"cells": np.concatenate([grid.cells.reshape(-1).astype(kind) for grid in model.samples])}
    if model.counts:
        data["counts"] = {name: array.size for name, array in model.counts.items()}
        arrays["counts"] = np.concatenate(list(model.counts.values()))
    return encode_archive({**arrays, "rest": np.frombuffer(json.dumps(data).encode(), dtype=np.uint8)})


def _split(counts: NDArray[Any], sizes: Any) -> dict[str, NDArray[Any]]:
    """Split the concatenated counts into named arrays."""
    valid = isinstance(sizes, Mapping) and all(type(size) is int and size >= 0 for size in sizes.values())
    if not valid or counts.ndim != 1 or sum(sizes.values()) != len(counts):
        raise InvalidRecipe("the array does not have the given sizes", at="counts")
    ends = np.cumsum(list(sizes.values()), dtype=np.int64).tolist()
    return dict(zip(sizes, np.split(counts, ends[:-1]), strict=True))


def _build_grids(samples: list[Any], cells: NDArray[Any]) -> list[Grid]:
    """Split the concatenated cells into samples."""
    check_sample_count(len(samples))
    grids, start = [], 0
    for sample in samples:
        if not isinstance(sample, Mapping) or not isinstance(sample.get("words"), list):
            raise InvalidRecipe("each must have a shape and words", at="samples", got=sample)
        shape, words = read_shape(sample.get("shape")), [read_label(word) for word in sample["words"]]
        part = cells.reshape(-1)[start : start + prod(shape)]
        start += prod(shape)
        if len(part) < prod(shape) or not len(words) or int(part.max()) >= len(words):
            raise InvalidRecipe("the cells do not match the given shapes and words", at="samples")
        grids.append(Grid(words, part.reshape(shape).astype(np.int32)))
    if start != cells.size:
        raise InvalidRecipe("the cells do not match the given shapes", at="samples")
    return grids


MANIFEST = "manifest"
CHECKPOINT_ARRAYS = {
    "key": "u", "curve": "f", "step": "i", "loss": "f", "network": "f", "average": "f", "best": "f", "exp_avg": "f",
    "exp_avg_sq": "f", "random": "u"
}  # fmt: skip
"""Arrays of a checkpoint, and the allowed kinds of their dtype."""
MAX_BYTES = 1 << 26
"""Maximum size of all arrays of a network together. The largest network has 38 MB of weights."""
MAX_MANIFEST_BYTES = 1 << 21
"""Maximum size of the manifest, which has a line per training map."""
KEYS = ("version", "technique", "tiles", "tileset", "dilations", "training")
"""Keys of the manifest."""


def encode_network(network: Network) -> bytes:
    """Return the content of the file of a network. Networks with equal manifests give equal bytes if they are equal."""
    manifest = {
        "version": VERSION,
        "technique": network.technique,
        "tiles": list(network.labels),
        "tileset": network.tileset.to_data(),
        "dilations": list(network.dilations),
        "training": network.manifest,
    }
    text = json.dumps(manifest, indent=1).encode()
    return encode_archive({MANIFEST: np.frombuffer(text, dtype=np.uint8), **network.arrays})


def decode_network(content: bytes, name: str) -> Network:
    """Return the network in the content of a file. `name` is that of the file, or of a built-in network."""
    with _named_as("a network", name):
        return _build_network(content, name)


def save_network(network: Network, path: str | PathLike[str]) -> None:
    """Write a network to a file. An interrupted process leaves either the old or the new file."""
    check_network_extension(path)
    write_files(path, {Path(path).name: encode_network(network)})


def check_network_extension(path: str | PathLike[str]) -> None:
    """Raise InvalidRecipe if the extension is not that of the file of a network."""
    if Path(path).suffix.lower() != ".npz":
        raise InvalidRecipe("the file of a network must end in .npz", at=fspath(path))


class CheckpointFile:
    """Storage of the state of an unfinished training in an .npz file."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)

    def load(self) -> dict[str, NDArray[Any]] | None:
        """Return the stored arrays; None if there is no file, or it is damaged."""
        if not self.path.is_file():
            return None
        try:
            arrays = decode_archive(read_file(self.path), CHECKPOINT_ARRAYS, fspath(self.path))
        except TilewrightError:
            return None
        return arrays if set(arrays) == set(CHECKPOINT_ARRAYS) else None

    def store(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Replace the stored arrays."""
        write_files(self.path, {self.path.name: encode_archive(arrays)})

    def delete(self) -> None:
        """Delete the file, if there is one."""
        self.path.unlink(missing_ok=True)


def holds_network(content: bytes) -> bool:
    """Return whether the content is an archive with the manifest of a network."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return f"{MANIFEST}.npy" in archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return False


def _build_network(content: bytes, name: str) -> Network:
    arrays = decode_archive(content, {MANIFEST: "u", **dict.fromkeys(ARRAYS, "i")}, name, MAX_BYTES)
    if MANIFEST not in arrays:
        raise InvalidRecipe(f"must contain an array named {MANIFEST!r}")
    manifest = arrays.pop(MANIFEST)
    check_limit("bytes", manifest.nbytes, MAX_MANIFEST_BYTES, at=MANIFEST)
    data = parse_json(read_text(Source(manifest.tobytes(), name)))
    _check_manifest(data)
    for key, (kind, _) in ARRAYS.items():
        if key in arrays and arrays[key].dtype.itemsize == np.dtype(kind).itemsize:
            arrays[key] = np.ascontiguousarray(arrays[key].astype(kind))
    with errors_within("tileset", kind=TilewrightError):
        tileset = Tileset.of(data["tileset"])
    return Network(data["tiles"], tileset, data["dilations"], arrays, data["training"], Path(name).stem)


def _check_manifest(data: dict[str, Any]) -> None:
    """Raise InvalidRecipe if a value of the manifest has the wrong type, or the version is unknown."""
    missing = [key for key in KEYS if key not in data]
    if missing:
        raise InvalidRecipe(f"must have {', '.join(KEYS)}; {missing[0]} is missing", at=MANIFEST)
    version = data["version"]
    if type(version) is not int or version != VERSION:
        newer = type(version) is int and version > VERSION
        reason = "written by a newer Tilewright" if newer else "unknown; train it again"
        raise InvalidRecipe(f"version {short_repr(version)} is {reason}; this one reads version {VERSION}")
    if data["technique"] != Network.technique:
        raise InvalidRecipe(f"must be {Network.technique!r}", at="technique", got=data["technique"])
    for key, kind, kinds in (("tiles", str, "strings"), ("dilations", int, "integers")):
        if not isinstance(data[key], list) or not all(type(one) is kind for one in data[key]):
            raise InvalidRecipe(f"must be a list of {kinds}", at=key, rule="type")
    if not isinstance(data["training"], dict):
        raise InvalidRecipe("must be an object", at="training", rule="type")
