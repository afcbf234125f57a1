"""Export of the maps of a heatmap: as files, as a corpus, or to the gallery."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from nicegui import ui

from ...core.errors import TilewrightError, pluralize
from ..export.downloads import format_bytes
from ..gallery.export import MapsExport
from ..gallery.state import MAX_FOUND
from ..session import Session
from .corpus_export import can_write_corpora, write_corpus_zip
from .found_maps import FoundMaps
from .options import find_owner


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
        self.download = ui.button("Files", icon="download", color=None, on_click=self._on_download)
        self.download.props("outline dense no-caps data-testid=search-download")
        self.download.tooltip("Download the selected maps, or all, as a zip archive")
        self.corpus = ui.button("Corpus", icon="dataset", color=None, on_click=self._on_corpus)
        self.corpus.props("outline dense no-caps data-testid=search-corpus").set_visibility(can_write_corpora())
        self.corpus.tooltip("Download the selected maps, or all, as a corpus with their parameters and measures")
        self.gallery = ui.button("Gallery", icon="grid_view", color=None, on_click=self._on_gallery)
        self.gallery.props("outline dense no-caps data-testid=search-gallery")
        self.gallery.tooltip(f"Show the selected maps in the gallery, at most {MAX_FOUND}")

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
