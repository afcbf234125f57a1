"""Pictures of the users' own tiles. States and links name a picture by digest; recipe files contain it."""

from __future__ import annotations

import io
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...core.embedded_pictures import DIGEST_PREFIX, check_png, decode_picture, digest_picture, encode_picture
from ...core.errors import BadFile, TooLarge
from ..limits import open_picture
from ..settings import Settings

MAX_STORED_BYTES = 64_000_000
"""Maximum number of bytes of all pictures in memory. The least recently used pictures are dropped."""
MAX_DEPTH = 32
"""Maximum nesting depth of recipes that are searched for pictures."""


class PictureStore:
    """Pictures of this process by digest, shared by all sessions."""

    def __init__(self) -> None:
        self._pictures: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, picture: bytes) -> str:
        """Keep a picture and return its digest."""
        digest = digest_picture(picture)
        with self._lock:
            self._pictures.pop(digest, None)
            self._pictures[digest] = picture
            while sum(map(len, self._pictures.values())) > MAX_STORED_BYTES:
                self._pictures.popitem(last=False)
        return digest

    def get(self, digest: str) -> bytes:
        """Return the picture with a digest; empty if it is missing."""
        with self._lock:
            if digest not in self._pictures:
                return b""
            self._pictures.move_to_end(digest)
            return self._pictures[digest]


picture_store = PictureStore()


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
        return {**sheet, "data": picture_store.put(picture)}

    return _replace_sheets(recipe, store)


def embed_pictures(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe that contains its pictures, except those that are missing."""

    def embed(sheet: Mapping[str, Any]) -> Mapping[str, Any]:
        picture = picture_store.get(sheet["data"])
        return {**sheet, "data": encode_picture(picture)} if picture else sheet

    return _replace_sheets(recipe, embed)


def list_missing(recipe: Mapping[str, Any]) -> list[str]:
    """Return the file names of the pictures that a recipe names and that are not in the store."""
    return [
        str(sheet.get("image", "picture"))[:80]
        for sheet in _iter_sheets(recipe)
        if sheet["data"].startswith(DIGEST_PREFIX) and not picture_store.get(sheet["data"])
    ]


def _is_sheet(key: Any, value: Any) -> bool:
    return key == "sheet" and isinstance(value, Mapping) and isinstance(value.get("data"), str)


def _iter_sheets(data: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    if isinstance(data, Mapping) and depth < MAX_DEPTH:
        for key, value in data.items():
            if _is_sheet(key, value):
                yield value
            yield from _iter_sheets(value, depth + 1)
    elif isinstance(data, list) and data and isinstance(data[0], Mapping) and depth < MAX_DEPTH:
        for value in data:
            yield from _iter_sheets(value, depth + 1)


def _replace_sheets(
    data: Mapping[str, Any], change: Callable[[Mapping[str, Any]], Mapping[str, Any]]
) -> dict[str, Any]:
    """Return plain data in which every sheet with a picture is changed."""

    def walk(value: Any, depth: int) -> Any:
        if isinstance(value, Mapping) and depth < MAX_DEPTH:
            return {key: change(one) if _is_sheet(key, one) else walk(one, depth + 1) for key, one in value.items()}
        if isinstance(value, list) and any(isinstance(one, Mapping) for one in value[:MAX_DEPTH]):
            return [walk(one, depth + 1) for one in value]
        return value

    return dict(walk(data, 0) if any(True for _ in _iter_sheets(data)) else data)
