"""The language rules of CONTRIBUTING.md hold in the whole project, and the checker finds what it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import read_table
from tools.check_language import ROOT, Finding, check_files


def test_the_project_follows_the_language_rules() -> None:
    findings = check_files()
    assert not findings, f"{len(findings)} findings, by tools/check_language.py:\n" + "\n".join(map(str, findings))


def findings_in(folder: Path, name: str, content: str) -> list[tuple[int, str]]:
    """Return the findings in a file, as line and first word or words."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    found = check_files([path], folder)
    assert all(isinstance(one, Finding) and one.path == name for one in found)
    return [(one.line, one.text.partition(" (")[0].strip("'")) for one in found]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.md", "The map is told\nby\nchance.\n", [(1, "told"), (2, "by chance")]),
        ("a.md", "> It was told by chance.\n", []),
        ("a.md", "The field `told` and the [page](told.md).\n", []),
        ("a.md", "A text file, a text.\n", [(1, "a text")]),
        ("a.py", '"""Return a text."""\n', [(1, "a text")]),
        ("a.py", "# It tells\n# so many.\n", [(1, "tells"), (2, "so many")]),
        ("a.py", 'told = rng.child("told")\n', []),
        ("a.py", 'text = (\n    f"got {x}, "\n    f"a whole number"\n)\n', [(3, "a whole number"[2:])]),
        ("a.py", '"""Return one.\n\n    The colour.\n    """\n', [(3, "colour")]),
        ("a.js", 'const told = "told"; // nobody\nlabel("the neighbour");\n', [(1, "nobody"), (2, "neighbour")]),
        ("a.css", ".grey { color: grey } /* the centre */\n", [(1, "the centre"[4:])]),
        ("a.toml", 'colour = "grey"\nsummary = "A grey cave"  # by chance\n', [(2, "grey"), (2, "by chance")]),
        ("a.yaml", "rules: [grass,all,and,harbour>1]\n# goes on\n", [(2, "goes on")]),
        ("a.ipynb", '{"cells": [{"cell_type": "markdown", "source": ["So ", "many."]}]}', [(1, "so many")]),
        ("a.html", "<p>Somebody</p>\n", [(1, "somebody")]),
        ("a.md", "A city of Grey Sky.\n", []),
    ],
)
def test_prose(tmp_path: Path, name: str, content: str, expected: list[tuple[int, str]]) -> None:
    assert sorted(findings_in(tmp_path, name, content)) == sorted(expected)


@pytest.mark.parametrize(("content", "expected"), read_table(__file__, "names"))
def test_names(tmp_path: Path, content: str, expected: list[str]) -> None:
    found = [text.partition("()")[0] for _, text in findings_in(tmp_path, "src/a.py", content)]
    assert found == expected


def test_classes_with_one_name(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("a", "b"):
        (tmp_path / "src" / f"{name}.py").write_text("class Grid: ...\nclass _Params: ...\n")
    found = check_files([tmp_path / "src"], tmp_path)
    assert [str(one) for one in found] == [
        "src/b.py:1: class Grid has the name of the class in src/a.py:1",
        "src/b.py:2: class _Params has the name of the class in src/a.py:2",
    ]


def test_the_rules_are_those_of_the_project() -> None:
    assert (ROOT / "pyproject.toml").is_file()
