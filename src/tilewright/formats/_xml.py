"""XML of untrusted files, parsed without document types and entities."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from ..core.errors import InvalidRecipe
from ..core.parse_limits import check_objects

MAX_NODES = 1 << 22
"""Maximum number of elements and attributes together. Each takes a few hundred bytes of memory."""
NODES_PER_OBJECT = 4
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
