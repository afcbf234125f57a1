"""Archives that ship with Tilewright: the gallery of the technique `fashion`.

`tools/evolve_automata.py` makes them. A file has the definition of the search and the elites, as arrays.
"""

from __future__ import annotations

import numpy as np

from ..generators._fashion.gallery import DEFAULT_ARCHIVE, STEPS, load_gallery, read_arrays
from ..generators._fashion.gallery import PREFIX as PREFIX
from .archive import Archive
from .definition import Definition


def load_shipped(address: str) -> Archive:
    """Return an archive that ships with Tilewright by its address, such as `archive:caverns`.

    Raises
    ------
    UnknownName
        If there is no archive of that name.
    """
    name = load_gallery(address.removeprefix(PREFIX) or DEFAULT_ARCHIVE).name
    arrays = read_arrays(name)
    definition = Definition.from_text(arrays["definition"].tobytes().decode())
    archive = Archive(definition, evaluations=int(arrays["evaluations"]), folder=f"{PREFIX}{name}")
    cells = np.ravel_multi_index(tuple(arrays["cells"].astype(np.int64).T), archive.shape)
    for cell in cells.tolist():
        archive.add_row(cell)
    rows, count = archive.rows, len(cells)
    rows.objective[:count] = arrays["objectives"]
    rows.measures[:count] = arrays["measures"]
    rows.units[:count] = arrays["scores"] / np.float64(STEPS)
    rows.number[:count] = arrays["numbers"]
    rows.parents[:count] = arrays["parents"]
    rows.emitter[:count] = arrays["emitters"]
    return archive
