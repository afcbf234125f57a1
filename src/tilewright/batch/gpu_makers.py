"""Launches of the kernels that make maps on a GPU, one class per technique.

Caves and fashion automata are made, shaped, measured and tested in registers, by one kernel. Noise and mazes are first
written to bit planes in the memory of the GPU.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numba import cuda

from ..core.params import Params
from ..generators.caves import CavesParams
from ..generators.fashion import FashionParams
from ..generators.maze import MazeParams
from ..generators.noise import NoiseParams
from ..kernels.bit_surveys import NEEDS_PATH
from ..kernels.gpu import fashion, fashion_rules, groups, maps
from ..kernels.gpu.maze import MazeMaker
from ..kernels.gpu.noise import NoiseMaker
from . import maze as maze_parameters
from . import noise as noise_parameters
from .program import BatchProgram, CavesRule, NoKernel

Job = tuple[int, int, int, int, Any, np.uint64]
"""Height, width, passable states, needs, shaping and first seed."""


class MapMaker(Protocol):
    """Launch of the kernels of a technique."""

    def launch(self, keys: Any, job: Job, tests: tuple[Any, ...], out: tuple[Any, Any]) -> None:
        """Make, shape, measure, test and store the maps of some keys."""
        ...


def open_maker(program: BatchProgram) -> MapMaker:
    """Return the launch of a program. Raise NoKernel if the GPU cannot make its maps."""
    makers: dict[type[Params], type[Any]] = {
        CavesParams: CaveLaunch,
        FashionParams: FashionLaunch,
        NoiseParams: NoiseLaunch,
        MazeParams: MazeLaunch,
    }
    found = makers.get(type(program.params))
    if found is None:
        raise NoKernel(f"the technique {program.technique} on the GPU")
    maker: MapMaker = found(program)
    return maker


class CaveLaunch:
    """Launch of caves."""

    def __init__(self, program: BatchProgram) -> None:
        assert isinstance(program.params, CavesParams)
        rule = CavesRule.of(program.params)
        self._rule = (np.uint64(rule.limit), rule.steps, rule.birth, rule.survive, rule.outside)
        self._group = groups.choose_group(program.height)
        self._kernel = maps.build_caves(self._group)

    def launch(self, keys: Any, job: Job, tests: tuple[Any, ...], out: tuple[Any, Any]) -> None:
        self._kernel[groups.find_launch(self._group, job[0], len(keys))](keys, self._rule, job, tests, out)


class FashionLaunch:
    """Launch of fashion automata."""

    def __init__(self, program: BatchProgram) -> None:
        p = program.params
        assert isinstance(p, FashionParams)
        if isinstance(p.scores, str):
            raise NoKernel("fashion with random scores")
        if p.morph is not None or p.start is not None or p.offset is not None:
            raise NoKernel("fashion with morph, start or offset")
        scores = np.array(p.scores, dtype=np.float64).reshape(p.states, p.states)
        rule = fashion_rules.make_rule(scores, p.offsets, wrap=p.wrap is not False)
        if rule is None:
            raise NoKernel("fashion with this number of states or these neighbors")
        self._rule, self._generations = rule, p.generations
        self._size = (program.height, program.width)
        self._group = groups.choose_group(program.height)
        self._plan(1)

    def _plan(self, count: int) -> fashion.Launch:
        found = fashion.plan_fashion(self._rule, self._group, self._size, count=count, generations=self._generations)
        if found is None:
            raise NoKernel("fashion maps that are this narrow")
        return found

    def launch(self, keys: Any, job: Job, tests: tuple[Any, ...], out: tuple[Any, Any]) -> None:
        plan = self._plan(len(keys))
        plan.kernel[plan.shape](keys, plan.rule, job, tests, out)


class NoiseLaunch:
    """Launch of noise."""

    def __init__(self, program: BatchProgram) -> None:
        p = program.params
        assert isinstance(p, NoiseParams)
        if wrong := noise_parameters.find_unsupported(p):
            raise NoKernel(wrong)
        self._maker = NoiseMaker(noise_parameters.make_tables(p))
        self._depth = max(1, (len(program.ids) - 1).bit_length())
        self._finish = _Finish(program.height)

    def launch(self, keys: Any, job: Job, tests: tuple[Any, ...], out: tuple[Any, Any]) -> None:
        planes = cuda.device_array((len(keys), self._depth, job[0]), dtype=np.uint64)
        self._maker.fill(keys, planes)
        self._finish.launch(planes, cuda.device_array(0, dtype=np.int32), job, tests, out)


class MazeLaunch:
    """Launch of mazes."""

    def __init__(self, program: BatchProgram) -> None:
        p = program.params
        assert isinstance(p, MazeParams)
        self._maker = MazeMaker(maze_parameters.make_tables(p))
        self._needs_markers = maze_parameters.needs_markers(p)
        self._finish = _Finish(program.height)

    def launch(self, keys: Any, job: Job, tests: tuple[Any, ...], out: tuple[Any, Any]) -> None:
        planes = cuda.device_array((len(keys), 1, job[0]), dtype=np.uint64)
        height, width, passable, needs, shaping, first = job
        counts_steps = self._needs_markers and needs > 0 and bool(needs & NEEDS_PATH)
        lengths = cuda.device_array(len(keys) if counts_steps else 0, dtype=np.int32)
        self._maker.fill(keys, planes, lengths)
        needs = needs & ~NEEDS_PATH if counts_steps else needs
        self._finish.launch(planes, lengths, (height, width, passable, needs, shaping, first), tests, out)


class _Finish:
    """Launch of the kernel that shapes, measures, tests and stores maps from planes."""

    def __init__(self, height: int) -> None:
        self._group = groups.choose_group(height)
        self._kernel = maps.build_loaded(self._group)

    def launch(self, planes: Any, lengths: Any, job: Job, tests: tuple[Any, ...], out: tuple[Any, Any]) -> None:
        self._kernel[groups.find_launch(self._group, job[0], len(planes))](planes, lengths, job, tests, out)
