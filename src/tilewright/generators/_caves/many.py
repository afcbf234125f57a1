"""Many caves at once."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.many_maps import Job, Launch, ManyMaps, NoKernel
from ...core.site import Site
from ...kernels.bit_rows import make_caves

if TYPE_CHECKING:
    from ..caves import CavesParams


class CavesMany(ManyMaps):
    """Kernels for caves that are no torus and no window of an endless cave."""

    runs_on_cpu = True

    def __init__(self, params: CavesParams, site: Site) -> None:
        super().__init__(params, site)
        if params.wrap or params.offset is not None:
            raise NoKernel("caves with wrap or offset")
        # A random number of 53 bits is below this limit if, as a fraction, it is below `walls`.
        limit = np.uint64(ceil(params.walls * 2**53))
        self._rule = limit, params.steps, params.birth, params.survive, int(params.outside == "wall")

    def fill_rows(self, keys: NDArray[np.uint64], rows: NDArray[np.uint64]) -> None:
        make_caves(keys, self.site.shape[1], *self._rule, rows)

    def open_launch(self) -> Launch:
        from ...kernels.gpu import groups, maps

        group, rule = groups.choose_group(self.site.shape[0]), self._rule
        kernel = maps.build_caves(group)

        def launch(keys: Any, job: Job, tests: tuple[Any, ...], out: tuple[Any, Any]) -> None:
            kernel[groups.find_launch(group, job[0], len(keys))](keys, rule, job, tests, out)

        return launch
