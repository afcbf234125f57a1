"""The page of a map: JavaScript modules that the studio and exported pages share, their data, and the document.

The modules have no dependencies. `games.js` and what it imports are the rules of games, without any drawing.
"""

from __future__ import annotations

from pathlib import Path

MODULES = Path(__file__).parent / "modules"
"""Folder of the JavaScript modules. The studio serves it; exported pages contain the modules."""
PAGE = Path(__file__).parent / "page.html"
"""Template of pages."""
PLAY_STYLE = Path(__file__).parent / "play.css"
"""Style sheet of games."""
PAGE_STYLE = Path(__file__).parent / "page.css"
"""Style sheet of exported pages."""
