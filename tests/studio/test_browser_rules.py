"""Rules in a browser: a rulebook is edited by its fields and as JSON."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio
from tilewright.studio.rules.view import list_rulebooks

CAVE: dict[str, Any] = deepcopy(dict(list_rulebooks("rulebooks")["cave"][1]["params"]))


def make_map(params: dict[str, Any]) -> tw.TileMap:
    return tw.run({"technique": "rules", "params": params, "seed": 7})


def test_a_rulebook_is_edited_by_its_fields(studio: Studio) -> None:
    studio.open()
    studio.tab("rules")
    studio["rules-begin-cave"].click()
    studio.shows(make_map(CAVE))
    rule = "rules-generationRules-0-rules-0"
    expect(studio[f"{rule}-open"]).to_contain_text("gravel becomes rock if all has more than 4 rock")

    changed, history = deepcopy(CAVE), [make_map(CAVE)]

    def shows_change() -> None:
        history.append(make_map(changed))
        studio.shows(history[-1])

    changed["generationRules"][0]["rules"][0] = "gravel,all,and,rock>5,rock:1"
    studio[f"{rule}-open"].click()
    studio.enter(f"{rule}-conditions-0-count", "5")
    shows_change()
    expect(studio[f"{rule}-open"]).to_contain_text("more than 5")

    changed["names"][2] = "lava"
    for layer in changed["generationRules"]:
        layer["rules"] = [rule.replace("water", "lava") for rule in layer["rules"]]
    studio["rules-names-2-name"].fill("")
    studio["rules-names-2-name"].press_sequentially("lav")
    studio["rules-names-2-name"].press("Tab")  # accepts the suggestion
    expect(studio["rules-names-2-name"]).to_have_value("lava")
    studio["rules-names-2-name"].press("Enter")
    shows_change()

    studio["rules-section-neighbourhoods"].click()
    studio["rules-neighbourhoods-2-matrix"].get_by_label("3 up, 3 left").click()
    changed["neighbourhoods"]["wide"] = "1" + CAVE["neighbourhoods"]["wide"][1:]
    shows_change()
    layers = changed["generationRules"]
    studio["rules-generationRules-0-down"].click()
    layers[:2] = layers[1], layers[0]
    shows_change()
    moved = "rules-generationRules-1-rules-0"
    expect(studio[f"{moved}-conditions-0-count"]).to_have_value("5")  # it stays open where it is moved
    expect(studio[f"{moved}-combine"]).to_contain_text("all of these hold")
    studio["rules-generationRules-3-remove"].click()
    del layers[3]
    shows_change()
    expect(studio[f"{moved}-conditions-0-count"]).to_be_visible()

    studio["rules-section-roomData"].click()
    expect(studio["rules-roomData-start"].locator(".tc-item").first).to_have_attribute("data-share", "45%")
    for earlier in reversed(history[:-1]):
        studio["undo"].click()
        studio.shows(earlier)


def test_a_rulebook_is_pasted_as_json(studio: Studio) -> None:
    studio.open({"technique": "rules", "params": CAVE, "seed": 7})
    studio.tab("rules")
    copied = json.loads(studio.copy("rules-copy"))
    expect(studio.page.get_by_text("Rulebook copied")).to_be_visible()
    assert make_map(copied) == make_map(CAVE)

    studio["rules-side"].get_by_text("JSON").click()
    area = studio["rules-json"]
    copied["mapData"][0] = "40x30"
    copied["generationRules"] = copied["generationRules"][:1]
    area.click()
    studio.press("Control+a")
    studio.page.keyboard.insert_text(json.dumps(copied))
    pasted = make_map(copied)
    studio.shows(pasted)
    expect(studio.map).to_have_attribute("data-width", "40")

    for text, line in (
        ('{"mapData": [', "line 1"),
        (json.dumps({**copied, "generationRules": [{"genData": ["1", "map:-1", "none"], "rules": ["what"]}]}), "rules"),
    ):
        area.fill(text)
        expect(studio["rules-json-error"]).to_contain_text(line)
        assert "\n" not in studio["rules-json-error"].inner_text()
        studio.shows(pasted)
    studio["rules-side"].get_by_text("Fields").click()
    expect(studio["rules-count-mapData"]).to_have_text("40×30")
