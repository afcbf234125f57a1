"""Buttons of the errors of a search: settings that are likely to work, and fixes of the recipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ...core.errors import TilewrightError
from ..page.error_panel import Remedy, list_remedies
from ..session import Session
from .state import Spec


def list_search_remedies(
    error: TilewrightError,
    session: Session,
    *,
    vary: Mapping[str, Spec],
    labels: Mapping[str, str],
    change: Callable[..., Any],
    suggest: Callable[[], None],
) -> list[Remedy]:
    """Return the buttons of an error.

    Parameters
    ----------
    error : TilewrightError
        Error of a search, whose problems have paths such as `("vary", "params.walls")`.
    session : Session
        The user's session.
    vary : mapping
        What the search varies.
    labels : mapping
        Labels of the parameters by path.
    change : callable
        Called with changed settings as keywords.
    suggest : callable
        Called to choose suggested measures.

    Returns
    -------
    list of Remedy
    """
    found: list[Remedy] = []
    for problem in error.problems:
        match problem.path:
            case ("vary", str(path), *_) if path in vary:
                others = {one: spec for one, spec in vary.items() if one != path}
                found.append(Remedy(f"Use the usual range of {labels[path]}", partial(change, vary={**vary, path: {}})))
                if others:
                    found.append(Remedy(f"Do not vary {labels[path]}", partial(change, vary=others)))
            case ("vary", *_):
                found.append(Remedy("Vary the suggested parameters", partial(change, vary=None)))
            case ("measures" | "objective", *_):
                found.append(Remedy("Suggest other measures", suggest))
        counts = [fix.value for fix in problem.fixes if fix.path == ("evaluations",)]
        found += [Remedy(f"Make {count:,} maps", partial(change, evaluations=count)) for count in counts]
    return found or list_remedies(error, session)
