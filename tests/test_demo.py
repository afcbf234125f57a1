"""`make demo` shows all techniques."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PIL import Image

import tilewright as tw

DEMO = Path(__file__).parents[1] / "examples" / "demo.py"


def test_the_demo_prints_a_map_and_writes_a_gallery(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(DEMO)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert str(tw.make("caves", width=64, height=40, seed=7)) in done.stdout
    assert f"{len(tw.list_techniques())} techniques" in done.stdout
    with Image.open(tmp_path / "out" / "gallery.png") as sheet:
        assert sheet.width > 600
        assert len(sheet.getcolors(1 << 20) or []) > 8
