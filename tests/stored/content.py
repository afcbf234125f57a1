"""Describe maps, recipes and studio links as plain data, for comparison with the index of stored files."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from contextlib import AbstractContextManager
from hashlib import blake2b
from typing import Any

import numpy as np

import tilewright as tw

LOOK_FIELDS = ("skins", "over", "blocks_sight")
"""Fields of tilesets and tiles that are not part of a tileset's digest."""


def digest(map: tw.TileMap) -> str:
    """Return the digest of a map's cells, as version 0.1.0 defines it.

    This is a copy on purpose: it must not change when the package changes.
    """
    used, cells = np.unique(map.cells, return_inverse=True)
    names = [map.tileset.names[number] for number in used.tolist()]
    ranks = np.argsort(np.argsort(names)).astype("<u2")[cells.reshape(-1)]
    header = json.dumps([list(map.shape), sorted(names)]).encode()
    return blake2b(header + ranks.tobytes(), digest_size=16).hexdigest()


def describe(map: tw.TileMap) -> dict[str, Any]:
    """Return everything a map holds except its recipe; large arrays are represented by digests."""
    layers = {name: blake2b(layer.tobytes(), digest_size=16).hexdigest() for name, layer in map.layers.items()}
    return {
        "digest": digest(map),
        "shape": list(map.shape),
        "tileset": map.tileset.name,
        "rooms": [[room.x, room.y, room.width, room.height] for room in map.rooms],
        "links": [list(link) for link in map.links],
        "markers": [[marker.name, marker.x, marker.y, marker.level] for marker in map.markers],
        "layers": layers,
        "numbers": dict(map.numbers),
    }


def recipe_data(recipe: tw.Recipe | None) -> dict[str, Any] | None:
    """Return a recipe as plain data."""
    return None if recipe is None else recipe.to_data()


def with_present_names(data: Any) -> Any:
    """Return the data of a recipe with the present names of parameters that have been renamed since."""
    if isinstance(data, list):
        return [with_present_names(item) for item in data]
    if not isinstance(data, Mapping):
        return data
    values = {key: with_present_names(value) for key, value in data.items()}
    technique = next((entry for entry in tw.list_techniques() if entry.name == values.get("technique")), None)
    if technique is not None and isinstance(values.get("params"), Mapping):
        values["params"] = _rename(values["params"], technique.params)
    for shaper in tw.list_shapers():
        if isinstance(values.get(shaper.name), Mapping):
            values[shaper.name] = _rename(values[shaper.name], shaper.params)
    return values


def _rename(values: Mapping[str, Any], params: type[tw.Params]) -> dict[str, Any]:
    return {params.renamed.get(key, key): value for key, value in values.items()}


def unpack(data: Any) -> Any:
    """Return plain data with packed cells decompressed: the same cells may be compressed to different bytes."""
    if isinstance(data, Mapping):
        values = {key: unpack(value) for key, value in data.items()}
        if {"shape", "cells"} <= values.keys() and isinstance(values["cells"], str):
            values["cells"] = zlib.decompress(base64.b64decode(values["cells"])).hex()
        return values
    return [unpack(value) for value in data] if isinstance(data, list | tuple) else data


def without_look(data: Any, *, inside: bool = False) -> Any:
    """Return plain data without the fields of tilesets that only say how tiles are shown.

    A stored tileset that extends a built-in one has the fields that the built-in one had then. `inside` says whether
    the data is that of a tileset.
    """
    if isinstance(data, Mapping):
        kept = {key: value for key, value in data.items() if not (inside and key in LOOK_FIELDS)}
        return {key: without_look(value, inside=inside or key == "tileset") for key, value in kept.items()}
    return [without_look(value, inside=inside) for value in data] if isinstance(data, list | tuple) else data


def keeps(now: Any, stored: Any) -> bool:
    """Return whether present data has every stored value; mappings may have new keys, such as new parameters."""
    if isinstance(stored, Mapping):
        return isinstance(now, Mapping) and all(key in now and keeps(now[key], stored[key]) for key in stored)
    if isinstance(stored, list):
        same_length = isinstance(now, list) and len(now) == len(stored)
        return same_length and all(keeps(one, other) for one, other in zip(now, stored, strict=True))
    return bool(type(now) is type(stored) and now == stored)


# -- the studio: the only functions that use its modules ----------------------------------------------------------


def open_link(link: str) -> dict[str, Any]:
    """Return what a studio link opens, as plain data."""
    from tilewright.studio.state import State

    state = State.from_link(link)
    opened = {
        "recipe": state.recipe,
        "effective": state.effective,
        "locks": None if state.locks is None else state.locks.to_data(),
        "painted": None if state.painted is None else state.painted.to_data(),
        "off": state.off,
        "look": state.view_settings.model_dump(),
        "example": state.example.to_data(),
        "gallery": state.gallery.to_data(),
    }
    return dict(json.loads(json.dumps(opened)))


def api_client() -> AbstractContextManager[Any]:
    """Return an HTTP client of the studio's API."""
    from tests.studio.servers import application, asking

    return asking(application())


def send(client: Any, request: Mapping[str, Any]) -> Any:
    """Send a stored request and return the response."""
    if "body" in request:
        return client.post(request["address"], json=request["body"])
    return client.get(request["address"])
