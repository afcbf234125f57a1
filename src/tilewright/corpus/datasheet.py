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

from ..core.errors import format_number, pluralize
from ..core.registry import measures as measure_registry
from .manifest import OWN_COLUMNS, Manifest

if TYPE_CHECKING:
    from .reader import Corpus

MAX_COMPARED_MAPS = 50_000_000
"""Maps among which the same ones are counted; 8 bytes of memory each."""
MAX_REASONS = 1000
"""Reasons of failures that are told apart."""
MAX_SHOWN = 20
SIZES = ("width", "height", "levels")
Names = NDArray[np.uint64]


@dataclass
class RunningStats:
    """What the numbers of a measure are like."""

    count: int = 0
    minimum: float = math.inf
    maximum: float = -math.inf
    sums: list[float] = field(default_factory=list)

    def add(self, values: Any) -> None:
        finite = values[np.isfinite(values)]
        if finite.size:
            self.count += finite.size
            self.minimum, self.maximum = min(self.minimum, float(finite.min())), max(self.maximum, float(finite.max()))
            self.sums.append(math.fsum(finite.tolist()))  # exact: numpy adds in another order on other processors

    def merge(self, other: RunningStats) -> None:
        self.count += other.count
        self.minimum, self.maximum = min(self.minimum, other.minimum), max(self.maximum, other.maximum)
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
    sizes: dict[str, RunningStats] = field(default_factory=lambda: {name: RunningStats() for name in SIZES})
    measures: dict[str, RunningStats] = field(default_factory=dict)
    digest_prefixes: Names = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    """(map,) the first half of its digest; empty where the corpus has too many maps to compare them."""
    duplicates: int | None = None
    """Maps that are equal to an earlier one; None where there are too many to tell."""

    @classmethod
    def of(cls, corpus: Corpus, known: Mapping[int, Facts] | None = None) -> Facts:
        """Gather what is found in all parts; those that are not known yet are read."""
        manifest, known = corpus.manifest, known or {}
        found = cls(measures={name: RunningStats() for name in manifest.measures})
        columns = ["reason", *SIZES, *manifest.measures, *(["digest"] if _counts_duplicates(manifest) else [])]
        names = [found.digest_prefixes]
        for number in corpus.parts:
            part = known.get(number) or cls.from_table(corpus.part(number, columns), manifest)
            found._add(part)
            names.append(part.digest_prefixes)
        if _counts_duplicates(manifest):
            together = np.concatenate(names)
            found.duplicates = together.size - np.unique(together).size
        return found

    @classmethod
    def from_table(cls, table: pa.Table, manifest: Manifest) -> Facts:
        """Describe the maps of a part, given as a table."""
        reasons = table["reason"].drop_null().to_pylist()
        found = cls(table.num_rows, len(reasons), Counter(reasons))
        found.measures = {name: RunningStats() for name in manifest.measures}
        for name, span in (*found.sizes.items(), *found.measures.items()):
            span.add(table[name].cast(pa.float64()).drop_null().to_numpy())
        if _counts_duplicates(manifest):
            digests = table["digest"].drop_null().to_pylist()
            found.digest_prefixes = np.array([int(name[:16], 16) for name in digests], dtype=np.uint64)
        return found

    def format_size(self, separator: str) -> str:
        """Width and height, and levels where there are several, each as a number or a range; empty without maps."""
        spans = [span for name, span in self.sizes.items() if span.count and (name != "levels" or span.maximum > 1)]
        return " x ".join(
            f"{span.minimum:,.0f}" + ("" if span.minimum == span.maximum else f"{separator}{span.maximum:,.0f}")
            for span in spans
        )

    def most_common_reasons(self) -> list[tuple[str, int]]:
        """Why maps could not be made, and how often; equally common reasons in alphabetical order."""
        return sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))

    def _add(self, part: Facts) -> None:
        self.maps += part.maps
        self.failures += part.failures
        for reason, count in part.reasons.items():
            self.reasons[reason if reason in self.reasons or len(self.reasons) < MAX_REASONS else "others"] += count
        for mine, other in ((self.sizes, part.sizes), (self.measures, part.measures)):
            for name, span in mine.items():
                span.merge(other[name])


def _counts_duplicates(manifest: Manifest) -> bool:
    return manifest.count <= MAX_COMPARED_MAPS


def render_datasheet(corpus: Corpus, facts: Facts | None = None) -> str:
    """What it is, how it was made, by which version, how to read it, and the measures' ranges."""
    return "\n\n".join(_iter_blocks(corpus, facts or Facts.of(corpus))) + "\n"


