"""What the definitions of all jobs share: the start of the files that store them, and the checks of folders."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from platform import node
from typing import Any

from .. import __version__
from ..analysis.similarity import find_similarity
from ..analysis.survey import check_comparing
from ..core.entries import Measure
from ..core.errors import BadFile
from ..core.provenance import collect_revisions, raised_revisions
from ..core.recipe import Recipe
from ..core.registry import measures as measure_registry
from ..core.stored import StoredHead, StoredRecipe


class StoredJob(StoredHead):
    """The start of the file that describes a job."""

    recipe: StoredRecipe
    revisions: dict[str, int]


def format_definition(data: Mapping[str, Any]) -> str:
    """Return the text of the file that describes a job."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def read_measures(recipe: Recipe, names: Sequence[str]) -> list[Measure]:
    """Return the measures of a job. Raise a TilewrightError if one cannot be computed for the maps of its recipe."""
    entries = [measure_registry.complete(name) for name in names]
    for entry in entries:
        entry.check_argument(recipe.tilesets)
    if find_similarity(recipe) is None:
        check_comparing(entries)
    return entries


def find_revisions(recipe: Recipe, measures: Sequence[str] = ()) -> dict[str, int]:
    """Return the revisions of everything that determines the results of a job."""
    return collect_revisions(recipe) | {name: measure_registry.get(name).revision for name in measures}


def refuse_other_revisions(
    noun: str, version: str, stored: Mapping[str, int], current: Mapping[str, int], folder: object = None
) -> None:
    """Raise BadFile if this version would make other results than the version that started a job."""
    raised = raised_revisions(stored, current)
    if raised:
        raise BadFile(
            f"the {noun} was started by Tilewright {version}; {', '.join(raised)} in Tilewright {__version__} on "
            f"{node()} gives other results; use Tilewright {version}, or name another folder",
            at=folder,
        )


def refuse_another(noun: str, differences: str, folder: object) -> None:
    """Raise BadFile if there are differences between the job of a folder and the requested one."""
    if differences:
        raise BadFile(f"contains another {noun} ({differences}); name another folder", at=folder, rule="conflict")


def list_differences(stored: Mapping[str, Any], requested: Mapping[str, Any], *ignored: str) -> list[str]:
    """Return the keys with different values in two definitions."""
    mine, other = (_drop_labels(definition, requested) for definition in (stored, requested))
    return [name for name in {**mine, **other} if name not in ignored and mine.get(name) != other.get(name)]


def _drop_labels(definition: Mapping[str, Any], requested: Mapping[str, Any]) -> dict[str, Any]:
    """Return a definition without what changes no result: the name of its recipe, and the knobs that do not vary."""
    recipe = definition.get("recipe")
    if not isinstance(recipe, Mapping):
        return {**definition}
    varied = {path for key in ("sweep", "vary") for path in requested.get(key) or ()}
    knobs = {name: knob for name, knob in (recipe.get("knobs") or {}).items() if f"knobs.{name}" in varied}
    return {**definition, "recipe": {**recipe, "name": None, "knobs": knobs}}
