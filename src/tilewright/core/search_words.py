"""Search words: further words by which users look for techniques and recipes, such as dungeon for `rooms`.

A technique declares its words in `@technique(search_words=...)`, and a recipe in a comment at its start, such as
`# Search words: dungeon, tomb`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .. import data
from .registry import techniques
from .yaml import read_search_words

MAX_SUGGESTIONS = 6
"""Maximum number of techniques, and of recipes, in a message."""


def find_techniques(text: str) -> list[str]:
    """Return the names of the techniques that all words of a string are about.

    >>> find_techniques("dungeons")
    ['bsp', 'rooms']
    """
    return _put_namesakes_first(
        [entry.name for entry in techniques if _is_about((entry.name, *entry.search_words), text)], text
    )


def find_recipes(text: str) -> list[str]:
    """Return the names of the built-in recipes that all words of a string are about."""
    names = data.list_names("recipes")
    return _put_namesakes_first([name for name in names if _is_about((name, *list_recipe_words(name)), text)], text)


def list_recipe_words(name: str) -> tuple[str, ...]:
    """Return the search words of a built-in recipe."""
    return read_search_words(data.read_text("recipes", name))


def suggest_entries(text: str) -> str:
    """Return a clause that names the techniques and recipes about a string; empty if there are none.

    >>> suggest_entries("labyrinth")
    'make it with the technique maze, or run the recipe formal-garden'
    """
    found = [
        f"{verb} the {noun}{'' if len(names) == 1 else 's'} {', '.join(names[:MAX_SUGGESTIONS])}"
        for verb, noun, names in (
            ("make it with", "technique", find_techniques(text)),
            ("run", "recipe", find_recipes(text)),
        )
        if names
    ]
    return ", or ".join(found)


def has_namesake(names: Iterable[str], text: str) -> bool:
    """Return whether a name consists of the words of a string, in the singular or plural: caves for cave."""
    return any(_is_about((name,), text) for name in names)


def _put_namesakes_first(names: list[str], text: str) -> list[str]:
    return sorted(names, key=lambda name: not _is_about((name,), text))


def contains_words(text: str, *described: str) -> bool:
    """Return whether texts that describe an entry contain all words of a search.

    >>> contains_words("Dungeons", "rooms", "Rooms joined by corridors.", "dungeon")
    True
    """
    whole = " ".join(described).lower()
    return all(word in whole or _drop_plural(word) in whole for word in text.lower().split())


def _is_about(known: Iterable[str], text: str) -> bool:
    """Return whether each word of a string is one of the known words, in the singular or plural."""
    singular = {_drop_plural(word) for phrase in known for word in _split_words(phrase)}
    words = _split_words(text)
    return bool(words) and all(_drop_plural(word) in singular for word in words)


def _split_words(text: str) -> Sequence[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _drop_plural(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
