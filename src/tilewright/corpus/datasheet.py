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

from ..core.errors import counted
from ..core.registry import measures as measure_shelf

if TYPE_CHECKING:
    from .manifest import Manifest
    from .reader import Corpus

MOST_COMPARED = 50_000_000
"""Maps among which the same ones are counted; 8 bytes of memory each."""
MOST_REASONS = 1000
"""Reasons of failures that are told apart."""
MOST_SHOWN = 20
SIZES = ("width", "height", "levels")
Names = NDArray[np.uint64]
OWN = {
    "id": "number of the map, from 0 on",
    "seed": "its seed",
    "digest": "names its cells; equal maps have equal ones",
    "levels": "levels, 1 in a flat map",
    "height": "rows",
    "width": "columns",
    "cells": "tile ids, level by level and row by row, {bytes} each, as one zstd frame",
    "reason": "why the map could not be made; then it has no digest, size, cells or measures",
}


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
    return "\n".join(_lines(corpus, facts or Facts.of(corpus))) + "\n"


def _lines(corpus: Corpus, facts: Facts) -> Iterator[str]:
    manifest = corpus.manifest
    yield f"# {counted(len(corpus), 'map')} by {manifest.recipe['technique']}"
    yield ""
    yield f"A corpus of tile maps, made by Tilewright {manifest.version} from the seed `{manifest.seed}`:"
    yield f"map i has the seed `{manifest.seed}-i` and depends on nothing else but the recipe."
    yield ""
    if facts.maps < len(corpus):
        yield f"It is not finished: {counted(facts.maps, 'map')} are there."
        yield ""
    yield from _bullets(
        f"size: {_size(facts)}",
        f"tiles: {_tiles(corpus)}",
        f"maps that could not be made: {facts.failures:,}",
        "" if facts.same is None else f"maps equal to an earlier one: {facts.same:,}",
    )
    yield from _section("The recipe")
    yield from _block("yaml", yaml.safe_dump(_plain(manifest.recipe), sort_keys=False, allow_unicode=True, width=120))
    if manifest.sweep.axes:
        how = (
            "Each map draws these by chance" if manifest.sweep.sampled else "Maps go through all combinations of these"
        )
        yield ""
        yield f"{how}:"
        yield ""
        yield from _bullets(*(f"`{axis.column}`: {_values(axis)}" for axis in manifest.sweep.axes))
    yield from _section("Making it again")
    yield from _block("", "tilewright corpus make manifest.json -o again\ntilewright corpus take . 0 -o map.png\n")
    yield ""
    yield "The same version makes the same files, byte for byte, in any number of processes."
    yield f"Revisions: {', '.join(f'{name} {number}' for name, number in manifest.revisions.items())}."
    if facts.measures:
        yield from _section("Measures")
        yield "| measure | lowest | mean | highest | maps | what it is |"
        yield "| --- | ---: | ---: | ---: | ---: | --- |"
        for name, span in facts.measures.items():
            numbers = (span.least, span.mean, span.most) if span.count else ()
            shown = [_number(number) for number in numbers] or ["", "", ""]
            yield f"| {' | '.join([name, *shown, f'{span.count:,}', _about(name)])} |"
    if facts.reasons:
        yield from _section("Maps that could not be made")
        most = sorted(facts.reasons.items(), key=lambda item: (-item[1], item[0]))
        yield from _bullets(*(f"{number:,}: {' '.join(reason.split())}" for reason, number in most[:MOST_SHOWN]))
        if len(most) > MOST_SHOWN:
            yield f"- and {len(most) - MOST_SHOWN:,} other reasons"
    yield from _section("Files")
    yield "`manifest.json` decides everything. `parts/` holds Parquet files, each with the manifest in its metadata."
    yield ""
    yield from _bullets(*(f"`{name}`: {text}" for name, text in _columns(corpus)))
    yield ""
    yield "With Tilewright:"
    yield ""
    yield from _block("python", WITH_TILEWRIGHT)
    yield ""
    yield "With other tools:"
    yield ""
    kind = np.dtype(corpus.tileset.dtype).newbyteorder("<").str
    yield from _block("python", WITHOUT.replace("KIND", kind).replace("BYTES", str(_bytes(corpus))))


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


def _section(title: str) -> list[str]:
    return ["", f"## {title}", ""]


def _bullets(*texts: str) -> list[str]:
    return [f"- {text}" for text in texts if text]


def _block(language: str, text: str) -> list[str]:
    return [f"```{language}", *text.rstrip("\n").split("\n"), "```"]


def _columns(corpus: Corpus) -> Iterable[tuple[str, str]]:
    size = counted(_bytes(corpus), "byte")
    yield from ((name, text.replace("{bytes}", size)) for name, text in OWN.items())
    yield from ((axis.column, "swept") for axis in corpus.manifest.sweep.axes)
    yield from ((name, "measured") for name in corpus.manifest.measures)


def _bytes(corpus: Corpus) -> int:
    return int(np.dtype(corpus.tileset.dtype).itemsize)


def _size(facts: Facts) -> str:
    spans = [span for name, span in facts.sizes.items() if name != "levels" or span.most > 1]
    if not facts.sizes["width"].count:
        return "unknown"
    return " x ".join(
        f"{span.least:,.0f}" if span.least == span.most else f"{span.least:,.0f}..{span.most:,.0f}" for span in spans
    )


def _tiles(corpus: Corpus) -> str:
    tiles = [f"{number} `{tile.glyph}` {tile.name}" for number, tile in enumerate(corpus.tileset)]
    return ", ".join(tiles[:MOST_SHOWN]) + (f" and {len(tiles) - MOST_SHOWN} more" if len(tiles) > MOST_SHOWN else "")


def _values(axis: Any) -> str:
    if axis.is_range:
        return f"{axis.values[0]} to {axis.values[-1]}, {counted(len(axis.values), 'value')}"
    return ", ".join(map(str, axis.values[:MOST_SHOWN])) + (" ..." if len(axis.values) > MOST_SHOWN else "")


def _about(name: str) -> str:
    return measure_shelf.get(name).summary.replace("|", "\\|") if name in measure_shelf else ""


def _number(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) and abs(number) < 1e15 else f"{number:.4g}"


def _plain(data: Any) -> Any:
    return json.loads(json.dumps(data))
