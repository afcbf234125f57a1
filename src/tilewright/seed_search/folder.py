"""The folder of a search over seeds: manifest.json, state.json, and the result.

`manifest.json` is written first, then `recipe.json`, the recipe without a seed. `state.json` is written at checkpoints
and has all that a killed search needs to continue. The result is `seeds.parquet` and `seeds.csv` with one row per seed,
a report `README.md`, and its pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from ..core.errors import BadFile, InvalidRecipe, TilewrightError
from ..formats._files import encode_image
from ..jobs.definition import StoredJob, format_definition, list_differences, refuse_another, refuse_other_revisions
from ..jobs.folder import DATASHEET, MANIFEST, Folder
from ..jobs.tables import encode_table
from .definition import KIND, LAYOUT, SeekDefinition, read_seeds
from .plan import SeekPlan, stages_from_names
from .report import HISTOGRAMS, MAPS, RECIPE, render_report
from .result import FoundSeeds
from .state import SeekState, StoredState

STATE, TABLE, CSV = "state.json", "seeds.parquet", "seeds.csv"
METADATA = b"tilewright"
FREE = ("kind", "layout", "tilewright", "revisions", "stages")
"""Keys of a manifest in which two runs of the same search may differ, or that are compared on their own."""


class StoredSeek(StoredJob):
    """The manifest of a search. Another search may continue it only if all values are equal, except for the seeds."""

    own_kind = KIND
    own_layout = LAYOUT
    seeds: str
    require: dict[str, Any]
    measures: list[str]
    keep: int
    first: bool
    stages: list[list[str]]


class SeekFolder(Folder):
    """The folder of a search over seeds."""

    # -- reading --------------------------------------------------------------------------------------------------

    def read_manifest(self) -> StoredSeek | None:
        """Return the manifest, or None for an empty folder. Raise BadFile if the folder contains something else."""
        return self.read_description(MANIFEST, "seeds", StoredSeek.from_json)

    def check_same(self, definition: SeekDefinition) -> StoredSeek | None:
        """Return the manifest of a search, or None for an empty folder. Raise BadFile for another search."""
        found = self.read_manifest()
        if found is None:
            return None
        wanted = definition.to_data()
        differ = list_differences(found.model_dump(), wanted, *FREE)
        if "seeds" in differ and _is_extension(found.seeds, definition):
            differ.remove("seeds")
        refuse_another("search", f"it differs in {', '.join(differ)}" if differ else "", self.address)
        refuse_other_revisions("search", found.tilewright, found.revisions, wanted["revisions"], self.address)
        return found

    def read_state(self, definition: SeekDefinition, plan: SeekPlan) -> SeekState:
        """Return the state after the last checkpoint."""
        content = self.read(STATE)
        if content is None:
            return SeekState(definition, plan)
        try:
            return SeekState.from_text(content, definition, plan)
        except TilewrightError:
            text = f"{STATE} is damaged; delete it, and the search starts over"
            raise BadFile(text, at=self.address) from None

    def find_plan(self, definition: SeekDefinition, plan: SeekPlan) -> SeekPlan:
        """Return the plan to continue with: the stages of the folder, so that all seeds are counted alike."""
        manifest = self.check_same(definition)
        if manifest is None:
            return plan
        try:
            stages = stages_from_names(definition, manifest.stages)
        except ValueError:
            raise BadFile(f"{MANIFEST} is damaged or belongs to something else", at=self.address) from None
        return SeekPlan(stages, plan.device)

    # -- writing --------------------------------------------------------------------------------------------------

    def write_start(self, state: SeekState) -> None:
        """Write the manifest of a new or extended search, and its recipe."""
        manifest = self.check_same(state.definition)
        if manifest is None or manifest.seeds != state.definition.to_data()["seeds"]:
            self.write(format_manifest(state).encode(), MANIFEST, durable=True)
        self.write(format_definition(state.definition.recipe.to_data()).encode(), RECIPE)

    def write_state(self, state: SeekState) -> None:
        """Write a checkpoint."""
        self.write(state.to_text().encode(), STATE, durable=True)

    def write_result(self, found: FoundSeeds) -> None:
        """Write the table of seeds, the report and its pictures, and at last the state."""
        self.write(_write_table(found), TABLE)
        self.write(found.to_csv().encode(), CSV)
        self.write(encode_image(found.chart()), HISTOGRAMS)
        if len(found):
            self.write(encode_image(found.sheet()), MAPS)
        self.write(render_report(found).encode(), DATASHEET)
        self.write_state(found.state)


@contextmanager
def open_folder(address: str, definition: SeekDefinition) -> Iterator[SeekFolder]:
    """Open the folder of a search for writing. Raise BadFile if it contains something else."""
    store = SeekFolder(address)
    store.check_same(definition)  # Before a missing folder is created for the lock.
    with store.lock():
        yield store


def count_tested(address: str) -> int:
    """Return the number of seeds that a folder has tested; 0 if this cannot be read."""
    try:
        content = Folder(address).read(STATE)
        return 0 if content is None else sum(last - first + 1 for first, last in StoredState.from_json(content).done)
    except TilewrightError:
        return 0


def format_manifest(state: SeekState) -> str:
    """Return the manifest of a search as JSON."""
    stages = [list(stage.measures) for stage in state.plan.stages]
    return format_definition({**state.definition.to_data(), "stages": stages})


def _is_extension(seeds: str, definition: SeekDefinition) -> bool:
    """Return whether a search tests all seeds of an earlier range and more, so that it can continue that search."""
    try:
        first, last = read_seeds(seeds)
    except InvalidRecipe:
        return False
    return definition.first <= first and last <= definition.last and not definition.stops_early


def _write_table(found: FoundSeeds) -> bytes:
    """Return the table of seeds as a Parquet file."""
    columns = {"seed": pa.array(found.seeds, pa.uint64())}
    columns |= {name: pa.array(numbers, pa.float64(), from_pandas=True) for name, numbers in found.values.items()}
    columns["digest"] = pa.array(list(found.digests), pa.string())
    table = pa.table(columns).replace_schema_metadata({METADATA: format_manifest(found.state).encode()})
    return encode_table(table)
