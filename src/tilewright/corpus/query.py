"""Queries on a corpus: search for maps that match an SQL condition. DuckDB evaluates the condition part by part.

A condition is one expression on the columns, not a statement. It can read only the columns and change nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ..core.errors import InvalidRecipe, UnknownName, short_repr
from ..core.params import check_integer
from ..jobs import refuse_without_packages

if TYPE_CHECKING:
    from .reader import Corpus

SETTINGS = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "threads": "1",
}
FORBIDDEN_CLASSES = ("SUBQUERY", "PARAMETER", "STAR", "WINDOW", "LAMBDA", "DEFAULT")
"""Classes of expressions that are refused, because they refer to more than the columns of one map."""
HIDDEN_COLUMN = "cells"
MAX_CONDITION_LENGTH = 10_000


@dataclass(frozen=True)
class QueryResult:
    """Maps that match a condition."""

    table: pa.Table
    """Rows of the maps, with the requested columns."""
    matches: int
    """Number of matching maps, before the limit."""


def find_maps(
    corpus: Corpus,
    condition: str,
    *,
    columns: Sequence[str] | None = None,
    order: str | None = None,
    limit: int | None = None,
) -> QueryResult:
    """Return the maps that match a condition such as `path_length > 80 and regions = 1`.

    Parameters
    ----------
    corpus : Corpus
        The corpus to search.
    condition : str
        SQL expression on the columns.
    columns : sequence of str, optional
        Columns to return; all except the cells by default.
    order : str, optional
        Column to sort by; a leading minus sorts in descending order. Maps without a value come last. By default, maps
        are sorted by id.
    limit : int, optional
        Maximum number of rows to return.

    Returns
    -------
    QueryResult

    Raises
    ------
    InvalidRecipe
        If the condition is invalid.

    Examples
    --------
    >>> import tilewright as tw
    >>> recipe = tw.recipe("caves", width=12, height=8)
    >>> corpus = tw.corpus.make(recipe, "memory://caves", count=8, seed=7, measures=["regions"], workers=0)
    >>> find_maps(corpus, "regions >= 0", columns=["id", "seed"], limit=1).table.to_pylist()
    [{'id': 0, 'seed': '7-0'}]
    """
    known = [name for name in corpus.columns if name != HIDDEN_COLUMN]
    if limit is not None:
        check_integer("limit", limit)
    shown = known if columns is None else [_find_column(name, known) for name in columns]
    sort_column = None if order is None else _find_column(order.strip().removeprefix("-"), known)
    is_descending = order is not None and order.strip().startswith("-")
    keys = [
        *([(sort_column, "descending" if is_descending else "ascending")] if sort_column else []),
        ("id", "ascending"),
    ]
    selected: list[pa.Table] = []
    matches = 0
    refuse_without_packages("duckdb")
    import duckdb

    with duckdb.connect(config=SETTINGS) as engine:
        condition_columns = _find_columns(engine, condition, known)
        needed = list(dict.fromkeys([*shown, *condition_columns, *(name for name, _ in keys)]))
        for table in corpus.tables(needed):
            matching = table.filter(pc.is_in(table["id"], pa.array(_select_ids(engine, table, condition), pa.int64())))
            matches += matching.num_rows
            selected = (
                [_sort_and_limit(pa.concat_tables([*selected, matching]), keys, limit)]
                if limit is not None
                else [*selected, matching]
            )
    if not selected:
        return QueryResult(corpus.table(shown), 0)
    return QueryResult(_sort_and_limit(pa.concat_tables(selected), keys, limit).select(shown), matches)


def _sort_and_limit(table: pa.Table, keys: Sequence[tuple[str, str]], limit: int | None) -> pa.Table:
    """Sort a table, with rows without a value last, and keep at most `limit` rows."""
    return table.take(pc.sort_indices(table, sort_keys=keys)).slice(0, limit)


def _select_ids(engine: Any, table: pa.Table, condition: str) -> list[int]:
    """Return the ids of the maps of a table that match the condition."""
    from duckdb import Error

    engine.register("maps", table)
    try:
        return [number for (number,) in engine.execute(f"select id from maps where ({condition}\n)").fetchall()]
    except Error as error:
        raise InvalidRecipe(_error_message(error), at="query") from None


def find_ids(corpus: Corpus, condition: str) -> list[int]:
    """Return the ids of the maps that match a condition."""
    numbers: list[int] = find_maps(corpus, condition, columns=["id"]).table["id"].to_pylist()
    return numbers


def _find_columns(engine: Any, condition: str, known: Sequence[str]) -> list[str]:
    """Return the columns that a condition uses. Raise InvalidRecipe if it is not a single condition on columns."""
    if not condition.strip():
        raise InvalidRecipe("must not be empty; write a condition such as path_length > 80", at="query", rule="missing")
    if len(condition) > MAX_CONDITION_LENGTH or "\0" in condition:
        raise InvalidRecipe(f"must have at most {MAX_CONDITION_LENGTH:,} characters and no null character", at="query")
    from duckdb import Error

    try:
        ((text,),) = engine.execute("select json_serialize_sql(?)", [f"select ({condition}\n)"]).fetchall()
        tree = json.loads(text)
    except (Error, ValueError, RecursionError) as error:
        raise InvalidRecipe(_error_message(error), at="query") from None
    if tree.get("error"):
        raise InvalidRecipe(f"{_shorten(str(tree.get('error_message')))}, in {short_repr(condition)}", at="query")
    node = tree["statements"][0]["node"] if len(tree["statements"]) == 1 else {}
    is_expression = len(node.get("select_list", ())) == 1 and node.get("from_table", {}).get("type") == "EMPTY"
    kinds = list(_iter_expressions(tree))
    if not is_expression or any(kind.get("class") in FORBIDDEN_CLASSES for kind in kinds):
        raise InvalidRecipe("must be one condition on columns, such as regions = 1", at="query", got=condition)
    return [_find_referenced(kind["column_names"], known) for kind in kinds if kind.get("class") == "COLUMN_REF"]


def _iter_expressions(part: Any) -> Iterator[dict[str, Any]]:
    """Yield all expressions in a tree."""
    pending = [part]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            if "class" in part:
                yield part
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)


def _find_referenced(names: Sequence[str], known: Sequence[str]) -> str:
    """Return the column of a reference. SQL reads `count.floor` as a table and its column, unless it is quoted."""
    whole = ".".join(names)
    if len(names) > 1 and whole in known:
        raise InvalidRecipe(f'write the column {whole} in double quotes: "{whole}"', at="query", rule="format")
    return _find_column(names[-1], known)


def _find_column(name: str, known: Sequence[str]) -> str:
    """Return a column by its name, ignoring case as SQL does."""
    for column in known:
        if column.lower() == name.strip().lower():
            return column
    if name.strip().lower() == HIDDEN_COLUMN:
        raise InvalidRecipe(f"column {HIDDEN_COLUMN!r} contains maps; `corpus take` shows them")
    raise UnknownName("column", name.strip(), known)


def _error_message(error: Exception) -> str:
    """Return the first line of a DuckDB error, without its type."""
    line = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return _shorten(line.partition(" Error: ")[2] or line)


def _shorten(text: str) -> str:
    return " ".join(text.split())[:200]
