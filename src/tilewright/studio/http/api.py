"""HTTP API for engines and scripts: list, describe, make, run and measure, with the same operations as the page.

Errors are `{"error": "one line", "problems": [...]}`, where each problem has its path, rule, value and fixes. Status
codes: 400 invalid request, 403 request of another web page, 404 unknown name in the path, 408 incomplete headers, 413
too large, 422 the map cannot be made (another seed may work), 503 too busy or being stopped (Retry-After has the
seconds to wait), 504 time limit exceeded.
"""

# No `from __future__ import annotations`: FastAPI evaluates annotations, and some refer to local names.
import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, File, Form, Path, Query, Request, UploadFile
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.routing import Match

from ... import __version__
from ...core.errors import InvalidRecipe, check_limit, explain_each, problem
from ...core.fields import fields_by_name
from ...core.notation import read_pairs, read_stage
from ...core.provenance import digest
from ...core.recipe import MAX_STAGES, Recipe, as_recipe_data
from ...core.recipe_knobs import apply_knobs, read_knobs_of
from ...core.registry import techniques
from ...core.tilemap import TileMap
from ...core.tileset import Tileset
from ...formats import format_registry
from ...seed_search.state import SeekState
from .. import operations
from ..good_maps.seek_run import SeekRun, start_seek
from ..jobs import CancelToken, JobQueue
from ..own_files import store_model
from .entries import LISTS, describe_entry, list_entries, list_names
from .requests import (
    FORMATS,
    MAP_KEYS,
    MAX_MEASURES,
    RECIPE_NAMES,
    TECHNIQUES,
    B,
    MakeRequest,
    MapRequest,
    MeasureRequest,
    RunRequest,
    SeekRequest,
    check_names,
    parse_body,
    read_parameters,
)
from .responses import (
    AboutBody,
    EntryBody,
    ErrorRoute,
    MeasuresBody,
    ModelBody,
    SeedsBody,
    describe_body,
    describe_files,
    describe_query,
    describe_response,
    file_name,
    files_response,
    json_response,
    refuse_unknown_path,
)
from .security import free_of_work

T = TypeVar("T")
SMALL_BODY = 1 << 14
"""Maximum number of bytes of a body that is parsed in the event loop."""
LIMITS = ("cells", "frames", "iterations", "seconds", "upload", "pixels")
DESCRIBED_KINDS = ("techniques", "shapers", "measures", "formats", "tilesets", "recipes")
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]


def build_router(queue: JobQueue) -> APIRouter:
    """Return the routes under /api, which run their work in a job queue.

    Pages of other sites may only request the routes that are declared as `free_of_work`.
    """
    routes = APIRouter(prefix="/api", route_class=ErrorRoute)
    _add_list_routes(routes, queue)
    _add_make_routes(routes, queue)
    _add_model_route(routes, queue)
    _add_measure_routes(routes, queue)
    _add_seek_route(routes, queue)

    @routes.api_route("/{rest:path}", methods=METHODS, include_in_schema=False)
    async def report_unknown_path(request: Request, rest: str) -> Response:
        """Answer unknown paths under /api with JSON, instead of the page's HTML."""
        known = {method for route in routes.routes[:-1] for method in _allowed_methods(route, request)}
        if known:
            raise HTTPException(405, f"{request.method} is not allowed here", {"Allow": ", ".join(sorted(known))})
        raise HTTPException(404, "unknown path; see /api/docs for the API")

    return routes


def _allowed_methods(route: Any, request: Request) -> set[str]:
    """Return the methods of a route that matches the request's path."""
    match, _ = route.matches(request.scope)
    return set() if match is Match.NONE else set(route.methods or ())


# -- lists ------------------------------------------------------------------------------------------------------


def _add_list_routes(routes: APIRouter, queue: JobQueue) -> None:
    @routes.get("", tags=["lists"], summary="Version and limits of this studio", **describe_response(AboutBody))
    @free_of_work
    def about() -> Response:
        limits = {name: getattr(queue.settings, name) for name in LIMITS}
        return json_response(AboutBody(tilewright=__version__, limits=limits))

    for kind in LISTS:
        _add_list(routes, kind)
    for kind in DESCRIBED_KINDS:
        _add_description(routes, kind)


def _add_list(routes: APIRouter, kind: str) -> None:
    @routes.get(f"/{kind}", tags=["lists"], summary=f"All {kind}", name=kind, **describe_response(list[EntryBody]))
    @free_of_work
    def all_of_a_kind() -> Response:
        return json_response(list_entries(kind))


