"""Documents of other editors: their size, their JSON, and the files to which they refer."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from ..core.errors import BadFile, InvalidRecipe, TooLarge, short_repr
from ..core.parse_limits import check_json
from . import Source

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp")


def check_megabytes(content: bytes, most: int, owner: str, advice: str) -> None:
    """Raise TooLarge if a file has more than `most` bytes."""
    if len(content) > most:
        size = f"{len(content) / 2**20:,.0f} MB"
        raise TooLarge(f"{owner} must have at most {most >> 20} MB, got {size}; use {advice}")


def parse_document(
    content: bytes,
    noun: str,
    limits: tuple[int, int],
    *,
    weight: int = 1,
    convert: Callable[[dict[str, Any]], Any] | None = None,
) -> dict[str, Any]:
    """Return the object in a JSON document.

    `limits` and `weight` are those of `check_json`. `convert` is applied to each object as it is parsed.
    """
    check_json(content, *limits, weight=weight)
    try:
        data = json.loads(content, object_hook=convert)
    except TooLarge:
        raise
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())
        raise InvalidRecipe(f"not JSON: {reason}", rule="format") from None
    if not isinstance(data, dict):
        raise InvalidRecipe(f"must be {noun}", got=data, rule="type")
    return data


# -- files beside a document ----------------------------------------------------------------------------------


def is_relative(path: str) -> bool:
    """Return whether a path is relative on every system."""
    windows = PureWindowsPath(path)
    return bool(path) and "://" not in path and not (windows.drive or windows.root or PurePosixPath(path).is_absolute())


def read_path(path: str) -> str:
    """Return a path with slashes. Raise ValueError unless it is relative."""
    if path and not is_relative(path):
        raise ValueError(f"must be relative to the map's file, got {path!r}")
    return path.replace("\\", "/")


def read_sibling(name: str, source: Source, endings: tuple[str, ...], otherwise: str = "") -> bytes | None:
    """Return the content of a file with a relative path and one of these extensions; None if it is unavailable.

    If `otherwise` says what is done without the file, warn that it is missing.
    """
    if source.read_sibling is None or not name:
        return None
    reason = f"its path is not relative to the map; {otherwise}"
    if is_relative(name) and name.lower().endswith(endings):
        try:
            return source.read_sibling(name.replace("\\", "/"))
        except BadFile as error:
            reason = f"the file is missing; {otherwise}"
            if error.problems[0].rule == "outside":
                reason = "it is outside the folder of the map; name its folder with --with, or with folders in Python"
    elif is_relative(name):
        reason = f"its name does not end with {', '.join(endings)}; {otherwise}"
    if otherwise:
        warnings.warn(f"{source.name}: {short_repr(name)} is not read, because {reason}", stacklevel=2)
    return None
