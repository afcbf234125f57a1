"""Asking a corpus: which maps fulfil a condition, written in SQL and answered by DuckDB, part by part.

A condition is one expression over the columns, no statement: it cannot read anything else, nor change anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from ..core.deprecation import renamed_names
from ..core.errors import InvalidRecipe, UnknownName, short_repr
from ..core.params import check_integer

if TYPE_CHECKING:
    from .reader import Corpus

SETTINGS = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "threads": "1",
}
FORBIDDEN_CLASSES = ("SUBQUERY", "PARAMETER", "STAR", "WINDOW", "LAMBDA", "DEFAULT")
"""Kinds of expressions that look at something else than the columns of one map."""
HIDDEN_COLUMN = "cells"
MAX_CONDITION_LENGTH = 10_000


@dataclass(frozen=True)
class QueryResult:
    """Maps that fulfil a condition."""

    table: pa.Table
    """Those that were asked for, with the columns that were."""
    matches: int
    """How many there are in all."""


def find_maps(
    corpus: Corpus,
    condition: str,
    *,
    columns: Sequence[str] | None = None,
    order: str | None = None,
    limit: int | None = None,
) -> QueryResult:
    """The maps that fulfil a condition such as `path_length > 80 and regions = 1`, by default in their order.

    `order` is a column, the least first; a minus before it turns that around. Maps that lack it come last.
    """
    known = [name for name in corpus.columns if name != HIDDEN_COLUMN]
    if limit is not None:
        check_integer("limit", limit)
    shown = known if columns is None else [_find_column(name, known) for name in columns]
    by = None if order is None else _find_column(order.strip().removeprefix("-"), known)
    turned = order is not None and order.strip().startswith("-")
    keys = [*([(by, "descending" if turned else "ascending")] if by else []), ("id", "ascending")]
    taken: list[pa.Table] = []
    matches = 0
    with duckdb.connect(config=SETTINGS) as engine:
        asked = _find_columns(engine, condition, known)
        needed = list(dict.fromkeys([*shown, *asked, *(name for name, _ in keys)]))
        for table in corpus.tables(needed):
            some = table.filter(pc.is_in(table["id"], pa.array(_select_ids(engine, table, condition), pa.int64())))
            matches += some.num_rows
            taken = (
                [_sort_and_limit(pa.concat_tables([*taken, some]), keys, limit)]
                if limit is not None
                else [*taken, some]
            )
    if not taken:
        return QueryResult(corpus.table(shown), 0)
    return QueryResult(_sort_and_limit(pa.concat_tables(taken), keys, limit).select(shown), matches)


def _sort_and_limit(table: pa.Table, keys: Sequence[tuple[str, str]], limit: int | None) -> pa.Table:
    """In order, what is missing last, no more than so many."""
    return table.take(pc.sort_indices(table, sort_keys=keys)).slice(0, limit)


def _select_ids(engine: Any, table: pa.Table, condition: str) -> list[int]:
    """The maps of a table that fulfil the condition."""
    engine.register("maps", table)
    try:
        return [number for (number,) in engine.execute(f"select id from maps where ({condition}\n)").fetchall()]
    except duckdb.Error as error:
        raise InvalidRecipe(_error_message(error), at="query") from None


def find_ids(corpus: Corpus, condition: str) -> list[int]:
    """The numbers of the maps that fulfil a condition."""
    numbers: list[int] = find_maps(corpus, condition, columns=["id"]).table["id"].to_pylist()
    return numbers


def _find_columns(engine: Any, condition: str, known: Sequence[str]) -> list[str]:
    """The columns that a condition names; whatever is no condition over columns is refused."""
    if not condition.strip():
        raise InvalidRecipe("a condition such as path_length > 80 is missing", at="query", rule="missing")
    if len(condition) > MAX_CONDITION_LENGTH or "\0" in condition:
        raise InvalidRecipe(
            f"a condition has at most {MAX_CONDITION_LENGTH:,} characters, none of them zero", at="query"
        )
    try:
        ((text,),) = engine.execute("select json_serialize_sql(?)", [f"select ({condition}\n)"]).fetchall()
        tree = json.loads(text)
    except (duckdb.Error, ValueError, RecursionError) as error:
        raise InvalidRecipe(_error_message(error), at="query") from None
    if tree.get("error"):
        raise InvalidRecipe(f"{_shorten(str(tree.get('error_message')))}, in {short_repr(condition)}", at="query")
    node = tree["statements"][0]["node"] if len(tree["statements"]) == 1 else {}
    alone = len(node.get("select_list", ())) == 1 and node.get("from_table", {}).get("type") == "EMPTY"
    kinds = list(_iter_expressions(tree))
    if not alone or any(kind.get("class") in FORBIDDEN_CLASSES for kind in kinds):
        raise InvalidRecipe("one condition over columns, such as regions = 1", at="query", got=condition)
    return [_find_column(kind["column_names"][-1], known) for kind in kinds if kind.get("class") == "COLUMN_REF"]


def _iter_expressions(part: Any) -> Iterator[dict[str, Any]]:
    """All expressions in a tree."""
    waiting = [part]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if "class" in part:
                yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _find_column(name: str, known: Sequence[str]) -> str:
    """A column by its name; SQL does not care for capital letters."""
    for column in known:
        if column.lower() == name.strip().lower():
            return column
    if name.strip().lower() == HIDDEN_COLUMN:
        raise InvalidRecipe(f"column {HIDDEN_COLUMN!r} holds whole maps; `corpus take` shows them")
    raise UnknownName("column", name.strip(), known)


def _error_message(error: Exception) -> str:
    """The first line of what DuckDB says, without its kind."""
    line = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return _shorten(line.partition(" Error: ")[2] or line)


def _shorten(text: str) -> str:
    return " ".join(text.split())[:200]


__getattr__ = renamed_names(__name__, Found="QueryResult", found="find_maps", ids_of="find_ids")
