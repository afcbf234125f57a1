"""The HTTP API, for engines and scripts: list, explain, make, run, measure. It calls what the page calls.

Errors are `{"error": "one line", "problems": [...]}`, where each problem has its path, rule, value and fixes: 400 a
mistake, 404 an unknown name in the address, 413 too large, 422 what was asked
for cannot be made (another seed may do), 503 too busy (Retry-After says when to come back), 504 too long.
"""

# No annotations from the future: FastAPI reads those of functions, and some name what only the function around knows.
import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, File, Form, Path, Query, Request, UploadFile
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match

from .. import __version__
from ..core.errors import InvalidRecipe, UnknownName
from ..core.notation import read_pairs, read_stage
from ..core.provenance import digest
from ..core.registry import techniques
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ..formats import shelf
from . import service
from .answers import TYPES, Answered, file_name, files_answer, missing, plain
from .asked import FORMATS, TECHNIQUES, Asked, Make, Measured, Run
from .catalogue import LISTS, described, listed, names
from .desk import Desk, Ticket
from .query import KEYS, read_parameters

T = TypeVar("T")
LIMITS = ("cells", "frames", "iterations", "seconds", "upload", "pixels")
DESCRIBED = ("techniques", "shapers", "measures", "formats", "tilesets", "recipes")
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
FIX = {
    "type": "object",
    "description": "A change of the request that may help.",
    "properties": {
        "action": {"enum": ["set", "remove", "use"]},
        "path": {"type": "array", "items": {"type": ["string", "integer"]}},
        "value": {},
        "label": {"type": "string"},
    },
}
PROBLEM = {
    "type": "object",
    "properties": {
        "path": {"type": "array", "items": {"type": ["string", "integer"]}, "description": "Path in the recipe."},
        "rule": {"type": "string", "description": "Name of the broken rule."},
        "value": {"description": "What was given."},
        "text": {"type": "string"},
        "line": {"type": "string"},
        "fixes": {"type": "array", "items": FIX},
    },
}
ERROR = {
    "type": "object",
    "properties": {"error": {"type": "string"}, "problems": {"type": "array", "items": PROBLEM}},
    "required": ["error", "problems"],
}
OBJECT = {"type": "object"}
ENTRIES = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "summary": {"type": "string"}},
        "required": ["name", "summary"],
    },
}
NUMBERS = {
    "type": "object",
    "properties": {
        "measures": {"type": "object", "additionalProperties": {"type": ["number", "null"]}},
        "digest": {"type": "string"},
        "seed": {"type": ["string", "null"]},
    },
    "required": ["measures", "digest", "seed"],
}
HEADERS = {
    "Tilewright-Seed": "The seed that makes this map again, percent-encoded.",
    "Tilewright-Digest": "Names the map's cells: equal maps, equal digests.",
    "Tilewright-Seconds": "How long it took.",
    "Tilewright-Files": "The names of all files of this format; one is picked with part.",
}
WHY = {
    400: "A mistake in what is asked for.",
    404: "A name in the address that nothing answers to.",
    413: "More than this studio takes or makes.",
    422: "What was asked for cannot be made; another seed may do.",
    503: "Too busy; Retry-After says when to come back.",
    504: "It would take longer than one request may.",
}


def router(desk: Desk) -> APIRouter:
    """The routes under /api, whose work is done at a desk."""
    routes = APIRouter(prefix="/api", route_class=Answered)
    _add_lists(routes, desk)
    _add_making(routes, desk)
    _add_measuring(routes, desk)

    @routes.api_route("/{rest:path}", methods=METHODS, include_in_schema=False)
    async def nothing(request: Request, rest: str) -> Response:
        """What stands behind the studio's page must not answer here."""
        known = {method for route in routes.routes[:-1] for method in _methods(route, request)}
        if known:
            raise HTTPException(405, f"{request.method} is not answered here", {"Allow": ", ".join(sorted(known))})
        raise HTTPException(404, "nothing is here; /api/docs shows what there is")

    return routes


def _methods(route: Any, request: Request) -> set[str]:
    """The methods of a route that has this address."""
    match, _ = route.matches(request.scope)
    return set() if match is Match.NONE else set(route.methods or ())


# -- what there is ----------------------------------------------------------------------------------------------


def _add_lists(routes: APIRouter, desk: Desk) -> None:
    @routes.get("", tags=["what there is"], summary="The version, and the limits of this studio", **_answers(OBJECT))
    def about() -> Response:
        limits = {name: getattr(desk.settings, name) for name in LIMITS}
        return JSONResponse({"tilewright": __version__, "limits": limits})

    for kind in LISTS:
        _add_list(routes, kind)
    for kind in DESCRIBED:
        _add_description(routes, kind)


