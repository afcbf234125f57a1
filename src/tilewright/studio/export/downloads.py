"""Groups of export formats, and descriptions of exported files."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from PIL import Image

from ...core.fields import fields_of
from ...formats import Format, format_registry
from ..operations import Files
from ..state import State, ViewSettings

GROUPS = {
    "Pictures": ("png",),
    "Animations": ("gif", "webp", "apng"),
    "Page": ("html",),
    "Engines": ("godot", "ldtk", "tmx", "tmj", "uvtt", "xp", "raw", "vox"),
    "Data": ("json", "npz", "csv", "txt", "fbca"),
}
OTHERS = "Others"
"""Group of further formats, unless an engine opens their files."""


def build_view_options(entry: Format, settings: ViewSettings) -> dict[str, Any]:
    """Return the options with which a format shows a map as the canvas does: sprites, grid and overlay.

    Whether there are sprites, and icons of markers, is the default of the formats, as on the canvas.
    """
    known = {field.name for field in fields_of(entry.params)}
    shown = {
        "sprites": None if settings.sprites else False,
        "grid": settings.grid or None,
        "overlay": settings.overlay or None,
    }
    return {option: value for option, value in shown.items() if option in known and value is not None}


def build_options(entry: Format, state: State, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the options of a file: the given ones, or those of the view, and the title of a page if none is given."""
    options = build_view_options(entry, state.view_settings) if given is None else dict(given)
    has_title = any(field.name == "title" for field in fields_of(entry.params))
    if has_title and not options.get("title") and state.opened.name:
        options["title"] = state.opened.name if state.seed is None else f"{state.opened.name}, seed {state.seed}"
    return options


def describe_files(files: Files, *, is_picture: bool) -> str:
    """Return the names of files, the size of a picture, and the number of bytes as text."""
    facts = [" and ".join(files)]
    if is_picture:
        with Image.open(io.BytesIO(next(iter(files.values())))) as picture:
            frames = getattr(picture, "n_frames", 1)
            facts.append(f"{picture.width:,}×{picture.height:,} pixels")
            facts += [f"{frames} frames"] if frames > 1 else []
    return ", ".join([*facts, format_bytes(sum(map(len, files.values())))])


def format_bytes(count: int) -> str:
    """Return a number of bytes as text.

    >>> format_bytes(812), format_bytes(34_800), format_bytes(2_500_000)
    ('812 bytes', '34.8 KB', '2.5 MB')
    """
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1000:.1f} KB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def group_formats() -> dict[str, list[str]]:
    """Return the names of the writable formats by group."""
    writable = {entry.name: entry for entry in format_registry if entry.write is not None or entry.animate is not None}
    found = {title: [name for name in names if name in writable] for title, names in GROUPS.items()}
    known = {name for names in GROUPS.values() for name in names}
    for name, entry in writable.items():
        if name not in known:
            found.setdefault("Engines" if entry.engines else OTHERS, []).append(name)
    return found
