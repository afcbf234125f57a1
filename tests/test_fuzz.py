"""Fuzzing of everything that reads data of others: files, recipes, tilesets, models, HTTP requests and studio links.

Each input is a valid one in which a few parts are replaced by values that often break programs. Reading gives a result
or a TilewrightError of one line. `make test` tries some hundred inputs of each kind, always the same ones. `make fuzz`
tries new ones, TILEWRIGHT_FUZZ times as many.
"""

from __future__ import annotations

import base64
import inspect
import io
import json
import os
import random
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

import tilewright as tw
from tests.cases import read_table
from tests.formats.maps import deep_map, encode_image, full_map, numbered_map, sprite_map, with_codes
from tests.generators.rulebooks import DOCUMENT, FULL
from tests.networks import make_network
from tests.studio.servers import application, asking, line_of
from tilewright import data, formats
from tilewright.compat import procengine
from tilewright.core.resolver import Resolver
from tilewright.core.yaml import read_data
from tilewright.formats import Source, decode
from tilewright.formats._archive import encode_archive
from tilewright.formats._data import MAX_EXPANSION, MAX_SMALL_CELLS, MAX_SMALL_TILES
from tilewright.formats._models import decode_network, encode_network, load_model
from tilewright.formats.png import join_text_chunks, make_text_chunks
from tilewright.studio import operations
from tilewright.studio.jobs import CancelToken
from tilewright.studio.settings import Settings
from tilewright.studio.state import State

FACTOR = int(os.environ.get("TILEWRIGHT_FUZZ", "0"))
"""Number of times as many inputs as in `make test`; 0 in `make test`, whose inputs are always the same."""
SEED = os.environ.get("TILEWRIGHT_FUZZ_SEED", str(random.SystemRandom().getrandbits(32)) if FACTOR else "0")
FIRST = int(os.environ.get("TILEWRIGHT_FUZZ_FIRST", "0"))
"""Number of the first input of each test."""
LIMITS = Settings(cells=4096, seconds=20, pixels=1 << 20, upload=1 << 18, workers=2, iterations=20_000)
MAPS = (full_map(), deep_map(), sprite_map(), with_codes(numbered_map(4, 5, 6)))
READABLE = [entry.name for entry in formats.format_registry if entry.read]
MAX_LINE_LENGTH = 12_000