def _add_list(routes: APIRouter, kind: str) -> None:
    @routes.get(f"/{kind}", tags=["what there is"], summary=f"All {kind}", name=kind, **_answers(ENTRIES))
    def all_of_a_kind() -> Response:
        return JSONResponse(plain(listed(kind)))


def _add_description(routes: APIRouter, kind: str) -> None:
    one, known = kind.removesuffix("s"), {"enum": names(kind)}

    @routes.get(
        f"/{kind}/{{name}}",
        tags=["what there is"],
        summary=f"All about one {one}",
        name=one,
        **_answers(OBJECT, 404),
    )
    def one_of_a_kind(
        name: Annotated[str, Path(description=f"As in /api/{kind}.", json_schema_extra=known)],
    ) -> Response:
        try:
            return JSONResponse(plain(described(kind, name)))
        except UnknownName as error:
            raise missing(error) from None


# -- making -----------------------------------------------------------------------------------------------------


def _add_making(routes: APIRouter, desk: Desk) -> None:
    @routes.get(
        "/make/{technique}",
        tags=["make"],
        summary="A map by a technique, with everything in the address",
        openapi_extra={"parameters": [_other_words()]},
        **_files(404),
    )
    async def make_by_address(
        request: Request,
        technique: Annotated[str, Path(description="As in /api/techniques.", json_schema_extra=TECHNIQUES)],
        format: Annotated[str, Query(description="As in /api/formats.", json_schema_extra=FORMATS)] = "json",
        seed: Annotated[str | None, Query(description="A number or any text; picked where it is left out.")] = None,
        shape: Annotated[tuple[str, ...], Query(description="A shaper: connect,thickness=2. May stand often.")] = (),
        tileset: Annotated[str | None, Query(description="The name of a built-in tileset.")] = None,
        tiles: Annotated[str | None, Query(description="Tiles for the technique's: floor=grass,wall=hill.")] = None,
        part: Annotated[str | None, Query(description="Of several files, the one to send, by its ending.")] = None,
        animate: Annotated[bool, Query(description="False: the finished map alone.")] = True,
    ) -> Response:
        """An image element or an engine can point at it: `/api/make/caves?format=png&seed=7&width=40&scale=8`.

        All other words are parameters of the technique, or else options of the format. Lists are written `3,8`.
        """
        try:
            entry = techniques.get(technique)
        except UnknownName as error:
            raise missing(error) from None
        others = [(name, text) for name, text in request.query_params.multi_items() if name not in KEYS]
        params, options = read_parameters(entry, shelf.get(format), others)
        recipe: dict[str, Any] = {"technique": technique, "params": params, "tileset": tileset}
        recipe["shaping"] = [dict([read_stage(text)]) for text in shape]
        recipe["tiles"] = None if tiles is None else read_pairs(tiles, "tiles")
        asked = Asked.checked({"seed": seed, "format": format, "options": options, "part": part, "animate": animate})
        return await _made(request, desk, asked, lambda: recipe)

    @routes.post("/make", tags=["make"], summary="A map by a technique", **_files())
    async def make(request: Request, asked: Make) -> Response:
        """The file itself is the answer. A format of several files (tmx, tmj) comes as a zip, ready to unpack into a
        project; `part` takes one of them alone. gif, webp and apng are the animation of the work.
        """
        return await _made(request, desk, asked, lambda: asked.recipe)

    @routes.post("/run", tags=["make"], summary="A map by a recipe", **_files())
    async def run(request: Request, asked: Run) -> Response:
        """What the studio saves as YAML, what a file of ours carries, or the name of a built-in recipe."""
        return await _made(request, desk, asked, lambda: _recipe_data(asked.recipe))


async def _made(request: Request, desk: Desk, asked: Asked, recipe: Callable[[], Mapping[str, Any]]) -> Response:
    """Make a map and answer with its files."""

    def work(ticket: Ticket) -> Response:
        begun = time.perf_counter()
        checked = service.checked(recipe(), desk.settings)
        fixed = asked.seed is not None or checked.seed is not None
        seeded = checked.with_seed(checked.seed if asked.seed is None else asked.seed)
        name = file_name(f"{seeded.technique}-{seeded.seed}")
        made = service.exported(seeded, asked.format, asked.options, ticket, name, animate=asked.animate)
        return files_answer(made, part=asked.part, seconds=time.perf_counter() - begun, fixed=fixed)

    return await _attended(request, desk, work)


# -- measuring --------------------------------------------------------------------------------------------------


