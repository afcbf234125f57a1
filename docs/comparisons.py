"""Measure the tables and sheets of docs/compare.md: python docs/comparisons.py [SAMPLE ...]

A sample is a name, or a folder of maps: `python tools/train_models.py maps dungeon --files 600 -o dungeons` writes one.

Each sample takes some minutes on a GPU and up to an hour without one. The numbers are those of the last run; no test
repeats them. `python docs/build.py` then writes the tables into the page.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tilewright as tw
from tilewright.comparison.contestants import list_available

DOCS = Path(__file__).parent
SAMPLES = ("dungeon", "overworld", "awbw")
COUNT = 100
SEED = 1


def main() -> None:
    for sample in sys.argv[1:] or SAMPLES:
        found = tw.compare(sample, techniques=list_available(), count=COUNT, seed=SEED, on_progress=_show)
        name = Path(sample).name
        print(f"\r{name}\n{found.to_markdown()}")
        target = DOCS / "compare" / f"{name}.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(found.to_data(), indent=2) + "\n", encoding="utf-8")
        found.sheet().save(DOCS / "pictures" / f"compare-{name}.png")


def _show(done: float, what: str) -> None:
    print(f"\r{done:4.0%} {what:60}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
