"""Pictures and models that users have uploaded, and the resolver that finds them.

States, links and recipes name them by digest; recipe files contain pictures. All sessions of a process share them.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

from .. import data
from ..core.caching import LruCache
from ..core.embedded_pictures import DIGEST_PREFIX, check_png, decode_picture, digest_picture, encode_picture
from ..core.errors import BadFile, InvalidRecipe, TooLarge, short_repr
from ..core.network import Network
from ..core.resolver import Resolver
from ..formats._models import decode_network, holds_network
from .limits import check_model_upload, find_bare_name, open_picture
from .settings import Settings

MAX_MODELS = 64
MAX_STORED_BYTES = 64_000_000
"""Maximum number of models in memory, and of the bytes of all models or of all pictures."""
MAX_DEPTH = 32
"""Maximum nesting depth of recipes that are searched for pictures and models."""


def make_picture_store() -> LruCache[str, bytes]:
    """Return a store of pictures by digest."""
    return LruCache(MAX_STORED_BYTES)


def make_model_store(max_models: int = MAX_MODELS) -> LruCache[str, Network]:
    """Return a store of models by digest."""
    return LruCache(MAX_STORED_BYTES, max_models)


picture_store, model_store = make_picture_store(), make_model_store()


class StudioResolver(Resolver):
    """Resolver of built-in names, and of the pictures and models that users have uploaded."""

    def find_picture(self, digest: str, name: str) -> bytes:
        return picture_store.get(digest) or b""

    def find_network(self, digest: str, name: str) -> Network:
        found = model_store.get(digest)
        if found is not None:
            return found
        try:
            return super().find_network(digest, name)
        except InvalidRecipe:
            shown = short_repr(name or digest[:12])
            text = f"the model {shown} is not in this studio; upload its file"
            raise InvalidRecipe(text, rule="unknown_name", value=name, instead=data.list_names("models")[0]) from None


# -- pictures ---------------------------------------------------------------------------------------------------


def put_picture(picture: bytes) -> str:
    """Keep a picture and return its digest."""
    digest = digest_picture(picture)
    picture_store.put(digest, picture, len(picture))
    return digest


def read_picture(content: bytes, name: str, settings: Settings) -> bytes:
    """Return an uploaded picture as PNG. Raise BadFile or TooLarge if it is not a picture, or too large."""
    with open_picture(content, name, settings) as picture:
        try:
            pixels = picture.convert("RGBA")
        except Exception as error:  # Pillow's readers raise many kinds of errors.
            raise BadFile(f"not a readable picture ({type(error).__name__})", at=name) from None
        buffer = io.BytesIO()
        pixels.save(buffer, "PNG", optimize=True)
        # A picture with a palette may be smaller than its copy in RGBA.
        png = min([buffer.getvalue(), *([content] if picture.format == "PNG" else [])], key=len)
    try:
        check_png(png)
    except ValueError as error:
        raise TooLarge(str(error), at=name) from None
    return png


def store_pictures(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe that names its pictures, which are stored. A wrong picture is kept, for its error message."""

    def store(sheet: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            picture = decode_picture(sheet["data"])
            check_png(picture)
        except ValueError:
            return sheet
        return {**sheet, "data": put_picture(picture)}

    return _replace_sheets(recipe, store)


def embed_pictures(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe that contains its pictures, except those that are missing."""

    def embed(sheet: Mapping[str, Any]) -> Mapping[str, Any]:
        picture = picture_store.get(sheet["data"])
        return {**sheet, "data": encode_picture(picture)} if picture else sheet

    return _replace_sheets(recipe, embed)


def list_missing(recipe: Mapping[str, Any]) -> list[str]:
    """Return the file names of the pictures that a recipe names and that are not in the store."""
    missing: list[str] = []

    def collect(sheet: Mapping[str, Any]) -> Mapping[str, Any]:
        if sheet["data"].startswith(DIGEST_PREFIX) and not picture_store.get(sheet["data"]):
            missing.append(str(sheet.get("image", "picture"))[:80])
        return sheet

    _replace_sheets(recipe, collect)
    return missing


def _replace_sheets(
    data: Mapping[str, Any], change: Callable[[Mapping[str, Any]], Mapping[str, Any]]
) -> dict[str, Any]:
    """Return plain data in which every sheet with a picture is changed."""

    def change_sheet(part: Mapping[str, Any]) -> Mapping[str, Any]:
        match part:
            case {"sheet": {"data": str()} as sheet}:
                return {**part, "sheet": change(sheet)}
        return part

    return dict(_replace_parts(data, change_sheet))


def _replace_parts(value: Any, change: Callable[[Mapping[str, Any]], Any], depth: int = 0) -> Any:
    """Return plain data in which every mapping is changed, before the mappings inside it."""
    if depth < MAX_DEPTH and isinstance(value, Mapping):
        changed = change(value)
        if not isinstance(changed, Mapping):
            return changed
        return {key: _replace_parts(one, change, depth + 1) for key, one in changed.items()}
    if depth < MAX_DEPTH and isinstance(value, list) and any(isinstance(one, Mapping) for one in value[:MAX_DEPTH]):
        return [_replace_parts(one, change, depth + 1) for one in value]
    return value


# -- models -----------------------------------------------------------------------------------------------------


def store_model(content: bytes, name: str, settings: Settings) -> Network:
    """Read an uploaded model and keep it. Raise BadFile or TooLarge if it is not a model, or too large."""
    bare = find_bare_name(name, "model.npz")
    check_model_upload(content, bare, settings)
    if not holds_network(content):
        raise BadFile("must be a model that `tilewright learn diffusion` made", at=bare)
    model = decode_network(content, bare)
    # Only what decides maps is kept; a manifest may be much larger in memory than in its file.
    kept = {"pieces": "chosen" if model.are_pieces_chosen else "learned"}
    model = Network(model.labels, model.tileset, model.dilations, model.arrays, kept, model.name)
    model_store.put(model.digest, model, sum(array.nbytes for array in model.arrays.values()))
    return model


def name_model_files(recipe: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a recipe that names the files of its uploaded models instead of their digests, and these files."""
    files: list[str] = []

    def name_file(part: Mapping[str, Any]) -> Any:
        if not is_reference(part):
            return part
        files.append(f"{part['model']}.npz")
        return files[-1]

    return _replace_parts(recipe, name_file), [*dict.fromkeys(files)]


def is_reference(value: Any) -> bool:
    """Return whether a value is the name and digest of a model."""
    return isinstance(value, Mapping) and set(value) == {"model", "digest"}
