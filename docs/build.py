"""Write the generated parts of the documentation: pictures made by the code, and tables of parameters and results.

python docs/build.py           writes docs/pictures and refreshes the tables
python docs/build.py --text    refreshes the tables only
python docs/build.py --check   fails if a table is stale or a picture is missing
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from generate import cards, commands, examples, goals, pictures, skins
from generate.tables import fill_tables

DOCS = Path(__file__).parent
PICTURES = DOCS / "pictures"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the generated parts of the documentation.")
    parser.add_argument("--text", action="store_true", help="refresh the tables only")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if something is stale or missing")
    options = parser.parse_args()
    stale = refresh_pages(write=not options.check)
    for path, draw in () if options.text else iter_pictures():
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            draw(path)
        elif not path.exists():
            stale.append(path.name)
    if options.check and stale:
        sys.exit(f"stale or missing: {', '.join(stale)}; run make refresh")
    if stale:
        print(f"refreshed {', '.join(stale)}")


def refresh_pages(*, write: bool) -> list[str]:
    """Return the names of the pages whose tables are stale, and refresh them if asked to."""
    stale = []
    for page in [*sorted(DOCS.rglob("*.md")), DOCS.parent / "README.md"]:
        old = page.read_text(encoding="utf-8")
        new = fill_tables(old)
        if new != old:
            stale.append(page.name)
            if write:
                page.write_text(new, encoding="utf-8")
    return stale


def iter_pictures() -> Iterator[tuple[Path, Callable[[Path], object]]]:
    """Yield the path of each picture, and what draws it."""
    sources = (
        pictures.iter_pictures(),
        skins.iter_pictures(),
        examples.iter_pictures(DOCS),
        commands.iter_pictures(DOCS),
        cards.iter_pictures(),
    )
    for source in sources:
        for name, draw in source:
            yield PICTURES / name, draw
    yield from pictures.iter_thumbnails()
    yield from goals.iter_thumbnails()


if __name__ == "__main__":
    main()
