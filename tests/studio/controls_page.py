"""A page with the controls of one entry and their values, for browser tests: `controls_page.py PORT`."""

from __future__ import annotations

import json
import sys
from typing import Any

from nicegui import ui

import tilewright as tw
from tilewright.core.errors import TilewrightError
from tilewright.core.tilesets import tilesets
from tilewright.studio.controls import UNSET, Controls

LISTS: dict[str, Any] = {"technique": tw.list_techniques, "shaper": tw.list_shapers, "format": tw.list_formats}


def controls_page(kind: str = "technique", name: str = "caves") -> None:
    entry = next(one for one in LISTS[kind]() if one.name == name)
    tiles = tuple(tilesets.get("terrain"))
    values: dict[str, Any] = {}

    def change(param: str, value: Any) -> None:
        values.pop(param, None)
        if value is not UNSET:
            values[param] = value
        controls.update(dict(values))
        values_label.text = json.dumps(values)
        try:
            entry.params.validate(values)
            controls.mark([])
        except TilewrightError as error:
            controls.mark(error.problems)

    def clear() -> None:
        values.clear()
        controls.update({})
        values_label.text = "{}"

    with ui.element("div").style("width: 340px"):
        controls = Controls(entry.params, values, change, tiles=lambda: tiles)
    values_label = ui.label("{}").props("data-testid=values")
    ui.button("clear", on_click=clear).props("data-testid=clear")


if __name__ == "__main__":
    ui.page("/")(controls_page)
    ui.run(host="127.0.0.1", port=int(sys.argv[1]), show=False, reload=False, show_welcome_message=False)
