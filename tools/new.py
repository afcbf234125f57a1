"""Write the skeleton of a technique, shaper or format: its file, its page and its test.

python -m tools.new technique NAME          also shaper or format
python -m tools.new technique NAME --root FOLDER

Files that exist are never replaced. docs/add-a-technique.md explains the parts, also of measures and games.
"""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

TECHNIQUE = '''"""TITLE: fill a map with random walls.

Source: name the publication or program that describes the algorithm.
"""

from __future__ import annotations

import numpy as np

from ..core.entries import technique
from ..core.params import Sized, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps


class CLASSParams(Sized):
    """Parameters of the technique NAME."""

    walls: float = param(0.3, ge=0, le=1)
    """Fraction of cells that are walls."""


@technique(CLASSParams, tileset="cave", tiles=("floor", "wall"))
def NAME(p: CLASSParams, site: Site, rng: Rng) -> Steps:
    cells = (rng.cells(*site.window) < p.walls).astype(np.uint8)  # 0 is floor, 1 is wall: indices into `tiles` above
    site.apply_locks(cells)  # restore the locked cells
    yield Frame(cells, "walls", 1.0)
    return site.map(cells)
'''
TECHNIQUE_PAGE = """# TITLE (`NAME`)

TITLE fills a map with random walls. Say what it is for and how it works.

![NAME](../pictures/NAME.png)
![the map being made](../pictures/NAME.gif)

```console
$ tilewright make NAME --seed 7
```

## Locks
Say what locked cells do.

## Tiles
Say what each tile means, and which other tilesets fit.

## Source
Name the publication or program that describes the algorithm.

## Parameters
<!-- parameters of NAME -->
<!-- end -->
"""
TECHNIQUE_TEST = '''"""Guarantees of the technique NAME."""

from __future__ import annotations

import tilewright as tw


def test_walls_is_the_fraction_of_walls() -> None:
    for walls in (0.0, 1.0):
        assert tw.make("NAME", walls=walls, seed=7).where("wall").mean() == walls
'''
SHAPER = '''"""TITLE: replace some floor by another tile.

Locked cells are kept.
"""

from __future__ import annotations

import numpy as np

from ..core.entries import shaper
from ..core.grid import Label
from ..core.params import Params, param
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import TileMap


class CLASSParams(Params):
    """Parameters of the shaper NAME."""

    tile: Label = param("wall", tiles=True)
    """Tile to place."""
    share: float = param(0.1, ge=0, le=1)
    """Fraction of passable cells to replace."""


@shaper(CLASSParams, dimensions=(2,))
def NAME(map: TileMap, p: CLASSParams, site: Site, rng: Rng) -> TileMap:
    is_chosen = map.tileset.passable[map.cells] & (rng.cells(*site.window) < p.share) & ~site.locked
    return map.replace(cells=np.where(is_chosen, site.tile(p.tile), map.cells))
'''
SHAPER_TEST = '''"""Guarantees of the shaper NAME."""

from __future__ import annotations

import tilewright as tw


def test_all_floor_is_replaced() -> None:
    map = tw.make("caves", shaping=[{"NAME": {"share": 1.0}}], seed=7)
    assert map.where("wall").all()
'''
FORMAT = '''"""TITLE: tile ids separated by spaces (.NAME), one line per row. Stores no other data."""

from __future__ import annotations

from pathlib import Path

from ..core.errors import InvalidRecipe
from ..core.params import Params
from ..core.tilemap import TileMap
from . import file_format


@file_format(use="text")
def NAME(map: TileMap, options: Params, path: Path) -> str:
    if map.cells.ndim != 2:
        raise InvalidRecipe("must have one level; take one level of the map", place="NAME")
    lines = [" ".join(str(tile) for tile in row) for row in map.cells.tolist()]
    return "\\n".join(lines) + "\\n"
'''
FORMAT_TEST = '''"""Guarantees of the format NAME."""

from __future__ import annotations

from pathlib import Path

import tilewright as tw


def test_rows_are_lines(tmp_path: Path) -> None:
    map = tw.make("caves", width=9, height=7, seed=7)
    map.save(tmp_path / "cave.NAME")
    lines = (tmp_path / "cave.NAME").read_text().splitlines()
    assert [[int(tile) for tile in line.split()] for line in lines] == map.cells.tolist()
'''
SKELETONS = {
    "technique": {
        "src/tilewright/generators/NAME.py": TECHNIQUE,
        "docs/techniques/NAME.md": TECHNIQUE_PAGE,
        "tests/generators/test_NAME.py": TECHNIQUE_TEST,
    },
    "shaper": {"src/tilewright/shaping/NAME.py": SHAPER, "tests/shaping/test_NAME.py": SHAPER_TEST},
    "format": {"src/tilewright/formats/NAME.py": FORMAT, "tests/formats/test_NAME.py": FORMAT_TEST},
}
"""Content of the files of each kind, by path."""
GOLDENS = ".venv/bin/python -m tests.goldens.write NAME"
NEXT = {
    "technique": (
        "add techniques/NAME.md to mkdocs.yml, and a line to CHANGELOG.md",
        "make stubs",
        GOLDENS,
        "make refresh PAGE=techniques/NAME",
        ".venv/bin/python docs/build.py --text",
        ".venv/bin/pytest tests/generators/test_NAME.py tests/conformance -k NAME",
    ),
    "shaper": (
        "add a line to CHANGELOG.md",
        "make stubs",
        ".venv/bin/python -m tests.goldens.write 'shaper NAME'",
        "make refresh PAGE=shapers",
        ".venv/bin/pytest tests/shaping -k NAME",
    ),
    "format": (
        "add a line to CHANGELOG.md, and the name to the first lists of docs/formats.md",
        "make refresh PAGE=formats",
        ".venv/bin/pytest tests/formats -k NAME",
    ),
}
"""What to do after editing the files, by kind."""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.new", description="Write the skeleton of a new entry.")
    parser.add_argument("kind", choices=SKELETONS)
    parser.add_argument("name", help="lower-case letters, digits and underscores")
    parser.add_argument("--root", type=Path, default=ROOT, help="root of the repository")
    options = parser.parse_args(arguments)
    kind, name = options.kind, options.name
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        sys.exit(f"name: must be lower-case letters, digits and underscores, and no keyword of Python, got {name!r}")
    files = {options.root / fill(path, name): fill(text, name) for path, text in SKELETONS[kind].items()}
    for path in files:
        if path.exists():
            sys.exit(f"{path.relative_to(options.root)}: exists; use another name")
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        print(f"wrote {path.relative_to(options.root)}")
    print("then", *(fill(step, name) for step in NEXT[kind]), sep="\n  ")


def fill(text: str, name: str) -> str:
    """Return a skeleton with the name of the entry."""
    title = name.replace("_", " ").capitalize()
    return text.replace("CLASS", name.title().replace("_", "")).replace("TITLE", title).replace("NAME", name)


if __name__ == "__main__":
    main()
