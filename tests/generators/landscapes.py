"""Small landscapes to learn from, and a direct count of their contexts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tilewright.generators._markov.directions import STEPS

RIVER = """
gggg~ggggg~ggg
gggg~ggggg~ggg
ggg~~ggggg~~gg
ggg~gggggg~~gg
ggg~~gggg~~ggg
gggg~gggg~gggg
gggg~ggg~~gggg
gggg~~gg~ggggg
ggggg~gg~~gggg
"""
ISLES = """
~~~~~~~~~~~~~~~~~~
~~~~~ssss~~~~~~~~~
~~~~~sggs~~~sss~~~
~~~~~sssss~~sgs~~~
~~~~~~~sgs~~sss~~~
~sss~~~sss~~~~~~~~
~sgs~~~~~~~~sssss~
~sss~~~~~~~~sgggs~
~~~~~ssss~~~sssgs~
~~~~~sggs~~~~~sgs~
~~~~~sggs~~~~~sss~
~~~~~ssss~~~~~~~~~
~~~~~~~~~~~~~~~~~~
"""
BEACHES = """
~~~~~~~~~~~~~~
~~,,,~~~~~~~~~
~,,.,,~~~,,,~~
~,...,~~~,.,,~
~,,.,,~~~,,.,~
~~,,,~~~~~,,,~
~~~~~~~~~~~~~~
~~~,,,,~~~~~~~
~~~,..,,~~,,~~
~~~,,..,~~,,~~
~~~~,,,,~~~~~~
~~~~~~~~~~~~~~
"""
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
