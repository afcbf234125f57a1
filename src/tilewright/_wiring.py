"""Registration of the packages that implement the ports of core. Each package is imported at its first use."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from .core import ports


def load_files() -> ports.Files:
    from . import formats

    return formats


def load_measure_map() -> ports.MeasureMap:
    from .analysis.survey import measure_map

    return measure_map


def load_find_similarity() -> ports.FindSimilarity:
    from .analysis.similarity import find_similarity

    return find_similarity


def load_find_game() -> ports.FindGame:
    from .play.game import find_game

    return find_game


def load_built_in() -> ports.BuiltIn:
    from . import _built_in

    return _built_in


def load_more_overlays() -> ModuleType:
    from .play import overlays

    return overlays


def load_available_memory() -> Callable[[], int]:
    from ._machine import available_memory

    return available_memory


ports.files.register(load_files)
ports.measure_map.register(load_measure_map)
ports.find_similarity.register(load_find_similarity)
ports.find_game.register(load_find_game)
ports.built_in.register(load_built_in)
ports.more_overlays.register(load_more_overlays)
ports.available_memory.register(load_available_memory)
