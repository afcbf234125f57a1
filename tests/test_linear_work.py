"""Reading takes linear work: twice the input, about twice the executed lines.

A part of a valid file or request is repeated, often beyond what the format allows. Neither a result nor an error may
take more than its share of work: a quadratic reader freezes the studio with an upload of a few megabytes. Regular
expressions execute no lines of Python; test_regular_expressions.py counts their steps.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from types import FrameType
from typing import Any

import pytest

import tilewright as tw
from tests.test_fuzz import LIMITS, READABLE, REQUESTS, STATES, TILESET, write_samples
from tilewright import data
from tilewright.core.stored import limit_objects
from tilewright.core.yaml import read_data
from tilewright.formats import Source, decode, format_registry
from tilewright.studio import operations
from tilewright.studio.http.requests import MakeRequest, MeasureRequest, RunRequest, SeekRequest, parse_body
from tilewright.studio.jobs import MAX_OBJECTS
from tilewright.studio.state import State

MAX_GROWTH = 2.6
"""Maximum ratio of the lines for an input of twice the length. Quadratic work has a ratio of 4."""
MIN_LINES = 3000
"""Number of lines by which the work must grow before the ratio counts."""
PIECES = 16
REPEATED_BYTES = 3000
BODIES = {"make": MakeRequest, "run": RunRequest, "measure": MeasureRequest, "seek": SeekRequest}


def count_lines(read: Callable[[], object]) -> int:
    """Return the number of lines of Python that a function executes, and its calls."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return trace

    sys.settrace(trace)
    try:
        attempt(read)
    finally:
        sys.settrace(None)
    return count


def attempt(read: Callable[[], object]) -> None:
    with suppress(tw.TilewrightError), limit_objects(MAX_OBJECTS):
        read()


def is_linear(read: Callable[[bytes], object], start: bytes, piece: bytes, end: bytes, repeats: int) -> bool:
    """Return whether twice the repeats take at most about twice the lines."""

    def count(factor: int) -> int:
        content = start + piece * (repeats * factor) + end
        return count_lines(lambda: read(content))

    attempt(lambda: read(start + piece * repeats + end))  # fills caches
    one, two = count(1), count(2)
    if two - one < MIN_LINES / 3:
        return True
    four = count(4)
    return four - one < MIN_LINES or (four - two) <= MAX_GROWTH * (two - one)


def iter_pieces(content: bytes, random: Random) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield a start, a piece and an end of repetitions of a part of a file."""
    tokens = [found.span() for found in re.finditer(rb"\w+|\s+|[^\w\s]", content)]
    for _ in range(PIECES):
        first = random.randrange(len(tokens))
        last = min(len(tokens) - 1, first + random.choice([0, 0, 1, 1, 2, 3, 4, 6, 9, 14, 25, 40]))
        start, stop = tokens[first][0], tokens[last][1]
        yield content[:stop], content[start:stop], random.choice([content[stop:], b""])


def check_linear(read: Callable[[bytes], object], content: bytes, name: str) -> None:
    for start, piece, end in iter_pieces(content, Random(name)):
        repeats = max(2, REPEATED_BYTES // len(piece))
        assert is_linear(read, start, piece, end, repeats), f"{name}: {piece!r} repeated after {start[-40:]!r}"


@pytest.mark.parametrize("name", READABLE)
def test_files(name: str) -> None:
    entry = format_registry.get(name)

    def read(content: bytes) -> object:
        return decode(Source(content, f"x.{entry.extensions[0] if entry.extensions else name}"), entry)

    for number, content in enumerate(write_samples(name)[:2]):
        check_linear(read, content, f"{name} {number}")


@pytest.mark.parametrize("number", range(len(REQUESTS)))
def test_requests(number: int) -> None:
    address, body = REQUESTS[number]
    model: Any = BODIES[address.rpartition("/")[2]]

    def read(content: bytes) -> object:
        found: Any = parse_body(content, "application/json", model)
        if getattr(found, "map", None) is not None:
            return operations.read_map_data(found.map, LIMITS)
        value = operations.read_recipe_data(found.recipe) if isinstance(found.recipe, str) else found.recipe
        return operations.check_recipe(value, LIMITS)

    for start, piece, end in iter_items(body):
        repeats = max(2, REPEATED_BYTES // len(piece))
        assert is_linear(read, start, piece, end, repeats), f"{address}: {piece!r} repeated after {start[-40:]!r}"
    check_linear(read, json.dumps(body).encode(), address)


def iter_items(document: Any) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield the start, the piece and the end of documents in which an item of a list is repeated."""
    text = json.dumps(document)
    for found in re.finditer(r"\[(?!\])", text):
        item, _ = json.JSONDecoder().raw_decode(text[found.end() :])
        yield text[: found.end()].encode(), json.dumps(item).encode() + b", ", text[found.end() :].encode()


@pytest.mark.parametrize("number", range(len(STATES)))
def test_links(number: int) -> None:
    def read(content: bytes) -> object:
        return State.from_link(base64.urlsafe_b64encode(zlib.compress(content)).decode().rstrip("="))

    check_linear(read, json.dumps(STATES[number]).encode(), f"link {number}")


def test_tilesets_and_recipes() -> None:
    check_linear(lambda content: tw.Tileset.from_toml(content.decode()), TILESET.encode(), "tileset")
    text = data.read_text("recipes", "roguelike-dungeon")
    check_linear(lambda content: read_data(content.decode(), "recipe"), text.encode(), "recipe")


def test_a_quadratic_reader_is_found() -> None:
    def read(content: bytes) -> None:
        for place in range(len(content)):
            for _ in content[place:]:
                pass

    assert not is_linear(read, b"", b"ab", b"", 40)
