"""The same version, recipe and seed make the same map on every machine."""

from __future__ import annotations

import json

import pytest

from tests.goldens.write import FILE, compute_golden, recipes

GOLDENS = json.loads(FILE.read_text())
ADVICE = "raise the revision of what changed, then run: python -m tests.goldens.write"


@pytest.mark.parametrize("name", recipes())
def test_golden(name: str) -> None:
    now, golden = compute_golden(recipes()[name]), GOLDENS.get(name)
    assert golden is not None, f"no golden yet; {ADVICE}"
    if now["revisions"] == golden["revisions"]:
        assert now["digest"] == golden["digest"], f"another map under the same revision; {ADVICE}"
    else:
        pytest.fail(f"the revision changed; {ADVICE}")


def test_there_are_no_other_goldens() -> None:
    assert set(GOLDENS) == set(recipes())
