"""Files of trained networks: npz archives of integer arrays, with a manifest as JSON."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, TilewrightError, check_limit, errors_within, short_repr
from ..core.network import ARRAYS, VERSION, Network
from ..core.stored import parse_json
from ..core.tileset import Tileset
from . import Source
from ._archive import decode_archive, encode_archive
from ._files import read_file, write_files
from ._text import read_text

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
    try:
        return _build_network(content, name)
    except BadFile:
        raise
    except TilewrightError as error:
        raise BadFile(f"not a network ({error})", at=name) from None


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
