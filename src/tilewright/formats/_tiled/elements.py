"""Conversion of Tiled documents to XML and back, and custom properties of their parts.

XML stores the data of the JSON form as elements and attributes.

Reading is safe with hostile files: document types, and with them entities, are refused before parsing; no other file is
opened; and the number of elements and attributes is limited.
"""

from __future__ import annotations

import base64
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from functools import cached_property
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe, TooLarge, short_repr
from ...core.stored import check_objects
from .._documents import MAX_NODES, parse_xml
from . import Document, check_file_size

MAX_DEPTH = 100
"""Maximum nesting of groups of layers."""
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML cannot contain, not even escaped."""
ESCAPES = {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#09;"}
"""Characters that are escaped in an attribute besides &, < and >."""
TYPES = {"layer": "tilelayer", "objectgroup": "objectgroup", "group": "group", "imagelayer": "imagelayer"}
PARTS = {"tileset", "tile", "object", "chunk", *TYPES}
"""Tags of the elements that become parts of a document, except the cells of a layer."""
TAGS = {kind: tag for tag, kind in TYPES.items()}


# -- writing --------------------------------------------------------------------------------------------------


def to_xml(document: Document) -> bytes:
    tilesets = "".join(_format_tileset(part) for part in document["tilesets"])
    layers = "".join(_format_layer(part, 1) for part in document["layers"])
    element = _format_element("map", document, 0, tilesets + layers, "type")
    return f"<?xml version='1.0' encoding='UTF-8'?>\n{element}".encode()


def tileset_to_xml(part: Document) -> bytes:
    """Return the file of a tileset, to which the tilesets of several maps refer as `source`."""
    own = {key: value for key, value in part.items() if key != "firstgid"}
    lines = _format_tileset({"version": "1.10", "tiledversion": "1.10.2", **own}).splitlines()
    element = "\n".join(line.removeprefix(" ") for line in lines)
    return f"<?xml version='1.0' encoding='UTF-8'?>\n{element}\n".encode()


class TileEntries(tuple[Document, ...]):
    """The tiles of a document's tileset, and as XML, which is cached for all maps of the tileset."""

    @cached_property
    def xml(self) -> str:
        return "".join(map(_format_tile, self))


class WangSets(tuple[Document, ...]):
    """The Wang sets of a document's tileset, and as XML, which is cached for all maps of the tileset."""

    @cached_property
    def xml(self) -> str:
        inner = ""
        for one in self:
            colors = "".join(_format_tag("wangcolor", color, 4) for color in one["colors"])
            listed = [{**tile, "wangid": ",".join(map(str, tile["wangid"]))} for tile in one["wangtiles"]]
            tiles = "".join(_format_tag("wangtile", tile, 4) for tile in listed)
            inner += _format_element("wangset", one, 3, colors + tiles)
        return _format_tag("wangsets", {}, 2, inner)


def _format_element(tag: str, part: Document, depth: int, inner: str = "", *skipped_keys: str) -> str:
    """Format an element with its properties. Plain values become attributes, except the skipped keys."""
    attributes = {
        key: int(value) if isinstance(value, bool) else value
        for key, value in part.items()
        if isinstance(value, (str, int, float)) and key not in skipped_keys
    }
    if part.get("properties"):
        properties = "".join(_format_property(one, depth + 2) for one in part["properties"])
        inner = _format_tag("properties", {}, depth + 1, properties) + inner
    return _format_tag(tag, attributes, depth, inner)


def _format_property(one: Document, depth: int) -> str:
    value = str(one["value"]).lower() if one["type"] == "bool" else one["value"]
    return _format_tag("property", {"name": one["name"], "type": one["type"], "value": value}, depth)


def _format_tag(tag: str, attributes: Mapping[str, object], depth: int, inner: str = "", text: str = "") -> str:
    """Format an element on one line, or on several lines around its inner elements."""
    start = " ".join(
        [f"{' ' * depth}<{tag}", *[f'{name}="{_escape_text(value)}"' for name, value in attributes.items()]]
    )
    if inner:
        return f"{start}>\n{inner}{' ' * depth}</{tag}>\n"
    return f"{start}>{text}</{tag}>\n" if text else f"{start} />\n"


def _format_tileset(part: Document) -> str:
    if "source" in part:
        return _format_tag("tileset", part, 1)
    image = _format_image(part, 2, {"source": part["image"]}) if "image" in part else ""
    wang_sets = part["wangsets"].xml if "wangsets" in part else ""
    inner = image + part["tiles"].xml + wang_sets
    return _format_element("tileset", part, 1, inner, "image", "imagewidth", "imageheight")


def _format_tile(tile: Document) -> str:
    """Format a tile with its embedded picture and its collision shape, if it has them."""
    inner = ""
    if "picture" in tile:
        data = _format_tag("data", {"encoding": "base64"}, 4, text=base64.b64encode(tile["picture"]).decode())
        inner += _format_image(tile, 3, {"format": "png"}, data)
    if "objectgroup" in tile:
        group = tile["objectgroup"]
        shapes = [{key: one[key] for key in ("id", "x", "y", "width", "height")} for one in group["objects"]]
        about = {key: group[key] for key in ("draworder", "id")}
        inner += _format_tag("objectgroup", about, 3, "".join(_format_tag("object", shape, 4) for shape in shapes))
    return _format_element("tile", tile, 2, inner, "imagewidth", "imageheight")


