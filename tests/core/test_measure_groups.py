"""Groups of measures: every measure declares one, and no number is shown twice."""

from __future__ import annotations

import pytest

import tilewright as tw
from tilewright.core.measure_groups import MEASURE_GROUPS, group_numbers
from tilewright.core.registry import measures


def test_built_in_measures_have_groups() -> None:
    assert {measures.get(name).group for name in measures.built_in} == {*MEASURE_GROUPS, "players"}


def test_numbers_of_a_technique_do_not_repeat_measures() -> None:
    map = tw.make("rooms", seed=7)
    groups = group_numbers(tw.measure(map), map.numbers)
    assert map.numbers["rooms"] == groups["rooms"]["room_count"]
    assert "" not in groups  # the numbers rooms and wanted repeat room_count
    maze = tw.make("maze", seed=7)
    assert "" not in group_numbers(tw.measure(maze), maze.numbers)  # the longest path leads to the exit


def test_reported_numbers_are_in_the_group_of_the_measure_with_their_name() -> None:
    groups = group_numbers({"tiles_used": 7.0}, {"tiles_used": 7.0, "copied_block": 8.0, "choices": 342.0})
    assert groups == {"shape": {"tiles_used": 7.0}, "similarity": {"copied_block": 8.0}, "": {"choices": 342.0}}


def test_a_reported_number_that_differs_from_a_measure_of_its_name_is_shown() -> None:
    groups = group_numbers({"regions": 6.0}, {"regions": 55.0})
    assert groups == {"walking": {"regions": 6.0}, "": {"regions": 55.0}}


@pytest.mark.usefixtures("own_registry")
def test_groups_of_other_packages_follow() -> None:
    @tw.register
    @tw.analysis.measure(unit="cells", group="a group of my own")
    def walls(survey: tw.Survey) -> float:
        """Number of walls."""
        return 0

    assert [*group_numbers({"walls": 1.0, "cells": 2.0}, {"steps": 3.0})] == ["shape", "a group of my own", ""]
