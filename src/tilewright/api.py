"""The Python door: what `import tilewright as tw` offers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from .core import pipeline, registry
from .core.deprecation import rename_keywords
from .core.errors import InvalidRecipe, short_repr
from .core.locks import Locks
from .core.model import Model
from .core.model import learn as learn_model
from .core.params import Params
from .core.plan import make_plan
from .core.provenance import Verdict
from .core.provenance import verify as verify_map
from .core.recipe import Recipe, Stage, as_recipe_data
from .core.resolver import Resolver
from .core.seeds import read_seed
from .core.site import Frame
from .core.tilemap import TileMap
from .core.tileset import Tileset

if TYPE_CHECKING:
    from .analysis.similarity import Similarity
    from .core.registry import Measure, Shaper, Technique
    from .formats import Format
    from .overlays.overlay import Overlay

RecipeLike = Recipe | Mapping[str, Any] | str | PathLike[str]


def make(technique: str, /, *, seed: int | str | None = None, **keywords: Any) -> TileMap:
    """A map by a technique: its params as keywords; also tileset=, tiles=, locks=, shaping=.

    >>> print(make("caves", width=12, height=4, seed=1, walls=0.0, shaping=["border"]))
    ############
    #..........#
    #..........#
    ############
    """
    return pipeline.run(recipe(registry.techniques.get(technique).name, seed=read_seed(seed), **keywords))


def watch(given: RecipeLike, /, *, seed: int | str | None = None, every: int = 1, **keywords: Any) -> Iterator[Frame]:
    """The frames of the work, from the first to the last, which has the finished `.map`."""
    made = _read_recipe(given, keywords)
    return pipeline.watch(made.with_seed(made.seed if seed is None else seed), every=every)


def recipe(given: RecipeLike, /, **keywords: Any) -> Recipe:
    """A recipe, checked once, from which `run` makes many maps: takes what `make` takes.

    Or another recipe, plain data or a file, with other params, locks and so on in place of its own.
    """
    own = {name: keywords.pop(name) for name in set(registry.RECIPE_FIELDS) & set(keywords)}
    clash = sorted({"technique", "params"} & set(own))
    if clash:
        raise InvalidRecipe("give the technique first and its params as keywords", at=clash[0])
    data, beside = _read_data(given)
    if data.get("technique") in registry.techniques:
        entry = registry.techniques.get(data["technique"])
        keywords = rename_keywords(entry.name, keywords, entry.params.renamed)
    if beside is not _file_resolver():  # what is named here lies where the program runs
        if isinstance(own.get("tileset"), str):
            own["tileset"] = _file_resolver().read_tileset(own["tileset"])
        if own.get("locks") is not None:
            own["locks"] = Locks.of(own["locks"], _file_resolver())
    params = data.get("params") or {}
    if not isinstance(params, Mapping):
        raise InvalidRecipe("must be a set of named values", at="params", got=params, rule="type")
    made = Recipe.of({**data, "params": {**params, **keywords}, **own}, beside)
    make_plan(made)
    return made


def _read_data(given: RecipeLike) -> tuple[Mapping[str, Any], Resolver]:
    """What a recipe holds, by its words, and how to read what it names."""
    if isinstance(given, Recipe):
        data = {word: getattr(given, word) for word in registry.RECIPE_FIELDS}
        return {
            **data,
            "params": {name: getattr(given.params, name) for name in given.params.model_fields_set},
        }, _file_resolver()
    if isinstance(given, Mapping):
        return as_recipe_data(given), _file_resolver()
    if isinstance(given, str) and given in registry.techniques:
        return {"technique": given}, _file_resolver()
    found, beside = _file_resolver().read_recipe(
        _read_path(given, "a recipe is a set of named values, a name or a file")
    )
    return as_recipe_data(found), beside


def run(given: RecipeLike, /, *, seed: int | str | None = None) -> TileMap:
    """A map from a recipe: a Recipe, plain data, or a file; `seed` overrides the recipe's own."""
    made = _read_recipe(given, {})
    if seed is not None or made.seed is None:
        made = made.with_seed(seed)
    return pipeline.run(made)


def shape(map: TileMap, shaper: str, /, *, seed: int | str = "0", **params: Any) -> TileMap:
    """A map changed by a shaper. A map with a recipe grows its recipe: it can still be made again."""
    _check_map(map)
    entry = registry.shapers.get(shaper)
    params = rename_keywords(entry.name, params, entry.params.renamed)
    try:
        checked: Params = entry.params.validate(params, resolver=_file_resolver())
    except InvalidRecipe as error:
        raise error.within(shaper) from None
    return pipeline.shape_map(map, Stage(entry.name, checked), read_seed(seed))


