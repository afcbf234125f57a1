"""The notebook in examples/ runs from its first cell to its last, and shows what it promises."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient

import tilewright as tw

NOTEBOOK = Path(__file__).parents[2] / "examples" / "patterns.ipynb"


def test_the_notebook_runs_and_shows_maps(tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in cells), "commit it without outputs"

    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()

    outputs = [output for cell in cells for output in cell.outputs]
    printed = "".join(output.text for output in outputs if output.output_type == "stream")
    assert not any(output.output_type == "error" or output.get("name") == "stderr" for output in outputs)
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 5
    assert "divergence" in printed
    assert "copied_block" in printed
    assert tw.verify(tmp_path / "village.tmx").outcome == "same"
