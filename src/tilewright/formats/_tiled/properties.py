"""Custom properties of a document's parts."""

from __future__ import annotations

import math
from collections.abc import Mapping

from . import Document


class ColorProperty(str):
    """A property that Tiled shows as a color."""


TYPES = {bool: "bool", int: "int", float: "float", str: "string", ColorProperty: "color"}


def encode_properties(values: Mapping[str, object]) -> list[Document]:
    """Return properties as Tiled stores them. Numbers that JSON cannot hold become strings."""
    return [
        {"name": name, "type": TYPES[type(value)], "value": value}
        if not isinstance(value, float) or math.isfinite(value)
        else {"name": name, "type": "string", "value": str(value)}
        for name, value in values.items()
    ]
