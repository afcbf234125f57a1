"""Search for entries by what users call them: first by exact words, then by prefixes, then by words with a typo.

Search words are further words by which users look for techniques and recipes, such as dungeon for `rooms`. A technique
declares its words in `@technique(search_words=...)`, and a recipe in a comment at its start, such as
`# Search words: dungeon, tomb`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum

from .. import data
from .registry import techniques
from .yaml import read_head_comment, read_search_words

# fmt: off
IGNORED_WORDS = frozenset((
    "a", "an", "and", "for", "game", "generator", "in", "like", "make", "map", "of", "or", "the", "to", "with",
))
# fmt: on
"""Words that do not narrow a search, unless it has no others."""
MIN_TYPO_LENGTH, MIN_TYPOS_LENGTH = 4, 8
"""Minimum length of a searched word with one typo, and with two."""
MIN_PART_LENGTH = 4
"""Minimum length of a searched word that may be inside another word."""
MAX_SUGGESTIONS = 6
"""Maximum number of techniques, and of recipes, in a message."""


class Match(IntEnum):
    """How a searched word matches an entry, from the best to the worst."""

    NAME = 0
    WORD = 1
    NAME_PREFIX = 2
    WORD_PREFIX = 3
    SUMMARY = 4
    SUMMARY_PREFIX = 5
    PART = 6
    TYPO = 7


Rank = tuple[Match, int]
"""How a searched word matches, and the position of the matching word: the first search words are the most important."""


@dataclass(frozen=True, kw_only=True)
class SearchEntry:
    """What a search knows about an entry."""

    kind: str
    """Kind in the plural, such as "techniques"."""
    name: str
    summary: str
    words: tuple[str, ...] = ()
    """Further words by which users look for the entry."""


def search(text: str, entries: Iterable[SearchEntry]) -> list[SearchEntry]:
    """Return the entries that match all words of a string, the best matches first.

    Words with a typo count only if nothing matches otherwise. Without words, return all entries.

    >>> maze = SearchEntry(kind="techniques", name="maze", summary="Mazes.", words=("labyrinth",))
    >>> caves = SearchEntry(kind="techniques", name="caves", summary="Natural caves.", words=("grotto",))
    >>> [entry.name for entry in search("labirinth", [caves, maze])]
    ['maze']
    """
    words = split_words(text)
    words = [word for word in words if word not in IGNORED_WORDS] or words
    ranked = []
    for entry in entries:
        terms = _Terms(entry)
        ranks = [rank for word in words if (rank := terms.rank(word)) is not None]
        if len(ranks) == len(words):
            ranked.append((sorted(ranks, reverse=True), entry))
    exact = [one for one in ranked if all(match != Match.TYPO for match, _ in one[0])]
    return [entry for _, entry in sorted(exact or ranked, key=lambda one: one[0])]


class _Terms:
    """The words of an entry, in the singular."""

    def __init__(self, entry: SearchEntry) -> None:
        self.name = [drop_plural(word) for word in split_words(entry.name)]
        self.words = [drop_plural(word) for phrase in entry.words for word in split_words(phrase)]
        self.summary = [drop_plural(word) for word in split_words(entry.summary)]

    def rank(self, searched: str) -> Rank | None:
        """Return the best match of a searched word, or None."""
        word = drop_plural(searched)
        typos = (len(word) >= MIN_TYPO_LENGTH) + (len(word) >= MIN_TYPOS_LENGTH)
        is_part_allowed = len(word) >= MIN_PART_LENGTH
        tests: tuple[tuple[Match, list[str], Callable[[str], bool]], ...] = (
            (Match.NAME, self.name, word.__eq__),
            (Match.WORD, self.words, word.__eq__),
            (Match.NAME_PREFIX, self.name, lambda known: known.startswith(word)),
            (Match.WORD_PREFIX, self.words, lambda known: known.startswith(word)),
            (Match.SUMMARY, self.summary, word.__eq__),
            (Match.SUMMARY_PREFIX, self.summary, lambda known: known.startswith(word)),
            (Match.PART, [*self.name, *self.words, *self.summary], lambda known: is_part_allowed and word in known),
            (Match.TYPO, [*self.name, *self.words], lambda known: 0 < count_typos(word, known, limit=typos) <= typos),
        )
        for match, terms, is_match in tests:
            position = next((place for place, known in enumerate(terms) if is_match(known)), None)
            if position is not None:
                return match, position if match in (Match.WORD, Match.WORD_PREFIX) else 0
        return None


def count_typos(word: str, other: str, *, limit: int) -> int:
    """Return the number of letters to insert, remove, replace or swap with the next; more than `limit` if too many.

    >>> count_typos("dugneon", "dungeon", limit=2)
    1
    """
    if abs(len(word) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(word):
        current = [row + 1]
        for column, known in enumerate(other):
            cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter != known))
            if row and column and letter == other[column - 1] and word[row - 1] == known:
                cost = min(cost, before[column - 1] + 1)
            current.append(cost)
        before, last = last, current
    return last[-1]


def split_words(text: str) -> list[str]:
    """Return the words of a string in lower case.

    >>> split_words("Lock-and-key dungeons")
    ['lock', 'and', 'key', 'dungeons']
    """
    return re.findall(r"[^\W_]+", text.lower())


def drop_plural(word: str) -> str:
    """Return the singular of a word, for comparisons.

    >>> drop_plural("cities"), drop_plural("caves"), drop_plural("grass")
    ('city', 'cave', 'grass')
    """
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


# -- techniques and recipes --------------------------------------------------------------------------------------


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
