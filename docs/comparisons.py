"""Measure the tables and sheets of docs/compare.md: python -m docs.comparisons [NAME ...]

It needs the extra neural. Each table takes some minutes on a GPU. The numbers are those of the last run; no test
repeats them. `python docs/build.py` then writes the tables into the page.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tilewright as tw
from tools.train_models import make_maps

DOCS = Path(__file__).parent
COUNT = 100
SEED = 1
ONE_PLAYER = {"counts": {"player": 1}}


@dataclass(frozen=True)
class SampleSet:
    """Samples, and the settings of the techniques that learn from them."""

    samples: Callable[[], Any]
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


SETS: Mapping[str, SampleSet] = {
    "dungeons": SampleSet(lambda: list(make_maps("dungeon", 600))),
    "mines": SampleSet(
        lambda: [tw.run("gold-mine", seed=seed) for seed in range(500)],
        {"wfc": ONE_PLAYER, "diffusion": {"size": "small", **ONE_PLAYER}},
    ),
    "dungeon": SampleSet(lambda: "dungeon"),
    "overworld": SampleSet(lambda: "overworld"),
    "awbw": SampleSet(lambda: "awbw"),
}


def main() -> None:
    for name in sys.argv[1:] or SETS:
        chosen = SETS[name]
        found = tw.compare(chosen.samples(), count=COUNT, seed=SEED, settings=chosen.settings, on_progress=_show)
        print(f"\r{name}\n{found.to_markdown()}")
        target = DOCS / "compare" / f"{name}.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(found.to_data(), indent=2) + "\n", encoding="utf-8")
        found.sheet().save(DOCS / "pictures" / f"compare-{name}.png")


def _show(done: float, what: str) -> None:
    print(f"\r{done:4.0%} {what:60}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
