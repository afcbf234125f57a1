"""Symmetry of maps. Directional tiles such as rivers and roads are transformed with the map."""

from __future__ import annotations

from ..core.entries import measure
from .survey import Survey


@measure(unit="fraction", group="shape")
def symmetry_x(survey: Survey) -> float:
    """Fraction of cells that are equal to their mirror image with left and right swapped.

    Directional tiles such as rivers and roads are mirrored with the map. The owner of a building is ignored.
    """
    return survey.symmetric_in_x / survey.map.cells.size


@measure(unit="fraction", group="shape")
def symmetry_y(survey: Survey) -> float:
    """Fraction of cells that are equal to their mirror image with top and bottom swapped.

    Directional tiles such as rivers and roads are mirrored with the map. The owner of a building is ignored.
    """
    return survey.symmetric_in_y / survey.map.cells.size


@measure(unit="fraction", group="shape")
def symmetry_turn(survey: Survey) -> float:
    """Fraction of cells that are equal to the cell at their position after a rotation by 180 degrees.

    Directional tiles such as rivers and roads are rotated with the map. The owner of a building is ignored.
    """
    return survey.symmetric_in_turns / survey.map.cells.size
