"""How the numbers of a map are shown: measures by subject, then the technique's own numbers, as text."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from .registry import measures

MEASURE_GROUPS = ("walking", "playing", "rooms", "shape", "similarity")
"""Groups in the order in which they are shown. Other groups, such as those of one game, follow."""
Groups = dict[str, dict[str, float]]
"""Numbers by name, by group."""


def group_numbers(measured: Mapping[str, float], reported: Mapping[str, float]) -> Groups:
    """Return the numbers of a map by group, each number once.

    Parameters
    ----------
    measured
        Measures of the map.
    reported
        Numbers that the technique reports, `map.numbers`.

    Returns
    -------
    dict of str to dict of str to float
        Groups in the order of `MEASURE_GROUPS`, then other groups of measures, and at last the group "" of reported
        numbers that are no measures. A reported number is in the group of the measure with its name. It is left out
        if a measure shows the same number.

    Examples
    --------
    >>> group_numbers({"cells": 60.0, "room_count": 3.0}, {"rooms": 3.0, "wanted": 5.0, "copied_block": 4.0})
    {'rooms': {'room_count': 3.0}, 'shape': {'cells': 60.0}, 'similarity': {'copied_block': 4.0}, '': {'wanted': 5.0}}
    """
    repeated = {
        name: number for measure, number in measured.items() for name in (measure, *measures.get(measure).reported_as)
    }
    own = {name: number for name, number in reported.items() if repeated.get(name) != number}
    found: Groups = {}
    for name, number in measured.items():
        found.setdefault(measures.get(name).group or "other", {})[name] = number
    for name, number in own.items():
        group = measures.get(name).group if name in measures and name not in measured else ""
        found.setdefault(group, {})[name] = number
    order = (*MEASURE_GROUPS, *sorted(found.keys() - {*MEASURE_GROUPS, ""}), "")
    return {group: found[group] for group in order if group in found}


def format_measure(name: str, number: float) -> str:
    """Return the value of a measure as text; "yes" or "no" if it is a truth value.

    >>> format_measure("cells", 4000.0), format_measure("solvable", 1.0)
    ('4,000', 'yes')
    """
    is_truth = name in measures and measures.get(name).unit == "yes or no"
    return ("yes" if number else "no") if is_truth and isfinite(number) else format_value(number)


def format_value(number: float) -> str:
    """Return a number with thousands separators. Integers have no decimals; other numbers have three."""
    if not isfinite(number):
        return "–"
    return f"{number:,.0f}" if number == int(number) and abs(number) < 1e12 else f"{number:,.3f}"


def format_short(number: float) -> str:
    """Return a short string for a number; a dash for NaN and infinity.

    >>> [format_short(number) for number in (0.25, 1234.0, 56.789, 0.000123, 3e9)]
    ['0.25', '1,234', '56.8', '0.000123', '3e+09']
    """
    if not isfinite(number):
        return "-"
    is_plain = abs(number) < 1e7 and (abs(number) >= 1000 or number == round(number))
    return f"{number:,.0f}" if is_plain else f"{number:.3g}"
