"""The functions of the Python interface, `import tilewright as tw`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .core import pipeline, registry
from .core.edits import Edits
from .core.edits import find_edits as find_edits_of_map
from .core.entries import RECIPE_FIELDS
from .core.errors import (
    BadFile,
    InvalidRecipe,
    ProblemList,
    errors_within,
    explain_each,
    short_repr,
    unknown_key,
)
from .core.fields import present_name
from .core.locks import Locks
from .core.model import Model, OnLearning
from .core.model import learn as learn_model
from .core.network import Network
from .core.params import Params
from .core.plan import make_plan
from .core.provenance import Verdict
from .core.provenance import verify as verify_map
from .core.recipe import Recipe, Stage, as_recipe_data
from .core.recipe_knobs import apply_knobs, read_knobs_of
from .core.resolver import Resolver
from .core.seeds import read_seed
from .core.site import Frame
from .core.tilemap import TileMap, split_cells
from .core.tileset import Tileset

if TYPE_CHECKING:
    from .analysis.similarity import Similarity
    from .batch.many import MapBatch
    from .core.entries import Measure, Shaper, Technique
    from .engines import Engine
    from .formats import Format, LoadedMap
    from .formats._included import IncludedModel, IncludedRecipe, IncludedSample
    from .formats._resolver import RecipeLike
    from .overlays.overlay import Overlay
    from .play.game import Game
    from .search.distances import Distance


def make(technique: str, /, *, seed: int | str | None = None, workers: int = 0, **keywords: Any) -> TileMap:
    """Make a map with a technique.

    Parameters
    ----------
    technique
        Name of the technique. `tilewright list` and `list_techniques` list the names.
    seed
        Seed of the random numbers. By default, a random seed is chosen and stored in `map.recipe.seed`.
    workers
        Number of processes to spread the tries of `require` over. The map does not depend on it.
    **keywords
        Parameters of the technique, and the other keys of a recipe: `tileset`, `tiles`, `locks`, `shaping`, `require`
        and `tries`.

    Returns
    -------
    TileMap
        The map. Its `recipe` regenerates it.

    Raises
    ------
    UnknownName
        If no technique has that name.
    InvalidRecipe
        If a parameter, lock or tileset breaks its rule.
    TooLarge
        If the map does not fit in memory.
    GaveUp
        If the technique finds no map that meets all constraints.

    Examples
    --------
    >>> print(make("caves", width=12, height=4, seed=1, walls=0.0, shaping=["border"]))
    ############
    #..........#
    #..........#
    ############
    """
    return _make_map(recipe(registry.techniques.get(technique).name, seed=read_seed(seed), **keywords), workers)


def _make_map(chosen: Recipe, workers: int) -> TileMap:
    """Make the map of a recipe, with its tries in this process or in workers."""
    if workers == 0 and not isinstance(workers, bool):
        return pipeline.run(chosen)
    from .jobs.tries import iter_steps

    return pipeline.drain(iter_steps(chosen, workers))


def watch(
    given: RecipeLike,
    /,
    *,
    seed: int | str | None = None,
    knobs: Mapping[str, Any] | None = None,
    every: int = 1,
    **keywords: Any,
) -> Iterator[Frame]:
    """Make a map and yield frames of the generation.

    Closing the iterator stops the generation. The map is the same as without watching.

    Parameters
    ----------
    given
        A recipe, as for `run`, or the name of a technique.
    seed
        Seed that replaces the seed of the recipe.
    knobs
        Values of the recipe's knobs by name.
    every
        Yield only every n-th frame. The last frame is always yielded.
    **keywords
        Knobs of the recipe, or as for `make`.

    Returns
    -------
    Iterator[Frame]
        The frames. The last frame has the finished map as `.map`.

    Examples
    --------
    >>> frames = list(watch("caves", width=12, height=8, seed=1))
    >>> frames[-1].map == make("caves", width=12, height=8, seed=1)
    True
    """
    chosen = _read_recipe(given, keywords, knobs)
    return pipeline.watch(chosen.with_seed(chosen.seed if seed is None else seed), every=every)


def recipe(given: RecipeLike, /, *, knobs: Mapping[str, Any] | None = None, **keywords: Any) -> Recipe:
    """Build and validate a recipe, from which `run` makes maps.

    Parameters
    ----------
    given
        Name of a technique, or a recipe to start from: a `Recipe`, plain data, a file or the name of a built-in recipe.
    knobs
        Values of the recipe's knobs by name. `recipe(...).knobs` lists the knobs.
    **keywords
        Knobs of the recipe, or as for `make`. They replace the values of the given recipe and of its knobs.

    Returns
    -------
    Recipe
        The validated recipe.

    Raises
    ------
    InvalidRecipe
        If a parameter, lock or tileset breaks its rule. `.problems` lists all mistakes.

    Examples
    --------
    >>> caves = recipe("caves", width=12, height=8)
    >>> [run(caves, seed=seed).shape for seed in range(3)]
    [(8, 12), (8, 12), (8, 12)]
    >>> recipe(caves, width=20).params.width
    20
    >>> recipe("city-blocks", knobs={"parks": 3}).knobs[1].value
    3
    """
    own = {name: keywords.pop(name) for name in set(RECIPE_FIELDS) & set(keywords)}
    clash = sorted({"technique", "params"} & set(own))
    if clash:
        raise InvalidRecipe("must be passed as the first argument, and params as keywords", at=clash[0])
    data, resolver = _read_data(given)
    keywords, own_knobs = _split_knobs(data, keywords)
    data = apply_knobs(data, own_knobs)
    twice = sorted(own_knobs.keys() & knobs.keys()) if isinstance(knobs, Mapping) else []
    if twice:
        raise InvalidRecipe("is given twice, as a keyword and in knobs", at=twice[0], rule="conflict")
    if knobs is not None:
        data = apply_knobs(data, knobs)
    if resolver is not _file_resolver():  # Paths in keywords are relative to the working directory, not to the file.
        if isinstance(own.get("tileset"), str):
            own["tileset"] = _file_resolver().read_tileset(own["tileset"])
        if own.get("locks") is not None:
            own["locks"] = Locks.of(own["locks"], _file_resolver())
    params = data.get("params") or {}
    if not isinstance(params, Mapping):
        raise InvalidRecipe("must be a set of named values", at="params", got=params, rule="type")
    result = Recipe.of({**data, "params": {**params, **keywords}, **own}, resolver)
    make_plan(result)
    return result


def _split_knobs(data: Mapping[str, Any], keywords: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters and the knobs among keywords. A name that is both is a parameter."""
    declared = data.get("knobs")
    if not keywords or not declared or data.get("technique") not in registry.techniques:
        return keywords, {}
    model = registry.techniques.get(str(data["technique"])).params
    others = {name: value for name, value in keywords.items() if present_name(model, name) not in model.model_fields}
    known = [knob.name for knob in read_knobs_of(data)]
    unknown = (name for name in others if name not in known)
    known_names = [*model.model_fields, *known]
    ProblemList(explain_each(unknown, lambda name: unknown_key("parameter or knob", name, known_names))).raise_all()
    return {name: value for name, value in keywords.items() if name not in others}, others