def _add_description(routes: APIRouter, kind: str) -> None:
    one, known = kind.removesuffix("s"), {"enum": list_names(kind)}

    @routes.get(
        f"/{kind}/{{name}}",
        tags=["lists"],
        summary=f"Description of one {one}",
        name=one,
        **describe_response(dict[str, Any], 404),
    )
    @free_of_work
    def one_of_a_kind(
        name: Annotated[str, Path(description=f"As in /api/{kind}.", json_schema_extra=known)],
    ) -> Response:
        with refuse_unknown_path():
            return json_response(describe_entry(kind, name))


# -- make -------------------------------------------------------------------------------------------------------


def _read_map_keys(
    format: Annotated[str, Query(description="As in /api/formats.", json_schema_extra=FORMATS)] = "json",
    seed: Annotated[str | None, Query(description="Number or string; random if left out.")] = None,
    part: Annotated[str | None, Query(description="Extension of the file to return, if there are several.")] = None,
    animate: Annotated[bool, Query(description="Whether to return an animation if possible.")] = True,
) -> dict[str, Any]:
    return {"format": format, "seed": seed, "part": part, "animate": animate}


MapKeys = Annotated[dict[str, Any], Depends(_read_map_keys)]
"""Values of `MAP_KEYS` in a URL."""


def _add_make_routes(routes: APIRouter, queue: JobQueue) -> None:
    @routes.get(
        "/make/{technique}",
        tags=["make"],
        summary="Make a map of a technique, with all parameters in the URL",
        **describe_query("Parameters of the technique and options of the format", {"width": "40"}),
        **describe_files(404),
    )
    async def make_by_address(
        request: Request,
        technique: Annotated[str, Path(description="As in /api/techniques.", json_schema_extra=TECHNIQUES)],
        keys: MapKeys,
        shape: Annotated[tuple[str, ...], Query(description="Shaper: connect,thickness=2. May be repeated.")] = (),
        tileset: Annotated[str | None, Query(description="Name of a built-in tileset.")] = None,
        tiles: Annotated[
            str | None, Query(description="Tiles for the technique's tiles: floor=grass,wall=hill.")
        ] = None,
    ) -> Response:
        """Make a map, for example for an image element: `/api/make/caves?format=png&seed=7&width=40&scale=8`.

        All other keys are parameters of the technique or options of the format. Lists are written `3,8`.
        """
        with refuse_unknown_path():
            entry = techniques.get(technique)
        params, options = read_parameters(
            fields_by_name(entry.params),
            format_registry.get(keys["format"]),
            request.query_params.multi_items(),
            owner=entry.name,
            renamed=entry.params.renamed,
        )
        recipe: dict[str, Any] = {"technique": technique, "params": params, "tileset": tileset}
        check_limit("shapers", len(shape), MAX_STAGES, at="shape")
        recipe["shaping"] = [dict([read_stage(text)]) for text in shape]
        recipe["tiles"] = None if tiles is None else read_pairs(tiles, "tiles")
        body = MapRequest.validate({**keys, "options": options})
        return await _make_response(request, queue, body, lambda: recipe)

    @routes.post(
        "/make", tags=["make"], summary="Make a map of a technique", **describe_body(MakeRequest), **describe_files()
    )
    async def make(request: Request) -> Response:
        """Return the file. A format of several files (tmx, tmj) is returned as a zip archive; `part` selects one of its
        files. gif, webp and apng are animations of the generation.
        """
        body = await _read_body(request, queue, MakeRequest)
        return await _make_response(request, queue, body, lambda: body.recipe)

    @routes.post(
        "/run", tags=["make"], summary="Make a map of a recipe", **describe_body(RunRequest), **describe_files()
    )
    async def run(request: Request) -> Response:
        """Run a recipe: an object, YAML as the studio exports it, or the name of a built-in recipe."""
        body = await _read_body(request, queue, RunRequest)
        return await _make_response(request, queue, body, lambda: apply_knobs(_read_recipe(body.recipe), body.knobs))

    @routes.get(
        "/run/{recipe}",
        tags=["make"],
        summary="Make a map of a built-in recipe, with its knobs in the URL",
        **describe_query("Knobs of the recipe and options of the format", {"size": "60"}),
        **describe_files(404),
    )
    async def run_by_address(
        request: Request,
        recipe: Annotated[str, Path(description="As in /api/recipes.", json_schema_extra=RECIPE_NAMES)],
        keys: MapKeys,
    ) -> Response:
        """Make a map, for example for an image element: `/api/run/city-blocks?format=png&seed=7&parks=3&scale=8`."""
        with refuse_unknown_path():
            data = describe_entry("recipes", recipe)["recipe"]
        fields = {knob.name: knob.field for knob in read_knobs_of(data)}
        format, pairs = format_registry.get(keys["format"]), request.query_params.multi_items()
        knobs, options = read_parameters(fields, format, pairs, owner=recipe, keys=MAP_KEYS, noun="knob")
        body = MapRequest.validate({**keys, "options": options})
        return await _make_response(request, queue, body, lambda: apply_knobs(data, knobs))


