"""Maps that a search has found: as states of the page, and their export as files, as a corpus, or to the gallery."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np
from nicegui import ui
from numpy.typing import NDArray

from ...core.errors import TilewrightError, TooLarge, pluralize
from ...core.measure_groups import format_measure
from ...corpus import refuse_without_packages
from ...search.archive import Archive, Elite
from ..export.files import format_bytes
from ..gallery.export import MapsExport
from ..gallery.state import MAX_FOUND
from ..gallery.variations import Variation
from ..jobs import CancelToken
from ..operations import zip_files
from ..page.widgets import labeled_button
from ..session import Session
from ..state import State
from .heatmap import Box, Cell, describe_measure
from .options import apply_values, find_owner
from .runs import SearchRun

MAX_BYTES = 64 << 20
"""Maximum bytes of all files of a corpus."""


@dataclass
class FoundMaps:
    """The elites of a search, of which a rectangle of cells may be selected."""

    run: SearchRun | None = None
    box: Box | None = None
    """Selected rectangle; None for all cells."""

    @property
    def archive(self) -> Archive | None:
        return self.run.search.archive if self.run is not None else None

    @property
    def base(self) -> State | None:
        """State whose recipe was searched."""
        return self.run.setup.base if self.run is not None else None

    @property
    def count(self) -> int:
        """Number of selected maps."""
        return len(self._find_rows())

    def find_elite(self, cell: Cell | None) -> Elite | None:
        """Return the elite of a cell, or the best one; None if there is none."""
        archive = self.archive
        if archive is None or not len(archive):
            return None
        return archive.best if cell is None else archive.cell(*cell)

    def find_state(self, elite: Elite) -> State:
        """Return the state with the recipe of an elite."""
        assert self.run is not None
        genes = self.run.search.definition.genome.genes
        return apply_values(self.run.setup.base, {gene.path: elite.values[gene.name] for gene in genes})

    def list_values(self) -> list[dict[str, Any]]:
        """Return the values of the varied parameters by path, of each selected map."""
        archive = self.archive
        if archive is None:
            return []
        genome = archive.definition.genome
        paths = [gene.path for gene in genome.genes]
        rows = genome.decode(archive.rows.units[self._find_rows()])
        return [dict(zip(paths, values, strict=True)) for values in rows]

    def list_variations(self) -> list[Variation]:
        """Return the selected maps, with captions that name their measures."""
        archive = self.archive
        if archive is None or self.run is None:
            return []
        names = [axis.measure for axis in archive.definition.axes]
        found = []
        for row, values in zip(self._find_rows(), self.list_values(), strict=True):
            numbers = zip(names, archive.rows.measures[row], strict=False)
            caption = " · ".join(f"{describe_measure(name)} {format_measure(name, number)}" for name, number in numbers)
            found.append(Variation(apply_values(self.run.setup.base, values), caption))
        return found

    def select_archive(self) -> Archive | None:
        """Return an archive of the selected maps only; None if there is no archive."""
        archive = self.archive
        if archive is None:
            return None
        found = Archive(archive.definition)
        for row in self._find_rows().tolist():
            place = found.add_row(int(archive.rows.cell[row]))
            for name, values in vars(archive.rows).items():
                getattr(found.rows, name)[place] = values[row]
        return found

    def _find_rows(self) -> NDArray[np.int64]:
        """Return the rows of the selected elites, in the order of their cells."""
        archive = self.archive
        if archive is None:
            return np.empty(0, dtype=np.int64)
        rows = archive.row_of_cell.reshape(archive.shape)
        if self.box is not None:
            left, bottom, right, top = self.box
            rows = rows[left : right + 1, bottom : top + 1]
        return rows[rows >= 0]


class EliteExport(MapsExport):
    """Buttons to download the selected maps as files or as a corpus, and to open them in the gallery."""

    def __init__(self, session: Session, find_maps: Callable[[], FoundMaps]) -> None:
        """Build the controls in the current slot. `find_maps` returns the maps of the current search."""
        self._find_maps = find_maps
        super().__init__(session, "search")

    def refresh(self) -> None:
        """Show whether there are maps to export."""
        for button in (self.download, self.corpus, self.gallery):
            button.set_enabled(self._find_maps().count > 0)

    def _build_buttons(self) -> None:
        hint = "Download the selected maps, or all, as "
        with_zip, with_measures = f"{hint}a zip archive", f"{hint}a corpus with their parameters and measures"
        self.download = labeled_button("Files", "download", self._on_download, "search-download", hint=with_zip)
        self.corpus = labeled_button("Corpus", "dataset", self._on_corpus, "search-corpus", hint=with_measures)
        self.corpus.set_visibility(can_write_corpora())
        hint = f"Show the selected maps in the gallery, at most {MAX_FOUND}"
        self.gallery = labeled_button("Gallery", "grid_view", self._on_gallery, "search-gallery", hint=hint)

    def _on_download(self) -> None:
        self._start(self._find_maps().list_variations())

    async def _on_corpus(self) -> None:
        archive = self._find_maps().select_archive()
        if archive is None:
            return
        self._show_status("Writing the corpus ...")

        def fail(error: TilewrightError) -> None:
            self._show_status(str(error), is_bad=True)

        content = await self.session.attempt(partial(write_corpus_zip, archive), fail)
        if content is not None:
            self._show_status(f"{pluralize(len(archive), 'map')}, {format_bytes(len(content))}")
            with self.status:
                ui.download.content(content, f"{archive.definition.recipe.technique}-corpus.zip")

    def _on_gallery(self) -> None:
        """Show maps in the gallery, evenly spaced among the selected ones. The browser's back button returns."""
        maps, state = self._find_maps(), self.session.state
        values, base = maps.list_values(), maps.base
        if base is None or not values:
            return
        count = min(len(values), MAX_FOUND)
        found = tuple(values[number * len(values) // count] for number in range(count))
        gallery = state.gallery.replace(
            what="found",
            found=found,
            found_owner=find_owner(base),
            x=base.search.x.measure,
            y=base.search.y.measure,
        )
        opened = replace(state, recipe=base.recipe, locks=base.locks, painted=None, off=base.off, opened=base.opened)
        self.session.open(replace(opened, gallery=gallery).with_view_settings(tab="gallery"))


def can_write_corpora() -> bool:
    """Return whether the packages of the extra `corpus` are installed."""
    try:
        refuse_without_packages()
    except TilewrightError:
        return False
    return True


def write_corpus_zip(archive: Archive, token: CancelToken) -> bytes:
    """Return a zip archive of the corpus of an archive's maps. The function runs as a job."""
    refuse_without_packages()
    import fsspec

    name = f"search-{uuid4().hex}"
    files = fsspec.filesystem("memory")
    try:
        archive.to_corpus(f"memory://{name}", workers=0, on_progress=lambda progress: token.check())
        paths = sorted(files.find(f"/{name}"))
        if sum(files.size(path) for path in paths) > MAX_BYTES:
            raise TooLarge(f"the files must have at most {MAX_BYTES >> 20} MB together; select fewer maps")
        return zip_files({path.removeprefix(f"/{name}/"): files.cat_file(path) for path in paths})
    finally:
        if files.exists(f"/{name}"):
            files.rm(f"/{name}", recursive=True)
