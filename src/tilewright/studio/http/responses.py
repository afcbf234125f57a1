"""Responses of the HTTP API: files with headers about the map, errors as one line, and bodies of JSON.

The OpenAPI schema describes the classes of the bodies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any, Literal
from urllib.parse import quote

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, TypeAdapter
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from ...core.errors import GaveUp, InvalidRecipe, Problem, TilewrightError, TooLarge, UnknownName, short_repr
from ...core.params import Finding, limit_problems
from ...core.provenance import digest
from ...formats import find_media_type, format_registry
from ..jobs import Busy, Cancelled, InternalError, Stopping, TooLong, as_tilewright_error
from ..operations import Export, Files, zip_files

STATUS: Mapping[type[TilewrightError], int] = {
    Busy: 503,
    Stopping: 503,
    TooLong: 504,
    Cancelled: 499,
    TooLarge: 413,
    GaveUp: 422,
    InternalError: 500,
    TilewrightError: 400,
}
"""HTTP status by error class. The first matching class is used."""
RETRY_AFTER = "2"
"""Seconds after which to retry when the studio is busy or being stopped."""
OTHER_FILES = "application/octet-stream"
"""Media type of files of which none is known."""
INLINE_TYPES = ("image/", "text/", "application/json", "application/xml")
"""Media types that a browser displays. A browser saves files of other types."""


class ErrorRoute(APIRoute):
    """A route that returns every error as JSON, unless the client has left."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_errors(request: Request) -> Response:
            try:
                return await handle(request)
            except ClientDisconnect:
                raise
            except Exception as error:
                return error_response(error)

        return handle_errors


def error_response(error: Exception) -> Response:
    """Return an error as one line, with its problems as data."""
    status, headers = None, None
    if isinstance(error, RequestValidationError):
        error = InvalidRecipe(*_translate_errors(error))
    elif isinstance(error, HTTPException):
        status, headers = error.status_code, error.headers
        error = error.detail if isinstance(error.detail, TilewrightError) else TilewrightError(str(error.detail))
    line = as_tilewright_error(error)
    status = status or next(status for kind, status in STATUS.items() if isinstance(line, kind))
    return json_response(ErrorBody.of(line), status, {"Retry-After": RETRY_AFTER} if status == 503 else headers)


@contextmanager
def refuse_unknown_path() -> Iterator[None]:
    """Raise the error 404 for an unknown name in the path."""
    try:
        yield
    except UnknownName as error:
        # The detail may be any value; `error_response` reads it.
        raise HTTPException(404, error) from None  # type: ignore[arg-type]


def _translate_errors(error: RequestValidationError) -> list[Problem]:
    """Return FastAPI's validation errors of a query or a form as problems."""
    found: list[Problem] = []
    for details in error.errors():
        path = tuple(part for part in details["loc"][1:] if isinstance(part, int) or part.isidentifier())
        found += Finding(details, path, ()).to_problems()
    return limit_problems(found)


def file_name(text: str) -> str:
    """Return a safe file name (letters, digits, - and _) for any string."""
    return re.sub(r"[^\w-]+", "-", text, flags=re.ASCII).strip("-_")[:60] or "map"


def files_response(export: Export, *, part: str | None, seconds: float, is_reproducible: bool) -> Response:
    """Return an export as a response.

    Parameters
    ----------
    export : Export
        Files and their map.
    part : str or None
        Name or extension of the file to return; with None, several files are returned as a zip archive.
    seconds : float
        Time taken, for the header Tilewright-Seconds.
    is_reproducible : bool
        Whether the same request returns the same map, so that browsers may cache it.

    Returns
    -------
    Response

    Raises
    ------
    InvalidRecipe
        If no file has the name or extension `part`.
    """
    name, content = _choose_file(export.files, part)
    kind = find_media_type(name) or ("application/zip" if name.endswith(".zip") else OTHER_FILES)
    place = "inline" if kind.startswith(INLINE_TYPES) else "attachment"
    recipe = export.map.recipe
    headers = {
        "Content-Disposition": f'{place}; filename="{name}"',
        "Cache-Control": "private, max-age=600" if is_reproducible else "no-store",
        "Tilewright-Seed": quote(str(recipe.seed) if recipe is not None else "", safe=" "),
        "Tilewright-Digest": digest(export.map),
        "Tilewright-Seconds": f"{seconds:.3f}",
        "Tilewright-Files": ", ".join(export.files),
    }
    return Response(content, media_type=kind, headers=headers)


def _choose_file(files: Files, part: str | None) -> tuple[str, bytes]:
    first = next(iter(files))
    if part is not None:
        for name, content in files.items():
            if part in (name, PurePosixPath(name).suffix.removeprefix(".")):
                return name, content
        raise InvalidRecipe(f"must be one of {', '.join(files)}, got {short_repr(part)}", at="part")
    if len(files) == 1:
        return first, files[first]
    return f"{PurePosixPath(first).stem}.zip", zip_files(files)


