"""Kernels: the benchmark's games with its agents, and sets of contents that differ."""

from __future__ import annotations

from . import ddave as ddave
from . import independent_set as independent_set
from . import loderunner as loderunner
from . import mdungeons as mdungeons
from . import sequences as sequences
from . import sokoban as sokoban
