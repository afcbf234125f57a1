"""JSON of files and folders: everything that breaks code that reads the data later is refused."""

from __future__ import annotations

import pytest

import tilewright as tw
from tests.refusals import refused
from tilewright.core.stored import MAX_DEPTH, MAX_DIGITS, StoredData, StoredHead, parse_json


class Example(StoredData):
    count: int
    share: float
    names: list[str] = []  # noqa: RUF012


class Head(StoredHead):
    own_kind = "tilewright example"
    own_layout = 2
    count: int


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[1]", "must be a JSON object, got list"),
        (b'{"a": 1, "a": 2}', "the key 'a' occurs twice"),
        (b'{"a": NaN}', "NaN is not a number in JSON"),
        (b'{"a": -1e999}', "is too large"),
        (b'{"a": ' + b"9" * (MAX_DIGITS + 1) + b"}", "a number has 301 digits"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a number has 5,000 digits"),
        (b'{"a": ' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}", "nested too deeply"),
        (b'{"a": ' + b"[" * 100_000 + b"}", "nested too deeply"),
        (b'{"a": [' + b"[]," * 2**20 + b"[]]}", "must have at most"),
    ],
)
def test_unusual_json_is_refused(content: bytes, message: str) -> None:
    with refused(message):
        parse_json(content)


def test_usual_json_is_parsed() -> None:
    content = '{"pair": "\\ud83d\\ude00", "digits": "' + "9" * 400 + '", "large": [1e300, -' + "9" * 299 + "]}"
    assert parse_json(content) == {"pair": "\U0001f600", "digits": "9" * 400, "large": [1e300, -(10**299 - 1)]}


@pytest.mark.parametrize("change", ['"count": "3"', '"count": true', '"count": 1.5', '"count": 3, "names": "a"'])
def test_values_have_their_types(change: str) -> None:
    assert Example.from_json('{"count": 3, "share": 1, "later": {}}') == Example(count=3, share=1.0)
    with pytest.raises(tw.TilewrightError, match=r"^(count|names): "):
        Example.from_json('{"share": 0.5, ' + change + "}")


@pytest.mark.parametrize("part", ['"\\ud800": 1', '"later": ["\\uDFFF"]'])
def test_half_a_surrogate_pair_is_refused_where_utf8_is_written(part: str) -> None:
    content = '{"count": 3, "share": 0.5, ' + part + "}"
    assert parse_json(content)["count"] == 3
    with pytest.raises(tw.InvalidRecipe, match="half a surrogate pair"):
        Example.from_json(content)


@pytest.mark.parametrize("version", ["0.9", "x" * 1000 + "\n", None])
def test_another_layout_is_reported_before_other_values(version: str | None) -> None:
    with pytest.raises(tw.BadFile, match=r"written by Tilewright .* in another file layout") as caught:
        Head.from_data({"kind": "tilewright example", "layout": 3, "tilewright": version})
    assert len(str(caught.value)) < 200
    with pytest.raises(tw.InvalidRecipe, match="kind"):
        Head.from_data({"kind": ["tilewright example"], "layout": 2})
