"""Tests that need torch: `make test-neural` runs them. In all other runs, they are not collected."""

from __future__ import annotations

import os
from pathlib import Path

if os.environ.get("TILEWRIGHT_NEURAL") != "1":
    collect_ignore = sorted(path.name for path in Path(__file__).parent.glob("test_*.py"))
