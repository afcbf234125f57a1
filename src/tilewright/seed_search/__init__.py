"""Search over seeds: the seeds of a range whose maps meet requirements.

>>> import tilewright as tw
>>> recipe = tw.recipe("caves", width=20, height=12)
>>> found = tw.seek(recipe, seeds="0..199", require={"regions": 1, "path_length": "most"}, keep=3)
>>> found.tested
200
"""

from __future__ import annotations

from .result import FoundSeeds
from .run import seek

__all__ = ["FoundSeeds", "seek"]
