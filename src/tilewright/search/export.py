"""Archives as corpora, which all corpus commands read."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..core.errors import InvalidRecipe
from ..jobs import refuse_without_packages

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..jobs.cluster import RunParams
    from ..jobs.progress import OnProgress
    from .archive import Archive

PARTS = ("params", "shaping", "seed")
"""Keys of a recipe in which the maps of a corpus may differ."""


def write_corpus(
    archive: Archive, folder: str | PathLike[str], options: RunParams, on_progress: OnProgress | None = None
) -> Corpus:
    """Write the maps of an archive as a corpus: see `Archive.to_corpus`."""
    refuse_without_packages()
    from ..corpus.build import make
    from ..corpus.manifest import OWN_COLUMNS
    from ..corpus.request import Request
    from ..corpus.sweep import Sweep

    if not len(archive):
        raise InvalidRecipe("the archive is empty", rule="missing")
    recipes = [elite.recipe for elite in archive]
    values = _list_differences([recipe.to_data() for recipe in recipes])
    measures = archive.definition.measures
    taken = (*OWN_COLUMNS, *measures)
    swept = {f"params.{path}" if path in taken else path: value for path, value in values.items()}
    sweep = Sweep.of({"seed": [recipe.seed for recipe in recipes], **swept}, listed=True)
    params = {"seed": archive.definition.seed, "measures": measures, "sweep": sweep, **dict(options)}
    return make(Request(recipes[0]), folder, on_progress=on_progress, **params)


def _list_differences(recipes: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return the values of the parameters in which recipes differ, by path."""
    keys = {key: None for data in recipes for key in data if key not in PARTS}
    other = next((key for key in keys if any(data.get(key) != recipes[0].get(key) for data in recipes)), None)
    stages = [[next(iter(stage)) for stage in data.get("shaping", ())] for data in recipes]
    if other is not None or any(names != stages[0] for names in stages):
        text = f"the maps differ in their {other or 'shaping'}; export them as files instead"
        raise InvalidRecipe(text, at="to_corpus", rule="conflict")
    found: dict[str, list[Any]] = {}
    for prefix, tables in _iter_tables(recipes):
        for name in tables[0]:
            values = [table[name] for table in tables]
            if any(value != values[0] for value in values):
                found[f"{prefix}{name}"] = values
    return found


def _iter_tables(recipes: list[dict[str, Any]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """Return the parameters of the technique and of each shaper of all recipes, by the start of their paths."""
    found = [("", [data["params"] for data in recipes])]
    for number in range(len(recipes[0].get("shaping", ()))):
        stages = [data["shaping"][number] for data in recipes]
        found.append((f"shaping.{number}.", [next(iter(stage.values())) for stage in stages]))
    return found
