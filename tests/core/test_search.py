"""Search: what people call maps leads to the right techniques and recipes, also in the plural and with a typo."""

from __future__ import annotations

import pytest

from tilewright.core.search import SearchEntry, search
from tilewright.studio.start.goals import list_searchable

EVERYDAY_WORDS = {
    "advance wars": "skirmish frontier",
    "army": "skirmish frontier",
    "bat": "crystal-cave",
    "battle": "skirmish frontier",
    "beach": "archipelago lake-cave island-kingdom",
    "blank": "empty!",
    "castle": "rooms",
    "cave": "crystal-cave! caves lake-cave open-caves drunkard",
    "cavern": "caves flooded-cavern crystal-cave",
    "city": "city-blocks farm-village rules",
    "coins": "platformer",
    "continent": "noise island-kingdom",
    "desert": "island-kingdom",
    "draw": "drawing",
    "dungeon": "roguelike-dungeon! locked-dungeon treasure-dungeon rooms bsp crypt",
    "farm": "farm-village river-valley",
    "forest": "jungle-ruin swamp",
    "garden": "formal-garden rules",
    "gold": "ore-mine",
    "house": "farm-village city-blocks bsp",
    "islands": "island-kingdom! archipelago noise islets",
    "key": "locked-dungeon roguelike-dungeon",
    "labyrinth": "stone-labyrinth! maze formal-garden",
    "lake": "lake-cave flooded-cavern islets",
    "loot": "treasure-dungeon roguelike-dungeon",
    "mario": "platformer! patterns markov",
    "maze": "maze! stone-labyrinth formal-garden",
    "mine": "ore-mine crystal-cave drunkard",
    "minecraft": "noise ore-mine",
    "minotaur": "stone-labyrinth",
    "monsters": "roguelike-dungeon! treasure-dungeon crystal-cave stone-labyrinth",
    "mountains": "island-kingdom noise",
    "nethack": "roguelike-dungeon rooms",
    "overworld": "island-kingdom! noise river-valley",
    "park": "city-blocks formal-garden",
    "pirates": "archipelago",
    "platformer": "platformer patterns markov",
    "pokemon": "farm-village island-kingdom river-valley",
    "rogue": "roguelike-dungeon rooms bsp",
    "roguelike": "roguelike-dungeon rooms bsp caves",
    "strategy": "skirmish frontier",
    "style": "drawing patterns wfc markov",
    "swamp": "swamp!",
    "temple": "jungle-ruin",
    "town": "farm-village! city-blocks",
    "treasure": "treasure-dungeon roguelike-dungeon crystal-cave",
    "tunnel": "ore-mine drunkard",
    "village": "farm-village river-valley",
    "war": "skirmish! frontier",
    "water": "lake-cave flooded-cavern",
    "world": "island-kingdom noise",
    "zelda": "island-kingdom farm-village locked-dungeon",
}
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
