"""The datasheet of a corpus, written to its README. Its text does not depend on the time or the machine."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import yaml
from numpy.typing import NDArray

from .. import data
from ..core.errors import format_number, pluralize, short_repr
from ..core.references import OWN, find_keys_of_recipe, get_reference
from ..core.registry import measures as measure_registry
from .manifest import OWN_COLUMNS, Manifest

if TYPE_CHECKING:
    from .reader import Corpus

MAX_COMPARED_MAPS = 50_000_000
"""Maximum number of maps among which duplicates are counted. Each map takes 8 bytes of memory."""
MAX_REASONS = 1000
"""Maximum number of distinct reasons of failures."""
MAX_SHOWN = 20
SIZES = ("width", "height", "levels")
Names = NDArray[np.uint64]


@dataclass
class RunningStats:
    """Count, minimum, maximum and sum of values."""

    count: int = 0
    minimum: float = math.inf
    maximum: float = -math.inf
    sums: list[float] = field(default_factory=list)

    def add(self, values: Any) -> None:
        finite = values[np.isfinite(values)]
        if finite.size:
            self.count += finite.size
            self.minimum, self.maximum = min(self.minimum, float(finite.min())), max(self.maximum, float(finite.max()))
            self.sums.append(math.fsum(finite.tolist()))  # exact; NumPy's sum depends on the processor

    def merge(self, other: RunningStats) -> None:
        self.count += other.count
        self.minimum, self.maximum = min(self.minimum, other.minimum), max(self.maximum, other.maximum)
        self.sums += other.sums

    @property
    def mean(self) -> float:
        return math.fsum(self.sums) / self.count if self.count else math.nan


@dataclass
class Facts:
    """Statistics of a part of a corpus, or of all parts."""

    maps: int = 0
    failures: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    sizes: dict[str, RunningStats] = field(default_factory=lambda: {name: RunningStats() for name in SIZES})
    measures: dict[str, RunningStats] = field(default_factory=dict)
    digest_prefixes: Names = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    """Array (map,) of the first half of each digest; empty if the corpus has too many maps to compare."""
    duplicates: int | None = None
    """Number of maps that are equal to an earlier map; None if there are too many maps to compare."""

    @classmethod
    def of(cls, corpus: Corpus, known: Mapping[int, Facts] | None = None) -> Facts:
        """Collect the statistics of all parts. Parts that are not in `known` are read."""
        manifest, known = corpus.manifest, known or {}
        found = cls(measures={name: RunningStats() for name in manifest.measures})
        columns = ["reason", *SIZES, *manifest.measures, *(["digest"] if _counts_duplicates(manifest) else [])]
        prefixes = [found.digest_prefixes]
        for number in corpus.parts:
            part = known.get(number) or cls.from_table(corpus.part(number, columns), manifest)
            found._add(part)
            prefixes.append(part.digest_prefixes)
        if _counts_duplicates(manifest):
            all_prefixes = np.concatenate(prefixes)
            found.duplicates = all_prefixes.size - np.unique(all_prefixes).size
        return found

    @classmethod
    def from_table(cls, table: pa.Table, manifest: Manifest) -> Facts:
        """Compute the statistics of a part, given as a table."""
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
        """Return width, height and number of levels (if above 1), each as a number or a range.

        Without maps, return an empty string.
        """
        spans = [span for name, span in self.sizes.items() if span.count and (name != "levels" or span.maximum > 1)]
        return " x ".join(
            f"{span.minimum:,.0f}" + ("" if span.minimum == span.maximum else f"{separator}{span.maximum:,.0f}")
            for span in spans
        )

    def most_common_reasons(self) -> list[tuple[str, int]]:
        """Return the reasons of failures with their counts, by descending count, then alphabetically."""
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
    """Return the datasheet as Markdown: content, recipe, version, file format and ranges of the measures."""
    return "\n\n".join(_iter_blocks(corpus, facts or Facts.of(corpus))) + "\n"


def _iter_blocks(corpus: Corpus, facts: Facts) -> Iterator[str]:
    """Yield the blocks of the datasheet (headings, paragraphs, lists, tables and code), which blank lines separate."""
    manifest = corpus.manifest
    yield f"# {pluralize(len(corpus), 'map')} by {manifest.title}"
    seeds = "its own seed, listed in the manifest," if manifest.sweep.seeds else f"the seed `{manifest.seed}-i`"
    yield (
        f"A corpus of tile maps, generated by Tilewright {manifest.tilewright} from the seed `{manifest.seed}`:\n"
        f"map i has {seeds} and depends only on this seed and the recipe."
    )
    if facts.maps < len(corpus):
        yield f"It is not complete: {pluralize(facts.maps, 'map')} generated so far."
    yield _format_bullets(
        f"size: {facts.format_size('..') or 'unknown'}",
        f"tiles: {_describe_tiles(corpus)}",
        f"failed maps: {facts.failures:,}",
        "" if facts.duplicates is None else f"duplicate maps: {facts.duplicates:,}",
    )
    yield "## Recipe"
    set_knobs = [knob for knob in manifest.knobs if knob.value is not None]
    if set_knobs:
        yield "Knobs of the recipe:"
        yield _format_bullets(*(f"`{knob.name}`: {knob.value}" for knob in set_knobs))
    recipe = json.loads(json.dumps(manifest.recipe))
    yield _format_code("yaml", yaml.safe_dump(recipe, sort_keys=False, allow_unicode=True, width=120))
    if manifest.sweep.axes:
        yield (
            "Each map has random values of these parameters:"
            if manifest.sweep.sampled
            else "Map i has value i of each of these parameters:"
            if manifest.sweep.listed
            else "The maps use all combinations of these values in turn:"
        )
        yield _format_bullets(*(f"`{axis.column}`: {_format_values(axis)}" for axis in manifest.sweep.axes))
    yield "## Cite and reproduce"
    if command := manifest.write_command("again"):
        yield _format_code("", command)
        yield "From the files of this folder:"
    yield _format_code("", "tilewright corpus make manifest.json -o again\ntilewright corpus take . 0 -o map.png\n")
    revisions = ", ".join(f"{name} {number}" for name, number in manifest.revisions.items())
    yield (
        f"Tilewright {manifest.tilewright} with the seed `{manifest.seed}` generates the same files, byte for byte,\n"
        f"with any number of processes. Revisions: {revisions}."
    )
    keys = find_keys_of_recipe(manifest.find_recipe(), manifest.measures)
    yield (
        f"Sources: {', '.join(f'`{key}`' for key in keys)}. `tilewright cite NAME` prints the BibTeX of a technique, a "
        "shaper or\na measure, and `tilewright cite` that of Tilewright:"
    )
    yield _format_code("bibtex", get_reference(OWN, manifest.tilewright).to_bibtex())
    if facts.measures:
        yield "## Measures"
        yield "\n".join(_format_measures(facts))
    if facts.reasons:
        yield "## Failed maps"
        reasons = facts.most_common_reasons()
        others = f"and {len(reasons) - MAX_SHOWN:,} other reasons" if len(reasons) > MAX_SHOWN else ""
        yield _format_bullets(
            *(f"{number:,}: {' '.join(reason.split())}" for reason, number in reasons[:MAX_SHOWN]), others
        )
    yield "## Files"
    yield "`manifest.json` determines all files. `parts/` contains Parquet files with the manifest in their metadata."
    yield _format_bullets(*(f"`{name}`: {text}" for name, text in _describe_columns(corpus)))
    kind = np.dtype(corpus.tileset.dtype).newbyteorder("<")
    programs = Template(data.read_text("templates", "read-corpus.md"))
    yield programs.substitute(kind=kind.str, bytes=kind.itemsize).rstrip()


def _format_bullets(*texts: str) -> str:
    return "\n".join(f"- {text}" for text in texts if text)


def _format_code(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"


def _format_measures(facts: Facts) -> Iterator[str]:
    yield "| measure | lowest | mean | highest | maps | description |"
    yield "| --- | ---: | ---: | ---: | ---: | --- |"
    for name, span in facts.measures.items():
        shown = [format_number(number) if span.count else "" for number in (span.minimum, span.mean, span.maximum)]
        about = measure_registry.get(name).summary.replace("|", "\\|") if name in measure_registry else ""
        yield f"| {' | '.join([name, *shown, f'{span.count:,}', about])} |"


def _describe_columns(corpus: Corpus) -> Iterable[tuple[str, str]]:
    size = pluralize(np.dtype(corpus.tileset.dtype).itemsize, "byte")
    yield from ((name, text.replace("{bytes}", size)) for name, (_, text) in OWN_COLUMNS.items())
    yield from ((axis.column, "swept parameter") for axis in corpus.manifest.sweep.axes)
    yield from ((name, "measure") for name in corpus.manifest.measures)


def _describe_tiles(corpus: Corpus) -> str:
    tiles = [f"{number} `{tile.glyph}` {tile.name}" for number, tile in enumerate(corpus.tileset)]
    return ", ".join(tiles[:MAX_SHOWN]) + (f" and {len(tiles) - MAX_SHOWN} more" if len(tiles) > MAX_SHOWN else "")


def _format_values(axis: Any) -> str:
    if axis.is_range:
        return f"{axis.values[0]} to {axis.values[-1]}, {pluralize(len(axis.values), 'value')}"
    shown = (short_repr(value) if isinstance(value, list) else str(value) for value in axis.values[:MAX_SHOWN])
    return ", ".join(shown) + (" ..." if len(axis.values) > MAX_SHOWN else "")
