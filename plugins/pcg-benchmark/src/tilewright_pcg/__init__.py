"""Contents of the PCG Benchmark: made by Tilewright, judged by the installed benchmark.

>>> import tilewright_pcg as pcg
>>> controls = pcg.draw_controls("zelda", 2, seed=1)
>>> contents = pcg.make_contents("zelda", 2, seed=1, controls=controls)
>>> pcg.to_map("zelda", contents[0]).shape
(7, 11)

`judge` needs the package pcg_benchmark; `tilewright benchmark pcg` runs all of it.
Source: Khalifa et al., "The Procedural Content Generation Benchmark", 2025; docs/benchmark.md has the results.
"""

from __future__ import annotations

from .contents import draw_controls as draw_controls
from .contents import make_contents as make_contents
from .contents import to_content as to_content
from .contents import to_map as to_map
from .judge import Score as Score
from .judge import check_installed as check_installed
from .judge import judge as judge
from .problem import PROBLEMS as PROBLEMS
