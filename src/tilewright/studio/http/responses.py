"""Responses of the HTTP API: files with headers about the map, and errors as one line."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Callable, Coroutine, Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from ...core.errors import GaveUp, InvalidRecipe, Problem, TilewrightError, TooLarge, UnknownName, short_repr
from ...core.params import Finding, limit_problems
from ...core.provenance import digest
from ...formats import find_media_type
from ..jobs import Busy, Cancelled, InternalError, Stopping, TooLong, as_tilewright_error
from ..operations import Export, Files, zip_files
from .bodies import ErrorBody, json_response

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
MEDIA_TYPES = {
    ".apng": "image/apng",
    ".csv": "text/csv; charset=utf-8",
    ".dd2vtt": "application/json",
    ".gif": "image/gif",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".npz": "application/octet-stream",
    ".png": "image/png",
    ".raw": "application/octet-stream",
    ".tmj": "application/json",
    ".tmx": "application/xml",
    ".txt": "text/plain; charset=utf-8",
    ".vox": "application/octet-stream",
    ".webp": "image/webp",
    ".xp": "application/octet-stream",
    ".zip": "application/zip",
}
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


def not_found(error: UnknownName) -> HTTPException:
    """Return the 404 error for an unknown name in the path."""
    return HTTPException(404, error)  # type: ignore[arg-type]  # the detail may be any value; `error_response` reads it


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
    known = MEDIA_TYPES.get(PurePosixPath(name).suffix) or find_media_type(name)
    kind = known or mimetypes.guess_type(name)[0] or "application/octet-stream"
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
