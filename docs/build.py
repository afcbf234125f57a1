"""Write the generated parts of the documentation: pictures made by the code, and tables of parameters and results.

python docs/build.py                           draws all pictures and refreshes the tables
python docs/build.py --page techniques/caves   draws the pictures of one page and refreshes its tables
python docs/build.py --text                    refreshes the tables only
python docs/build.py --check                   writes nothing; fails if a table, or a pixel of a picture, is stale

A picture is written only if its pixels differ from those of its file. All pictures take two and a half minutes of
processor time; the pages are distributed over all processors.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path

from generate import cards, commands, examples, goals, pictures, skins
from generate.pixels import refresh_picture
from generate.tables import fill_tables

from tilewright.cli._progress import show_progress

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PICTURES = DOCS / "pictures"
SHOWN = re.compile(r"\]\((?:docs/|\.\./)*pictures/([^)#]+)\)")
"""A picture that a page shows."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the generated parts of the documentation.")
    parser.add_argument("--page", help="refresh only this page, such as techniques/caves, index or README")
    parser.add_argument("--text", action="store_true", help="refresh the tables only")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if something is stale or missing")
    options = parser.parse_args()
    pages = list_pages()
    if options.page is not None:
        pages = [page for page in pages if name_page(page) == options.page.removesuffix(".md")]
        if not pages:
            sys.exit(f"no page {options.page}; give the path of a page below docs/, such as techniques/caves")
    stale = refresh_tables(pages, write=not options.check)
    if not options.text:
        groups = group_pictures(pages, others=options.page is None)
        stale += refresh_pictures(groups, write=not options.check)
    if options.check and stale:
        sys.exit(f"stale or missing: {', '.join(stale)}; run make refresh")
    if stale:
        print(f"refreshed {', '.join(stale)}")


def list_pages() -> list[Path]:
    """Return the Markdown files that have generated parts."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def name_page(page: Path) -> str:
    """Return the path of a page without its ending, such as `techniques/caves`."""
    folder = ROOT if page.parent == ROOT else DOCS
    return page.relative_to(folder).with_suffix("").as_posix()


def refresh_tables(pages: list[Path], *, write: bool) -> list[str]:
    """Return the names of the pages whose tables are stale, and refresh them if asked to."""
    stale = []
    for page in pages:
        old = page.read_text(encoding="utf-8")
        new = fill_tables(old)
        if new != old:
            stale.append(name_page(page))
            if write:
                page.write_text(new, encoding="utf-8")
    return stale


@cache
def collect_pictures() -> dict[Path, Callable[[Path], object]]:
    """Return what draws each picture, by its path."""
    sources = (
        pictures.iter_pictures(),
        skins.iter_pictures(),
        examples.iter_pictures(list_pages()),
        commands.iter_pictures(list_pages()),
        cards.iter_pictures(),
    )
    found = {PICTURES / name: draw for source in sources for name, draw in source}
    return {**found, **dict(pictures.iter_thumbnails()), **dict(goals.iter_thumbnails())}


def group_pictures(pages: list[Path], *, others: bool) -> list[list[Path]]:
    """Return the paths of the pictures that pages show, by page, and those of all other pictures if asked to.

    The pictures of a page are drawn in one process, because its examples build on each other.
    """
    remaining = dict.fromkeys(collect_pictures())
    groups = []
    for page in pages:
        text = cards.fill_galleries(page.read_text(encoding="utf-8"))
        shown = [path for path in dict.fromkeys(PICTURES / name for name in SHOWN.findall(text)) if path in remaining]
        groups.append(shown)
        for path in shown:
            del remaining[path]
    return [*groups, *([path] for path in remaining if others)]


def refresh_pictures(groups: list[list[Path]], *, write: bool) -> list[str]:
    """Return the names of the pictures that are stale or missing, and draw them if asked to."""
    stale: list[str] = []
    with ProcessPoolExecutor() as executor, show_progress() as report:
        jobs = [executor.submit(refresh_group, group, write) for group in groups if group]
        for number, job in enumerate(as_completed(jobs), 1):
            stale += job.result()
            report(number / len(jobs), "drawing")
    return sorted(stale)


def refresh_group(paths: list[Path], write: bool) -> list[str]:
    """Return the names of the pictures of a group that are stale or missing, and draw them if asked to."""
    stale = [path for path in paths if refresh_picture(path, collect_pictures()[path], write=write)]
    return [f"{path.parent.name}/{path.name}" for path in stale]


if __name__ == "__main__":
    main()