class Body(BaseModel):
    """A JSON object. NaN and infinite numbers are written as null, as JSON requires."""

    model_config = ConfigDict(use_attribute_docstrings=True, ser_json_inf_nan="null")


class FixBody(Body):
    """A suggested change of the request."""

    action: Literal["set", "remove", "use"]
    path: list[str | int]
    value: Any
    label: str


class ProblemBody(Body):
    """A mistake in the request, or the reason why a map cannot be made."""

    path: list[str | int]
    """Path in the recipe."""
    rule: str
    """Name of the broken rule."""
    value: Any
    """The given value."""
    text: str
    line: str
    fixes: list[FixBody]


class ErrorBody(Body):
    """An error as one line, and its problems as data."""

    error: str
    problems: list[ProblemBody]

    @classmethod
    def of(cls, error: TilewrightError) -> ErrorBody:
        """Return the body of an error."""
        return cls.model_validate({"error": str(error), "problems": [one.as_data() for one in error.problems]})


class AboutBody(Body):
    """Version and limits of this studio."""

    tilewright: str
    """Version of Tilewright."""
    limits: dict[str, int | float]


class EntryBody(Body):
    """Name and summary of an entry, with further facts of its kind."""

    model_config = ConfigDict(extra="allow")

    name: str
    summary: str


class MeasuresBody(Body):
    """Measures of a map."""

    measures: dict[str, int | float | None]
    digest: str
    seed: str | None


class RarityBody(Body):
    """How rare maps are that meet a requirement."""

    count: int
    of: int
    text: str


class SeedsBody(Body):
    """Seeds whose maps meet requirements."""

    seeds: list[dict[str, Any]]
    """Seeds, best first, each with its measures and the digest of its map."""
    tested: int
    passed: int
    """Number of seeds that meet all requirements."""
    rarity: dict[str, RarityBody]
    """How rare each requirement is, and all of them (`all`)."""
    failures: dict[str, int]
    """Number of seeds that cannot be made, by reason."""


class ModelBody(Body):
    """A model that was uploaded."""

    model: Any
    """Value of the parameter `model`: a name, or a name and a digest."""
    tiles: list[str]


ANY = TypeAdapter[Any](Any, config=Body.model_config)


def json_response(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a body, or plain data, as a response."""
    return Response(ANY.dump_json(body), status, headers, "application/json")


HEADERS = {
    "Tilewright-Seed": "Seed of the map, percent-encoded.",
    "Tilewright-Digest": "Digest of the map's cells; equal maps have equal digests.",
    "Tilewright-Seconds": "Time taken, in seconds.",
    "Tilewright-Files": "Names of all files of this format; `part` selects one.",
}
STATUS_DESCRIPTIONS = {
    400: "Invalid request.",
    404: "Unknown name in the path.",
    413: "Larger than the limits of this studio.",
    422: "The map cannot be made; another seed may work.",
    503: "Too busy or being stopped; Retry-After has the seconds to wait.",
    504: "Time limit exceeded.",
}


def describe_body(model: type[BaseModel]) -> dict[str, Any]:
    """Return the documentation of a route's JSON body, which the route parses itself."""
    content = {"application/json": {"schema": model.model_json_schema()}}
    return {"openapi_extra": {"requestBody": {"required": True, "content": content}}}


def describe_response(body: Any, *errors: int) -> dict[str, Any]:
    """Return the documentation of a route's responses, given the class of the body."""
    return {"response_model": body, "response_description": "Success.", "responses": _describe_errors(*errors)}


def describe_files(*more: int) -> dict[str, Any]:
    binary = {"schema": {"type": "string", "format": "binary"}}
    declared = (entry.media_type.partition(";")[0] for entry in format_registry if entry.media_type)
    kinds = {kind: {} if "json" in kind else binary for kind in (*declared, "application/zip", OTHER_FILES)}
    headers = {name: {"description": text, "schema": {"type": "string"}} for name, text in HEADERS.items()}
    found = {200: {"description": "The map in the format.", "content": kinds, "headers": headers}}
    errors = _describe_errors(400, 413, 422, 503, 504, *more)
    return {"response_model": None, "response_class": Response, "responses": {**found, **errors}}


def _describe_errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    found: dict[int | str, dict[str, Any]] = {
        status: {"description": STATUS_DESCRIPTIONS[status], "model": ErrorBody} for status in sorted(statuses)
    }
    if 503 in found:
        found[503]["headers"] = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}
    # This entry keeps FastAPI from documenting its own error format.
    return {**found, "4XX": {"description": "The request was refused.", "model": ErrorBody}}


def describe_query(what: str, example: Mapping[str, str]) -> dict[str, Any]:
    """Return the documentation of the further keys of a route's query, which the route reads itself."""
    parameter = {
        "name": "params",
        "in": "query",
        "required": False,
        "style": "form",
        "explode": True,
        "description": f"{what}, each as a key.",
        "schema": {"type": "object", "additionalProperties": {"type": "string"}},
        "example": example,
    }
    return {"openapi_extra": {"parameters": [parameter]}}
