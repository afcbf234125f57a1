"""Same version, recipe and seed: the same map, byte for byte, on every machine."""

from __future__ import annotations

import json

import pytest

from tests.goldens.write import FILE, made, recipes

GOLDENS = json.loads(FILE.read_text())
ADVICE = "raise the revision of what changed, then write them anew: python -m tests.goldens.write"


@pytest.mark.parametrize("name", recipes())
def test_golden(name: str) -> None:
    now, golden = made(recipes()[name]), GOLDENS.get(name)
    assert golden is not None, f"no golden yet; {ADVICE}"
    if now["revisions"] == golden["revisions"]:
        assert now["digest"] == golden["digest"], f"another map under the same revision; {ADVICE}"
    else:
        pytest.fail(f"revised; {ADVICE}")


def test_no_golden_is_left_behind() -> None:
    assert set(GOLDENS) == set(recipes())