def _format_image(part: Document, depth: int, more: Mapping[str, str], inner: str = "") -> str:
    return _format_tag("image", {"width": part["imagewidth"], "height": part["imageheight"], **more}, depth, inner)


def _format_layer(part: Document, depth: int) -> str:
    inner = ""
    if "data" in part:
        inner = _format_tag("data", {"encoding": "csv"}, depth + 1, text=_format_csv(part["data"]))
    for one in part.get("objects", ()):
        point = _format_tag("point", {}, depth + 2) if one.get("point") else ""
        inner += _format_element("object", one, depth + 1, point, "point")
    inner += "".join(_format_layer(one, depth + 1) for one in part.get("layers", ()))
    return _format_element(TAGS[part["type"]], part, depth, inner, "type")


def _format_csv(gids: NDArray[np.uint32]) -> str:
    """Format rows of numbers. As in Tiled's files, all rows except the last end with a comma."""
    words = np.array([*(f"{gid}," for gid in range(int(gids.max()) + 1)), "\n"], dtype=np.object_)
    rows = np.full((gids.shape[0], gids.shape[1] + 1), len(words) - 1, dtype=np.uint32)
    rows[:, :-1] = gids
    return "\n" + "".join(words[rows].reshape(-1).tolist())[:-2] + "\n"


def _escape_text(value: object) -> str:
    text = str(value)
    if FORBIDDEN.search(text):
        raise InvalidRecipe(
            f"XML cannot contain all characters of {short_repr(text)}; rename it, or use tmj", place="tmx"
        )
    return escape(text, ESCAPES)


# -- reading --------------------------------------------------------------------------------------------------


def from_xml(content: bytes) -> Document:
    """Parse the data of a map or tileset. The values are still strings."""
    check_file_size(content)
    root = parse_xml(content, ("map", "tileset"), "Tiled", "; save its layers as CSV or base64")
    inner = ((element.tag, child.tag) for element in root.iter() for child in element)
    parts = sum(tag in PARTS and (parent, tag) != ("data", "tile") for parent, tag in inner)
    check_objects(parts, MAX_NODES, "layers, objects and tiles")
    return _parse_element(root)


def _parse_element(element: ET.Element, depth: int = 0) -> Document:
    """Convert an element to its JSON form."""
    if depth > MAX_DEPTH:
        raise TooLarge(f"elements must be nested at most {MAX_DEPTH} deep")
    part: Document = dict(element.attrib)
    for child in element:
        if child.tag == "properties":
            part["properties"] = [_parse_property(one) for one in child.iter("property")]
        elif child.tag == "image" and element.tag == "tileset":
            part.update(_parse_image(child))
        elif child.tag == "data" and element.tag == "layer":
            part.update(_parse_layer_data(child))
        elif child.tag == "point":
            part["point"] = True
        elif child.tag in ("tileset", "tile", "object"):
            part.setdefault(f"{child.tag}s", []).append(_parse_element(child, depth + 1))
        elif child.tag in TYPES and element.tag in ("map", "group"):
            part.setdefault("layers", []).append({**_parse_element(child, depth + 1), "type": TYPES[child.tag]})
    return part


def _parse_property(element: ET.Element) -> Document:
    value = element.get("value", element.text or "")
    return {"name": element.get("name", ""), "type": element.get("type", "string"), "value": value}


def _parse_image(element: ET.Element) -> Document:
    sizes = {f"image{key}": element.attrib[key] for key in ("width", "height") if key in element.attrib}
    return {"image": element.get("source", ""), **sizes}


def _parse_layer_data(element: ET.Element) -> Document:
    part: Document = {key: element.get(key, "") for key in ("encoding", "compression")}
    chunks = element.findall("chunk")
    if chunks:
        return part | {"chunks": [{**chunk.attrib, "data": _parse_gids(chunk)} for chunk in chunks]}
    return part | {"data": _parse_gids(element)}


def _parse_gids(element: ET.Element) -> Any:
    """Return the text, or a list of gids if every cell is an element."""
    if not element.get("encoding") and element.find("tile") is not None:
        return [tile.get("gid", "0") for tile in element.iter("tile")]
    return element.text or ""


class ColorProperty(str):
    """A property that Tiled shows as a color."""


PROPERTY_TYPES = {bool: "bool", int: "int", float: "float", str: "string", ColorProperty: "color"}


def encode_properties(values: Mapping[str, object]) -> list[Document]:
    """Return properties as Tiled stores them. Numbers that JSON cannot hold become strings."""
    return [
        {"name": name, "type": PROPERTY_TYPES[type(value)], "value": value}
        if not isinstance(value, float) or math.isfinite(value)
        else {"name": name, "type": "string", "value": str(value)}
        for name, value in values.items()
    ]
