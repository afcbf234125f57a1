"""Readings that open files, for the doors that may: the command line and Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from os import PathLike
from pathlib import Path
from typing import Any

from .. import data
from ..core.errors import BadFile, InvalidRecipe, UnknownName
from ..core.grid import Grid
from ..core.reading import Reading
from ..core.tileset import Tileset
from ..core.yaml import read_data
from ._files import read_file


class FileReading(Reading):
    """Built-in names, and files relative to a folder (the recipe's, or where the program runs)."""

    def __init__(self, folder: str | PathLike[str] = ".") -> None:
        self.folder = Path(folder)
        self.inside: tuple[Path, ...] = ()
        """The recipe files that are being read, each inside the one before."""

    def grid(self, reference: str) -> Grid:
        if reference in data.names("samples"):
            return super().grid(reference)
        from . import load_all

        path = self._existing("map", reference, data.names("samples"))
        if path.suffix.lower() == ".txt":  # a drawing: glyphs become tiles late, and ? is free
            return Grid.of(read_file(path).decode("utf-8", "replace").rstrip("\n") + "\n")
        return Grid.of(load_all(path)[0].map)

    def tileset(self, reference: str) -> Tileset:
        if not reference.endswith(".toml"):
            return super().tileset(reference)
        path = self.folder / reference
        try:
            text = read_file(path).decode()
        except UnicodeDecodeError:
            raise BadFile(f"{path}: not text in UTF-8") from None
        found = Tileset.from_toml(text, path.stem)
        if found.sheet is None:
            return found
        picture = path.parent / found.sheet.image
        sheet = found.sheet.found(read_file(picture), str(picture))
        return found.model_copy(update={"sheet": sheet})

    def recipe(self, reference: str) -> tuple[Mapping[str, Any], Reading]:
        """A built-in recipe's data, or a file's; what a file names is looked for beside it."""
        if reference in data.names("recipes"):
            return super().recipe(reference)
        path = self._existing("recipe", reference, data.names("recipes"))
        if path.resolve() in self.inside:
            raise InvalidRecipe(f"{path}: a recipe cannot lie inside itself")
        inner = copy(self)
        inner.folder, inner.inside = path.parent, (*self.inside, path.resolve())
        try:
            return read_data(read_file(path).decode(), str(path)), inner
        except UnicodeDecodeError:
            raise BadFile(f"{path}: not text in UTF-8") from None

    def _existing(self, kind: str, reference: str, names: Iterable[str]) -> Path:
        path = self.folder / reference
        if not path.exists() and not path.suffix:
            raise UnknownName(kind, reference, names, "and there is no such file")
        return path


class Beside(Reading):
    """For verifying: opens no file but those it was given, and finds maps in them by digest."""

    def __init__(self, files: Iterable[str | PathLike[str]]) -> None:
        reading = FileReading()
        self.grids = {grid.digest: grid for grid in (reading.grid(str(path)) for path in files)}

    def grid_with(self, digest: str) -> Grid:
        return self.grids[digest] if digest in self.grids else super().grid_with(digest)
