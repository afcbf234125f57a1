"""Bodies of the HTTP API's responses. The OpenAPI schema describes these classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from fastapi import Response
from pydantic import BaseModel, ConfigDict, TypeAdapter

from ...core.errors import TilewrightError


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
