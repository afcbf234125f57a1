"""A backtracking matcher that counts its steps, for patterns of the module `re`.

Python's own matcher reports no counts. This one visits the alternatives of a parsed pattern in the same order, without
the shortcuts of `re`, so that its steps are an upper limit in the same order of magnitude.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

sre: Any = vars(re)["_constants"]
_parser: Any = vars(re)["_parser"]
MAXREPEAT = sre.MAXREPEAT
SubPattern = _parser.SubPattern
MAX_STEPS = 200_000
SINGLE = (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)
REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
CATEGORIES: dict[Any, Callable[[str], bool]] = {
    sre.CATEGORY_DIGIT: str.isdigit,
    sre.CATEGORY_SPACE: str.isspace,
    sre.CATEGORY_WORD: lambda character: character.isalnum() or character == "_",
    sre.CATEGORY_NOT_DIGIT: lambda character: not character.isdigit(),
    sre.CATEGORY_NOT_SPACE: lambda character: not character.isspace(),
    sre.CATEGORY_NOT_WORD: lambda character: not (character.isalnum() or character == "_"),
}


class TooManySteps(Exception):
    """The matcher took MAX_STEPS steps."""


class Matcher:
    """A pattern that is matched with a count of steps."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.tree = list(_parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE))
        self.flags = pattern.flags
        self.steps = 0
        self.text = ""
        self.groups: dict[int, tuple[int, int]] = {}

    def find_end(self, text: str) -> int | None:
        """Return the end of the match at the start of a string."""
        self.text, self.groups = text, {}
        return next(self._match(self.tree, 0), None)

    def count(self, text: str, method: str) -> int:
        """Return the steps of a method of patterns, such as `findall`, on a string."""
        self.steps, self.text, self.groups = 0, text, {}
        position = 0
        while position <= len(text):
            end = next(self._match(self.tree, position, is_full=method == "fullmatch"), None)
            if method in ("match", "fullmatch") or (method == "search" and end is not None):
                break
            position = end if end is not None and end > position else position + 1
        return self.steps

    def _match(self, nodes: list[Any], position: int, *, is_full: bool = False) -> Iterator[int]:
        """Yield the ends of all matches, the preferred one first."""
        if not nodes:
            if not is_full or position == len(self.text):
                yield position
            return
        for end in self._match_node(nodes[0], position):
            yield from self._match(nodes[1:], end, is_full=is_full)

    def _match_node(self, node: Any, position: int) -> Iterator[int]:
        self._step()
        kind, value = node
        if kind in SINGLE:
            if position < len(self.text) and self._accepts(node, self.text[position]):
                yield position + 1
        elif kind is sre.SUBPATTERN:
            for end in self._match(list(value[3]), position):
                if value[0] is not None:
                    self.groups[value[0]] = position, end
                yield end
        elif kind is sre.BRANCH:
            for branch in value[1]:
                yield from self._match(list(branch), position)
        elif kind in REPEATS:
            ends = self._repeat(kind, value[0], value[1], list(value[2]), position)
            yield from ends if kind is not sre.POSSESSIVE_REPEAT else _first(ends)
        elif kind is sre.ATOMIC_GROUP:
            yield from _first(self._match(list(value), position))
        elif kind in (sre.ASSERT, sre.ASSERT_NOT):
            yield from self._look(kind, value, position)
        elif kind is sre.AT:
            if self._is_at(value, position):
                yield position
        elif kind is sre.GROUPREF:
            start, end = self.groups[value]
            if self.text.startswith(self.text[start:end], position):
                yield position + end - start
        else:
            raise NotImplementedError(f"a pattern with {kind}")

    def _repeat(self, kind: Any, least: int, most: int, body: list[Any], position: int) -> Iterator[int]:
        if len(body) == 1 and body[0][0] in SINGLE:
            longest = position
            while longest < len(self.text) and longest - position < most and self._accepts(body[0], self.text[longest]):
                longest += 1
                self._step()
            ends = range(position + least, longest + 1)
            for end in ends if kind is sre.MIN_REPEAT else reversed(ends):
                self._step()
                yield end
            return
        if kind is sre.MIN_REPEAT:
            raise NotImplementedError("a lazy repeat of more than one character")
        yield from self._repeat_group(body, position, 0, least, most)

    def _repeat_group(self, body: list[Any], position: int, count: int, least: int, most: int) -> Iterator[int]:
        if count < most:
            for end in self._match(body, position):
                if end > position:
                    yield from self._repeat_group(body, end, count + 1, least, most)
        if count >= least:
            yield position

    def _look(self, kind: Any, value: Any, position: int) -> Iterator[int]:
        direction, body = value
        nodes = list(body)
        if direction < 0:
            width = body.getwidth()[0]
            found = position >= width and position in self._match(nodes, position - width)
        else:
            found = next(self._match(nodes, position), None) is not None
        if found == (kind is sre.ASSERT):
            yield position

    def _is_at(self, where: Any, position: int) -> bool:
        text, is_multiline = self.text, bool(self.flags & re.MULTILINE)
        if where in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
            return position == 0 or (where is sre.AT_BEGINNING and is_multiline and text[position - 1] == "\n")
        if where is sre.AT_END_STRING:
            return position == len(text)
        if where is sre.AT_END:
            return position == len(text) or text[position:] == "\n" or (is_multiline and text[position] == "\n")
        is_word = CATEGORIES[sre.CATEGORY_WORD]
        before = position > 0 and is_word(text[position - 1])
        after = position < len(text) and is_word(text[position])
        return bool((before != after) == (where is sre.AT_BOUNDARY))

    def _accepts(self, node: Any, character: str) -> bool:
        kind, value = node
        if kind is sre.ANY:
            return bool(self.flags & re.DOTALL) or character != "\n"
        if kind is sre.IN:
            is_negated = value[0][0] is sre.NEGATE
            return is_negated != any(_contains(one, character) for one in value[is_negated:])
        if self.flags & re.IGNORECASE:
            return (character.lower() == chr(value).lower()) == (kind is sre.LITERAL)
        return bool((ord(character) == value) == (kind is sre.LITERAL))

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TooManySteps

    # -- examples -----------------------------------------------------------------------------------------------

    def make_example(self, random: Random) -> str:
        """Return a string that the pattern matches, apart from assertions."""
        return "".join(self._make_part(node, random) for node in self.tree)

    def _make_part(self, node: Any, random: Random) -> str:
        kind, value = node
        if kind in SINGLE:
            accepted = [one for one in map(chr, (*range(1, 256), 0xD800)) if self._accepts(node, one)]
            usual = [one for one in accepted if one in "a0 _-\"'([{,.:;=<>\\#/\n"]
            return random.choice(usual or accepted)
        if kind is sre.SUBPATTERN:
            return "".join(self._make_part(one, random) for one in value[3])
        if kind is sre.BRANCH:
            return "".join(self._make_part(one, random) for one in random.choice(value[1]))
        if kind in REPEATS:
            count = max(value[0], min(value[1], random.choice([0, 1, 1, 2, 3])))
            return "".join(self._make_part(one, random) for _ in range(count) for one in value[2])
        if kind is sre.ATOMIC_GROUP:
            return "".join(self._make_part(one, random) for one in value)
        return ""


def _first(ends: Iterator[int]) -> Iterator[int]:
    end = next(ends, None)
    if end is not None:
        yield end


def _contains(item: Any, character: str) -> bool:
    kind, value = item
    if kind is sre.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    if kind is sre.CATEGORY:
        return CATEGORIES[value](character)
    return bool(ord(character) == value)
