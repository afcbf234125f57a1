"""The datasheet of a corpus: its README, for whoever finds the folder. Nothing in it depends on clock or machine."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import yaml
from numpy.typing import NDArray

from ..core.errors import counted, format_number
from ..core.registry import measures as measure_shelf
from .manifest import OWN_COLUMNS, Manifest

if TYPE_CHECKING:
    from .reader import Corpus

MOST_COMPARED = 50_000_000
"""Maps among which the same ones are counted; 8 bytes of memory each."""
MOST_REASONS = 1000
"""Reasons of failures that are told apart."""
MOST_SHOWN = 20
SIZES = ("width", "height", "levels")
Names = NDArray[np.uint64]


@dataclass
class Span:
    """What the numbers of a measure are like."""

    count: int = 0
    least: float = math.inf
    most: float = -math.inf
    sums: list[float] = field(default_factory=list)

    def add(self, values: Any) -> None:
        finite = values[np.isfinite(values)]
        if finite.size:
            self.count += finite.size
            self.least, self.most = min(self.least, float(finite.min())), max(self.most, float(finite.max()))
            self.sums.append(math.fsum(finite.tolist()))  # exact: numpy adds in another order on other processors

    def merge(self, other: Span) -> None:
        self.count += other.count
        self.least, self.most = min(self.least, other.least), max(self.most, other.most)
        self.sums += other.sums

    @property
    def mean(self) -> float:
        return math.fsum(self.sums) / self.count if self.count else math.nan


@dataclass
class Facts:
    """What is found in a part of a corpus, or in all of them."""

    maps: int = 0
    failures: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    sizes: dict[str, Span] = field(default_factory=lambda: {name: Span() for name in SIZES})
    measures: dict[str, Span] = field(default_factory=dict)
    names: Names = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    """(map,) the first half of its digest; empty where the corpus has too many maps to compare them."""
    same: int | None = None
    """Maps that are equal to an earlier one; None where there are too many to tell."""

    @classmethod
    def of(cls, corpus: Corpus, known: Mapping[int, Facts] | None = None) -> Facts:
        """Gather what is found in all parts; those that are not known yet are read."""
        manifest, known = corpus.manifest, known or {}
        found = cls(measures={name: Span() for name in manifest.measures})
        columns = ["reason", *SIZES, *manifest.measures, *(["digest"] if _compares(manifest) else [])]
        names = [found.names]
        for number in corpus.parts:
            part = known.get(number) or cls.in_part(corpus.part(number, columns), manifest)
            found._add(part)
            names.append(part.names)
        if _compares(manifest):
            together = np.concatenate(names)
            found.same = together.size - np.unique(together).size
        return found

    @classmethod
    def in_part(cls, table: pa.Table, manifest: Manifest) -> Facts:
        """Describe the maps of a part, given as a table."""
        reasons = table["reason"].drop_null().to_pylist()
        found = cls(table.num_rows, len(reasons), Counter(reasons))
        found.measures = {name: Span() for name in manifest.measures}
        for name, span in (*found.sizes.items(), *found.measures.items()):
            span.add(table[name].cast(pa.float64()).drop_null().to_numpy())
        if _compares(manifest):
            digests = table["digest"].drop_null().to_pylist()
            found.names = np.array([int(name[:16], 16) for name in digests], dtype=np.uint64)
        return found

    def size(self, between: str) -> str:
        """Width and height, and levels where there are several, each as a number or a range; empty without maps."""
        spans = [span for name, span in self.sizes.items() if span.count and (name != "levels" or span.most > 1)]
        return " x ".join(
            f"{span.least:,.0f}" + ("" if span.least == span.most else f"{between}{span.most:,.0f}") for span in spans
        )

    def most_common_reasons(self) -> list[tuple[str, int]]:
        """Why maps could not be made, and how often; equally common reasons in alphabetical order."""
        return sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))

    def _add(self, part: Facts) -> None:
        self.maps += part.maps
        self.failures += part.failures
        for reason, count in part.reasons.items():
            self.reasons[reason if reason in self.reasons or len(self.reasons) < MOST_REASONS else "others"] += count
        for mine, other in ((self.sizes, part.sizes), (self.measures, part.measures)):
            for name, span in mine.items():
                span.merge(other[name])


def _compares(manifest: Manifest) -> bool:
    return manifest.count <= MOST_COMPARED


def datasheet(corpus: Corpus, facts: Facts | None = None) -> str:
    """What it is, how it was made, by which version, how to read it, and the measures' ranges."""
    return "\n\n".join(_blocks(corpus, facts or Facts.of(corpus))) + "\n"


