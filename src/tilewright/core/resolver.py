"""Who may open what: the one way by which a word in a recipe becomes the content of a file.

Core opens no files. An entry point passes a Resolver in. This base finds built-in things only, which is all that HTTP,
the studio and recipes found inside files ever get. `formats.FileResolver` opens files beside a recipe.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from .. import data
from .errors import InvalidRecipe, UnknownName
from .ports import files

if TYPE_CHECKING:
    from .grid import Grid
    from .model import Model
    from .tileset import Tileset


class Resolver:
    """Reads built-in names and nothing else."""

    depth = 0
    """How deep inside recipes it reads."""

    def for_inner_recipe(self) -> Self:
        """The same resolver, for what is inside a recipe."""
        inner = copy(self)
        inner.depth = self.depth + 1
        return inner

    def read_grid(self, reference: str) -> Grid:
        """The map behind a built-in sample's name (or, in readings that open files, a path)."""
        if reference in data.list_names("samples"):
            return _load_built_in_sample(reference)
        collection, _, name = reference.partition("/")
        if name in data.list_members(collection):
            return _load_built_in_member(collection, name)
        if reference in data.list_collections():
            raise InvalidRecipe(
                f"many maps; one of them is {reference}/{data.list_members(reference)[0]}", at=reference
            )
        raise UnknownName("sample", reference, list_built_in_samples(), "files are not opened here")

    def expand_reference(self, reference: str) -> tuple[str, ...]:
        """What stands for one map each, where a word stands for many: `awbw` (or a folder, or a pattern of names)."""
        if reference in data.list_collections():
            return tuple(f"{reference}/{name}" for name in data.list_members(reference))
        return (reference,)

    def find_grid(self, digest: str) -> Grid:
        """The map with this content, for recipes that hold a large one by its digest."""
        raise InvalidRecipe(f"a map too large to be inside the recipe (digest {digest[:12]}) must be given beside it")

    def read_tileset(self, reference: str) -> Tileset:
        """The tileset behind a built-in name (or a path)."""
        from .registry import tilesets

        return tilesets.get(reference)

    def read_model(self, reference: str) -> Model:
        """The model in a file, in readings that open files."""
        raise InvalidRecipe("files are not opened here; give the sample itself", at=reference)

    def read_recipe(self, reference: str) -> tuple[Mapping[str, Any], Resolver]:
        """The recipe, as plain data, behind a built-in name (or a path), and how to read what it names."""
        from .yaml import read_data

        if reference in data.list_names("recipes"):
            return read_data(data.read_text("recipes", reference), reference), self
        raise UnknownName("recipe", reference, data.list_names("recipes"), "files are not opened here")


def list_built_in_samples() -> tuple[str, ...]:
    """Every word that stands for built-in samples, one or many."""
    inside = (
        f"{collection}/{name}" for collection in data.list_collections() for name in data.list_members(collection)
    )
    return (*data.list_names("samples"), *data.list_collections(), *inside)


@cache
def _load_built_in_sample(name: str) -> Grid:
    from .grid import Grid
    from .tileset import Tileset

    drawing, tileset = Grid.of(data.read_text("samples", name)), Tileset.from_toml(data.read_sample_tileset(name), name)
    return Grid(tileset.names, drawing.to_tile_ids(tileset), tileset)


@cache
def _load_built_in_member(collection: str, name: str) -> Grid:
    """A map in a folder of samples, which is called like its format."""
    from .grid import Grid

    return Grid.of(
        files.get().decode_map(data.read_member(collection, name).encode(), f"{collection}/{name}", collection)
    )
