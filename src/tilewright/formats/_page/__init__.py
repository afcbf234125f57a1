"""The page of a map: JavaScript modules that the studio and exported pages share."""

from __future__ import annotations

from pathlib import Path

MODULES = Path(__file__).parent / "modules"
"""Folder of the JavaScript modules. The studio serves it; exported pages contain the modules."""