def fuzz(count: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for this many inputs in `make test`. Each has random numbers of its own, the argument `rng`."""

    def repeat(test: Callable[..., None]) -> Callable[..., None]:
        def run(**fixtures: Any) -> None:
            for number in range(FIRST, FIRST + count * max(1, FACTOR)):
                try:
                    test(rng=random.Random(f"{SEED} {number}"), **fixtures)
                except BaseException as error:
                    error.add_note(f"to repeat this input: TILEWRIGHT_FUZZ_SEED={SEED} TILEWRIGHT_FUZZ_FIRST={number}")
                    raise

        signature = inspect.signature(test)
        parameters = [parameter for name, parameter in signature.parameters.items() if name != "rng"]
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__name__, run.__doc__ = test.__name__, test.__doc__
        return run

    return repeat


def check_error(error: tw.TilewrightError) -> None:
    """Check that an error is one line of text that can be stored, and that its problems are JSON."""
    line = str(error)
    assert error.problems
    assert "\n" not in line
    assert len(line.encode()) < MAX_LINE_LENGTH
    json.dumps([problem.as_data() for problem in error.problems], allow_nan=False).encode()
    assert all(type(problem.value) is int for problem in error.problems if problem.rule == "more")


def attempt(read: Callable[[], Any]) -> None:
    """Check that a function returns, or raises a TilewrightError."""
    try:
        read()
    except tw.TilewrightError as error:
        check_error(error)


# -- values -------------------------------------------------------------------------------------------------------

NUMBERS = [0, -1, 1, 255, 2**31, -(2**31) - 1, 2**63, 2**64, 10**400, 0.5, -0.0, 1e-320, 1e308, 1e400]
STRINGS = ["", " ", "?", "\0", "\n", "\ud800", "\U0001f5fa", "a\u0301", "9" * 400, "x" * 300]
STRINGS += ["nan", "-1", "1e400", "../x"]
NAMES = ["caves", "wfc", "dungeon", "border", "cave", "most", ">80", "random", "none", "xy", "#", "floor", "regions"]
PLAIN = [None, True, False, *NUMBERS, *STRINGS, *NAMES]
NESTED = [[], {}, [[]], [{}], {"": {}}, ["x"] * 300, [[1, 2], [3]], {"shape": [2, 2]}, json.loads("[" * 60 + "]" * 60)]
VALUES = [*PLAIN, *NESTED, *NESTED]


def replace_parts(document: Any, rng: random.Random, depth: int = 0) -> Any:
    """Return a document in which one part is replaced, added or removed."""
    keys = (
        list(document)
        if isinstance(document, dict)
        else list(range(len(document)))
        if isinstance(document, list)
        else []
    )
    choice = rng.randint(0, 9)
    if not keys or (choice == 0 and depth):
        return rng.choice(VALUES)
    copy = document.copy()
    key = rng.choice(keys)
    if choice == 1:
        del copy[key]
    elif choice == 2 and isinstance(copy, dict):
        copy[rng.choice([*STRINGS, *NAMES])] = rng.choice(VALUES)
    elif choice == 2:
        copy.insert(key, rng.choice(VALUES))
    else:
        copy[key] = replace_parts(document[key], rng, depth + 1)
    return copy


def change(document: Any, rng: random.Random) -> Any:
    """Return a document with one to three changes."""
    for _ in range(rng.randint(1, 3)):
        document = replace_parts(document, rng)
    return document


TOKENS = [b"", b"0", b"-1", b"65535", b"\xff\xff", b"9" * 20, b"9" * 5000, b"\n", b"\0", b"\xff"]
TOKENS += [bytes([byte]) for byte in b"[]{}('\","] + [b"1e400", b"NaN", b"null", b'"x"', b"true", b"1.5"]


def change_bytes(content: bytes, rng: random.Random) -> bytes:
    """Return content in which a few bytes, numbers or ranges are replaced, removed or repeated."""
    for _ in range(rng.randint(1, 3)):
        first = rng.randint(0, len(content))
        last = min(len(content), first + rng.choice([0, 1, 1, 2, 4, 40, len(content)]))
        tokens = [*TOKENS, 3 * content[first:last][:1000]]
        token = rng.choice(tokens) if rng.random() < 0.5 else rng.randbytes(rng.choice([0, 1, 2, 3, 4, 300]))
        content = content[:first] + token + content[last:]
    return content


# -- files --------------------------------------------------------------------------------------------------------


@cache
def write_samples(name: str) -> tuple[bytes, ...]:
    """Return small files of a format."""
    entry, found = formats.format_registry.get(name), []
    for map in MAPS:
        try:
            found.append(formats.encode(map, name, **({"scale": 1} if "scale" in entry.params.model_fields else {})))
        except tw.TilewrightError:  # Not every format supports every map.
            continue
    return tuple(found) or (b"2 2\n0 1\n1 0\n",)


def change_archive(content: bytes, rng: random.Random) -> bytes:
    """Return a zip archive with valid checksums in which the content of an entry is changed."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    name = rng.choice(list(entries))
    head = rng.choice([80, 128, 10**6])
    entries[name] = change_bytes(entries[name][:head], rng) + entries[name][head:]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in entries.items():
            archive.writestr(name, part)
    return buffer.getvalue()


def change_chunk(content: bytes, rng: random.Random) -> bytes:
    """Return a PNG file with valid checksums in which the content of a chunk is changed."""
    parts, place = [], 8
    while place + 12 <= len(content):
        (length,) = struct.unpack_from(">I", content, place)
        parts.append((content[place + 4 : place + 8], content[place + 8 : place + 8 + length]))
        place += 12 + length
    number = rng.randint(0, len(parts) - 1)
    kind, part = parts[number]
    is_packed = kind == b"IDAT"
    changed = change_bytes(zlib.decompress(part) if is_packed else part, rng)
    parts[number] = kind, zlib.compress(changed) if is_packed else changed
    chunks = (
        struct.pack(">I", len(part)) + kind + part + struct.pack(">I", zlib.crc32(kind + part)) for kind, part in parts
    )
    return content[:8] + b"".join(chunks)


def change_document(content: bytes, rng: random.Random) -> bytes:
    return json.dumps(change(json.loads(content), rng)).encode()


def change_label(content: bytes, rng: random.Random) -> bytes:
    """Return a picture in which the document in the label is changed."""
    with Image.open(io.BytesIO(content)) as picture:
        label = change_document(join_text_chunks(picture).encode(), rng).decode()
        return encode_image(picture, pnginfo=make_text_chunks(label))


def change_manifest(content: bytes, rng: random.Random) -> bytes:
    """Return an archive of arrays in which the JSON document is changed."""
    with np.load(io.BytesIO(content)) as archive:
        arrays = dict(archive)
    name = "manifest" if "manifest" in arrays else "rest"
    document = change_document(arrays[name].tobytes(), rng)
    return encode_archive({**arrays, name: np.frombuffer(document, dtype=np.uint8)})


INNER = {
    "npz": (change_archive, change_manifest),
    "png": (change_chunk, change_label),
    "apng": (change_chunk,),
    **dict.fromkeys(("json", "tmj", "ldtk", "uvtt"), (change_document,)),
}
"""Changes that keep the outer structure of a format, so that the inner readers are reached."""


def change_file(content: bytes, name: str, rng: random.Random) -> bytes:
    """Return a changed file of a format, half of the time with its outer structure."""
    is_inner = name in INNER and rng.random() < 0.5
    return rng.choice(INNER[name] if is_inner else (change_bytes,))(content, rng)


@fuzz(300)
def test_networks(rng: random.Random) -> None:
    """A changed network is refused, or makes a map."""
    content = change_file(encode_network(make_network(channels=3, dilations=(1, 2))), "npz", rng)
    small: dict[str, Any] = {"width": 6, "height": 4, "steps": 2, "refine": 1, "seed": 1}
    attempt(lambda: tw.make("diffusion", model=decode_network(content, "x.npz"), **small))


@pytest.mark.parametrize("name", READABLE)
@fuzz(300)
def test_files(name: str, rng: random.Random) -> None:
    content = change_file(rng.choice(write_samples(name)), name, rng)
    entry = formats.format_registry.get(name)

    def read() -> None:
        for one in decode(Source(content, f"x.{name}"), entry):
            assert 0 < one.map.cells.size <= max(MAX_SMALL_CELLS, MAX_EXPANSION * 8 * len(content))
            assert len(one.map.tileset) <= MAX_SMALL_TILES + len(content)

    attempt(read)


TILESET = read_table(__file__, "tileset")


@fuzz(300)
def test_tilesets(rng: random.Random) -> None:
    text = change_bytes(TILESET.encode(), rng).decode("latin-1")
    attempt(lambda: tw.Tileset.from_toml(text))
    document = {
        "name": "t",
        "tiles": [tile.model_dump() for tile in tw.Tileset.from_toml(TILESET.partition("[[joints")[0])],
    }
    attempt(lambda: tw.Tileset.of(change(document, rng)))


@cache
def write_models(folder: Path) -> tuple[Path, ...]:
    """Write small models of both kinds of files."""
    paths = [folder / f"{technique}.{ending}" for technique in ("markov", "wfc") for ending in ("json", "npz")]
    for path in paths:
        tw.learn(path.stem, sample=["##.#", "#..#", "####", ".#.#"]).save(path)
    return tuple(paths)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@fuzz(300)
def test_models(folder: Path, rng: random.Random) -> None:
    path = rng.choice(write_models(folder))
    changed = folder / f"changed{path.suffix}"
    changed.write_bytes(change_file(path.read_bytes(), path.suffix.removeprefix("."), rng))
    attempt(lambda: load_model(changed))


# -- recipes ------------------------------------------------------------------------------------------------------

RECIPES: list[dict[str, Any]] = read_table(__file__, "recipes")
RECIPES[-1]["locks"] *= 7


@fuzz(400)
def test_recipes(rng: random.Random) -> None:
    recipe = change(rng.choice(RECIPES), rng)
    attempt(lambda: operations.make_map(operations.check_recipe(recipe, LIMITS), CancelToken(LIMITS)))


@fuzz(300)
def test_recipes_as_text(rng: random.Random) -> None:
    names = data.list_names("recipes")
    text = data.read_text("recipes", rng.choice(names))
    text = change_bytes(text.encode(), rng).decode("latin-1")
    attempt(lambda: tw.Recipe.of(read_data(text, "recipe"), Resolver()))


RULEBOOKS = [DOCUMENT["first"], FULL]
PIECES = ["s=0", "rock>", ">=2", "moss:1", "rock:x", "-1", "all", "connect:plus:1", "1x1", ""]
MAX_STEPS = 500
"""Maximum number of simulations of a rulebook that is run."""


def change_notation(value: Any, rng: random.Random) -> Any:
    """Return a rulebook in which a piece of a compact string is replaced or repeated."""
    if not isinstance(value, str | list | dict) or not value:
        return value
    if isinstance(value, str):
        mark = rng.choice([mark for mark in ",:|x" if mark in value] or ["|"])
        pieces = value.split(mark)
        letters = "".join(chr(rng.randrange(sys.maxunicode)) for _ in range(rng.randint(0, 8)))
        piece = rng.choice([*pieces, *PIECES, letters])
        place = rng.randint(0, len(pieces) - 1)
        pieces[place] = "|".join([piece] * rng.choice([9, 1]))
        return mark.join(pieces)
    copy = value.copy()
    key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
    copy[key] = change_notation(value[key], rng)
    return copy


@fuzz(400)
def test_rulebooks(rng: random.Random) -> None:
    """A rulebook that is accepted is written in a form that describes the same one, and makes a map."""
    rulebook = rng.choice(RULEBOOKS)
    for _ in range(rng.randint(1, 3)):
        is_notation = rng.randint(0, 3) < 3
        rulebook = change_notation(rulebook, rng) if is_notation else replace_parts(rulebook, rng)

    def use() -> None:
        procengine.initialize(rulebook, seed=1)
        written = procengine.toString()
        recipe = operations.check_recipe({"technique": "rules", "params": json.loads(written)}, LIMITS)
        if recipe.params.steps <= MAX_STEPS:  # type: ignore[attr-defined]
            procengine.generateMap()
        procengine.initialize(json.loads(written), seed=1)
        assert procengine.toString() == written

    attempt(use)


# -- studio -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with asking(application(**LIMITS.model_dump(exclude={"host", "port", "token"}))) as client:
        yield client


REQUESTS: list[tuple[str, dict[str, Any]]] = [
    *(("/api/make", {**recipe, "format": "json"}) for recipe in RECIPES),
    ("/api/make", {**RECIPES[0], "format": "png", "options": {"scale": 2}}),
    ("/api/make", {**RECIPES[0], "format": "tmx", "part": "png", "options": {"tile_size": 8}}),
    ("/api/make", {**RECIPES[5], "format": "gif", "animate": True, "options": {"frames": 3}}),
    ("/api/run", {"recipe": RECIPES[2], "seed": "x"}),
    ("/api/run", {"recipe": "technique: caves\nparams: {width: 9, height: 7}", "format": "txt"}),
    ("/api/measure", {"map": "##.\n#..", "measures": ["regions", "cells"]}),
    ("/api/measure", {"map": [["a", "b"], ["b", "a"]], "like": {"like": ["ab", "ba"], "pattern_size": 2}}),
    ("/api/measure", {"recipe": RECIPES[0], "seed": 3, "measures": ["regions"]}),
    ("/api/measure", {"map": json.loads(formats.encode(full_map(), "json"))}),
]


def check_response(client: TestClient, method: str, address: str, **sent: Any) -> None:
    answer = client.request(method, address, **sent)
    assert answer.status_code in (200, 400, 404, 413, 422, 504), answer.text
    if answer.status_code != 200:
        assert line_of(answer)


@fuzz(600)
def test_requests(client: TestClient, rng: random.Random) -> None:
    address, body = rng.choice(REQUESTS)
    content = json.dumps(change(body, rng)).encode()
    if rng.randint(0, 5) == 0:
        content = change_bytes(content, rng)
    check_response(client, "POST", address, content=content, headers={"content-type": "application/json"})


QUERY = (
    "width=9&height=7&walls=0.4&seed=3&shape=border,thickness=1&shape=place,markers=start,exit"
    "&format=png&scale=1&tiles=floor=wall"
)


@fuzz(300)
def test_queries(client: TestClient, rng: random.Random) -> None:
    words = [word.partition("=")[::2] for word in QUERY.split("&")]
    for _ in range(rng.randint(1, 3)):
        number = rng.randint(0, len(words) - 1)
        key, value = words[number]
        other = str(rng.choice(PLAIN)).replace("\ud800", "")
        words[number] = (key, other) if rng.random() < 0.5 else (other, value)
    check_response(client, "GET", "/api/make/caves", params=words)


@fuzz(300)
def test_uploads(client: TestClient, rng: random.Random) -> None:
    name = rng.choice(READABLE)
    content = change_bytes(rng.choice(write_samples(name)), rng)
    form = {"format": name, "measures": rng.choice(["", "regions", "a,b", ","])}
    check_response(client, "POST", "/api/measure/file", files={"file": (f"x.{name}", content)}, data=form)


OWN_TILES = [{"name": "a", "glyph": "#"}, {"name": "b", "glyph": "."}]
OWN_SAMPLE = {**tw.Grid.of(["#.", ".#"]).to_data(), "tileset": {"tiles": OWN_TILES}}
STATES: list[dict[str, Any]] = [
    {"v": 1, "recipe": RECIPES[1], "look": {"tab": "make", "grid": True, "overlay": "hot-path"}, "off": [0]},
    {"v": 1, "recipe": RECIPES[3], "locks": [[0, 0, "floor"]], "painted": tw.Grid.of(["?#", ".?"]).to_data()},
    {"v": 1, "recipe": RECIPES[0], "example": {"name": "village", "knobs": {"wfc": {"symmetry": 8}}, "seed": 1}},
    {"v": 1, "recipe": RECIPES[0], "gallery": {"roll": 3}, "example": {"sample": OWN_SAMPLE}},
]


@fuzz(800)
def test_links(rng: random.Random) -> None:
    state = change(rng.choice(STATES), rng)
    content = zlib.compress(json.dumps(state).encode())
    if rng.randint(0, 5) == 0:
        content = change_bytes(content, rng)
    link = base64.urlsafe_b64encode(content).decode().rstrip("=")

    def open_link() -> None:
        found = State.from_link(link)
        assert State.from_link(found.to_link()).to_link() == found.to_link()
        operations.check_recipe(found.effective, LIMITS)

    attempt(open_link)
