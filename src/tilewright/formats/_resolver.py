"""Readings that open files, for the doors that may: the command line and Python."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from copy import copy
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from .. import data
from ..core.errors import InvalidRecipe, UnknownName
from ..core.grid import Grid
from ..core.model import Model
from ..core.resolver import Resolver, built_in_samples
from ..core.tileset import Tileset
from ..core.yaml import read_data
from . import Source, load_all, map_files, shelf
from ._files import read_file
from ._models import load_model
from ._sheet import fitted
from ._text import read_text


class FileResolver(Resolver):
    """Built-in names, and files relative to a folder (the recipe's, or where the program runs)."""

    def __init__(
        self, folder: str | PathLike[str] = ".", *, format: str | None = None, maps_in: Tileset | None = None
    ) -> None:
        self.folder = Path(folder)
        self.format = format
        """The format of maps, whatever their endings say."""
        self.maps_in = maps_in
        """The tileset of maps that bring none."""
        self.inside: tuple[Path, ...] = ()
        """The recipe files that are being read, each inside the one before."""

    def grid(self, reference: str) -> Grid:
        if reference in built_in_samples():
            return super().grid(reference)
        format, name = self.parted(reference)
        path = self._existing("map", name, built_in_samples())
        if path.suffix.lower() == ".txt" and format is None and self.maps_in is None:
            return Grid.of(_text(path) + "\n")  # a drawing: glyphs become tiles late, and ? is free
        return Grid.of(load_all(path, format=format, tileset=self.maps_in, recipes=False)[0].map)

    def references(self, reference: str) -> tuple[str, ...]:
        """The files of a folder, or of a pattern such as maps/*.csv, each with the format that stands before it."""
        if reference in built_in_samples():
            return super().references(reference)
        format, name = self.parted(reference)
        paths = map_files(self.folder / name, format)
        if paths == [self.folder / name]:
            return (reference,)
        if not Path(name).is_absolute():
            paths = [path.relative_to(self.folder) for path in paths]
        return tuple(f"{reference.removesuffix(name)}{path}" for path in paths)

    def parted(self, reference: str) -> tuple[str | None, str]:
        """The name of a format, if one stands before it, and the rest."""
        format, colon, name = reference.partition(":")
        return (format, name) if colon and name and format in shelf else (self.format, reference)

    def tileset(self, reference: str) -> Tileset:
        if not reference.endswith(".toml"):
            return super().tileset(reference)
        path = self.folder / reference
        found = Tileset.from_toml(_text(path), path.stem)
        if found.sheet is None:
            return found
        picture = path.parent / found.sheet.image
        sheet = found.sheet.found(read_file(picture), str(picture))
        return fitted(found.model_copy(update={"sheet": sheet}))

    def model(self, reference: str) -> Model:
        return load_model(self.folder / reference)

    def recipe(self, reference: str) -> tuple[Mapping[str, Any], Resolver]:
        """A built-in recipe's data, or a file's; what a file names is looked for beside it."""
        if reference in data.names("recipes"):
            return super().recipe(reference)
        path = self._existing("recipe", reference, data.names("recipes"))
        text = _text(path)
        if path.resolve() in self.inside:
            raise InvalidRecipe("a recipe cannot lie inside itself", at=path)
        inner = copy(self)
        inner.folder, inner.inside = path.parent, (*self.inside, path.resolve())
        return read_data(text, str(path)), inner

    def _existing(self, kind: str, reference: str, names: Iterable[str]) -> Path:
        path = self.folder / reference
        if not os.path.exists(path) and not path.suffix:  # Path.exists lets some errors through
            raise UnknownName(kind, reference, names, "and there is no such file")
        return path


def _text(path: Path) -> str:
    return read_text(Source(read_file(path), str(path)))


class GivenFiles(Resolver):
    """For verifying: opens no file but those it was given, and finds maps in them by digest."""

    def __init__(self, files: Iterable[str | PathLike[str]]) -> None:
        resolver = FileResolver()
        grids = (resolver.grid(one) for path in files for one in resolver.references(fspath(path)))
        self.given = {grid.digest: grid for grid in grids}

    def grid_with(self, digest: str) -> Grid:
        return self.given[digest] if digest in self.given else super().grid_with(digest)
