"""Resolvers, which find the maps, tilesets, models and recipes that a recipe refers to by name.

Core opens no files. This base class knows only built-in names; HTTP requests, the studio and recipes inside map files
use it. `formats.FileResolver` opens files relative to a recipe.
"""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Mapping
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from .. import data
from .errors import InvalidRecipe, UnknownName, short_repr
from .ports import files

if TYPE_CHECKING:
    from .grid import Grid
    from .model import Model
    from .network import Network
    from .tileset import Tileset


SAMPLE_EDGES = "sample_edges"
"""Key of the edges in a sample's TOML file."""


class Resolver:
    """A resolver for built-in names only."""

    depth = 0
    """Nesting depth of the recipe that the resolver is used for."""

    def for_inner_recipe(self) -> Self:
        """Return the resolver for recipes inside a recipe."""
        inner = copy(self)
        inner.depth = self.depth + 1
        return inner

    def read_grid(self, reference: str, *, free_glyph: bool = True) -> Grid:
        """Return the map of a built-in sample, or of a file in subclasses.

        `free_glyph` says whether `?` in text marks undecided cells; see `Grid.of`.
        """
        if reference in data.list_names("samples"):
            return _load_built_in_sample(reference)
        collection, _, name = reference.partition("/")
        if name in data.list_members(collection):
            return _load_built_in_member(collection, name)
        if reference in data.list_collections():
            raise InvalidRecipe(
                f"is a collection; name one map, such as {reference}/{data.list_members(reference)[0]}", at=reference
            )
        raise UnknownName("sample", reference, list_built_in_samples(), "files are not opened here")

    def expand_reference(self, reference: str) -> tuple[str, ...]:
        """Return the references of all maps in a collection such as `awbw`. Subclasses also accept folders."""
        if reference in data.list_collections():
            return tuple(f"{reference}/{name}" for name in data.list_members(reference))
        return (reference,)

    def has_folder(self, reference: str) -> bool:
        """Return False. Subclasses return whether there is a folder with this path."""
        return False

    def read_samples(self, reference: str) -> tuple[Grid, ...]:
        """Return all maps of a built-in sample or collection. Subclasses also accept files and folders."""
        return tuple(self.read_grid(name, free_glyph=False) for name in self.expand_reference(reference))

    def find_grid(self, digest: str) -> Grid:
        """Return the map with a digest, for recipes that store large maps as digests."""
        raise InvalidRecipe(
            f"the map with digest {digest[:12]} is too large to be stored in the recipe; give its file too"
        )

    def read_tileset(self, reference: str) -> Tileset:
        """Return a built-in tileset, or the tileset of a file in subclasses."""
        from .tilesets import tilesets

        return tilesets.get(reference)

    def find_picture(self, digest: str, name: str) -> bytes:
        """Return the picture with a digest; empty with a warning, because only the studio keeps pictures."""
        warnings.warn(f"the picture {name} is missing: its tiles are drawn as in the base tileset", stacklevel=2)
        return b""

    def read_model(self, reference: str) -> Model:
        """Raise an error. Subclasses return the model of a file."""
        raise InvalidRecipe("files are not opened here; give the sample itself", at=reference)

    def read_network(self, reference: str) -> Network:
        """Return a built-in network, or the network of a file in subclasses."""
        if reference in data.list_names("models"):
            return _load_built_in_network(reference)
        raise UnknownName("model", reference, data.list_names("models"), "files are not opened here")

    def find_network(self, digest: str, name: str) -> Network:
        """Return the network with a digest, for recipes that refer to files of networks."""
        for built_in in map(_load_built_in_network, data.list_names("models")):
            if built_in.digest == digest:
                return built_in
        name = short_repr(name or digest[:12])
        raise InvalidRecipe(f"the network {name} is not in the recipe; give its file with --with")

    def read_recipe(self, reference: str) -> tuple[Mapping[str, Any], Resolver]:
        """Return the data of a built-in recipe, or of a file in subclasses, and the resolver for its references."""
        from .yaml import read_data

        if reference in data.list_names("recipes"):
            return {"name": reference, **read_data(data.read_text("recipes", reference), reference)}, self
        raise unknown_recipe(reference, "files are not opened here")


def unknown_recipe(name: str, hint: str) -> UnknownName:
    """Return the error for a name that is not a recipe's, with the techniques and recipes about its words."""
    from .search import suggest_entries

    return UnknownName("recipe", name, data.list_names("recipes"), hint, advice=suggest_entries(name))


@cache
def list_built_in_samples() -> tuple[str, ...]:
    """Return the names of all built-in samples and collections."""
    inside = (
        f"{collection}/{name}" for collection in data.list_collections() for name in data.list_members(collection)
    )
    return (*data.list_names("samples"), *data.list_collections(), *inside)


def declared_edges(name: str) -> tuple[str, ...]:
    """Return the edges that a built-in sample declares as `sample_edges` in its TOML file, such as top and bottom.

    The edges of such a sample look different from its interior. By example sets the parameter of that name to them.
    """
    return tuple(_read_declarations(name).get(SAMPLE_EDGES, ())) if name in data.list_names("samples") else ()


@cache
def _read_declarations(name: str) -> Mapping[str, Any]:
    """Return the contents of a sample's TOML file: the data of its tileset, and its edges."""
    return {"name": name, **tomllib.loads(data.read_sample_tileset(name))}


@cache
def _load_built_in_sample(name: str) -> Grid:
    from .grid import Grid
    from .tileset import Tileset

    drawing, declared = Grid.of(data.read_text("samples", name)), _read_declarations(name)
    tileset = Tileset.validate({key: value for key, value in declared.items() if key != SAMPLE_EDGES})
    return Grid(tileset.names, drawing.to_tile_ids(tileset), tileset, name)


@cache
def _load_built_in_network(name: str) -> Network:
    return files.get().decode_network(data.read_bytes("models", name), name)


@cache
def _load_built_in_member(collection: str, name: str) -> Grid:
    """Return a map of a collection. The collection has the name of its format."""
    from .grid import Grid

    reference = f"{collection}/{name}"
    found = files.get().decode_map(data.read_member(collection, name).encode(), reference, collection)
    return Grid.of(found).with_name(reference)
