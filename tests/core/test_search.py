"""Search: what people call maps leads to the right techniques and recipes, also in the plural and with a typo."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.core.search import SearchEntry, search
from tilewright.studio.start.goals import list_searchable

EVERYDAY_WORDS = dict(
    line.split(": ") for line in Path(__file__).with_name("everyday_words.txt").read_text("utf-8").splitlines()
)
"""What users search for, and the entries that must be found. A first one with an exclamation mark is the best match."""
TYPOS = {
    "dugneon": "dungeon",
    "labrinth": "labyrinth",
    "platfomer": "platformer",
    "pokémon": "pokemon",
    "vilage": "village",
}


def find(text: str) -> list[str]:
    return [entry.name for entry in search(text, list_searchable())]


@pytest.mark.parametrize(("words", "expected"), EVERYDAY_WORDS.items(), ids=EVERYDAY_WORDS)
def test_everyday_words_lead_to_entries(words: str, expected: str) -> None:
    best, is_first, _ = expected.partition("!")
    assert {*expected.replace("!", "").split()} <= {*find(words)}
    assert not is_first or find(words)[0] == best


@pytest.mark.parametrize(("typo", "word"), TYPOS.items(), ids=TYPOS)
def test_typos_are_forgiven(typo: str, word: str) -> None:
    assert find(typo)
    assert set(find(typo)) <= set(find(word))


def test_words_without_meaning_are_ignored_and_all_others_must_match() -> None:
    assert find("a map like Zelda") == find("zelda")
    assert find("two players") == ["skirmish"]
    assert find("zelda mario") == []
    assert find("xyzzy") == []


def test_exact_words_come_before_prefixes_and_prefixes_before_typos() -> None:
    def entry(name: str, *words: str) -> SearchEntry:
        return SearchEntry(kind="recipes", name=name, summary="", words=words)

    entries = [entry("caver"), entry("dark-caverns"), entry("tomb", "grave", "cavern"), entry("pit", "cavern")]
    assert [found.name for found in search("cavern", entries)] == ["dark-caverns", "pit", "tomb"]
    assert [found.name for found in search("cave", entries)] == ["caver", "dark-caverns", "pit", "tomb"]
    assert [found.name for found in search("cvaern", entries)] == ["dark-caverns", "tomb", "pit"]