def _read_data(given: RecipeLike) -> tuple[Mapping[str, Any], Resolver]:
    """Return the values of a recipe by key, and the resolver for the files that it names."""
    from .formats._resolver import open_recipe, to_editable_data

    if isinstance(given, Recipe):
        return {**to_editable_data(given), "attempt": given.attempt}, _file_resolver()
    found, resolver = open_recipe(given, _file_resolver())
    return as_recipe_data(found), resolver


def run(
    given: RecipeLike,
    /,
    *,
    seed: int | str | None = None,
    knobs: Mapping[str, Any] | None = None,
    workers: int = 0,
    **keywords: Any,
) -> TileMap:
    """Make a map from a recipe.

    Parameters
    ----------
    given
        A `Recipe`, plain data, a file or the name of a built-in recipe.
    seed
        Seed that replaces the seed of the recipe. If neither has a seed, a random one is chosen.
    knobs
        Values of the recipe's knobs by name.
    workers
        Number of processes to spread the tries of `require` over. The map does not depend on it.
    **keywords
        Knobs of the recipe, or as for `recipe`.

    Returns
    -------
    TileMap
        The map.

    Raises
    ------
    InvalidRecipe
        If a parameter, knob, lock or tileset breaks its rule.
    GaveUp
        If no map meets all constraints.

    Examples
    --------
    >>> run({"technique": "caves", "params": {"width": 12, "height": 8}}, seed=3)
    <TileMap 12x8 of cave by caves, seed 3>
    >>> dungeon = run("roguelike-dungeon", seed=7, monsters=12, treasures=2)
    >>> measure(dungeon, "markers.monster", "markers.treasure")
    {'markers.monster': 12.0, 'markers.treasure': 2.0}
    """
    chosen = _read_recipe(given, keywords, knobs)
    if seed is not None or chosen.seed is None:
        chosen = chosen.with_seed(seed)
    return _make_map(chosen, workers)