def _add_measuring(routes: APIRouter, desk: Desk) -> None:
    @routes.post("/measure", tags=["measure"], summary="Numbers of a map", **_answers(NUMBERS, 400, 413, 422, 503, 504))
    async def measure(request: Request, asked: Measured) -> Response:
        if (asked.recipe is None) == (asked.map is None):
            raise InvalidRecipe("give either a recipe or a map", rule="conflict")

        def work(ticket: Ticket) -> Response:
            if asked.map is not None:
                map = service.given(asked.map, desk.settings, _tileset(asked.tileset))
            else:
                recipe = service.checked(_recipe_data(asked.recipe), desk.settings)
                map = service.made(recipe.with_seed(recipe.seed if asked.seed is None else asked.seed), ticket)
            return _numbers(map, service.measured(map, ticket, asked.measures, like=_similarity(asked.like)))

        return await _attended(request, desk, work)

    @routes.post(
        "/measure/file",
        tags=["measure"],
        summary="Numbers of the first map in a file",
        **_answers(NUMBERS, 400, 413, 503, 504),
    )
    async def measure_file(
        request: Request,
        file: Annotated[UploadFile, File(description="A map in any format that can be read.")],
        format: Annotated[str | None, Form(description="Read it as this format, whatever its ending says.")] = None,
        tileset: Annotated[str | None, Form(description="Read glyphs and ids as this built-in tileset's.")] = None,
        measures: Annotated[str, Form(description="Names with commas between; without them, all that apply.")] = "",
        like: Annotated[str | None, Form(description="The name of a built-in sample to compare with.")] = None,
    ) -> Response:
        content = await file.read()

        def work(ticket: Ticket) -> Response:
            map = service.uploaded(
                content, file.filename or "", desk.settings, _tileset(tileset or None), format or None
            )
            names = [name.strip() for name in measures.split(",") if name.strip()]
            return _numbers(map, service.measured(map, ticket, names, like=_similarity(like or None)))

        return await _attended(request, desk, work)


def _tileset(given: Any) -> Tileset | None:
    return None if given is None else Tileset.of(given)


def _numbers(map: TileMap, numbers: Mapping[str, float]) -> Response:
    seed = map.recipe.seed if map.recipe is not None else None
    return JSONResponse({"measures": plain(numbers), "digest": digest(map), "seed": seed})


def _similarity(given: Any) -> Mapping[str, Any] | None:
    if given is None or (isinstance(given, Mapping) and "like" in given):
        return given
    return {"like": given}


# -- the small steps --------------------------------------------------------------------------------------------


def _recipe_data(given: Any) -> Mapping[str, Any]:
    if isinstance(given, str):
        return service.recipe_text(given)
    if not isinstance(given, Mapping):
        raise InvalidRecipe("must be an object, the name of a built-in recipe, or YAML", at="recipe", rule="type")
    return given


async def _attended(request: Request, desk: Desk, work: Callable[[Ticket], T]) -> T:
    """Have a job done for as long as somebody waits for the answer."""
    who = request.client.host if request.client else None
    job = asyncio.ensure_future(desk.do(work, who=("api", who)))
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((job, gone), return_when=asyncio.FIRST_COMPLETED)
        if not job.done():
            raise HTTPException(499, "nobody waits for the answer any more")
        return job.result()
    finally:
        job.cancel()
        gone.cancel()


async def _gone(request: Request) -> None:
    """Comes back when whoever asked has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _answers(schema: Mapping[str, Any], *errors: int) -> dict[str, Any]:
    """What a route may answer, for its documentation."""
    found: dict[int | str, dict[str, Any]] = {
        200: {"description": "As asked.", "content": {"application/json": {"schema": schema}}}
    }
    return {"responses": {**found, **_errors(*errors)}, "response_class": Response}


def _files(*more: int) -> dict[str, Any]:
    binary = {"schema": {"type": "string", "format": "binary"}}
    kinds = {kind.partition(";")[0]: {} if "json" in kind else binary for kind in (*TYPES.values(),)}
    headers = {name: {"description": text, "schema": {"type": "string"}} for name, text in HEADERS.items()}
    found = {200: {"description": "The map in the format.", "content": kinds, "headers": headers}}
    return {"responses": {**found, **_errors(400, 413, 422, 503, 504, *more)}, "response_class": Response}


def _errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    content = {"application/json": {"schema": ERROR}}
    told: dict[int | str, dict[str, Any]] = {
        status: {"description": WHY[status], "content": content} for status in sorted(statuses)
    }
    if 503 in told:
        told[503]["headers"] = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}
    # With this FastAPI does not promise errors of its own kind.
    return {**told, "4XX": {"description": "The request is refused.", "content": content}}


def _other_words() -> dict[str, Any]:
    return {
        "name": "params",
        "in": "query",
        "required": False,
        "style": "form",
        "explode": True,
        "description": "Parameters of the technique and options of the format, each a word of its own.",
        "schema": {"type": "object", "additionalProperties": {"type": "string"}},
        "example": {"width": "40", "height": "30"},
    }