async def _make_response(
    request: Request, queue: JobQueue, body: MapRequest, recipe: Callable[[], Mapping[str, Any]]
) -> Response:
    """Make a map and return its files. The recipe is checked in a short job, then its cost is known."""
    start = time.perf_counter()
    checked = await _run_job(request, queue, lambda token: operations.check_recipe(recipe(), queue.settings))

    def work(token: CancelToken) -> Response:
        has_seed = body.seed is not None or checked.seed is not None
        seeded = checked.with_seed(checked.seed if body.seed is None else body.seed)
        name = file_name(f"{seeded.technique}-{seeded.seed}")
        export = operations.export_map(seeded, body.format, body.options, token, name, animate=body.animate)
        return files_response(export, part=body.part, seconds=time.perf_counter() - start, is_reproducible=has_seed)

    return await _run_job(request, queue, work, cost=operations.estimate_seconds(checked))


def _add_model_route(routes: APIRouter, queue: JobQueue) -> None:
    @routes.post("/models", tags=["make"], summary="Upload a model", **describe_response(ModelBody, 400, 413, 503, 504))
    async def upload_model(
        request: Request, file: Annotated[UploadFile, File(description="Model made by `tilewright learn diffusion`.")]
    ) -> Response:
        """Keep a model in memory while the studio runs. `model` of the response is the parameter for recipes."""
        await _check_form(request, "file")
        content = await file.read()
        model = await _run_job(request, queue, lambda token: store_model(content, file.filename or "", queue.settings))
        return json_response(ModelBody(model=model.to_data(), tiles=list(model.labels)))


# -- measure ----------------------------------------------------------------------------------------------------


def _add_measure_routes(routes: APIRouter, queue: JobQueue) -> None:
    @routes.post(
        "/measure",
        tags=["measure"],
        summary="Measure a map",
        **describe_body(MeasureRequest),
        **describe_response(MeasuresBody, 400, 413, 422, 503, 504),
    )
    async def measure(request: Request) -> Response:
        body = await _read_body(request, queue, MeasureRequest)

        def measure_given(token: CancelToken) -> Response:
            map = operations.read_map_data(body.map, queue.settings, _read_tileset(body.tileset))
            return _measure_map(map, token, body.measures, body.like)

        if body.map is not None:
            return await _run_job(request, queue, measure_given)
        recipe = await _run_job(request, queue, lambda token: _check_recipe(body, queue))
        seeded = recipe.with_seed(recipe.seed if body.seed is None else body.seed)

        def measure_made(token: CancelToken) -> Response:
            return _measure_map(operations.make_map(seeded, token), token, body.measures, body.like)

        return await _run_job(request, queue, measure_made, cost=operations.estimate_seconds(seeded))

    @routes.post(
        "/measure/file",
        tags=["measure"],
        summary="Measure the first map in a file",
        **describe_response(MeasuresBody, 400, 413, 503, 504),
    )
    async def measure_file(
        request: Request,
        file: Annotated[UploadFile, File(description="Map in any readable format.")],
        format: Annotated[str | None, Form(description="Format of the file; by default from its extension.")] = None,
        tileset: Annotated[str | None, Form(description="Built-in tileset of the map's glyphs and ids.")] = None,
        measures: Annotated[str, Form(description="Names separated by commas; by default all that apply.")] = "",
        like: Annotated[str | None, Form(description="Name of a built-in sample to compare with.")] = None,
    ) -> Response:
        await _check_form(request, "file", "format", "tileset", "measures", "like")
        content = await file.read()

        def work(token: CancelToken) -> Response:
            tiles = _read_tileset(tileset or None)
            map = operations.read_upload(content, file.filename or "", queue.settings, tiles, format or None)
            if measures.count(",") > MAX_MEASURES:
                raise InvalidRecipe(f"must be at most {MAX_MEASURES:,} names", at="measures", rule="maximum_length")
            names = [name.strip() for name in measures.split(",") if name.strip()]
            return _measure_map(map, token, names, like or None)

        return await _run_job(request, queue, work)