def make_many(
    given: RecipeLike,
    seeds: Iterable[int | str],
    /,
    *,
    measures: Sequence[str] = (),
    knobs: Mapping[str, Any] | None = None,
    device: str = "auto",
    **keywords: Any,
) -> MapBatch:
    """Make maps of a recipe from several seeds, as an array.

    Kernels make small maps of some techniques many at a time, on a GPU if there is one. Other maps are made one by one.
    Maps and measures are those of `run` and `measure`.

    Parameters
    ----------
    given
        A recipe, as for `run`, or the name of a technique.
    seeds
        The seeds. A range of integers is faster than other seeds.
    measures
        Names of measures to compute.
    knobs
        Values of the recipe's knobs by name.
    device
        `cpu`, `gpu`, or `auto` for the GPU if there is one.
    **keywords
        As for `make`.

    Returns
    -------
    MapBatch
        `.cells` is an array (map, row, column) of tile ids, `.measures` has an array per measure, and an item is a map.

    Raises
    ------
    InvalidRecipe
        If the recipe is invalid, the GPU is requested and cannot be used, or the maps differ in size.
    GaveUp
        If a map cannot be made.

    Examples
    --------
    >>> many = make_many("caves", range(1000), width=64, height=64, measures=["regions"])
    >>> many.cells.shape, int(many.measures["regions"].max())
    ((1000, 64, 64), 10)
    >>> many[7] == make("caves", width=64, height=64, seed=7)
    True
    """
    from .batch.many import make_batch

    return make_batch(recipe(given, knobs=knobs, **keywords), seeds, measures, device)


def shape(map: TileMap, shaper: str, /, *, seed: int | str = "0", **params: Any) -> TileMap:
    """Apply a shaper (a post-processing step) to a map.

    Parameters
    ----------
    map
        The map. It is not changed.
    shaper
        Name of the shaper.
    seed
        Seed of the shaper's random numbers, for a map without a recipe.
    **params
        Parameters of the shaper.

    Returns
    -------
    TileMap
        The new map. If `map` has a recipe, the new map has that recipe with the shaper added.

    Raises
    ------
    UnknownName
        If no shaper has that name.
    InvalidRecipe
        If a parameter breaks its rule.

    Examples
    --------
    >>> print(shape(make("caves", width=8, height=4, walls=0.0, seed=1), "border"))
    ########
    #......#
    #......#
    ########
    """
    return pipeline.shape_map(*_read_shaping(map, shaper, params), read_seed(seed))


