"""Heatmap of an archive in the browser. Events from the browser are validated here; invalid ones are ignored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from nicegui import ui
from nicegui.events import GenericEventArguments

from ...search.archive import Archive
from ...search.axes import MeasureAxis, Objective

Cell = tuple[int, int]
"""Bins along both axes."""
Box = tuple[int, int, int, int]
"""Selected rectangle: the first and the last bin along both axes, as (x, y, x, y)."""


class Heatmap(ui.element, component="heatmap.js"):
    """Element that shows the cells of an archive. Elements inside it are shown over the plot."""

    def __init__(
        self,
        *,
        on_inspect: Callable[[Cell | None], None],
        on_open: Callable[[Cell], None],
        on_select: Callable[[Box | None], None],
    ) -> None:
        """Create the element.

        Parameters
        ----------
        on_inspect : callable
            Called with the cell below the pointer or with the focus, or with None.
        on_open : callable
            Called with a cell that was clicked.
        on_select : callable
            Called with the selected rectangle, or with None if the selection was removed.
        """
        super().__init__()
        self._scene: dict[str, Any] | None = None
        self._is_ready = False
        self._on_inspect, self._on_open, self._on_select = on_inspect, on_open, on_select
        self.on("ready", self._handle_ready, args=[])
        self.on("inspect", self._handle_inspect)
        self.on("open", self._handle_open)
        self.on("select", self._handle_select)

    def show(self, scene: dict[str, Any]) -> None:
        """Show a scene from `build_scene`."""
        self._scene = scene
        if self._is_ready:
            self.run_method("show", scene)

    def set_selecting(self, is_on: bool) -> None:
        """Let a finger select a rectangle instead of scrolling the page."""
        self.props["selects"] = is_on

    def clear_selection(self) -> None:
        """Remove the selection."""
        self.run_method("clearSelection")

    def _handle_ready(self) -> None:
        self._is_ready = True
        if self._scene is not None:
            self.run_method("show", self._scene)

    def _handle_inspect(self, event: GenericEventArguments) -> None:
        match event.args:
            case None:
                self._on_inspect(None)
            case [x, y] if self._are_bins(x, y):
                self._on_inspect((x, y))

    def _handle_open(self, event: GenericEventArguments) -> None:
        match event.args:
            case [x, y] if self._are_bins(x, y):
                self._on_open((x, y))

    def _handle_select(self, event: GenericEventArguments) -> None:
        match event.args:
            case None:
                self._on_select(None)
            case [left, bottom, right, top] if self._are_bins(left, bottom, right, top):
                if left <= right and bottom <= top:
                    self._on_select((left, bottom, right, top))

    def _are_bins(self, *numbers: Any) -> bool:
        """Return whether the numbers of an event are bins, along both axes in turns."""
        shape = self._scene["shape"] if self._scene is not None else [0, 0]
        return all(type(one) is int and 0 <= one < shape[at % 2] for at, one in enumerate(numbers))


def build_scene(
    key: str, axes: Sequence[MeasureAxis], objective: Objective, archive: Archive | None = None
) -> dict[str, Any]:
    """Return the data of a heatmap; without an archive, its empty cells.

    Parameters
    ----------
    key : str
        Name of the search. The selection is removed when it changes.
    axes : sequence of MeasureAxis
        Both axes.
    objective : Objective
        The objective. If it minimizes one measure, the scale shows the values of that measure.
    archive : Archive, optional
        The archive.

    Returns
    -------
    dict
    """
    size = axes[0].bins * axes[1].bins
    values: list[float | None] = [None] * size
    if archive is not None:
        grid = archive.grid().ravel()
        values = [None if np.isnan(number) else float(number) for number in grid]
    found = [number for number in values if number is not None]
    best = None
    if found:
        place = values.index(max(found))
        best = [place // axes[1].bins, place % axes[1].bins]
    known = [axis.low is not None for axis in axes]
    return {
        "key": key,
        "shape": [axes[0].bins, axes[1].bins],
        "values": values,
        "low": min(found, default=None),
        "high": max(found, default=None),
        "best": best,
        "sign": -1 if _is_minimized(objective) else 1,
        "objective": describe_objective(objective),
        "xEdges": axes[0].edges.tolist() if known[0] else [],
        "yEdges": axes[1].edges.tolist() if known[1] else [],
        "xLabel": describe_measure(axes[0].measure),
        "yLabel": describe_measure(axes[1].measure),
    }


def describe_measure(name: str) -> str:
    return name.replace("_", " ")


def describe_objective(objective: Objective) -> str:
    """Return the objective as text: a measure, or a sum."""
    return describe_measure(objective.measures[0] if _is_minimized(objective) else str(objective))


def to_shown_value(objective: Objective, value: float) -> float:
    """Return the value to show: that of the measure if one measure is minimized."""
    return -value if _is_minimized(objective) else value


def _is_minimized(objective: Objective) -> bool:
    return len(objective.weights) == 1 and objective.weights[0][1] == -1