def _blocks(corpus: Corpus, facts: Facts) -> Iterator[str]:
    """Headings, paragraphs, lists, tables and code, which are separated by empty lines."""
    manifest = corpus.manifest
    yield f"# {counted(len(corpus), 'map')} by {manifest.recipe['technique']}"
    yield (
        f"A corpus of tile maps, made by Tilewright {manifest.version} from the seed `{manifest.seed}`:\n"
        f"map i has the seed `{manifest.seed}-i` and depends on nothing else but the recipe."
    )
    if facts.maps < len(corpus):
        yield f"It is not finished: {counted(facts.maps, 'map')} are there."
    yield _bullets(
        f"size: {facts.size('..') or 'unknown'}",
        f"tiles: {_tiles(corpus)}",
        f"maps that could not be made: {facts.failures:,}",
        "" if facts.same is None else f"maps equal to an earlier one: {facts.same:,}",
    )
    yield "## The recipe"
    recipe = json.loads(json.dumps(manifest.recipe))
    yield _code("yaml", yaml.safe_dump(recipe, sort_keys=False, allow_unicode=True, width=120))
    if manifest.sweep.axes:
        sampled = manifest.sweep.sampled
        yield "Each map draws these by chance:" if sampled else "Maps go through all combinations of these:"
        yield _bullets(*(f"`{axis.column}`: {_values(axis)}" for axis in manifest.sweep.axes))
    yield "## Making it again"
    yield _code("", "tilewright corpus make manifest.json -o again\ntilewright corpus take . 0 -o map.png\n")
    yield (
        "The same version makes the same files, byte for byte, in any number of processes.\n"
        f"Revisions: {', '.join(f'{name} {number}' for name, number in manifest.revisions.items())}."
    )
    if facts.measures:
        yield "## Measures"
        yield "\n".join(_measures(facts))
    if facts.reasons:
        yield "## Maps that could not be made"
        most = facts.most_common_reasons()
        others = f"and {len(most) - MOST_SHOWN:,} other reasons" if len(most) > MOST_SHOWN else ""
        yield _bullets(*(f"{number:,}: {' '.join(reason.split())}" for reason, number in most[:MOST_SHOWN]), others)
    yield "## Files"
    yield "`manifest.json` decides everything. `parts/` holds Parquet files, each with the manifest in its metadata."
    yield _bullets(*(f"`{name}`: {text}" for name, text in _columns(corpus)))
    yield "With Tilewright:"
    yield _code("python", WITH_TILEWRIGHT)
    yield "With other tools:"
    kind = np.dtype(corpus.tileset.dtype).newbyteorder("<")
    yield _code("python", WITHOUT.replace("KIND", kind.str).replace("BYTES", str(kind.itemsize)))


WITH_TILEWRIGHT = """\
from tilewright.corpus import Corpus

corpus = Corpus(".")
cells = corpus[0]  # an array of tile ids
for batch in corpus.batches(256):
    batch.ids, batch.cells, batch.table
"""
WITHOUT = """\
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

row = pq.read_table("parts/part-000000.parquet").slice(0, 1).to_pylist()[0]
shape = row["levels"], row["height"], row["width"]
plain = pa.decompress(row["cells"], int(np.prod(shape)) * BYTES, codec="zstd")
cells = np.frombuffer(plain, dtype="KIND").reshape(shape)
"""


def _bullets(*texts: str) -> str:
    return "\n".join(f"- {text}" for text in texts if text)


def _code(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"


def _measures(facts: Facts) -> Iterator[str]:
    yield "| measure | lowest | mean | highest | maps | what it is |"
    yield "| --- | ---: | ---: | ---: | ---: | --- |"
    for name, span in facts.measures.items():
        shown = [format_number(number) if span.count else "" for number in (span.least, span.mean, span.most)]
        about = measure_shelf.get(name).summary.replace("|", "\\|") if name in measure_shelf else ""
        yield f"| {' | '.join([name, *shown, f'{span.count:,}', about])} |"


def _columns(corpus: Corpus) -> Iterable[tuple[str, str]]:
    size = counted(np.dtype(corpus.tileset.dtype).itemsize, "byte")
    yield from ((name, text.replace("{bytes}", size)) for name, (_, text) in OWN_COLUMNS.items())
    yield from ((axis.column, "swept") for axis in corpus.manifest.sweep.axes)
    yield from ((name, "measured") for name in corpus.manifest.measures)


def _tiles(corpus: Corpus) -> str:
    tiles = [f"{number} `{tile.glyph}` {tile.name}" for number, tile in enumerate(corpus.tileset)]
    return ", ".join(tiles[:MOST_SHOWN]) + (f" and {len(tiles) - MOST_SHOWN} more" if len(tiles) > MOST_SHOWN else "")


def _values(axis: Any) -> str:
    if axis.is_range:
        return f"{axis.values[0]} to {axis.values[-1]}, {counted(len(axis.values), 'value')}"
    return ", ".join(map(str, axis.values[:MOST_SHOWN])) + (" ..." if len(axis.values) > MOST_SHOWN else "")