def watch_shaping(
    map: TileMap, shaper: str, /, *, seed: int | str = "0", every: int = 1, **params: Any
) -> Iterator[Frame]:
    """Apply a shaper to a map, and yield frames of its work.

    Parameters
    ----------
    map
        The map. It is not changed.
    shaper
        Name of the shaper.
    seed
        Seed of the shaper's random numbers, for a map without a recipe.
    every
        Yield only every n-th frame. The last frame is always yielded.
    **params
        Parameters of the shaper.

    Returns
    -------
    Iterator[Frame]
        The frames. The last frame has the new map as `.map`, the same as that of `shape`.

    Examples
    --------
    >>> cave = make("caves", width=12, height=8, seed=1)
    >>> [*frames, last] = watch_shaping(cave, "smooth", steps=3)
    >>> last.map == shape(cave, "smooth", steps=3)
    True
    """
    return pipeline.watch_shaping(*_read_shaping(map, shaper, params), read_seed(seed), every=every)


def _read_shaping(map: TileMap, shaper: str, params: Mapping[str, Any]) -> tuple[TileMap, Stage]:
    """Return a map and a validated stage."""
    _check_map(map)
    entry = registry.shapers.get(shaper)
    with errors_within(shaper):
        checked: Params = entry.params.validate(params, resolver=_file_resolver())
    return map, Stage(entry.name, checked)


def improve(map: TileMap, targets: Mapping[str, Any], /, *, seed: int | str = "0", **params: Any) -> TileMap:
    """Change a map by small moves until its measures reach targets.

    This is the shaper `improve`. Locked cells, cells with markers, rare tiles and a closed border stay as they are.

    Parameters
    ----------
    map
        The map. It is not changed.
    targets
        Values of measures, as in `require`: a number, a range such as `"60..66"`, a comparison such as `">80"`, or
        `"most"` or `"least"`.
    seed
        Seed of the random numbers, for a map without a recipe.
    **params
        Further parameters of the shaper: `steps`, `method`, `style`, `symmetry`, `tiles`, `keep` and `connected`.

    Returns
    -------
    TileMap
        The new map. If `map` has a recipe, the new map has that recipe with the shaper added.

    Raises
    ------
    GaveUp
        If a target is not reached. The message says how near the map came.
    InvalidRecipe
        If a target or a parameter breaks its rule.

    Examples
    --------
    >>> cave = make("caves", width=30, height=20, seed=7)
    >>> better = improve(cave, {"path_length": "60..66", "regions": 1})
    >>> 60 <= measure(better, "path_length")["path_length"] <= 66
    True
    """
    return shape(map, "improve", seed=seed, targets=targets, **params)


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
    """Compute measures of a map.

    Parameters
    ----------
    map
        The map.
    *names
        Names of the measures. By default, all measures that apply to the map.
    like
        One or several samples to compare the map with, in any form that a technique's `sample` accepts.
    pattern_size
        Edge length of the compared patterns. The default is 3.
    wrap_sample
        Axes along which the samples wrap around, such as "x" or "xy". The default is "none".
    wrap
        Axes along which the map wraps around. The default is "none".
    symmetries
        Views of the samples to include: 1 (as they are), 2 (also mirrored) or 8 (also rotated).

    Returns
    -------
    dict
        Values by the name of the measure.

    Raises
    ------
    UnknownName
        If no measure has one of the names.

    Examples
    --------
    >>> measure(make("caves", width=9, height=7, walls=0.0, seed=1), "regions")
    {'regions': 1.0}
    """
    _check_map(map)
    how = {"pattern_size": pattern_size, "wrap_sample": wrap_sample, "wrap": wrap, "symmetries": symmetries}
    similarity = _build_similarity(like, {name: value for name, value in how.items() if value is not None})
    from .analysis.survey import measure_map

    return measure_map(map, names, similarity)


