"""Descriptions of the HTTP API's bodies and responses for its OpenAPI schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi.responses import Response
from pydantic import BaseModel

from .responses import MEDIA_TYPES

FIX = {
    "type": "object",
    "description": "A suggested change of the request.",
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
        "value": {"description": "The given value."},
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
SEEDS = {
    "type": "object",
    "properties": {
        "seeds": {
            "type": "array",
            "description": "Seeds, best first, each with its measures and the digest of its map.",
            "items": OBJECT,
        },
        "tested": {"type": "integer"},
        "passed": {"type": "integer", "description": "Number of seeds that meet all requirements."},
        "rarity": {
            "type": "object",
            "description": "How rare each requirement is, and all of them (`all`).",
            "additionalProperties": {
                "type": "object",
                "properties": {"count": {"type": "integer"}, "of": {"type": "integer"}, "text": {"type": "string"}},
            },
        },
        "failures": {
            "type": "object",
            "description": "Number of seeds that cannot be made, by reason.",
            "additionalProperties": {"type": "integer"},
        },
    },
    "required": ["seeds", "tested", "passed", "rarity", "failures"],
}
MODEL = {
    "type": "object",
    "properties": {
        "model": {"description": "Value of the parameter `model`: a name, or a name and a digest."},
        "tiles": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["model", "tiles"],
}
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


def describe_response(schema: Mapping[str, Any], *errors: int) -> dict[str, Any]:
    """Return the documentation of a route's responses."""
    found: dict[int | str, dict[str, Any]] = {
        200: {"description": "Success.", "content": {"application/json": {"schema": schema}}}
    }
    return {"responses": {**found, **_describe_errors(*errors)}, "response_class": Response}


def describe_files(*more: int) -> dict[str, Any]:
    binary = {"schema": {"type": "string", "format": "binary"}}
    kinds = {kind.partition(";")[0]: {} if "json" in kind else binary for kind in (*MEDIA_TYPES.values(),)}
    headers = {name: {"description": text, "schema": {"type": "string"}} for name, text in HEADERS.items()}
    found = {200: {"description": "The map in the format.", "content": kinds, "headers": headers}}
    return {"responses": {**found, **_describe_errors(400, 413, 422, 503, 504, *more)}, "response_class": Response}


def _describe_errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    content = {"application/json": {"schema": ERROR}}
    found: dict[int | str, dict[str, Any]] = {
        status: {"description": STATUS_DESCRIPTIONS[status], "content": content} for status in sorted(statuses)
    }
    if 503 in found:
        found[503]["headers"] = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}
    # This entry keeps FastAPI from documenting its own error format.
    return {**found, "4XX": {"description": "The request was refused.", "content": content}}


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
