"""Who may open what: the one way by which a word in a recipe becomes the content of a file.

Core opens no files. A door passes a Reading in; this base answers with built-in things alone, which is all that
HTTP, the studio and recipes found inside files ever get. `formats.FileReading` opens files beside a recipe.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from .. import data
from .errors import InvalidRecipe, UnknownName

if TYPE_CHECKING:
    from .grid import Grid
    from .model import Model
    from .tileset import Tileset


class Reading:
    """Reads built-in names and nothing else."""

    depth = 0
    """How deep inside recipes it reads."""

    def deeper(self) -> Self:
        """The same reading, for what stands inside a recipe."""
        inner = copy(self)
        inner.depth = self.depth + 1
        return inner

    def grid(self, reference: str) -> Grid:
        """The map behind a built-in sample's name (or, in readings that open files, a path)."""
        if reference in data.names("samples"):
            return _built_in_sample(reference)
        raise UnknownName("sample", reference, data.names("samples"), "files are not opened here")

    def grid_with(self, digest: str) -> Grid:
        """The map with this content, for recipes that hold a large one by its digest."""
        raise InvalidRecipe(f"a map too large to be inside the recipe (digest {digest[:12]}) must be given beside it")

    def tileset(self, reference: str) -> Tileset:
        """The tileset behind a built-in name (or a path)."""
        from .registry import tilesets

        return tilesets.get(reference)

    def model(self, reference: str) -> Model:
        """The model in a file, in readings that open files."""
        raise InvalidRecipe(f"{reference}: files are not opened here; give the sample itself")

    def recipe(self, reference: str) -> tuple[Mapping[str, Any], Reading]:
        """The recipe, as plain data, behind a built-in name (or a path), and how to read what it names."""
        from .yaml import read_data

        if reference in data.names("recipes"):
            return read_data(data.text("recipes", reference), reference), self
        raise UnknownName("recipe", reference, data.names("recipes"), "files are not opened here")


@cache
def _built_in_sample(name: str) -> Grid:
    from .grid import Grid
    from .tileset import Tileset

    drawing, tileset = Grid.of(data.text("samples", name)), Tileset.from_toml(data.looks(name), name)
    return Grid(tileset.names, drawing.ids(tileset), tileset)