def measure_many(
    maps: Iterable[TileMap] | NDArray[Any],
    /,
    *names: str,
    tileset: str | Tileset | None = None,
    like: Any = None,
    pattern_size: int | None = None,
    wrap_sample: str | None = None,
    wrap: str | None = None,
    symmetries: int | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Compute measures of many maps. Small maps of the same size are measured much faster than one after the other.

    Parameters
    ----------
    maps
        The maps, of any sizes and tilesets, or an array of tile ids (map, row, column) or (map, level, row, column).
    *names
        Names of the measures. By default, all measures that apply to at least one of the maps.
    tileset
        Tileset of an array: a `Tileset`, its name or its file.
    like, pattern_size, wrap_sample, wrap, symmetries
        Samples to compare each map with, and how; see `measure`.

    Returns
    -------
    dict
        By the name of the measure, an array with the value of each map; NaN where the measure does not apply. The
        values are those of `measure`.

    Raises
    ------
    UnknownName
        If no measure has one of the names, or `count` names a tile that none of the maps can have.

    Examples
    --------
    >>> maps = [make("caves", width=9, height=7, walls=0.0, seed=seed) for seed in range(3)]
    >>> measure_many(maps, "regions", "dead_ends")
    {'regions': array([1., 1., 1.]), 'dead_ends': array([0., 0., 0.])}
    """
    found = _read_maps(maps, tileset)
    how = {"pattern_size": pattern_size, "wrap_sample": wrap_sample, "wrap": wrap, "symmetries": symmetries}
    similarity = _build_similarity(like, {name: value for name, value in how.items() if value is not None})
    from .analysis.survey import measure_maps

    return measure_maps(found, names, [similarity] * len(found))


def _read_maps(maps: Any, tileset: str | Tileset | None) -> list[TileMap]:
    """Return maps, or the maps of an array."""
    chosen = _file_resolver().read_tileset(tileset) if isinstance(tileset, str) else tileset
    if isinstance(maps, np.ndarray):
        if not isinstance(chosen, Tileset):
            raise InvalidRecipe("an array needs a tileset, its name or its file", at="tileset", got=tileset)
        return split_cells(maps, chosen)
    if chosen is not None:
        raise InvalidRecipe("maps have tilesets; only an array needs one", at="tileset", got=tileset)
    if isinstance(maps, TileMap) or not isinstance(maps, Iterable):
        raise InvalidRecipe("must be maps; use tw.measure for one map", at="maps", got=maps, rule="type")
    found = list(maps)
    for map in found:
        _check_map(map)
    return found


def _build_similarity(like: Any, how: Mapping[str, Any]) -> Similarity | None:
    if like is None and how:
        raise InvalidRecipe("needs a sample to compare with, in like", at=next(iter(how)))
    if like is None:
        return None
    from .analysis.similarity import Similarity

    return Similarity.validate({"like": like, **how}, resolver=_file_resolver())


def overlay(map: TileMap, name: str, /, **settings: Any) -> Overlay:
    """Compute an overlay, which `map.image(overlay=...)` draws over a map.

    Parameters
    ----------
    map
        The map.
    name
        One of distance, flee, path, hot-path, regions, rooms, chokepoints and sight.
    **settings
        Settings of the overlay. Depending on the overlay: `origin`, `goal`, `directions`, `slack`, `radius`.

    Returns
    -------
    Overlay
        Colors and lines to draw.

    Raises
    ------
    UnknownName
        If no overlay has that name.
    InvalidRecipe
        If a setting breaks its rule.

    Examples
    --------
    >>> cave = make("caves", width=12, height=8, seed=1)
    >>> cave.image(scale=4, overlay=overlay(cave, "regions")).size
    (48, 32)
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
    folders: Iterable[str | PathLike[str]] = (),
    **options: Any,
) -> TileMap:
    """Load a map from a file.

    Parameters
    ----------
    path
        The file.
    tileset
        Tileset of the map, for formats that store no tileset: a `Tileset`, its name or its file.
    format
        Name of the format. By default, the extension of the file decides.
    index
        Number of the map in a file with several maps, starting at 0.
    folders
        Folders in which the file may refer to other files, such as tilesets, besides its own folder and those below it.
    **options
        Options of the format.

    Returns
    -------
    TileMap
        The map.

    Raises
    ------
    BadFile
        If the file cannot be read.
    InvalidRecipe
        If an option breaks its rule.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     make("caves", width=12, height=8, seed=1).save(f"{folder}/cave.json")
    ...     load(f"{folder}/cave.json")
    <TileMap 12x8 of cave by caves, seed 1>
    """
    chosen = _file_resolver().read_tileset(tileset) if isinstance(tileset, str) else tileset
    if not isinstance(chosen, Tileset | None):
        raise InvalidRecipe("must be a tileset, its name or its file", at="tileset", got=tileset, rule="type")
    from .formats import load_all

    found = load_all(_read_path(path), format=format, tileset=chosen, folders=folders, **options)
    loaded: TileMap = found[_check_index(index, len(found), path)].map
    return loaded


