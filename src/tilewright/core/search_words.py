"""Search words: further words by which users look for techniques and recipes, such as dungeon for `rooms`.

A technique declares its words in `@technique(search_words=...)`, and a recipe in a comment at its start, such as
`# Search words: dungeon, tomb`.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import data
from .registry import techniques
from .search import SearchEntry, drop_plural, split_words
from .yaml import read_head_comment, read_search_words

MAX_SUGGESTIONS = 6
"""Maximum number of techniques, and of recipes, in a message."""


def find_techniques(text: str) -> list[str]:
    """Return the names of the techniques that all words of a string are about.

    >>> find_techniques("dungeons")
    ['bsp', 'diffusion', 'rooms']
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


def list_search_entries() -> list[SearchEntry]:
    """Return all techniques and built-in recipes, for a search."""
    found = [
        SearchEntry(kind="techniques", name=entry.name, summary=entry.summary, words=entry.search_words)
        for entry in techniques
    ]
    for name in data.list_names("recipes"):
        text = data.read_text("recipes", name)
        words, summary = read_search_words(text), read_head_comment(text)
        found.append(SearchEntry(kind="recipes", name=name, summary=summary, words=words))
    return found


def suggest_entries(text: str) -> str:
    """Return a clause that names the techniques and recipes about a string; empty if there are none.

    >>> suggest_entries("labyrinth")
    'make it with the technique maze, or run the recipes stone-labyrinth, formal-garden'
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


def _is_about(known: Iterable[str], text: str) -> bool:
    """Return whether each word of a string is one of the known words, in the singular or plural."""
    singular = {drop_plural(word) for phrase in known for word in split_words(phrase)}
    words = split_words(text)
    return bool(words) and all(drop_plural(word) in singular for word in words)
