"""The report on a search over seeds, as Markdown. Its text does not depend on the time or the machine."""

from __future__ import annotations

import json
from collections.abc import Iterator

import yaml

from .. import __version__
from ..core.errors import pluralize
from ..core.measure_groups import format_measure, format_short
from ..core.registry import measures as measure_registry
from ..core.tilemap import format_size
from .result import FoundSeeds

HISTOGRAMS, MAPS, RECIPE = "histograms.png", "maps.png", "recipe.json"
MAX_ROWS = 20
"""Maximum number of seeds in the table of the report."""
MAX_REASONS = 20


def render_report(found: FoundSeeds) -> str:
    """Return a report: which seeds were found, how rare they are, and what is typical."""
    return "\n\n".join(_iter_blocks(found)) + "\n"


def describe_search(found: FoundSeeds) -> str:
    """Return a line about the result: the numbers of tested and passed seeds."""
    definition = found.definition
    tested = f"{pluralize(found.tested, 'seed')} of {definition.recipe.title} tested"
    if not definition.requirements:
        return tested
    return f"{tested}: {found.passed:,} meet the requirements ({found.rarity['all']})"


def _iter_blocks(found: FoundSeeds) -> Iterator[str]:
    """Yield the blocks of the report, which blank lines separate."""
    definition = found.definition
    title, size = definition.recipe.title, format_size(definition.recipe.shape)
    last = definition.first + found.tested - 1
    yield f"# Seeds of {title}"
    yield (
        f"Tilewright {__version__} has made and measured the maps ({title}, {size}) of the seeds "
        f"{definition.first:,} to {last:,}.\n{describe_search(found)}."
    )
    yield from _iter_rarity(found)
    yield "## The seeds"
    yield _describe_order(found)
    if len(found):
        yield "\n".join(_iter_seeds(found))
        yield f"![Maps of the first seeds]({MAPS})"
        yield "`seeds.parquet` and `seeds.csv` have all of these seeds. Make the map of a seed again with:"
        yield f"```\ntilewright run {RECIPE} --seed {found.seeds[0]} -o map.png\n```"
    yield "## What is typical"
    yield "\n".join(_iter_quantiles(found))
    yield f"![Histograms of the measures]({HISTOGRAMS})"
    yield (
        "Dark bars show the number of seeds. Pale bars show the same number on a logarithmic scale, so that rare\n"
        "values are visible. Orange bars are the values that meet a requirement, and orange ticks, for most and\n"
        "least, those of the seeds above. The line is the median, and the strip below the bars extends from the\n"
        "first to the third quartile."
    )
    if found.failures:
        yield "## Seeds without a map"
        yield "\n".join(
            f"- {count:,}: {' '.join(reason.split())}" for reason, count in [*found.failures.items()][:MAX_REASONS]
        )
    yield "## Recipe"
    recipe = json.loads(json.dumps(definition.recipe.to_data()))
    yield f"```yaml\n{yaml.safe_dump(recipe, sort_keys=False, allow_unicode=True, width=120).rstrip()}\n```"
    revisions = ", ".join(f"{name} {number}" for name, number in definition.revisions.items())
    yield f"Revisions: {revisions}."


def _iter_rarity(found: FoundSeeds) -> Iterator[str]:
    """Yield the section on requirements."""
    definition = found.definition
    if not definition.requirements:
        return
    yield "## How rare"
    lines = ["| requirement | seeds that meet it | among | how rare |", "| --- | ---: | --- | ---: |"]
    for one in definition.requirements:
        if one.is_extreme:
            continue
        rarity = found.rarity[str(one)]
        among = "all seeds" if rarity.of == found.tested else describe_scope(found, one.measure, rarity.of)
        lines.append(f"| {one} | {rarity.count:,} | {among} | {rarity} |")
    everything = found.rarity["all"]
    lines.append(f"| all together | {everything.count:,} | all seeds | {everything} |")
    yield "\n".join(lines)
    if not all(rarity.count for rarity in found.rarity.values()):
        yield "If none of n seeds meets a requirement, it is 95% certain that at most 3 of n other seeds do."


def describe_scope(found: FoundSeeds, measure: str, count: int) -> str:
    """Return a number of seeds for which a measure was computed, and the requirements that these seeds meet."""
    scope = ", ".join(map(str, found.find_scope(measure)))
    return pluralize(count, "seed") + (f" with {scope}" if scope else "")


def _describe_order(found: FoundSeeds) -> str:
    extreme = found.definition.extreme
    if not len(found):
        return "No seed meets the requirements."
    if extreme is None:
        return f"The first {pluralize(len(found), 'seed')} that meet the requirements."
    return f"The {pluralize(len(found), 'seed')} with the {extreme.rule} {extreme.measure}; of equal ones, the smaller."


def _iter_seeds(found: FoundSeeds) -> Iterator[str]:
    """Yield the lines of the table of seeds."""
    names = list(found.values)
    yield f"| | seed | {' | '.join(names)} |"
    yield f"| ---: | ---: |{' ---: |' * len(names)}"
    for rank, row in enumerate(found.rows()[:MAX_ROWS], start=1):
        yield f"| {rank} | {row['seed']} | {' | '.join(format_measure(name, row[name]) for name in names)} |"
    if len(found) > MAX_ROWS:
        yield f"| | and {len(found) - MAX_ROWS:,} more |{' |' * len(names)}"


def _iter_quantiles(found: FoundSeeds) -> Iterator[str]:
    """Yield the lines of the table of distributions."""
    yield "| measure | lowest | lower quartile | median | upper quartile | highest | among | description |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |"
    for name, spread in found.histograms.items():
        numbers = [spread.low, *(spread.quantile(part) for part in (0.25, 0.5, 0.75)), spread.high]
        among = describe_scope(found, name, spread.count)
        about = measure_registry.get(name).summary.replace("|", "\\|")
        yield f"| {' | '.join([name, *map(format_short, numbers), among, about])} |"
