"""Resolvers that open files, and recipes in any form that users give: data, a file, or the name of a recipe."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from .. import data as built_in
from ..core.appearance import QUESTION_MARK
from ..core.errors import BadFile, InvalidRecipe, TilewrightError, UnknownName, errors_within, short_repr
from ..core.grid import Grid
from ..core.model import Model
from ..core.network import Network
from ..core.params import Params
from ..core.provenance import get_recipe_data
from ..core.recipe import Recipe, as_recipe_data
from ..core.recipe_knobs import apply_knobs
from ..core.registry import techniques
from ..core.resolver import Resolver, list_built_in_samples, unknown_recipe
from ..core.samples import check_sample_count
from ..core.search import suggest_entries
from ..core.tileset import Tileset
from ..core.yaml import read_data
from . import Source, find_map_files, format_registry, has_map_files, is_map_file, load_all
from ._documents import read_text
from ._files import read_file
from ._models import decode_network, holds_network, load_model
from ._sheet import fit_sheet
from ._tile_rules import read_tile_rules, split_subset

RecipeLike = Recipe | Mapping[str, Any] | str | PathLike[str]
RECIPE_EXTENSIONS = (".yaml", ".yml", ".json")
"""Extensions of recipes. A .json file may also be a map."""
DOCUMENTATION = re.compile(r"(readme|licen[cs]e|copying|notice|authors|credits|change(log|s))\b", re.IGNORECASE)
"""Regular expression for names of .txt files that accompany maps. Their rows may have equal lengths, as in a map."""


class FileResolver(Resolver):
    """Resolver of built-in names, and of files relative to a folder: that of the recipe, or the working directory."""

    def __init__(
        self, folder: str | PathLike[str] = ".", *, format: str | None = None, map_tileset: Tileset | None = None
    ) -> None:
        self.folder = Path(folder)
        self.format = format
        """Format of maps, regardless of their extensions."""
        self.map_tileset = map_tileset
        """Tileset of maps whose files contain no tileset."""
        self.networks: Mapping[str, Network] = {}
        """Networks by digest that are found without a file."""
        self.recipe_stack: tuple[Path, ...] = ()
        """Recipe files that are being read, from the outermost to the innermost."""

    def read_grid(self, reference: str, *, free_glyph: bool = True) -> Grid:
        if reference in list_built_in_samples():
            return super().read_grid(reference)
        return self._read_maps(reference, free_glyph)[0]

    def has_folder(self, reference: str) -> bool:
        return os.path.isdir(self.folder / reference)

    def read_samples(self, reference: str) -> tuple[Grid, ...]:
        """Return all maps of a file, of the files in a folder, or of the files that match a glob.

        Files in a folder or of a glob that contain no map are skipped with a warning.
        """
        if reference in list_built_in_samples():
            return super().read_samples(reference)
        names = self.expand_reference(reference)
        check_sample_count(len(names))
        if names == (reference,):
            return self._read_maps(reference, free_glyph=False)
        grids = tuple(grid for name in names for grid in self.read_listed_samples(name))
        if not grids:
            raise BadFile("none of the files contains a map", at=reference)
        return grids

    def read_listed_samples(self, name: str) -> tuple[Grid, ...]:
        """Return all maps of a file in a folder; if it contains none, warn and return an empty tuple."""
        path = self.folder / self.split_reference(name)[1]
        if path.suffix.lower() == ".txt" and DOCUMENTATION.match(path.stem):
            warnings.warn(f"{name}: skipped, because of its name; give the file itself if it is a map", stacklevel=2)
            return ()
        try:
            return self._read_maps(name, free_glyph=False)
        except BadFile as error:
            if self._is_map(name):
                raise
            first = error.problems[0]
            reason = replace(first, path=first.path[1:], place=None)
            warnings.warn(f"{name}: skipped, because it contains no map ({reason})", stacklevel=2)
            return ()

    def _is_map(self, name: str) -> bool:
        """Return whether a file is a map of another tileset. Raise BadFile if the file cannot be opened."""
        read_file(self.folder / self.split_reference(name)[1])
        if self.map_tileset is None:
            return False
        try:
            FileResolver(self.folder, format=self.format)._read_maps(name, free_glyph=False)
        except BadFile:
            return False
        return True

    def _read_maps(self, reference: str, free_glyph: bool) -> tuple[Grid, ...]:
        """Return all maps of a file, with the name of the file."""
        format, name = self.split_reference(reference)
        path = self.folder / name
        if _is_missing(path):
            raise UnknownName("map", name, list_built_in_samples(), "and there is no such file")
        if path.suffix.lower() == ".txt" and format is None and self.map_tileset is None:
            # Glyphs in text are resolved later.
            try:
                return (Grid.of(_read_text_file(path) + "\n", free_glyph=free_glyph).with_name(reference),)
            except InvalidRecipe as error:
                raise BadFile.from_error(error, path) from None
        found = load_all(path, format=format, tileset=self.map_tileset, recipes=False)
        names = [reference] if len(found) == 1 else [f"{reference}[{number}]" for number in range(len(found))]
        return tuple(Grid.of(one.map).with_name(name) for one, name in zip(found, names, strict=True))

    def expand_reference(self, reference: str) -> tuple[str, ...]:
        """Return the files of a folder or of a glob such as maps/*.csv, each with the prefix of the reference."""
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
        """Split a reference into the format and the path. Without a prefix, return the default format."""
        format, colon, name = reference.partition(":")
        if colon and name in format_registry and not os.path.exists(self.folder / reference):
            raise InvalidRecipe(f"the format comes first: write {name}:{format}", got=reference, rule="format")
        return (format, name) if colon and name and format in format_registry else (self.format, reference)

    def read_tileset(self, reference: str) -> Tileset:
        if parts := split_subset(reference):
            file, subset = parts
            content = read_file(self.folder / file)
            with errors_within(file, kind=TilewrightError):
                return read_tile_rules(content, Path(file).stem, subset)
        if not reference.endswith(".toml"):
            return super().read_tileset(reference)
        path = self.folder / reference
        found = Tileset.from_toml(_read_text_file(path), path.stem)
        if found.sheet is None:
            return found
        if found.sheet.picture:
            return fit_sheet(found)
        picture = path.parent / found.sheet.image
        sheet = found.sheet.with_picture(read_file(picture), str(picture))
        return fit_sheet(found.model_copy(update={"sheet": sheet}))

    def read_model(self, reference: str) -> Model:
        found = self.read_learned(reference)
        if isinstance(found, Network):
            raise InvalidRecipe(f"a network of {found.technique}, which other techniques cannot use", at=reference)
        return found

    def read_learned(self, reference: str) -> Model | Network:
        """Return the model or the network in a file, or a built-in network."""
        path = self.folder / reference
        if reference in built_in.list_names("models") and _is_missing(path):
            return super().read_network(reference)
        return _find_network(path) or load_model(path)

    def read_network(self, reference: str) -> Network:
        names, path = built_in.list_names("models"), self.folder / reference
        if reference in names:
            return super().read_network(reference)
        if _is_missing(path):
            raise UnknownName("model", reference, names, "and there is no such file")
        found = _find_network(path)
        if found is None:
            raise BadFile("not a network, or a damaged one; `tilewright learn diffusion` makes networks", at=path)
        return found

    def find_network(self, digest: str, name: str) -> Network:
        """Return the network with a digest: a given one, that of the file NAME.npz, or a built-in one."""
        if digest in self.networks:
            return self.networks[digest]
        path = self.folder / f"{name}.npz"
        found = decode_network(read_file(path), fspath(path)) if name and os.path.isfile(path) else None
        if found is not None and found.digest == digest:
            return found
        try:
            return super().find_network(digest, name)
        except InvalidRecipe:
            file = f"the file {short_repr(str(path))} with " if name else ""
            raise InvalidRecipe(f"needs {file}the network {digest[:12]}") from None

    def read_recipe(self, reference: str) -> tuple[Mapping[str, Any], Resolver]:
        """Return the data of a built-in recipe or of a file, and a resolver relative to that file."""
        if reference in built_in.list_names("recipes"):
            return super().read_recipe(reference)
        path = self.folder / reference
        if _is_missing(path):
            raise unknown_recipe(reference, "and there is no such file")
        if path.suffix.lower() not in RECIPE_EXTENSIONS and is_map_file(path.name):
            return self._read_map_recipe(path), Resolver()
        text = _read_text_file(path)
        if path.resolve() in self.recipe_stack:
            raise InvalidRecipe("a recipe cannot contain itself", at=path)
        inner = copy(self)
        inner.folder, inner.recipe_stack = path.parent, (*self.recipe_stack, path.resolve())
        found = read_data(text, str(path))
        if "provenance" in found and "technique" not in found:
            return self._read_map_recipe(path), Resolver()
        return {"name": path.stem, **found}, inner

    def _read_map_recipe(self, path: Path) -> Mapping[str, Any]:
        """Return the recipe that the file of a map contains. Such a recipe refers to no files."""
        found = load_all(path, recipes=False)[0]
        try:
            return get_recipe_data(found.map, found.provenance)
        except InvalidRecipe as error:
            raise BadFile.from_error(error, path) from None


def _is_missing(path: Path) -> bool:
    """Return whether a reference without an extension is no file, so that it may be a mistyped name."""
    return not os.path.exists(path) and not path.suffix  # Path.exists may raise an error.


def _read_text_file(path: Path) -> str:
    return read_text(Source(read_file(path), str(path)))


class DigestResolver(Resolver):
    """Resolver for verification. It opens only the given files, and finds maps and networks in these files by digest.

    Files are also given by their folder, which may contain tilesets only.
    """

    def __init__(self, files: Iterable[str | PathLike[str]]) -> None:
        resolver = FileResolver()
        paths = [fspath(path) for path in files]
        self.folders = [path for path in paths if os.path.isdir(path)]
        """Folders in which maps may refer to other files."""
        self.networks: dict[str, Network] = {}
        """Given networks by digest."""
        samples: list[Grid] = []
        for path in paths:
            if path not in self.folders or has_map_files(path):
                samples += self._read_given(resolver, path)
        # In locks and start maps, `?` of a text file marks undecided cells.
        texts = [grid.name for grid in samples if grid.tileset is None and QUESTION_MARK in grid.labels]
        self.grids = {grid.digest: grid for grid in (*samples, *map(resolver.read_grid, texts))}

    def _read_given(self, resolver: FileResolver, path: str) -> Sequence[Grid]:
        """Store the networks of a file, folder or glob, and return the maps in its other files."""
        names = resolver.expand_reference(path)
        files = {name: resolver.split_reference(name)[1] for name in names}
        found = {name: _find_network(file) for name, file in files.items() if os.path.isfile(file)}
        networks = {name: network for name, network in found.items() if network is not None}
        self.networks |= {network.digest: network for network in networks.values()}
        if not networks:
            return resolver.read_samples(path)
        return [grid for name in names if name not in networks for grid in resolver.read_listed_samples(name)]

    def find_grid(self, digest: str) -> Grid:
        return self.grids[digest] if digest in self.grids else super().find_grid(digest)

    def find_network(self, digest: str, name: str) -> Network:
        return self.networks[digest] if digest in self.networks else super().find_network(digest, name)


def _find_network(path: str | Path) -> Network | None:
    """Return the network in a file, or None if the file contains other data, such as a map."""
    if Path(path).suffix.lower() != ".npz":
        return None
    content = read_file(path)
    return decode_network(content, fspath(path)) if holds_network(content) else None


# -- recipes ------------------------------------------------------------------------------------------------------


def read_recipe(given: RecipeLike, knobs: Mapping[str, Any] | None) -> Recipe:
    """Return a recipe with the values of its knobs."""
    if isinstance(given, Recipe) and not knobs:
        return given
    data, resolver = open_recipe(to_editable_data(given) if isinstance(given, Recipe) else given)
    return Recipe.of(apply_knobs(as_recipe_data(data), knobs or {}), resolver)


def open_recipe(
    given: Mapping[str, Any] | str | PathLike[str], resolver: Resolver | None = None
) -> tuple[Mapping[str, Any], Resolver]:
    """Return the data of a recipe or technique, and a resolver for the files that the data names.

    Parameters
    ----------
    given
        Data, a file, or the name of a technique or of a built-in recipe.
    resolver
        Object that opens the file; by default, relative to the working directory.
    """
    resolver = resolver or FileResolver()
    if isinstance(given, Mapping):
        return given, resolver
    if not isinstance(given, str | PathLike):
        raise InvalidRecipe("a recipe is a set of named values, a name or a file", got=given, rule="type")
    name = fspath(given)
    if name in techniques:
        return {"technique": name}, resolver
    try:
        return resolver.read_recipe(name)
    except UnknownName as error:
        if error.kind != "recipe":
            raise
        names = [*techniques.names(), *built_in.list_names("recipes")]
        hint = "and there is no such file"
        raise UnknownName("technique or recipe", name, names, hint, advice=suggest_entries(name)) from None


def to_editable_data(recipe: Recipe) -> dict[str, Any]:
    """Return a recipe's data with validated objects as values, so that samples are not read again for each map.

    Inner recipes and requirements are plain, because paths may lead into them.
    """

    def list_values(params: Params) -> dict[str, Any]:
        found = {name: getattr(params, name) for name in sorted(params.model_fields_set)}
        return {name: value.to_data() if isinstance(value, Recipe) else value for name, value in found.items()}

    data: dict[str, Any] = {
        "technique": recipe.technique,
        "params": list_values(recipe.params),
        "shaping": [{stage.shaper: list_values(stage.params)} for stage in recipe.shaping],
        "tileset": recipe.tileset,
        "tiles": recipe.tiles,
        "locks": recipe.locks,
        "require": {one.measure: one.to_data() for one in recipe.require},
        "seed": recipe.seed,
        "knobs": recipe.knobs,
        "name": recipe.name,
    }
    return data | ({"tries": recipe.tries} if recipe.require else {})
