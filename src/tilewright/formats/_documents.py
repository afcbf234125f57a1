"""Text, JSON and XML in untrusted files: their size, their encoding, and the files to which they refer."""

from __future__ import annotations

import json
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..core.errors import BadFile, InvalidRecipe, TooLarge, short_repr
from ..core.grid import MAX_CELLS
from ..core.params import explain
from ..core.stored import check_json, check_objects
from . import Source
from ._files import is_relative

Count = Annotated[int, Field(ge=0, lt=1 << 31)]
Coordinate = Annotated[int, Field(ge=-(1 << 31), lt=1 << 31)]
MAX_DEPTH = 100
"""Maximum depth of the parts of a document."""
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp")


class DocumentPart(BaseModel):
    """A part of a document. Unknown keys are ignored."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, frozen=True)


R = TypeVar("R", bound=DocumentPart)


def validate(kind: type[R], data: Any) -> R:
    """Return a part of a document. Raise InvalidRecipe with the first mistake."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        # pydantic stops at deep nesting by itself, but reports the complete path.
        deep = any(len(found["loc"]) > MAX_DEPTH for found in error.errors())
        raise InvalidRecipe("layers are nested too deeply" if deep else explain(error, kind)[0]) from None


def check_megabytes(content: bytes, most: int, owner: str, advice: str) -> None:
    """Raise TooLarge if a file has more than `most` bytes."""
    if len(content) > most:
        size = f"{len(content) / 2**20:,.0f} MB"
        raise TooLarge(f"{owner} must have at most {most >> 20} MB, got {size}; use {advice}")


def parse_document(
    content: bytes,
    noun: str,
    limits: tuple[int, int],
    *,
    weight: int = 1,
    convert: Callable[[dict[str, Any]], Any] | None = None,
) -> dict[str, Any]:
    """Return the object in a JSON document.

    `limits` and `weight` are those of `check_json`. `convert` is applied to each object as it is parsed.
    """
    check_json(content, *limits, weight=weight)
    try:
        data = json.loads(content, object_hook=convert)
    except TooLarge:
        raise
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())
        raise InvalidRecipe(f"not JSON: {reason}", rule="format") from None
    if not isinstance(data, dict):
        raise InvalidRecipe(f"must be {noun}", got=data, rule="type")
    return data


def parse_inner_json(text: Any, limits: tuple[int, int]) -> Any:
    """Return the value of JSON in a string of a document; None if it is not JSON in a string."""
    if not isinstance(text, str):
        return None
    check_json(text, *limits)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


# -- files beside a document ----------------------------------------------------------------------------------


def read_sibling(name: str, source: Source, endings: tuple[str, ...], otherwise: str = "") -> bytes | None:
    """Return the content of a file with a relative path and one of these extensions; None if it is unavailable.

    If `otherwise` says what is done without the file, warn that it is missing.
    """
    if source.read_sibling is None or not name:
        return None
    reason = f"its path is not relative to the map; {otherwise}"
    if is_relative(name) and name.lower().endswith(endings):
        try:
            return source.read_sibling(name.replace("\\", "/"))
        except BadFile as error:
            reason = f"the file is missing; {otherwise}"
            if error.problems[0].rule == "outside":
                reason = "it is outside the folder of the map; name its folder with --with, or with folders in Python"
    elif is_relative(name):
        reason = f"its name does not end with {', '.join(endings)}; {otherwise}"
    if otherwise:
        warnings.warn(f"{source.name}: {short_repr(name)} is not read, because {reason}", stacklevel=2)
    return None


MAX_LINES = 1 << 20


def read_text(source: Source) -> str:
    """Decode UTF-8 with or without a byte order mark, and normalize line ends."""
    try:
        text = source.content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFile(f"not UTF-8 text (byte {error.start})", at=source.name) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_text_size(content: bytes) -> None:
    """Raise TooLarge for more bytes or lines than a map of text may have."""
    if len(content) > MAX_CELLS or max(content.count(b"\n"), content.count(b"\r")) > MAX_LINES:
        raise TooLarge(f"must have at most {MAX_CELLS:,} bytes and {MAX_LINES:,} lines; use npz for larger maps")


def check_row_lengths(rows: list[str], name: str) -> list[str]:
    """Return the rows. Raise BadFile if the rows differ in length."""
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]) or not row:
            text = (
                f"row {number} has {len(row)} cells, the first has {len(rows[0])}" if rows[0] else "row 1 has no cells"
            )
            raise BadFile(text, at=(name, "row", number), place=name)
    return rows


MAX_NODES = 1 << 22
"""Maximum number of elements and attributes together. Each takes a few hundred bytes of memory."""
NODES_PER_OBJECT = 8
"""Number of elements and attributes that count as one object, because other threads run while they are parsed."""
CHUNK = 1 << 16
"""Number of bytes that are parsed without a pause for other threads."""


def parse_xml(content: bytes, roots: Sequence[str], noun: str, hint: str = "") -> ET.Element:
    """Return the root element of an XML file.

    Parameters
    ----------
    content
        Content of the file.
    roots
        Allowed tags of the root element.
    noun
        Kind of the file, for error messages: `Tiled`.
    hint
        Suggestion for a file that is too large.

    Returns
    -------
    Element
        The root.

    Raises
    ------
    InvalidRecipe
        If the content is not XML in UTF-8, has a document type, or another root.
    TooLarge
        If there are too many elements.
    """
    if b"<!DOCTYPE" in content:
        raise InvalidRecipe(f"must not contain a document type (<!DOCTYPE>), which no {noun} file needs")
    nodes = content.count(b"<") - content.count(b"</") + content.count(b"=")
    check_objects(nodes, MAX_NODES, "elements and attributes", hint, weight=NODES_PER_OBJECT)
    # In another encoding, a document type would not be found. The given encoding overrides that of the file, except for
    # UTF-16, which expat detects itself and which contains zero bytes.
    if b"\0" in content:
        raise InvalidRecipe("not XML in UTF-8: it contains zero bytes", rule="format")
    parser = ET.XMLParser(encoding="utf-8")
    try:
        for start in range(0, len(content), CHUNK):
            parser.feed(content[start : start + CHUNK])
        root = parser.close()
    except (ET.ParseError, ValueError) as error:
        raise InvalidRecipe(f"not XML in UTF-8: {error}", rule="format") from None
    if root.tag not in roots:
        names = " or ".join(f"<{tag}>" for tag in roots)
        raise InvalidRecipe(f"must be a {noun} {names}, got <{root.tag[:40]}>", rule="format")
    return root