def verify(
    path: str | PathLike[str],
    /,
    *,
    files: Iterable[str | PathLike[str]] = (),
    format: str | None = None,
    index: int = 0,
) -> Verdict:
    """Regenerate a map of a file and compare it with the file.

    Parameters
    ----------
    path
        The file.
    files
        Files with the large maps that the recipe refers to only by digest, or folders of such files or of the tilesets
        that a Tiled map refers to.
    format
        Name of the format. By default, the extension of the file decides.
    index
        Number of the map in a file with several maps, starting at 0.

    Returns
    -------
    Verdict
        The result of the comparison, as `.outcome` and `.message`.

    Raises
    ------
    BadFile
        If a file cannot be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     make("caves", width=12, height=8, seed=1).save(f"{folder}/cave.png")
    ...     verify(f"{folder}/cave.png").message
    'the same map (caves, seed 1)'
    """
    one, resolver = _load_with_provenance(path, files, format, index)
    return verify_map(one.map, one.provenance, resolver)


def find_edits(
    path: str | PathLike[str],
    /,
    *,
    files: Iterable[str | PathLike[str]] = (),
    format: str | None = None,
    index: int = 0,
) -> Edits:
    """Find what was changed by hand in the file of a map since it was made, such as in Tiled.

    Parameters
    ----------
    path
        The file.
    files
        Files with the large maps that the recipe refers to only by digest, or folders of such files or of the tilesets
        that a Tiled map refers to.
    format
        Name of the format. By default, the extension of the file decides.
    index
        Number of the map in a file with several maps, starting at 0.

    Returns
    -------
    Edits
        The edited cells and markers. `rebuild` makes the map again around them.

    Raises
    ------
    BadFile
        If a file cannot be read, or the recipe in it does not make the map as it was before the edits.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     make("caves", width=12, height=8, seed=1).save(f"{folder}/cave.tmx")
    ...     find_edits(f"{folder}/cave.tmx")
    <Edits: 0 edited cells and 0 edited markers>
    """
    one, resolver = _load_with_provenance(path, files, format, index)
    with errors_within(fspath(path), into=BadFile):
        return find_edits_of_map(one.map, one.provenance, resolver)


def _load_with_provenance(
    path: str | PathLike[str], files: Iterable[str | PathLike[str]], format: str | None, index: int
) -> tuple[LoadedMap, Resolver]:
    """Return a map of a file, and a resolver for the files that its recipe refers to."""
    from .formats import load_all
    from .formats._resolver import DigestResolver

    if isinstance(files, str | PathLike) or not isinstance(files, Iterable):
        raise InvalidRecipe("must be a list of paths", at="files", got=files, rule="type")
    given = DigestResolver([_read_path(one) for one in files])
    # The recipe is read later, also that of an edited map.
    found = load_all(_read_path(path), format=format, recipes=False, folders=given.folders)
    return found[_check_index(index, len(found), path)], given


