"""Jobs: long work that can be interrupted and resumed, in this process, in worker processes or on a cluster."""

from __future__ import annotations

from importlib.util import find_spec

from ..core.errors import TilewrightError

PACKAGES = ("pyarrow",)
"""Packages that all folders of jobs need. Worker processes, remote folders, queries and worlds need others."""


def refuse_without_packages(*packages: str) -> None:
    """Raise an error with installation instructions if a package is missing, by default one that all folders need."""
    missing = next((name for name in packages or PACKAGES if find_spec(name) is None), None)
    if missing is not None:
        hint = "--workers 0 needs none; " if missing in ("dask", "distributed") else ""
        raise TilewrightError(f'corpora need {missing}; {hint}install it with: pip install "tilewright[corpus]"')
