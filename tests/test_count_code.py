"""Counted lines: code without blank lines, comments, docstrings and descriptions."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cases import read_table
from tools.count_code import count_code, main

SOURCE = read_table(__file__, "module")


def test_lines_are_counted_without_prose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert count_code(SOURCE) == 9
    (tmp_path / "inner").mkdir()
    for name in ("a.py", "inner/b.py"):
        (tmp_path / name).write_text(SOURCE)
    monkeypatch.setattr(sys, "argv", ["count_code.py", str(tmp_path)])
    main()
    assert capsys.readouterr().out == f"{tmp_path}: 2 files, 18 code lines\n  .: 9\n  inner: 9\n"