def measure(
    map: TileMap,
    /,
    *names: str,
    like: Any = None,
    pattern_size: int | None = None,
    wrap_sample: str | None = None,
    wrap: str | None = None,
    symmetries: int | None = None,
) -> dict[str, float]:
    """Numbers of a map by name; without names, all that apply to it.

    `like` is what the map is compared with: one or several samples, as a technique's `sample` takes them. The others
    say how: the side of the windows (3), axes along which the samples wrap, or the map, and views of the samples that
    count (1, 2 mirrored too, 8 also turned).
    """
    _check_map(map)
    how = {"pattern_size": pattern_size, "wrap_sample": wrap_sample, "wrap": wrap, "symmetries": symmetries}
    similarity = _build_similarity(like, {name: value for name, value in how.items() if value is not None})
    from .analysis.survey import measure_map

    return measure_map(map, names, similarity)


def _build_similarity(like: Any, how: Mapping[str, Any]) -> Similarity | None:
    if like is None and how:
        raise InvalidRecipe("says how a map is compared with a sample; name one with like", at=next(iter(how)))
    if like is None:
        return None
    from .analysis.similarity import Similarity

    return Similarity.validate({"like": like, **how}, resolver=_file_resolver())


def overlay(map: TileMap, name: str, /, **settings: Any) -> Overlay:
    """What `m.image(overlay=...)` draws over a map: distance, flee, path, hot-path, regions, rooms, chokepoints, sight.

    Their settings are keywords: origin=, goal=, directions=, slack=, radius=, each where it makes sense.
    """
    _check_map(map)
    from .overlays.kinds import overlay

    return overlay(map, name, **settings)


def load(
    path: str | PathLike[str],
    /,
    *,
    tileset: str | Tileset | None = None,
    format: str | None = None,
    index: int = 0,
    **options: Any,
) -> TileMap:
    """A map from a file; the format follows the extension. Files with several maps give the one at `index`."""
    chosen = _file_resolver().read_tileset(tileset) if isinstance(tileset, str) else tileset
    if not isinstance(chosen, Tileset | None):
        raise InvalidRecipe("a tileset, its name or its file", at="tileset", got=tileset, rule="type")
    if not isinstance(index, int):
        raise InvalidRecipe("an integer", at="index", got=index, rule="type")
    from .formats import load_all

    found = load_all(_read_path(path), format=format, tileset=chosen, **options)
    if not -len(found) <= index < len(found):
        raise InvalidRecipe(f"{fspath(path)} holds {len(found)} maps, there is no number {index}", at="index")
    loaded: TileMap = found[index].map
    return loaded


def verify(path: str | PathLike[str], /, *, files: Iterable[str | PathLike[str]] = ()) -> Verdict:
    """Make a file's map again and compare; `files` hold the large maps that its recipe only names."""
    from .formats import load_all
    from .formats._resolver import DigestResolver

    if isinstance(files, str | PathLike) or not isinstance(files, Iterable):
        raise InvalidRecipe("a list of paths", at="files", got=files, rule="type")
    given = DigestResolver([_read_path(one) for one in files])
    found = load_all(_read_path(path), recipes=False)[0]  # the recipe is read once, by verifying
    return verify_map(found.map, found.provenance, given)


def learn(technique: str, /, sample: Any, **params: Any) -> Model:
    """A model for a technique that learns from samples; can be saved, loaded, and passed as model=."""
    return learn_model(registry.techniques.get(technique), sample, params, _file_resolver()).with_counts()


def load_model(path: str | PathLike[str], /) -> Model:
    """A model from a file."""
    return _file_resolver().read_model(_read_path(path))


def list_techniques() -> list[Technique]:
    """Return all techniques, with .name, .params and .summary."""
    return list(registry.techniques)


def list_shapers() -> list[Shaper]:
    """Return all shapers."""
    return list(registry.shapers)


def list_measures() -> list[Measure]:
    """Return all measures."""
    return list(registry.measures)


def list_formats() -> list[Format]:
    """Return all file formats."""
    from .formats import format_registry

    return list(format_registry)


def list_tilesets() -> list[Tileset]:
    """Return all tilesets."""
    return list(registry.tilesets)


def _check_map(given: object) -> None:
    if not isinstance(given, TileMap):
        raise InvalidRecipe(
            f"a map is needed, got {short_repr(given)}; read one with tw.load, or make one", rule="missing"
        )


def _read_path(given: object, rule: str = "a file is given by its path") -> str:
    if not isinstance(given, str | PathLike):
        raise InvalidRecipe(rule, got=given, rule="type")
    return fspath(given)


@cache
def _file_resolver() -> Resolver:
    """Python may open files: relative to where it runs."""
    from .formats._resolver import FileResolver

    return FileResolver()


def _read_recipe(given: RecipeLike, keywords: Mapping[str, Any]) -> Recipe:
    if isinstance(given, str) and given in registry.techniques:
        return recipe(given, **keywords)
    if keywords:
        raise InvalidRecipe(
            "a recipe brings its own params; change it instead", at=sorted(keywords)[0], rule="conflict"
        )
    if not isinstance(given, Recipe):
        given = Recipe.of(fspath(given) if isinstance(given, PathLike) else given, _file_resolver())
    make_plan(given)
    return given
