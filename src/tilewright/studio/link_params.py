"""Base class of the parts of the page's state that links store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self, TypeAlias, TypeVar

from pydantic import ConfigDict, Strict

from ..core.errors import InvalidRecipe, errors_within
from ..core.params import Params

T = TypeVar("T")
Items: TypeAlias = Annotated[tuple[T, ...], Strict(False)]
"""Tuple that links store as a list."""


class LinkParams(Params):
    """Part of the page's state. Links come from untrusted sources, so no value is converted."""

    model_config = ConfigDict(strict=True)

    def to_data(self) -> dict[str, Any]:
        """Return plain data for links. Defaults are left out."""
        return self.model_dump(exclude_defaults=True)

    @classmethod
    def from_data(cls, data: Any) -> Self:
        """Read the data of a link. Unknown names are ignored."""
        if not isinstance(data, Mapping):
            raise InvalidRecipe("must be a set of named values", got=data, rule="type")
        return cls.validate({name: value for name, value in data.items() if name in cls.model_fields})

    @classmethod
    def from_link(cls, link: Mapping[str, Any], key: str) -> Self:
        """Read the data under a key of a link. Without the key, return the defaults."""
        with errors_within(key):
            return cls.from_data(link.get(key, {}))

    @classmethod
    def keep_valid(cls, data: Any) -> Self:
        """Read the data of a link. Unknown names and invalid values are ignored."""
        given = {name: data[name] for name in cls.model_fields if name in data} if isinstance(data, Mapping) else {}
        try:
            return cls.validate(given)
        except InvalidRecipe as error:
            wrong = {one.path[0] for one in error.problems}
            return cls.validate({name: value for name, value in given.items() if name not in wrong})