def _iter_blocks(corpus: Corpus, facts: Facts) -> Iterator[str]:
    """Headings, paragraphs, lists, tables and code, which are separated by empty lines."""
    manifest = corpus.manifest
    yield f"# {pluralize(len(corpus), 'map')} by {manifest.recipe['technique']}"
    yield (
        f"A corpus of tile maps, made by Tilewright {manifest.version} from the seed `{manifest.seed}`:\n"
        f"map i has the seed `{manifest.seed}-i` and depends on nothing else but the recipe."
    )
    if facts.maps < len(corpus):
        yield f"It is not finished: {pluralize(facts.maps, 'map')} are there."
    yield _format_bullets(
        f"size: {facts.format_size('..') or 'unknown'}",
        f"tiles: {_describe_tiles(corpus)}",
        f"maps that could not be made: {facts.failures:,}",
        "" if facts.duplicates is None else f"maps equal to an earlier one: {facts.duplicates:,}",
    )
    yield "## The recipe"
    recipe = json.loads(json.dumps(manifest.recipe))
    yield _format_code("yaml", yaml.safe_dump(recipe, sort_keys=False, allow_unicode=True, width=120))
    if manifest.sweep.axes:
        sampled = manifest.sweep.sampled
        yield "Each map draws these by chance:" if sampled else "Maps go through all combinations of these:"
        yield _format_bullets(*(f"`{axis.column}`: {_format_values(axis)}" for axis in manifest.sweep.axes))
    yield "## Making it again"
    yield _format_code("", "tilewright corpus make manifest.json -o again\ntilewright corpus take . 0 -o map.png\n")
    yield (
        "The same version makes the same files, byte for byte, in any number of processes.\n"
        f"Revisions: {', '.join(f'{name} {number}' for name, number in manifest.revisions.items())}."
    )
    if facts.measures:
        yield "## Measures"
        yield "\n".join(_format_measures(facts))
    if facts.reasons:
        yield "## Maps that could not be made"
        most = facts.most_common_reasons()
        others = f"and {len(most) - MAX_SHOWN:,} other reasons" if len(most) > MAX_SHOWN else ""
        yield _format_bullets(
            *(f"{number:,}: {' '.join(reason.split())}" for reason, number in most[:MAX_SHOWN]), others
        )
    yield "## Files"
    yield "`manifest.json` decides everything. `parts/` holds Parquet files, each with the manifest in its metadata."
    yield _format_bullets(*(f"`{name}`: {text}" for name, text in _describe_columns(corpus)))
    yield "With Tilewright:"
    yield _format_code("python", WITH_TILEWRIGHT)
    yield "With other tools:"
    kind = np.dtype(corpus.tileset.dtype).newbyteorder("<")
    yield _format_code("python", WITHOUT_TILEWRIGHT.replace("KIND", kind.str).replace("BYTES", str(kind.itemsize)))


WITH_TILEWRIGHT = """\
from tilewright.corpus import Corpus

corpus = Corpus(".")
cells = corpus[0]  # an array of tile ids
for batch in corpus.batches(256):
    batch.ids, batch.cells, batch.table
"""
WITHOUT_TILEWRIGHT = """\
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

row = pq.read_table("parts/part-000000.parquet").slice(0, 1).to_pylist()[0]
shape = row["levels"], row["height"], row["width"]
plain = pa.decompress(row["cells"], int(np.prod(shape)) * BYTES, codec="zstd")
cells = np.frombuffer(plain, dtype="KIND").reshape(shape)
"""


def _format_bullets(*texts: str) -> str:
    return "\n".join(f"- {text}" for text in texts if text)


def _format_code(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"


def _format_measures(facts: Facts) -> Iterator[str]:
    yield "| measure | lowest | mean | highest | maps | what it is |"
    yield "| --- | ---: | ---: | ---: | ---: | --- |"
    for name, span in facts.measures.items():
        shown = [format_number(number) if span.count else "" for number in (span.minimum, span.mean, span.maximum)]
        about = measure_registry.get(name).summary.replace("|", "\\|") if name in measure_registry else ""
        yield f"| {' | '.join([name, *shown, f'{span.count:,}', about])} |"


def _describe_columns(corpus: Corpus) -> Iterable[tuple[str, str]]:
    size = pluralize(np.dtype(corpus.tileset.dtype).itemsize, "byte")
    yield from ((name, text.replace("{bytes}", size)) for name, (_, text) in OWN_COLUMNS.items())
    yield from ((axis.column, "swept") for axis in corpus.manifest.sweep.axes)
    yield from ((name, "measured") for name in corpus.manifest.measures)


def _describe_tiles(corpus: Corpus) -> str:
    tiles = [f"{number} `{tile.glyph}` {tile.name}" for number, tile in enumerate(corpus.tileset)]
    return ", ".join(tiles[:MAX_SHOWN]) + (f" and {len(tiles) - MAX_SHOWN} more" if len(tiles) > MAX_SHOWN else "")


def _format_values(axis: Any) -> str:
    if axis.is_range:
        return f"{axis.values[0]} to {axis.values[-1]}, {pluralize(len(axis.values), 'value')}"
    return ", ".join(map(str, axis.values[:MAX_SHOWN])) + (" ..." if len(axis.values) > MAX_SHOWN else "")
