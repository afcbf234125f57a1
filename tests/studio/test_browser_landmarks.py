"""Markers and rooms on the canvas: added, moved, renamed and removed with the mouse, the keyboard and touch."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import COMPONENT, Studio
from tests.studio.screens import check_targets

RECIPE = {"technique": "rooms", "params": {"width": 30, "height": 20}, "seed": 7, "shaping": ["place"]}
MADE = tw.run(RECIPE)
START, EXIT = (next(marker for marker in MADE.markers if marker.name == name) for name in ("start", "exit"))


def shows_landmarks(studio: Studio, markers: list[tw.Marker], rooms: list[tw.Room]) -> None:
    """Wait until the canvas has these markers and rooms, in any order."""
    wanted = [
        sorted(
            [one.name, one.x, one.y, one.level, *([dict(one.properties)] if one.properties else [])] for one in markers
        ),
        sorted([one.x, one.y, one.width, one.height, *([one.name] if one.name else [])] for one in rooms),
    ]
    studio.page.wait_for_function(
        f"""(wanted) => {{
          const {{ scene }} = ({COMPONENT})(document.querySelector("[data-testid=map]"));
          const sorted = (items) => items.map((item) => JSON.stringify(item)).sort().join();
          return [scene.markers, scene.rooms].every((items, number) => sorted(items) === sorted(wanted[number]));
        }}""",
        arg=wanted,
    )


def test_names_cover_no_icon_and_no_other_name(studio: Studio) -> None:
    studio.open(RECIPE)
    cells = [(x, y) for y in range(4, 7) for x in range(4, 7)] + [(20, 10), (20, 11), (22, 10)]
    icons, names = studio.page.evaluate(
        """async (markers) => {
          const { View, placeNames } = await import("tilewright-page");
          const view = Object.assign(new View(), { zoom: 16, columns: 30, rows: 20, width: 600, height: 400 });
          const icons = markers.map(([, x, y]) => [view.x(x), view.y(y), 16, 16]);
          const boxes = placeNames(view, markers, (name) => 6 * name.length);
          return [icons, boxes.map(({ name, x, y, wide, high }) => [name, x, y, wide, high])];
        }""",
        [["monster", x, y, 0] for x, y in cells] + [["gem", 20, 10, 0]],
    )
    boxes = [*{tuple(icon) for icon in icons}, *(tuple(box) for _, *box in names)]
    for number, (x, y, wide, high) in enumerate(boxes):
        for left, top, width, height in boxes[:number]:
            assert x >= left + width or left >= x + wide or y >= top + height or top >= y + high
    assert "monster, gem" in [name for name, *_ in names], "markers in one cell share a name"
    assert len(names) > 4, "most names have a place"


def test_markers_and_rooms_are_edited_with_the_mouse(studio: Studio, tmp_path: Path) -> None:
    studio.open(RECIPE)
    expect(studio["legend-start"]).to_have_count(0)
    studio["legend-toggle"].click()
    expect(studio["legend-start"]).to_contain_text("1")
    rooms = list(MADE.rooms)

    studio.take("marker")
    chips, other = studio["marker-other"].evaluate(
        "(box) => [box.previousElementSibling.getBoundingClientRect().right, box.getBoundingClientRect().left]"
    )
    assert chips <= other, "names to choose from are not below the field for other names"
    studio["marker-treasure"].click()
    studio.stroke((10, 1))
    shows_landmarks(studio, [START, EXIT, tw.Marker("treasure", 10, 1)], rooms)
    expect(studio["legend-treasure"]).to_be_visible()
    studio.stroke((START.x, START.y), (5, 17))
    moved = tw.Marker("start", 5, 17)
    shows_landmarks(studio, [moved, EXIT, tw.Marker("treasure", 10, 1)], rooms)
    studio.page.mouse.dblclick(*studio.place(10, 1))
    expect(studio["landmark-name"]).to_be_focused()
    studio.page.keyboard.type("orc chief\n")
    studio["add-property"].click()
    studio["property-name-0"].fill("health")
    studio.enter("property-value-0", "12")
    orc = tw.Marker("orc chief", 10, 1, properties={"health": 12})
    shows_landmarks(studio, [moved, EXIT, orc], rooms)
    studio.stroke((EXIT.x, EXIT.y))
    expect(studio["landmark-name"]).to_have_value("exit")
    studio.press("Delete")
    shows_landmarks(studio, [moved, orc], rooms)

    studio.press("o")
    studio.stroke((1, 1), (4, 3))
    shows_landmarks(studio, [moved, orc], [*rooms, tw.Room(1, 1, 4, 3)])
    expect(studio["landmark-room"]).to_have_text(f"room {len(rooms)}")
    studio.stroke((2, 2), (3, 2))
    x, y = studio.place(5, 3)
    half = (studio.place(6, 3)[0] - x) / 2
    studio.page.mouse.move(x + half, y + half)  # the lower right corner
    studio.page.mouse.down()
    studio.page.mouse.move(*studio.place(7, 5), steps=3)
    studio.page.mouse.up()
    expect(studio["landmark-place"]).to_have_text(re.compile("at 2, 1"))
    width, height, *_ = map(int, re.findall(r"\d+", studio["landmark-place"].inner_text()))
    assert (width, height) > (4, 3)
    studio.enter("landmark-name", "kitchen")
    added = tw.Room(2, 1, width, height, "kitchen")
    shows_landmarks(studio, [moved, orc], [*rooms, added])
    gone = rooms[0]
    studio.page.mouse.click(*studio.place(gone.x + gone.width - 1, gone.y + gone.height - 1))
    expect(studio["landmark-room"]).to_have_text("room 0")
    studio["remove-landmark"].click()
    shows_landmarks(studio, [moved, orc], [*rooms[1:], added])

    # The edits are in the link, and stay with another seed.
    with studio.another():
        studio["reroll"].click()
    shown = studio.map.evaluate(f"(map) => ({COMPONENT})(map).scene.markers")
    assert sorted(one[0] for one in shown if one[0] != "exit") == ["orc chief", "start"]
    for one, placed in (("start", moved), ("orc chief", orc)):  # where a wall is now, they are beside it
        ((x, y),) = [marker[1:3] for marker in shown if marker[0] == one]
        was_passable = MADE.tileset[MADE.cells[placed.y, placed.x]].passable
        assert MADE.tileset[MADE.tileset.by_name[str(studio.cells()[y, x])]].passable == was_passable
    studio["undo"].click()
    studio.shows(MADE)
    link = studio.copy("copy-link")
    studio.page.wait_for_function("(link) => location.href === link", arg=link)
    studio.page.reload()
    studio.ready()
    shows_landmarks(studio, [moved, orc], [*rooms[1:], added])
    studio.tab("export")
    expect(studio["export-landmarks"]).to_be_visible()
    studio["format-json"].click()
    found = tw.load(studio.download("download", tmp_path))
    assert set(found.markers) == {moved, orc}
    assert next(marker for marker in found.markers if marker.name == orc.name).properties == orc.properties
    assert found.rooms == (*rooms[1:], added)


def test_markers_are_edited_with_the_keyboard_and_all_can_be_undone(studio: Studio) -> None:
    studio.open(RECIPE)
    rooms = list(MADE.rooms)
    studio.page.mouse.move(*studio.place(10, 1))
    studio.press("e", "ArrowRight", "ArrowDown", "Enter")
    shows_landmarks(studio, [START, EXIT, tw.Marker("start", 11, 2)], rooms)
    studio.press("ArrowRight", "ArrowRight")
    shows_landmarks(studio, [START, EXIT, tw.Marker("start", 13, 2)], rooms)
    studio.press("Enter")
    expect(studio["landmark-name"]).to_be_focused()
    studio.page.keyboard.type("exit\n")
    shows_landmarks(studio, [START, EXIT, tw.Marker("exit", 13, 2)], rooms)
    studio.press("Delete")
    shows_landmarks(studio, [START, EXIT], rooms)

    studio["legend-start"].get_by_label("Hide start").click()
    expect(studio["legend-start"]).to_have_class(re.compile("tw-hidden"))
    studio["legend-exit"].get_by_role("button").first.click()
    expect(studio["legend-exit"]).to_have_class(re.compile("tw-on"))

    studio.press("Control+z", "Control+z", "Control+z")
    shows_landmarks(studio, [START, EXIT, tw.Marker("start", 11, 2)], rooms)
    studio.press("Control+z")
    shows_landmarks(studio, [START, EXIT], rooms)
    expect(studio["undo"]).to_be_disabled()
    for _ in range(4):
        studio.press("Control+Shift+z")
    expect(studio["redo"]).to_be_disabled()
    shows_landmarks(studio, [START, EXIT], rooms)


def drag(studio: Studio, *cells: tuple[int, int]) -> None:
    """Drag a finger over cells. Chromium ignores a tap that follows at once, but not a click."""
    studio.touch(*([studio.place(x, y)] for x, y in cells))


def test_markers_and_rooms_are_edited_on_a_phone(phone: Studio) -> None:
    phone.open({**RECIPE, "params": {"width": 16, "height": 14}})
    made = tw.run({**RECIPE, "params": {"width": 16, "height": 14}})
    markers, rooms = list(made.markers), list(made.rooms)
    phone["tool-marker"].tap()
    check_targets(phone, "tool-marker", "edit-rooms", "marker-treasure", "marker-other", "legend-toggle", scrolls=True)
    phone["marker-treasure"].tap()
    free = next((x, y) for y in range(14) for x in range(16) if all(abs(x - m.x) + abs(y - m.y) > 6 for m in markers))
    phone.page.touchscreen.tap(*phone.place(*free))
    shows_landmarks(phone, [*markers, tw.Marker("treasure", *free)], rooms)
    check_targets(phone, "landmark-name", "add-property", "remove-landmark", "close-landmark")
    phone.enter("landmark-name", "potion")
    shows_landmarks(phone, [*markers, tw.Marker("potion", *free)], rooms)
    to = free[0] + (3 if free[0] < 8 else -3), free[1]
    drag(phone, free, to)
    shows_landmarks(phone, [*markers, tw.Marker("potion", *to)], rooms)
    phone["remove-landmark"].click()
    shows_landmarks(phone, markers, rooms)

    phone["edit-rooms"].click()
    empty = next((x, y) for y in range(14) for x in range(14) if not any(covers(room, x, y) for room in rooms))
    drag(phone, empty, (empty[0] + 2, empty[1] + 1))
    room = tw.Room(*empty, 3, 2)
    shows_landmarks(phone, markers, [*rooms, room])
    phone["remove-landmark"].click()
    shows_landmarks(phone, markers, rooms)


def covers(room: tw.Room, x: int, y: int) -> bool:
    return room.x <= x < room.x + room.width and room.y <= y < room.y + room.height
