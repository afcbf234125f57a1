"""Expected errors: one short line with a certain text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tilewright.core.errors import TilewrightError


@contextmanager
def refused(
    text: str, kind: type[Exception] = TilewrightError, *, exact: bool = False, start: str = "", limit: int = 300
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """Expect an error of one line that contains a string, or is the string, and is shorter than a limit."""
    with pytest.raises(kind) as caught:
        yield caught
    line = str(caught.value)
    assert line == text if exact else text in line, line
    assert line.startswith(start)
    assert "\n" not in line
    assert len(line) < limit, line
