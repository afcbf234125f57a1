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
from ..core.resolver import Resolver, list_built_in_samples
from ..core.tileset import Tileset
from ..core.yaml import read_data
from . import Source, find_map_files, format_registry, load_all
from ._files import read_file
from ._models import load_model
from ._sheet import fit_sheet
from ._text import read_text


class FileResolver(Resolver):
    """Built-in names, and files relative to a folder (the recipe's, or where the program runs)."""

    def __init__(
        self, folder: str | PathLike[str] = ".", *, format: str | None = None, map_tileset: Tileset | None = None
    ) -> None:
        self.folder = Path(folder)
        self.format = format
        """The format of maps, whatever their endings say."""
        self.map_tileset = map_tileset
        """The tileset of maps that bring none."""
        self.recipe_stack: tuple[Path, ...] = ()
        """The recipe files that are being read, each inside the one before."""

    def read_grid(self, reference: str) -> Grid:
        if reference in list_built_in_samples():
            return super().read_grid(reference)
        format, name = self.split_reference(reference)
        path = self._find_path("map", name, list_built_in_samples())
        if path.suffix.lower() == ".txt" and format is None and self.map_tileset is None:
            return Grid.of(_read_text_file(path) + "\n")  # a drawing: glyphs become tiles late, and ? is free
        return Grid.of(load_all(path, format=format, tileset=self.map_tileset, recipes=False)[0].map)

    def expand_reference(self, reference: str) -> tuple[str, ...]:
        """The files of a folder, or of a pattern such as maps/*.csv, each with the format that stands before it."""
        if reference in list_built_in_samples():
            return super().expand_reference(reference)
        format, name = self.split_reference(reference)
        paths = find_map_files(self.folder / name, format)
        if paths == [self.folder / name]:
            return (reference,)
        if not Path(name).is_absolute():
            paths = [path.relative_to(self.folder) for path in paths]
        return tuple(f"{reference.removesuffix(name)}{path}" for path in paths)

    def split_reference(self, reference: str) -> tuple[str | None, str]:
        """The name of a format, if one stands before it, and the rest."""
        format, colon, name = reference.partition(":")
        return (format, name) if colon and name and format in format_registry else (self.format, reference)

    def read_tileset(self, reference: str) -> Tileset:
        if not reference.endswith(".toml"):
            return super().read_tileset(reference)
        path = self.folder / reference
        found = Tileset.from_toml(_read_text_file(path), path.stem)
        if found.sheet is None:
            return found
        picture = path.parent / found.sheet.image
        sheet = found.sheet.with_picture(read_file(picture), str(picture))
        return fit_sheet(found.model_copy(update={"sheet": sheet}))

    def read_model(self, reference: str) -> Model:
        return load_model(self.folder / reference)

    def read_recipe(self, reference: str) -> tuple[Mapping[str, Any], Resolver]:
        """A built-in recipe's data, or a file's; what a file names is looked for beside it."""
        if reference in data.list_names("recipes"):
            return super().read_recipe(reference)
        path = self._find_path("recipe", reference, data.list_names("recipes"))
        text = _read_text_file(path)
        if path.resolve() in self.recipe_stack:
            raise InvalidRecipe("a recipe cannot lie inside itself", at=path)
        inner = copy(self)
        inner.folder, inner.recipe_stack = path.parent, (*self.recipe_stack, path.resolve())
        return read_data(text, str(path)), inner

    def _find_path(self, kind: str, reference: str, names: Iterable[str]) -> Path:
        path = self.folder / reference
        if not os.path.exists(path) and not path.suffix:  # Path.exists lets some errors through
            raise UnknownName(kind, reference, names, "and there is no such file")
        return path


def _read_text_file(path: Path) -> str:
    return read_text(Source(read_file(path), str(path)))


class DigestResolver(Resolver):
    """For verifying: opens no file but those it was given, and finds maps in them by digest."""

    def __init__(self, files: Iterable[str | PathLike[str]]) -> None:
        resolver = FileResolver()
        grids = (resolver.read_grid(one) for path in files for one in resolver.expand_reference(fspath(path)))
        self.grids = {grid.digest: grid for grid in grids}

    def find_grid(self, digest: str) -> Grid:
        return self.grids[digest] if digest in self.grids else super().find_grid(digest)