def learn(
    technique: str,
    /,
    sample: Any,
    *,
    on_progress: OnLearning | None = None,
    checkpoint: str | PathLike[str] | None = None,
    **params: Any,
) -> Model | Network:
    """Learn a model or a network from samples.

    Parameters
    ----------
    technique
        Name of a technique that learns from samples.
    sample
        One or several maps to learn from: files, arrays, rows of glyphs, `TileMap`s or names of built-in samples.
    on_progress
        Function that is called with a `LearningProgress` from time to time, if learning takes long.
    checkpoint
        File in which the technique diffusion stores the state of its training. If the file has the state of an
        unfinished training with the same samples and parameters, the training continues.
    **params
        Parameters of the technique that control how the samples are read.

    Returns
    -------
    Model or Network
        The model; a network for the technique diffusion. It can be saved, and passed to `make` as `model`.

    Raises
    ------
    InvalidRecipe
        If the technique does not learn from samples, or a parameter breaks its rule.

    Examples
    --------
    >>> learn("markov", "dungeon")
    <Model of markov>
    """
    from .formats._models import CheckpointFile

    stored = None if checkpoint is None else CheckpointFile(_read_path(checkpoint))
    entry = registry.techniques.get(technique)
    return learn_model(entry, sample, params, _file_resolver(), on_progress=on_progress, checkpoint=stored)


def load_model(path: str | PathLike[str], /) -> Model:
    """Load a model from a file that `Model.save` wrote."""
    return _file_resolver().read_model(_read_path(path))


def load_network(name: str | PathLike[str], /) -> Network:
    """Load a built-in network by its name, or a network from a file that `Network.save` wrote.

    >>> load_network("dungeon").labels[:3]
    ('rock', 'wall', 'floor')
    """
    return _file_resolver().read_network(_read_path(name))


def list_techniques() -> list[Technique]:
    """Return all techniques, each with `.name`, `.params` and `.summary`."""
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


def list_distances() -> list[Distance]:
    """Return all distances, by which `tw.search.variety` and `tw.search.compare` compare maps."""
    from .search.distances import distance_registry

    return list(distance_registry)


def list_games() -> list[Game]:
    """Return all games that maps can be solved with, sorted by name."""
    from .play.game import game_registry

    return list(game_registry)


def list_engines() -> list[Engine]:
    """Return all engines for which `export_project` exports projects."""
    from .engines import engine_registry

    return list(engine_registry)


def list_tilesets() -> list[Tileset]:
    """Return all tilesets."""
    from .core.tilesets import tilesets

    return list(tilesets)


def list_recipes() -> list[IncludedRecipe]:
    """Return all built-in recipes, each with `.name`, `.summary` and `.knobs`, the names of its knobs.

    >>> [one.knobs for one in list_recipes() if one.name == "islets"]
    [('size', 'generations', 'neighborhood')]
    """
    from .formats._included import list_included_recipes

    return [*list_included_recipes()]


def list_samples() -> list[IncludedSample]:
    """Return all built-in samples, each with `.name` and `.summary`."""
    from .formats._included import list_included_samples

    return list_included_samples()


def list_models() -> list[IncludedModel]:
    """Return all built-in networks, each with `.name` and `.summary`."""
    from .formats._included import list_included_models

    return list_included_models()


def _check_map(given: object) -> None:
    if not isinstance(given, TileMap):
        raise InvalidRecipe(f"must be a TileMap, got {short_repr(given)}; use tw.load or tw.make", rule="missing")


def _check_index(index: object, count: int, path: str | PathLike[str]) -> int:
    if not isinstance(index, int):
        raise InvalidRecipe("must be an integer", at="index", got=index, rule="type")
    if not -count <= index < count:
        raise InvalidRecipe(f"{fspath(path)} holds {count} maps, there is no number {index}", at="index")
    return index


def _read_path(given: object, rule: str = "must be the path of a file") -> str:
    if not isinstance(given, str | PathLike):
        raise InvalidRecipe(rule, got=given, rule="type")
    return fspath(given)


@cache
def _file_resolver() -> Resolver:
    """Return the resolver that opens files, relative to the working directory."""
    from .formats._resolver import FileResolver

    return FileResolver()


def _read_recipe(given: RecipeLike, keywords: Mapping[str, Any], knobs: Mapping[str, Any] | None = None) -> Recipe:
    if keywords or knobs is not None or (isinstance(given, str) and given in registry.techniques):
        return recipe(given, knobs=knobs, **keywords)
    if not isinstance(given, Recipe):
        given = Recipe.of(fspath(given) if isinstance(given, PathLike) else given, _file_resolver())
    make_plan(given)
    return given
