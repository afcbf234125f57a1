"""Broken and hostile files of every readable format: reading gives maps or an error of one line."""

from __future__ import annotations

import json
import tracemalloc
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilewright as tw
from tests.formats.contents import encode_arrays, encode_image
from tests.formats.maps import deep_map, full_map, numbered_map, sprite_map, with_codes
from tilewright import formats
from tilewright.formats import LoadedMap, Source, decode
from tilewright.formats.png import make_text_chunks

READABLE = [entry.name for entry in formats.format_registry if entry.read]
MAX_MEMORY = 1 << 30
plain = full_map().replace(markers=[tw.Marker("start", 1, 2)], layers={"height": np.zeros((11, 23))})
MAPS = (plain, deep_map(), numbered_map(3, 2, 2), sprite_map(), with_codes(numbered_map(4, 5, 6)))


@cache
def samples(name: str) -> tuple[bytes, ...]:
    """Return small files of a format; empty content for a format that is only read."""
    entry, found = formats.format_registry.get(name), []
    for map in MAPS if entry.write else ():
        try:
            options = {"scale": 1} if "scale" in entry.params.model_fields else {}
            found.append(formats.encode(map, name, **options))
        except tw.TilewrightError:  # not every format supports every map
            continue
    return tuple(found) or (b"",)


def outcome(name: str, content: bytes, tileset: tw.Tileset | None) -> list[LoadedMap] | str:
    def read_sibling(other: str) -> bytes:
        raise tw.BadFile(f"{other}: not there")

    try:
        return decode(Source(content, f"x.{name}", tileset, read_sibling), formats.format_registry.get(name))
    except tw.TilewrightError as error:
        return str(error)


def check_read(name: str, content: bytes, tileset: tw.Tileset | None = None) -> None:
    """Check that reading gives maps or an error of one line."""
    result = outcome(name, content, tileset)
    if isinstance(result, str):
        assert "\n" not in result
        assert len(result) < 1000
    else:
        assert all(one.map.cells.size for one in result)


@pytest.mark.parametrize("name", READABLE)
def test_what_is_written_can_be_read(name: str) -> None:
    for content in samples(name):
        check_read(name, content)


@pytest.mark.parametrize("name", READABLE)
@pytest.mark.parametrize("content", [b"", b"\0", b"\n", b" ", b"x" * 1000, b"\xff" * 1000, b"\0" * 100_000], ids=repr)
def test_invalid_content(name: str, content: bytes) -> None:
    check_read(name, content[:100_000])


@pytest.mark.parametrize("name", READABLE)
def test_truncations(name: str) -> None:
    for content in samples(name):
        for length in {
            *range(0, len(content), max(1, len(content) // 60)),
            *range(max(0, len(content) - 8), len(content)),
        }:
            check_read(name, content[:length])


@pytest.mark.parametrize("name", READABLE)
@settings(max_examples=60)
@given(data=st.data())
def test_changed_bytes(name: str, data: st.DataObject) -> None:
    content = bytearray(data.draw(st.sampled_from(samples(name))) or b"?")
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    check_read(name, bytes(content))


@pytest.mark.parametrize("name", READABLE)
@settings(max_examples=40)
@given(data=st.data())
def test_parts_repeated_and_removed(name: str, data: st.DataObject) -> None:
    content = data.draw(st.sampled_from(samples(name)))
    first, second, third = sorted(data.draw(st.integers(0, len(content))) for _ in range(3))
    check_read(name, content[:second] + content[first:third] * data.draw(st.integers(0, 3)) + content[third:])


@pytest.mark.parametrize("name", READABLE)
@settings(max_examples=40)
@given(content=st.binary(max_size=300), head=st.integers(0, 64))
def test_random_bytes_after_a_valid_start(name: str, content: bytes, head: int) -> None:
    check_read(name, samples(name)[0][:head] + content)


NUMBER = st.sampled_from(
    [b"-1", b"0", b"99999999999", b"1e400", b"NaN", b"null", b'"x"', b"[]", b"{}", b"true", b"1.5"]
)


@pytest.mark.parametrize("name", READABLE)
@settings(max_examples=60)
@given(data=st.data())
def test_numbers_replaced_in_text(name: str, data: st.DataObject) -> None:
    """Digits in text are replaced by other values: huge, negative, of another type."""
    content = data.draw(st.sampled_from(samples(name)))
    places = [place for place, byte in enumerate(content[:20_000]) if chr(byte).isdigit()]
    for place in sorted(data.draw(st.sets(st.sampled_from(places), max_size=3)) if places else (), reverse=True):
        content = content[:place] + data.draw(NUMBER) + content[place + 1 :]
    check_read(name, content)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def replace_value(document: Any, data: st.DataObject) -> Any:
    """Return a document with another value somewhere in it."""
    keys = list(document) if isinstance(document, dict) else range(len(document)) if isinstance(document, list) else ()
    if not keys or data.draw(st.integers(0, 5)) == 0:
        return data.draw(VALUES)
    key = data.draw(st.sampled_from(list(keys)))
    copy = document.copy()
    copy[key] = replace_value(document[key], data)
    return copy


@pytest.mark.parametrize("number", range(len(MAPS)))
@settings(max_examples=80)
@given(data=st.data())
def test_values_replaced_in_documents(number: int, data: st.DataObject) -> None:
    """Documents in json, in the label of a picture and in an npz file, with one value replaced."""
    text = json.dumps(replace_value(json.loads(samples("json")[number]), data))
    check_read("json", text.encode())
    picture = formats.image(MAPS[number], scale=1)
    check_read("png", encode_image(picture, pnginfo=make_text_chunks(text)))
    rest = np.frombuffer(text.encode(), np.uint8)
    check_read("npz", encode_arrays(cells=MAPS[number].cells, rest=rest))


@pytest.mark.parametrize("name", ["ldtk", "tmj", "uvtt"])
@settings(max_examples=100)
@given(data=st.data())
def test_values_replaced_in_documents_of_editors(name: str, data: st.DataObject) -> None:
    document = json.loads(data.draw(st.sampled_from(samples(name))))
    check_read(name, json.dumps(replace_value(document, data)).encode())


@pytest.mark.parametrize("name", READABLE)
@pytest.mark.parametrize(
    "unit", [b"[", b"{", b'{"a":', b"<a>", b"(", b"- ", b"\n", b",", b"0,", b"&lt;", b"\0"], ids=repr
)
def test_long_repetition_takes_little_memory(name: str, unit: bytes) -> None:
    """Deep nesting and long repetition, alone and after a valid start."""
    tracemalloc.start()
    try:
        for start in (b"", samples(name)[0][:200]):
            check_read(name, start + unit * 100_000)
        assert tracemalloc.get_traced_memory()[1] < MAX_MEMORY
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", READABLE)
def test_reading_with_another_tileset(name: str) -> None:
    other = tw.Tileset.from_labels(["only"])
    for content in samples(name):
        check_read(name, content, tileset=other)
