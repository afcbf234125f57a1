"""Summaries of results: the short repr, and the HTML that notebooks show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .errors import TilewrightError, shorten
from .ports import draw_summary
from .registry import techniques

if TYPE_CHECKING:
    from .recipe import Recipe
    from .tilemap import TileMap

MAX_LINE = 160
"""Maximum number of characters of a line of a repr."""
MAX_FACTS = 2
MAX_MAPS = 12
MAX_CELLS = 1 << 16
"""Maximum number of cells of a map that is drawn. Larger maps are left out."""
MAX_STEPS, MAX_FIRST_STEPS = 4_000_000, 16_000_000
"""Maximum number of steps to make the maps of a summary, and the first of them, as techniques declare them."""
TRIES = 5
"""Maximum number of tries of a recipe with requirements."""
FEW = 6
"""Maximum number of values that are listed."""


class Example(NamedTuple):
    """A map of a summary, or the recipe that makes it."""

    source: TileMap | Recipe
    caption: str


@dataclass(frozen=True)
class Summary:
    """What is shown of a result. Examples, measures and the command are computed only for HTML."""

    title: str
    facts: Sequence[str] = ()
    """At most two lines."""
    examples: Callable[[], Iterable[Example]] = tuple
    measures: Callable[[], Mapping[str, Any]] = dict
    """Function that returns values by measure, for the charts."""
    command: Callable[[], str] = str
    """Function that returns the command that makes the result again; empty if there is none."""

    def to_text(self) -> str:
        """Return at most three lines."""
        lines = [shorten(_make_printable(line), MAX_LINE) for line in (self.title, *self.facts[:MAX_FACTS]) if line]
        return "<" + "\n ".join(lines) + ">"

    def to_html(self) -> str:
        """Return the summary as HTML, with at most twelve maps."""
        examples = list(islice(_make_examples(self.examples()), MAX_MAPS))
        return draw_summary.get()(
            self.title,
            [fact for fact in self.facts if fact],
            [map for map, _ in examples],
            [caption for _, caption in examples],
            self.measures(),
            self.command(),
        )


class Summarized:
    """Base of results that are shown in three lines, and as pictures in notebooks."""

    __slots__ = ()

    def _summarize(self) -> Summary:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._summarize().to_text()

    def _repr_html_(self) -> str:
        return self._summarize().to_html()


def _make_examples(examples: Iterable[Example]) -> Iterator[tuple[TileMap, str]]:
    """Yield maps with their captions. Maps that cannot be made, are large or would take too long are left out."""
    from .pipeline import run
    from .recipe import Recipe

    steps = 0
    for source, caption in islice(examples, MAX_MAPS):
        if prod(source.shape) > MAX_CELLS:
            continue
        if not isinstance(source, Recipe):
            yield source, caption
            continue
        few = replace(source, tries=min(source.tries, TRIES)) if source.attempt is None else source
        parts = (few, *few.inner)
        own = few.tries * sum(techniques.get(part.technique).cost_of(part.params) for part in parts)
        if own > MAX_FIRST_STEPS or (steps and steps + own > MAX_STEPS):
            return
        steps += max(own, 1)
        try:
            map = run(few)
        except TilewrightError:
            continue
        if prod(map.shape) <= MAX_CELLS:
            yield map, caption


def _make_printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)


def list_few(values: Sequence[object]) -> str:
    """Return the first values and the last one.

    >>> list_few(range(100)), list_few(["a", "b"])
    ('0, 1, 2, 3, 4, ..., 99', 'a, b')
    """
    if len(values) <= FEW:
        return ", ".join(map(str, values))
    return f"{', '.join(map(str, values[: FEW - 1]))}, ..., {values[-1]}"


def describe_values(values: Mapping[str, Any]) -> str:
    """Return the range and the mean of each measure.

    >>> import numpy as np
    >>> describe_values({"regions": np.array([1.0, 4.0, 1.0]), "jumps": np.array([np.nan])})
    'regions 1 to 4, mean 2; jumps for no map'
    """
    return "; ".join(f"{name} {_describe_range(np.asarray(own, dtype=np.float64))}" for name, own in values.items())


def _describe_range(values: Any) -> str:
    from .measure_groups import format_short

    finite = values[np.isfinite(values)]
    if not finite.size:
        return "for no map"
    low, high = float(finite.min()), float(finite.max())
    if low == high:
        return format_short(low)
    return f"{format_short(low)} to {format_short(high)}, mean {format_short(float(finite.mean()))}"
