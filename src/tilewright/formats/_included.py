"""Recipes, samples and models that ship with Tilewright: their names and what they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from .. import data
from ..core.tilemap import TileMap, format_size
from ..core.tileset import Tileset
from ..core.yaml import read_data, read_head_comment
from ._resolver import FileResolver

MAX_TILES = 8
"""Maximum number of tiles that the summary of a tileset names."""


@dataclass(frozen=True)
class IncludedSample:
    """A sample that ships with Tilewright, for `sample` of techniques that learn."""

    name: str
    summary: str
    """Size and tileset."""


@dataclass(frozen=True)
class IncludedModel:
    """A network that ships with Tilewright, for `model` of the technique diffusion."""

    name: str
    summary: str
    """Technique and tiles."""


@dataclass(frozen=True)
class IncludedRecipe:
    """A recipe that ships with Tilewright, for `tw.run`."""

    name: str
    summary: str
    """What it makes, in one sentence."""
    knobs: tuple[str, ...] = ()
    """Names of its knobs, which are keywords of `tw.run`."""


@cache
def list_included_recipes() -> tuple[IncludedRecipe, ...]:
    """Return all built-in recipes. They are not validated, which would import numba."""
    return tuple(_describe_recipe(name, data.read_text("recipes", name)) for name in data.list_names("recipes"))


def list_included_samples() -> list[IncludedSample]:
    """Return all built-in samples, without those of games."""
    return [IncludedSample(name, summarize_map(read_sample(name))) for name in data.list_names("samples")]


def list_included_models() -> list[IncludedModel]:
    """Return all built-in networks."""
    found = ((name, FileResolver().read_network(name)) for name in data.list_names("models"))
    return [IncludedModel(name, summarize_network(network.technique, network.labels)) for name, network in found]


def read_sample(name: str) -> TileMap:
    """Return a built-in sample."""
    grid = FileResolver().read_grid(name)
    assert grid.tileset is not None  # as all built-in samples have
    return TileMap(grid.to_tile_ids(grid.tileset), grid.tileset)


def summarize_recipe(comment: str) -> str:
    """Return the first sentence of the comment at the head of a recipe."""
    return comment.partition(". ")[0].rstrip(".") + "."


def summarize_map(map: TileMap) -> str:
    """Return the size and the tiles of a map."""
    return f"{format_size(map.shape)} cells of {summarize_tileset(map.tileset)}"


def summarize_tileset(tileset: Tileset) -> str:
    """Return the names of the first tiles."""
    shown = ", ".join(tileset.names[:MAX_TILES])
    return shown if len(tileset) <= MAX_TILES else f"{shown}, ... ({len(tileset)} tiles)"


def summarize_network(technique: str, labels: tuple[str, ...]) -> str:
    """Return the technique and the tiles of a network."""
    return f"Network for {technique} with {', '.join(labels)}."


def _describe_recipe(name: str, text: str) -> IncludedRecipe:
    content: Mapping[str, Any] = read_data(text, name)
    return IncludedRecipe(name, summarize_recipe(read_head_comment(text)), tuple(content.get("knobs", {})))
