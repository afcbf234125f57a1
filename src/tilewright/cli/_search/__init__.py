"""Functions shared by the search commands. The search package is imported when a command runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.errors import InvalidRecipe, format_number, pluralize
from ...corpus import refuse_without_packages
from .._console import info as print_info  # `info` is a module of this package

if TYPE_CHECKING:
    from ...search import Archive, Elite


def open_archive(folder: str) -> Archive:
    """Open the archive in a folder, or `archive:caverns`; raise an error if a package for folders is missing."""
    from ...search import load
    from ...search.gallery import PREFIX

    if not folder.startswith(PREFIX):
        refuse_without_packages()
    return load(folder)


def read_cell(text: str, archive: Archive) -> Elite:
    """Return the elite of a cell, given as `12,3`."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and len(part) < 9 for part in parts):
        example = ",".join(str(bins // 2) for bins in archive.shape)
        raise InvalidRecipe(f"must be the bins of a cell, such as {example}", at="cell", got=text, rule="format")
    elite = archive.cell(*map(int, parts))
    if elite is None:
        raise InvalidRecipe(
            f"is empty{_suggest_cell(archive, tuple(map(int, parts)))}", at=("cell", text), place=f"cell {text}"
        )
    return elite


def _suggest_cell(archive: Archive, wanted: tuple[int, ...]) -> str:
    """Return the nearest cell with an elite, as a part of a message."""
    cells = [elite.cell for elite in archive]
    if not cells:
        return ""
    nearest = min(cells, key=lambda cell: sum(abs(one - other) for one, other in zip(cell, wanted, strict=True)))
    return f"; the nearest elite is at {format_cell(nearest)}"


def format_cell(cell: tuple[int, ...], separator: str = ",") -> str:
    return separator.join(map(str, cell))


def describe_elite(elite: Elite) -> str:
    """Return a line about an elite: its cell, objective and measures."""
    measures = ", ".join(f"{name} {format_number(value)}" for name, value in elite.measures.items())
    return f"cell {format_cell(elite.cell)}: objective {format_number(elite.objective)}; {measures}"


def count_stored(folder: str) -> int:
    """Return the number of evaluations in a folder."""
    from ...search.storage import count_evaluations

    return count_evaluations(folder)


def print_result(archive: Archive, folder: str) -> None:
    """Print the heatmap of an archive on a terminal, and a line about it."""
    from ...search.pictures import format_score
    from ._terminal import draw_heatmap, is_colored

    if is_colored():
        draw_heatmap(archive)
    failures = sum(archive.failures.values())
    facts = [
        f"{pluralize(len(archive), 'elite')} by {archive.definition.recipe.technique}, seed {archive.definition.seed}",
        f"coverage {archive.coverage:.1%}",
        f"QD score {format_score(archive.qd_score)}",
        f"best {format_number(archive.best.objective)} in cell {format_cell(archive.best.cell)}",
        f"{pluralize(archive.evaluations, 'evaluation')} in {folder}",
    ]
    print_info(", ".join(facts) + (f"; {failures:,} failed" if failures else ""))
