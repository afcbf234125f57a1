"""Models that users have uploaded. States, links and recipes name a model by its digest."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from ..core.errors import BadFile
from ..core.network import Network
from ..formats._models import decode_network, holds_network
from .limits import check_model_upload
from .settings import Settings

MAX_MODELS = 64
MAX_STORED_BYTES = 64_000_000
"""Maximum number of models in memory, and of their bytes. The least recently used models are dropped."""
MAX_DEPTH = 32
"""Maximum nesting depth of recipes that are searched for models."""


class ModelStore:
    """Models of this process by digest, shared by all sessions."""

    def __init__(self) -> None:
        self._models: OrderedDict[str, Network] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, model: Network) -> None:
        """Keep a model."""
        with self._lock:
            self._models.pop(model.digest, None)
            self._models[model.digest] = model
            while len(self._models) > MAX_MODELS or self._count_bytes() > MAX_STORED_BYTES:
                self._models.popitem(last=False)

    def get(self, digest: str) -> Network | None:
        """Return the model with a digest; None if it is missing."""
        with self._lock:
            if digest in self._models:
                self._models.move_to_end(digest)
            return self._models.get(digest)

    def _count_bytes(self) -> int:
        return sum(array.nbytes for model in self._models.values() for array in model.arrays.values())


model_store = ModelStore()


def store_model(content: bytes, name: str, settings: Settings) -> Network:
    """Read an uploaded model and keep it. Raise BadFile or TooLarge if it is not a model, or too large."""
    bare = PurePosixPath(PureWindowsPath(name).name).name[-100:] or "model.npz"
    check_model_upload(content, bare, settings)
    if not holds_network(content):
        raise BadFile("must be a model that `tilewright learn diffusion` made", at=bare)
    model = decode_network(content, bare)
    # Only what decides maps is kept; a manifest may be much larger in memory than in its file.
    kept = {"pieces": "chosen" if model.are_pieces_chosen else "learned"}
    model = Network(model.labels, model.tileset, model.dilations, model.arrays, kept, model.name)
    model_store.put(model)
    return model


def name_model_files(recipe: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a recipe that names the files of its uploaded models instead of their digests, and these files."""
    files: list[str] = []

    def walk(value: Any, depth: int) -> Any:
        if isinstance(value, Mapping) and depth < MAX_DEPTH:
            if not is_reference(value):
                return {key: walk(one, depth + 1) for key, one in value.items()}
            files.append(f"{value['model']}.npz")
            return files[-1]
        is_nested = isinstance(value, list) and any(isinstance(one, Mapping) for one in value[:MAX_DEPTH])
        return [walk(one, depth + 1) for one in value] if is_nested and depth < MAX_DEPTH else value

    named = {key: walk(value, 1) for key, value in recipe.items()}
    return named, [*dict.fromkeys(files)]


def is_reference(value: Any) -> bool:
    """Return whether a value is the name and digest of a model."""
    return isinstance(value, Mapping) and set(value) == {"model", "digest"}
