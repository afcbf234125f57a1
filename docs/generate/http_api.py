"""The HTTP API, from the schema that the studio itself serves at /openapi.json."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from tilewright.studio import Settings, app

from .markdown import table

Schema = dict[str, Any]
HEADINGS = {"make": "Make a map", "measure": "Measure a map"}
"""Headings for the tags of routes; those without one are lists and descriptions."""
LISTS = "List and describe"


def routes() -> str:
    """Return all routes, with their parameters, bodies and responses."""
    groups: dict[str, list[str]] = {heading: [] for heading in (*HEADINGS.values(), LISTS)}
    for path, methods in _openapi()["paths"].items():
        for method, route in methods.items():
            groups[HEADINGS.get(route["tags"][0], LISTS)].append(_route(method, path, route))
    return "\n".join(f"## {heading}\n\n" + "\n".join(parts) for heading, parts in groups.items())


def settings() -> str:
    """Return the limits of a studio."""
    fields = Settings.model_json_schema()["properties"]
    defaults = {name: _default(field) for name, field in fields.items()} | {"workers": "number of processors"}
    rows = ((f"`--{name}`", defaults[name], field["description"]) for name, field in fields.items())
    return table(("option", "default", "what it is"), *rows)


@cache
def _openapi() -> Schema:
    found: Schema = app(Settings()).openapi()
    return found


def _route(method: str, path: str, route: Schema) -> str:
    return "\n".join(part for part in _parts(method, path, route) if part)


def _parts(method: str, path: str, route: Schema) -> Iterator[str]:
    yield f"### `{method.upper()} {path}`\n"
    yield f"{route['summary']}.\n"
    yield f"{route['description']}\n" if "description" in route else ""
    if parameters := route.get("parameters"):
        rows: list[tuple[str, ...]] = [
            (f"`{one['name']}`", one["in"], _kind(one["schema"]), _default(one["schema"]), one.get("description", ""))
            for one in parameters
        ]
        yield table(("parameter", "in", "type", "default", "what it is"), *rows)
    if body := route.get("requestBody"):
        ((media, content),) = body["content"].items()
        model = _resolve(content["schema"])
        required = model.get("required", ())
        rows = [
            (
                f"`{name}`",
                _kind(field),
                "required" if name in required else _default(field),
                field.get("description", ""),
            )
            for name, field in model["properties"].items()
        ]
        yield f"Body: `{media}`\n\n" + table(("field", "type", "default", "what it is"), *rows)
    if path.count("/") > 2 or "requestBody" in route:  # lists only ever answer 200
        rows = [
            (f"`{status}`", response["description"], ", ".join(f"`{name}`" for name in response.get("headers", ())))
            for status, response in route["responses"].items()
            if status.isdigit()
        ]
        yield table(("status", "meaning", "headers"), *rows)


def _resolve(schema: Schema) -> Schema:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: Schema = _openapi()["components"]["schemas"][name] if name else schema
    return found


def _kind(schema: Schema) -> str:
    """Return the type of a value, in a word or two."""
    if "anyOf" in schema:
        return " or ".join(_kind(one) for one in schema["anyOf"])
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"]) if len(schema["enum"]) < 8 else "name"
    kind = schema.get("type", "anything")
    return " or ".join(kind) if isinstance(kind, list) else "file" if "contentMediaType" in schema else str(kind)


def _default(schema: Schema) -> str:
    return json.dumps(schema["default"]) if schema.get("default") is not None else ""
