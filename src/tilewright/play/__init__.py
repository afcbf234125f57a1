"""Games and their solvers: proof that a level can be finished, and how.

`solve` plays a map with a game and returns a `Playthrough`. Each built-in game is a module of `play.games`. Other
packages add games through the entry point group tilewright.games.
"""

from __future__ import annotations

from .board import GameBoard as GameBoard
from .game import BoundGame as BoundGame
from .game import Game as Game
from .game import choose_game as choose_game
from .game import game as game
from .game import game_registry as game_registry
from .game import read_game as read_game
from .game import solve as solve
from .game_rules import GameRules as GameRules
from .game_rules import Solution as Solution
from .playthrough import Event as Event
from .playthrough import Playthrough as Playthrough
