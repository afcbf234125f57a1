"""Tilewright: generators for tile maps.

>>> import tilewright as tw
>>> m = tw.make("caves", width=30, height=8, seed=7)
>>> m.shape
(8, 30)

Importing this package is fast: each name is imported at its first use. Type checkers and editors read `__init__.pyi`
instead of this file; `make stubs` writes it.
"""

from importlib import import_module

from . import _wiring as _wiring

__version__ = "0.2.0"

PACKAGES = ("analysis", "corpus", "formats", "kernels", "play", "search")
"""Public packages."""
HOMES = {
    "api": ("find_edits", "improve", "learn", "list_distances", "list_engines", "list_formats",
            "list_games", "list_measures", "list_models", "list_recipes", "list_samples", "list_shapers",
            "list_techniques", "list_tilesets", "load", "load_model", "load_network", "make", "make_many",
            "measure", "measure_many", "overlay", "recipe", "run", "shape", "verify", "watch", "watch_shaping"),
    "analysis.survey": ("Survey",),
    "batch.many": ("MapBatch",),
    "comparison.rows": ("ComparisonRow",),
    "comparison.run": ("TechniqueComparison", "compare"),
    "core.edits": ("Edits",),
    "core.entries": ("Benchmark", "ByExample", "Constraint", "Measure", "Shaper", "Technique", "benchmark",
                     "constraint", "shaper", "technique", "transform"),
    "core.errors": ("BadFile", "Fix", "GaveUp", "InvalidRecipe", "Problem", "TilewrightError", "TooLarge",
                    "UnknownName"),
    "core.grid": ("Grid",),
    "core.locks": ("Locks",),
    "core.model": ("LearningProgress", "Model"),
    "core.network": ("Network",),
    "core.params": ("Params", "Sized", "param"),
    "core.provenance": ("Verdict",),
    "core.recipe": ("Recipe", "Stage"),
    "core.references": ("cite",),
    "core.registry": ("register",),
    "core.samples": ("Samples", "Training"),
    "core.seeds": ("Rng",),
    "core.site": ("Frame", "Site", "Steps"),
    "core.tilemap": ("Marker", "Room", "TileMap"),
    "core.tileset": ("Tile", "Tileset"),
    "engines": ("Engine", "ExportedProject", "engine"),
    "engines._export": ("export_project",),
    "formats": ("Format", "file_format"),
    "formats._included": ("IncludedModel", "IncludedRecipe", "IncludedSample"),
    "formats._skin_files": ("add_skin",),
    "jobs.progress": ("Progress",),
    "overlays.overlay": ("Overlay",),
    "play.game": ("Game", "game", "solve"),
    "play.playthrough": ("Playthrough",),
    "search.distances": ("Distance", "distance"),
    "seed_search": ("seek",),
}  # fmt: skip
"""Public names by the module that defines them."""
_MODULES = {name: module for module, names in HOMES.items() for name in names}
__all__ = ["__version__", *sorted((*PACKAGES, *_MODULES))]


def __getattr__(name: str) -> object:
    if name in PACKAGES:
        return import_module(f".{name}", __name__)
    if name not in _MODULES:
        raise AttributeError(f"module 'tilewright' has no attribute {name!r}")
    value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
