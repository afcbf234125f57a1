"""Where a rule book begins: small ones of our own, an empty one, and the built-in recipes that are rule books."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from nicegui import background_tasks, ui

from ....core.errors import TilewrightError
from ....core.resolver import Resolver
from ....core.yaml import remark_of
from ....data import names, text
from ... import service
from ...session import Session
from ...state import State

SEED = 7
SCALE = 4
"""Of the small pictures: the same seed for everybody, and so many pixels a cell."""


@dataclass(frozen=True)
class Beginning:
    """A rule book to begin with."""

    name: str
    summary: str
    params: Mapping[str, Any]


BEGINNINGS = (
    Beginning(
        "Cave",
        "Two rules smooth noise into a cave; a pool in every hall, moss in the nooks.",
        {
            "width": 56,
            "height": 34,
            "names": ["rock", "gravel", "water", "moss"],
            "neighbourhoods": {"wide": "0111110,1111111,1111111,1110111,1111111,1111111,0111110"},
            "mapData": ["rock:gravel"],
            "roomData": ["equal:1x1:1", "rock:9|gravel:11"],
            "generationRules": [
                {
                    "genData": ["5", "room:-1", "connect:plus:1"],
                    "rules": ["gravel,all,and,rock>4,rock:1", "rock,all,and,rock<4,gravel:1"],
                },
                {"genData": ["1", "map:-1", "none"], "rules": ["gravel,wide,and,rock==0,water:1"]},
                {"genData": ["1", "map:-1", "none"], "rules": ["gravel,all,and,water>0,water:2|gravel:1"]},
                {
                    "genData": ["2", "map:-1", "none"],
                    "rules": ["gravel,all,and,rock>3,moss:1|gravel:4", "gravel,all,and,moss>0,moss:1|gravel:2"],
                },
            ],
        },
    ),
    Beginning(
        "Rooms with treasure",
        "Rooms, tunnels and doors; at most four treasures in the corners, each with guards.",
        {
            "width": 56,
            "height": 34,
            "names": ["rock", "floor", "corridor", "door", "treasure:4", "monster:9", "wall"],
            "neighbourhoods": {"near": "11111,11111,11011,11111,11111"},
            "mapData": ["rock:corridor"],
            "roomData": ["equal:5x3:10", "floor:1"],
            "generationRules": [
                {"genData": ["0", "map:-1", "connect:plus:1"]},
                {"genData": ["1", "map:-1", "none"], "rules": ["rock,all,or,floor>0|corridor>0,wall:1"]},
                {"genData": ["1", "map:-1", "none"], "rules": ["corridor,plus,and,floor==1|wall==2,door:1"]},
                {"genData": ["1", "room:-1", "none"], "rules": ["floor,all,and,wall==5|door==0,treasure:1"]},
                {"genData": ["1", "room:-1", "none"], "rules": ["floor,near,and,treasure>0,monster:1|floor:6"]},
            ],
        },
    ),
    Beginning(
        "Islands",
        "Land gathers in the sea; beaches, meadows and woods follow from how near the water is.",
        {
            "width": 56,
            "height": 34,
            "names": ["sea", "shallow", "sand", "grass", "forest"],
            "neighbourhoods": {"wide": "0011100,0111110,1111111,1110111,1111111,0111110,0011100"},
            "mapData": ["sea:grass"],
            "roomData": ["equal:1x1:1", "sea:1|grass:1"],
            "generationRules": [
                {
                    "genData": ["4", "map:-1", "none"],
                    "rules": ["sea,wide,and,grass>18,grass:1", "grass,wide,and,grass<17,sea:1"],
                },
                {
                    "genData": ["1", "map:-1", "none"],
                    "rules": [
                        "grass,wide,and,sea==0,forest:1|grass:2",
                        "grass,all,and,sea>0,sand:1",
                        "sea,all,and,grass>0,shallow:1",
                    ],
                },
                {
                    "genData": ["2", "map:-1", "none"],
                    "rules": ["grass,all,and,forest>1,forest:1|grass:1", "sea,all,and,shallow>1,shallow:1|sea:1"],
                },
            ],
        },
    ),
    Beginning(
        "Empty",
        "One room and no rules yet: everything is yours.",
        {"width": 40, "height": 24, "generationRules": []},
    ),
)


class StartView:
    """Rule books to begin with; nothing happens to the current map before one is chosen."""

    def __init__(self, session: Session, chosen: Callable[[], None]) -> None:
        self.session, self._chosen = session, chosen
        self.hint = ui.label("").classes("tw-hint")
        ui.label("Small ones to take apart").classes("tw-title")
        with ui.element("div").classes("rules-cards"):
            self.pictures = [self._card(beginning) for beginning in BEGINNINGS]
        ui.label("Whole worlds of rules").classes("tw-title")
        with ui.element("div").classes("rules-recipes"):
            for name, (summary, recipe) in rule_books().items():
                button = ui.button(name, color=None, on_click=partial(self._begin, recipe)).props(
                    "outline dense no-caps size=sm"
                )
                button.props(f"data-testid=rules-begin-{name}").tooltip(summary)
        background_tasks.create(self._draw())

    def refresh(self, state: State) -> None:
        if state.technique == "rules":
            self.hint.set_text("Another book takes the place of this one; undo brings it back.")
        else:
            self.hint.set_text(
                f"The map is made by {state.technique} now. Start a rule book in its place, and every rule of it can be"
                " changed here; undo brings the map back."
            )

    def _card(self, beginning: Beginning) -> ui.image:
        recipe = {"technique": "rules", "params": beginning.params}
        card = ui.element("button").classes("rules-card tw-card").props("type=button")
        card.props(f"data-testid=rules-begin-{beginning.name.lower().replace(' ', '-')}")
        card.on("click", partial(self._begin, recipe))
        with card:
            picture = ui.image().props("no-spinner no-transition fit=cover").classes("rules-picture")
            ui.label(beginning.name).classes("rules-card-name")
            ui.label(beginning.summary).classes("tw-faint rules-card-text")
        return picture

    def _begin(self, recipe: Mapping[str, Any]) -> None:
        state = self.session.state
        seed = SEED if state.seed is None else state.seed
        self._chosen()
        self.session.change(state.opening({**recipe, "seed": seed}))

    async def _draw(self) -> None:
        """The small pictures, a moment later."""
        for beginning, picture in zip(BEGINNINGS, self.pictures, strict=True):
            data = {"technique": "rules", "params": beginning.params, "seed": SEED}
            recipe = service.checked(data, self.session.desk.settings)
            try:
                map = await self.session.do(partial(service.made, recipe))
            except TilewrightError:
                continue
            if not picture.is_deleted:
                picture.set_source(map.image(scale=SCALE))


@cache
def rule_books() -> dict[str, tuple[str, Mapping[str, Any]]]:
    """The built-in recipes of the technique, each with what it makes."""
    found = {name: Resolver().recipe(name)[0] for name in names("recipes")}
    return {
        name: (remark_of(text("recipes", name)), recipe)
        for name, recipe in found.items()
        if recipe.get("technique") == "rules"
    }
