"""Descriptions of the HTTP API's bodies and responses for its OpenAPI schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi.responses import Response
from pydantic import BaseModel

from .bodies import ErrorBody
from .responses import MEDIA_TYPES

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
    kinds = {kind.partition(";")[0]: {} if "json" in kind else binary for kind in (*MEDIA_TYPES.values(),)}
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
    return {
        "name": "params",
        "in": "query",
        "required": False,
        "style": "form",
        "explode": True,
        "description": f"{what}, each as a key.",
        "schema": {"type": "object", "additionalProperties": {"type": "string"}},
        "example": example,
    }
