"""Evolve the automata of the gallery: `tilewright make fashion --scores archive:12,3`.

`python tools/evolve_automata.py` writes src/tilewright/data/archives/caverns.npz and prints how stable the styles are.
It takes some minutes. The same version always writes the same file.

The search varies the 6x6 scores of a fashion-based cellular automaton. An elite is a style: its measures are means over
the maps of several seeds. Automata that do not settle are refused, because maps that keep changing look like noise. The
first rounds explore with few maps per style, and the last rounds continue with more. After both, all styles that were
elites are measured again with even more maps, and the best of each cell are kept: an elite that was in its cell by luck
moves to another one, or gives way to another style.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from tilewright.core.pipeline import run
from tilewright.formats._archive import encode_archive
from tilewright.generators._fashion.gallery import STEPS
from tilewright.generators.fashion import NEIGHBOURHOODS
from tilewright.kernels.fashion import Automaton
from tilewright.search.archive import Archive, Solutions
from tilewright.search.definition import Definition
from tilewright.search.evaluation import Evaluations, Evaluator
from tilewright.search.rounds import Search

TARGET = Path(__file__).parents[1] / "src" / "tilewright" / "data" / "archives" / "caverns.npz"
WIDTH, HEIGHT, STATES, NEIGHBORHOOD = 60, 40, 6, "plus"
MEASURES = {"floor_share": (0, 1, 20), "regions": (1, 300, 14, "log")}
OBJECTIVE = "path_length+10*tile_entropy"
"""Long paths, and several states: maps of one color beside the floor are dull."""
BATCH, SEED = 256, "caverns"
EXPLORING, REFINING = 80, 40
"""Number of rounds with few and with more maps per style."""
FEW_MAPS, MORE_MAPS, MANY_MAPS = 4, 16, 64
"""Number of maps per style in the first rounds, in the last rounds and for the final selection."""
PERIODS = 2
"""Number of further generations after which a settled map must be the same."""
MAX_CHANGE = 0.01
"""Maximum fraction of cells that may differ then."""


@dataclass(frozen=True)
class Elites:
    """Solutions of a search that were elites, as arrays; see `Solutions`."""

    numbers: NDArray[np.int64]
    units: NDArray[np.float64]
    parents: NDArray[np.int64]
    emitters: NDArray[np.int64]


def make_settled(recipe: tw.Recipe) -> tw.TileMap:
    """Make a map. Raise GaveUp if it would still change."""
    map = run(recipe)
    scores = np.reshape(recipe.params.scores, (STATES, STATES))  # type: ignore[attr-defined]
    automaton = Automaton(map.cells, scores, NEIGHBOURHOODS[NEIGHBORHOOD])
    for _ in range(PERIODS):
        automaton.advance()
    if np.count_nonzero(automaton.cells != map.cells) > MAX_CHANGE * map.cells.size:
        raise tw.GaveUp("the map does not settle")
    return map


def define(rounds: int, repeats: int, *, batch: int = BATCH, seed: str = SEED) -> Definition:
    """Return the definition of a search."""
    recipe = tw.recipe("fashion", width=WIDTH, height=HEIGHT, neighbourhood=NEIGHBORHOOD)
    return Definition.of(
        recipe,
        vary=["scores"],
        measures=MEASURES,
        objective=OBJECTIVE,
        evaluations=rounds * batch,
        seed=seed,
        repeats=repeats,
        batch=batch,
    )


def evaluate(definition: Definition, units: NDArray[np.float64]) -> Evaluations:
    """Make and measure the maps of some automata."""
    return Evaluator(definition, make_map=make_settled).evaluate(units)


def run_rounds(search: Search) -> Elites:
    """Run the remaining rounds of a search, and return all solutions that were elites before, between or after them."""
    found: dict[int, tuple[NDArray[np.float64], NDArray[np.int64], int]] = {}
    while True:
        if search.archive is not None:
            rows, count = search.archive.rows, len(search.archive)
            parts = zip(rows.units[:count], rows.parents[:count], rows.emitter[:count].tolist(), strict=True)
            for number, (units, parents, emitter) in zip(rows.number[:count].tolist(), parts, strict=True):
                found.setdefault(number, (units.copy(), parents.copy(), emitter))
        if search.is_finished:
            break
        batch = search.propose()
        record = search.add(batch, evaluate(search.definition, batch.units))
        if search.round % 10 == 0:
            print(f"{record['evaluations']:,} evaluations, {record['elites']} styles", flush=True)
    numbers = sorted(found)
    units_of, parents_of, emitters = zip(*(found[number] for number in numbers), strict=True)
    return Elites(np.array(numbers), np.array(units_of), np.array(parents_of), np.array(emitters))


def select(elites: Elites, definition: Definition) -> Archive:
    """Return the archive of a definition with the best of some solutions, measured with its own seeds."""
    results = evaluate(definition, elites.units)
    columns = {name: results.measures[:, at] for at, name in enumerate(definition.measures)}
    objectives = definition.objective.compute(columns)
    archive = Archive(definition)
    archive.add(Solutions(0, elites.units, objectives, results.measures, elites.parents, elites.emitters))
    kept = archive.rows.number[: len(archive)]
    kept[:] = elites.numbers[kept]
    return archive


def evolve(exploring: int = EXPLORING, refining: int = REFINING, *, batch: int = BATCH, seed: str = SEED) -> Archive:
    """Run the complete search, and return its archive."""
    first = Search(define(exploring, FEW_MAPS, batch=batch, seed=seed))
    elites = run_rounds(first)
    definition = define(exploring + refining, MORE_MAPS, batch=batch, seed=seed)
    elites = run_rounds(Search(definition, select(elites, definition), records=first.records))
    archive = select(elites, replace(definition, repeats=MANY_MAPS))
    archive.evaluations = definition.evaluations
    return archive


def count_stable(archive: Archive, seed: str = "other seeds") -> tuple[int, int]:
    """Return how many styles stay in their cell with other seeds, and how many stay in it or a neighboring one."""
    definition = replace(archive.definition, seed=seed)
    order = archive.sorted_rows
    results = evaluate(definition, archive.rows.units[order])
    before = np.stack(np.unravel_index(archive.rows.cell[order], archive.shape), axis=1)
    bins = [axis.find_bins(results.measures[:, at]) for at, axis in enumerate(definition.axes)]
    moved = np.abs(np.stack(bins, axis=1) - before).max(axis=1)
    return int(np.count_nonzero(moved == 0)), int(np.count_nonzero(moved <= 1))


def encode_gallery(archive: Archive) -> bytes:
    """Return an archive of score matrices as a file. All scores are multiples of 1/1000."""
    rows, order = archive.rows, archive.sorted_rows
    (scores,) = zip(*archive.definition.genome.decode(rows.units[order]), strict=True)
    cells = np.stack(np.unravel_index(rows.cell[order], archive.shape), axis=1)
    return encode_archive(
        {
            "definition": np.frombuffer(archive.definition.text.encode(), dtype=np.uint8),
            "shape": np.array(archive.shape, dtype=np.uint16),
            "evaluations": np.array(archive.evaluations, dtype=np.int64),
            "cells": cells.astype(np.uint16),
            "scores": np.round(np.array(scores) * STEPS).astype(np.uint16),
            "objectives": rows.objective[order],
            "measures": rows.measures[order],
            "numbers": rows.number[order].astype(np.int32),
            "parents": rows.parents[order].astype(np.int32),
            "emitters": rows.emitter[order].astype(np.uint8),
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("-o", "--output", type=Path, default=TARGET, help="file to write")
    options = parser.parse_args()
    archive = evolve()
    content = encode_gallery(archive)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_bytes(content)
    same, near = count_stable(archive)
    print(f"{len(archive)} styles, {len(content):,} bytes, coverage {archive.coverage:.2f}")
    print(f"with other seeds, {same} stay in their cell, and {near} in it or a neighboring one")


if __name__ == "__main__":
    main()
