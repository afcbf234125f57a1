"""Tiled documents as XML: the same plain data as in JSON, as elements and attributes, and back.

Reading is safe with hostile files: document types, and with them entities, are refused before the parser sees the
file; nothing outside it is opened; and the number of elements and attributes is bounded.
"""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe, TooLarge
from ._tiled import Document

MOST_PARTS = 1 << 22
"""Elements and attributes together; each costs some hundred bytes once it is read."""
DEEPEST = 100
"""How far groups may nest."""
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML cannot hold, not even escaped."""
LAYERS = {"layer": "tilelayer", "objectgroup": "objectgroup", "group": "group", "imagelayer": "imagelayer"}
LISTS = {"tileset": "tilesets", "tile": "tiles", "object": "objects", **dict.fromkeys(LAYERS, "layers")}
"""The list of the JSON form in which an element stands."""


# -- writing --------------------------------------------------------------------------------------------------


def to_xml(document: Document) -> bytes:
    root = _element("map", document)
    ET.indent(root, " ")
    return ET.tostring(root, "UTF-8", xml_declaration=True) + b"\n"


def _element(tag: str, part: Mapping[str, Any]) -> ET.Element:
    """An element: plain values are its attributes, lists its children."""
    tags = {"tilesets": "tileset", "tiles": "tile", "objects": "object"}
    element = ET.Element(tag)
    hidden = {"image", "imagewidth", "imageheight", "picture", "point", *(("type",) if "data" in part or tag == "map" else ())}
    for key, value in part.items():
        if key == "properties":
            _add_properties(element, value)
        elif key == "data":
            data = ET.SubElement(element, "data", encoding="csv")
            data.text = _csv(value)
        elif key == "layers":
            names = {kind: name for name, kind in LAYERS.items()}
            element.extend(_element(names[layer["type"]], layer) for layer in value)
        elif key in tags:
            element.extend(_element(tags[key], one) for one in value)
        elif key not in hidden:
            element.set(key, _text(value))
    return element
