"""Many maps of fashion automata at once, on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.many_maps import Job, Launch, ManyMaps, NoKernel


class FashionMany(ManyMaps):
    """Kernels for fashion automata."""

    def open_launch(self) -> Launch:
        from ...kernels.gpu import fashion, fashion_rules, groups

        p = self.params
        if isinstance(p.scores, str):
            raise NoKernel("fashion with random scores")
        if p.morph is not None or p.start is not None or p.offset is not None:
            raise NoKernel("fashion with morph, start or offset")
        scores = np.array(p.scores, dtype=np.float64).reshape(p.states, p.states)
        rule = fashion_rules.make_rule(scores, p.offsets, wrap=p.wrap is not False)
        if rule is None:
            raise NoKernel("fashion with this number of states or these neighbors")
        height, width = self.site.shape
        group = groups.choose_group(height)

        def plan(count: int) -> fashion.Launch:
            found = fashion.plan_fashion(rule, group, (height, width), count=count, generations=p.generations)
            if found is None:
                raise NoKernel("fashion maps that are this narrow")
            return found

        def launch(keys: Any, job: Job, tests: tuple[Any, ...], out: tuple[Any, Any]) -> None:
            planned = plan(len(keys))
            planned.kernel[planned.shape](keys, planned.rule, job, tests, out)

        plan(1)
        return launch