def _read_tileset(value: Any) -> Tileset | None:
    return None if value is None else Tileset.of(value)


def _measure_map(map: TileMap, token: CancelToken, names: Sequence[str], like: Any) -> Response:
    is_complete = like is None or (isinstance(like, Mapping) and "like" in like)
    numbers = operations.measure_map(map, token, names, like=like if is_complete else {"like": like})
    seed = map.recipe.seed if map.recipe is not None else None
    return json_response(MeasuresBody(measures=numbers, digest=digest(map), seed=seed))


# -- seek -------------------------------------------------------------------------------------------------------


def _add_seek_route(routes: APIRouter, queue: JobQueue) -> None:
    @routes.post(
        "/seek",
        tags=["seek"],
        summary="Find seeds whose maps meet requirements",
        **describe_body(SeekRequest),
        **describe_response(SeedsBody, 400, 413, 503, 504),
    )
    async def seek(request: Request) -> Response:
        """Test every seed of a range, and return the best of those whose maps meet the requirements, and how rare they
        are. The map of seed 7 is that of /api/run with the seed 7.
        """
        body = await _read_body(request, queue, SeekRequest)

        def open_search(token: CancelToken) -> SeekState:
            return start_seek(body.define_search(_check_recipe(body, queue)))

        state = await _run_job(request, queue, open_search)
        run = SeekRun(queue, state, client=("api", request.client))
        try:
            async with asyncio.timeout(queue.settings.seconds):
                found = await _cancel_on_disconnect(request, run.finish())
        except TimeoutError:
            raise CancelToken(queue.settings).timeout_error() from None
        return json_response(SeedsBody.model_validate(found.to_data()))


# -- details ----------------------------------------------------------------------------------------------------


def _read_recipe(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str):
        value = operations.read_recipe_data(value)
    if not isinstance(value, Mapping):
        raise InvalidRecipe("must be an object, the name of a built-in recipe, or YAML", at="recipe", rule="type")
    return as_recipe_data(value)


def _check_recipe(body: MeasureRequest | SeekRequest, queue: JobQueue) -> Recipe:
    """Return the recipe of a request, with the values of its knobs."""
    return operations.check_recipe(apply_knobs(_read_recipe(body.recipe), body.knobs), queue.settings)


async def _read_body(request: Request, queue: JobQueue, model: type[B]) -> B:
    """Read and validate the body of a request. A large body is parsed in a job."""
    _refuse_query(request)
    content, content_type = await request.body(), request.headers.get("content-type", "")
    if len(content) <= SMALL_BODY:
        return parse_body(content, content_type, model)
    return await _run_job(request, queue, lambda token: parse_body(content, content_type, model))


def _refuse_query(request: Request) -> None:
    """Raise InvalidRecipe if a request with a body has values in the URL, which would be ignored."""
    keys = list(request.query_params)
    if keys:
        raise InvalidRecipe(*explain_each(keys, lambda key: problem("must be in the body, not in the URL", at=key)))


async def _check_form(request: Request, *names: str) -> None:
    """Raise InvalidRecipe if a field of a form is unknown or given twice. FastAPI ignores such fields."""
    _refuse_query(request)
    check_names([name for name, _ in (await request.form()).multi_items()], names, "field")


async def _run_job(request: Request, queue: JobQueue, work: Callable[[CancelToken], T], *, cost: float = 0.0) -> T:
    """Run a job and return its result; cancel it if the client disconnects. Each connection counts as a client."""
    return await _cancel_on_disconnect(request, queue.submit(work, client=("api", request.client), cost=cost))


async def _cancel_on_disconnect(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine; cancel it if the client disconnects."""
    job = asyncio.ensure_future(work)
    disconnect = asyncio.ensure_future(_wait_for_disconnect(request))
    try:
        await asyncio.wait((job, disconnect), return_when=asyncio.FIRST_COMPLETED)
        if not job.done():
            raise HTTPException(499, "the client disconnected")
        return job.result()
    finally:
        job.cancel()
        disconnect.cancel()


async def _wait_for_disconnect(request: Request) -> None:
    """Return when the client has disconnected."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
