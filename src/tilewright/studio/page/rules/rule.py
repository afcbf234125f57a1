"""One rule: a sentence, and the fields behind it when it is folded open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from ....generators._rules.compact import OPERATORS
from . import rulebook_draft as books
from .editor import Block, Following, Rows, field_of
from .fields import (
    adding,
    choice,
    heading,
    neighbourhood_choice,
    number,
    show_open,
    small,
    switch_class,
    tile_choice,
    tools,
)
from .places import weighted_tiles
from .rulebook_draft import Path
from .sentences import as_html, rule_spans

SIGNS = {">": ">", "<": "<", ">=": "≥", "<=": "≤", "==": "=", "!=": "≠"}
JOINTS = {"and": "all of these hold", "or": "one of these holds"}


def rule_card(host: Block, layer: int, place: int) -> None:
    editor, test = host.editor, f"rules-rule-{layer}-{place}"
    path: Path = ("generationRules", layer, "rules", place)

    def arranged(do: Callable[[list[Any]], list[Any]]) -> None:
        """The same for the rules and for what is open of them."""
        editor.folds.rules[layer] = do(editor.folds.rules[layer])
        editor.put(books.with_at(editor.book, path[:-1], do(books.at(editor.book, path[:-1]))))

    def is_open() -> bool:
        return editor.folds.rules[layer][place]

    def toggle() -> None:
        editor.folds.rules[layer][place] = not is_open()

    with ui.element("div").classes("rules-rule") as card:
        card.props(f"data-testid={test}")
        with heading(f"{test}-head", lambda: editor.unfold(toggle)) as head:
            sentence = ui.html("", sanitize=False).classes("rules-sentence").props(f"data-testid={test}-sentence")

        def follow() -> None:
            written = as_html(rule_spans(books.at(editor.book, path)), editor.names)
            if sentence.content != written:
                sentence.set_content(written)
            show_open(head, is_open())
            switch_class(card, "rules-blamed", path in editor.blamed)

        Following(host, follow)

        def build(block: Block) -> None:
            if is_open():
                _fields(block, path, test)
                tools(place, arranged, test)

        Block(host, build, shape=is_open, classes="rules-fields rules-inside")


def _fields(host: Block, path: Path, test: str) -> None:
    editor = host.editor
    with _worded("a cell of"):
        tile_choice(host, (*path, "tile"), "Rule", test=f"{test}-tile")
    with _worded("becomes"):
        weighted_tiles(host, (*path, "replacements"), f"{test}-replacement")
    with _worded("if in"):
        neighbourhood_choice(host, (*path, "neighbourhood"), "Rule", test=f"{test}-neighbourhood")
        choice(
            host,
            (*path, "combine"),
            lambda: dict(JOINTS),
            field_of("Rule", "combine")["description"],
            test=f"{test}-combine",
        )

    def conditions() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = books.at(editor.book, (*path, "conditions"))
        return found

    def put(new: list[dict[str, Any]]) -> None:
        editor.put(books.with_at(editor.book, (*path, "conditions"), new))

    def build(block: Block, place: int) -> None:
        inner: Path = (*path, "conditions", place)
        with ui.element("div").classes("rules-line"):
            tile_choice(block, (*inner, "tile"), "Condition", test=f"{test}-condition-tile-{place}")
            operator = choice(
                block,
                (*inner, "operator"),
                lambda: {operator: SIGNS[operator] for operator in OPERATORS},
                field_of("Condition", "operator")["description"],
                test=f"{test}-operator-{place}",
                classes="rules-operator",
            )
            operator.props("hide-dropdown-icon")
            number(block, (*inner, "count"), "Condition", test=f"{test}-count-{place}")
            if len(conditions()) > 1:
                remove = f"{test}-remove-condition-{place}"
                small("close", "Remove this condition", lambda: put(books.without(conditions(), place)), remove)

    with _worded(""), ui.element("div").classes("rules-list rules-grow"):
        Rows(host, lambda: len(conditions()), build, shape=lambda: len(conditions()) > 1)
        adding(
            "Condition",
            "Add a condition",
            lambda: put([*conditions(), dict(conditions()[-1])]),
            f"{test}-add-condition",
        )


def _worded(word: str) -> ui.element:
    """A word of the sentence, and room for the fields behind it."""
    line = ui.element("div").classes("rules-row rules-worded")
    with line:
        ui.label(word).classes("rules-label")
    return line
