"""Small landscapes to learn from, and a direct count of their contexts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tilewright.generators._markov.directions import STEPS

FOLDER = Path(__file__).with_name("samples")
RIVER, ISLES, BEACHES = ((FOLDER / f"{name}.txt").read_text() for name in ("river", "isles", "beaches"))
STRIPES = "\n".join(["~~,,..,,~~,,..,,~~"] * 8)


def naive_counts(maps: Sequence[Sequence[str]], **neighbors: str) -> dict[str, int]:
    """Return how often each glyph occurs with these neighbors; the outside of a map is `edge`."""
    counts: Counter[str] = Counter()
    for rows in maps:
        cells = {(row, column): glyph for row, line in enumerate(rows) for column, glyph in enumerate(line)}
        for (row, column), glyph in cells.items():
            steps = {name: STEPS[name] for name in neighbors}
            if all(
                cells.get((row + down, column + right), "edge") == neighbors[name]
                for name, (down, right) in steps.items()
            ):
                counts[glyph] += 1
    return dict(counts)
