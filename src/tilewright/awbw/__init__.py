"""Advance Wars By Web: its map format, shapers that make two-player maps, and measures of fairness.

Entry points in `pyproject.toml` add its entries to the registries, as those of other packages. Nothing imports it.
"""
