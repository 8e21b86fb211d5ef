"""The Pose tab in a real browser: gizmo, every kind of goal, rows, modes, pins, symmetry, keys, proposals."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from posewright.goals import GOAL_KINDS

from .conftest import StudioPage

FEET = ("left_sole", "right_sole")


def shown(state: dict[str, Any]) -> tuple[Any, ...]:
    return state["joints"], state["sites"], state["goals"]


def between(studio: StudioPage, joint: str, other: str, share: float = 0.6) -> tuple[float, float]:
    x, y = (1 - share) * np.array(studio.screen(joint)) + share * np.array(studio.screen(other))
    return float(x), float(y)


def forearm(studio: StudioPage) -> tuple[float, float]:
    return between(studio, "left_elbow", "left_wrist")


def made(studio: StudioPage, kind: str) -> dict[str, Any]:
    """A goal of a kind, made by the menu on the left forearm."""
    before = len(studio.settle()["goals"])
    studio.page.mouse.click(*forearm(studio), button="right")
    studio.page.get_by_role("menu").get_by_role("menuitem", name=kind.replace("_", " ")).first.click()
    state = studio.until(lambda state: len(state["goals"]) == before + 1 and not state["busy"])
    goal: dict[str, Any] = state["goals"][-1]
    return goal


@pytest.mark.parametrize("kind", [kind for kind in GOAL_KINDS if kind != "smoothness"])
def test_each_kind_is_made_moved_and_deleted(studio: StudioPage, kind: str) -> None:
    goal = made(studio, kind)
    name = goal["name"]
    assert (goal["kind"], goal["priority"], goal["reached"]) == (kind, 2, True)
    assert studio.state()["selection"] == name
    if goal["target"] is not None and kind != "orientation":
        x, y = studio.screen(f"goal:{name}")
        studio.drag((x, y), (x + 30, y - 20), steps=4)
        studio.until(lambda state: not state["busy"] and state["goals"][-1]["target"] != goal["target"])
        assert np.linalg.norm(np.subtract(studio.screen(f"goal:{name}"), (x + 30, y - 20))) < 2.0
    studio.row(name).get_by_role("button", name="delete").click()
    assert [one["name"] for one in studio.until(lambda s: not s["busy"] and len(s["goals"]) == 2)["goals"]] == [*FEET]


def test_smoothness_is_made_on_the_spine_and_posture_by_key(studio: StudioPage) -> None:
    studio.page.get_by_role("list", name="joints").get_by_role("button", name="head", exact=True).click()
    studio.page.get_by_role("application", name="viewport").focus()
    studio.page.keyboard.press("a")
    studio.page.get_by_role("menuitem", name="smoothness").click()
    state = studio.until(lambda state: len(state["goals"]) == 3 and not state["busy"])
    assert state["goals"][-1]["kind"] == "smoothness"


def test_the_arrow_moves_along_its_axis_and_the_ring_turns(studio: StudioPage) -> None:
    goal = made(studio, "placement")
    x, y = studio.screen("gizmo:y")
    studio.drag((x, y), (x, y - 60))
    moved = studio.until(lambda s: not s["busy"] and s["goals"][-1]["target"] != goal["target"])["goals"][-1]
    by = np.subtract(moved["target"], goal["target"])
    assert by[1] > 0.05
    np.testing.assert_allclose(by[[0, 2]], 0.0, atol=1e-9)
    before = studio.state()
    studio.page.keyboard.press("e")
    x, y = studio.screen("gizmo:z")
    centre = studio.screen(f"goal:{goal['name']}")
    studio.drag((x, y), (2 * centre[0] - x, y), steps=10, release=False)
    live = studio.until(lambda state: state["joints"]["left_wrist"] != before["joints"]["left_wrist"])
    assert live["goals"][-1]["target"] == moved["target"]
    studio.page.keyboard.press("Escape")
    assert shown(studio.until(lambda state: not state["busy"])) == shown(before)
    studio.page.mouse.up()
    studio.page.get_by_role("button", name="gizmo z").focus()
    studio.page.keyboard.press("ArrowUp")
    after = studio.until(lambda state: not state["busy"] and state["joints"] != before["joints"])
    assert after["goals"][-1]["reached"]


def test_numbers_are_typed_dragged_and_stepped_in_the_inspector(studio: StudioPage) -> None:
    goal = made(studio, "distance")
    inspector = studio.page.get_by_role("region", name="Inspector")
    field = inspector.get_by_role("spinbutton", name="distance")
    field.fill("0.5")
    field.press("Enter")
    studio.until(lambda state: not state["busy"] and state["goals"][-1]["reached"])
    assert float(field.input_value()) == 0.5
    label = inspector.get_by_text("distance", exact=True).last.bounding_box()
    start = (label["x"] + 5, label["y"] + 5)
    studio.drag(start, (start[0] + 40, start[1]))
    studio.until(lambda state: not state["busy"])
    assert float(field.input_value()) == pytest.approx(0.6)
    studio.drag(start, (start[0] + 40, start[1]), release=False)
    studio.page.keyboard.press("Escape")
    studio.page.mouse.up()
    field.fill("3")
    field.press("Escape")
    assert float(field.input_value()) == pytest.approx(0.6)
    field.press("ArrowUp")
    studio.until(lambda state: not state["busy"] and float(field.input_value()) > 0.605)
    studio.page.keyboard.press("Control+z")  # what was taken is undone, also in the field
    studio.until(lambda state: not state["busy"] and float(field.input_value()) == pytest.approx(0.6))
    group = inspector.get_by_role("group", name="target").last
    group.get_by_role("spinbutton", name="y").press("ArrowUp")
    state = studio.until(lambda s: not s["busy"] and s["goals"][-1]["target"] != goal["target"])
    assert state["goals"][-1]["target"][1] == pytest.approx(goal["target"][1] + 0.01, abs=1e-4)
    inspector.get_by_role("textbox", name="name").fill("<b>reach</b>")
    inspector.get_by_role("textbox", name="name").press("Enter")
    studio.until(lambda state: state["goals"][-1]["name"] == "<b>reach</b>" and not state["busy"])
    assert studio.row("<b>reach</b>").is_visible()  # as text
    tolerance = inspector.get_by_role("spinbutton", name="tolerance")
    tolerance.fill("5")
    tolerance.press("Enter")
    studio.settle()
    assert float(tolerance.input_value()) == 5.0


def test_weight_and_priority_by_dragging_a_row(studio: StudioPage) -> None:
    made(studio, "position")
    row = studio.row("left_forearm.1")
    row.get_by_role("spinbutton", name="weight").fill("3")
    row.get_by_role("spinbutton", name="weight").press("Enter")
    studio.until(lambda state: state["goals"][-1]["weight"] == 3)
    studio.row("left_sole").scroll_into_view_if_needed()
    box, band = row.bounding_box(), studio.row("left_sole").bounding_box()
    grip = (box["x"] + 0.7 * box["width"], box["y"] + 12)
    studio.drag(grip, (band["x"] + 0.7 * band["width"], band["y"] + 12), steps=5)
    studio.until(lambda state: state["goals"][-1]["priority"] == 1 and not state["busy"])
    box = studio.row("left_forearm.1").bounding_box()
    grip = (box["x"] + 0.7 * box["width"], box["y"] + 12)
    studio.drag(grip, (grip[0], box["y"] + box["height"] + 12), steps=5)  # below all bands: a new one
    studio.until(lambda state: state["goals"][-1]["priority"] == 2)


def test_modes_by_key_say_what_follows(studio: StudioPage) -> None:
    still = {"limb": ("pelvis", "right_wrist", "head"), "joint": ("pelvis", "left_elbow", "right_wrist")}
    for mode in ("limb", "joint"):
        studio.page.get_by_role("application", name="viewport").focus()
        studio.page.keyboard.press("t")
        assert studio.state()["mode"] == mode
        before = studio.state()
        x, y = forearm(studio)
        studio.drag((x, y), (x + 40, y - 60))
        after = studio.until(lambda state: not state["busy"] and len(state["goals"]) == 3)
        for joint in still[mode]:
            np.testing.assert_allclose(after["joints"][joint], before["joints"][joint], atol=1e-12)
        assert after["joints"]["left_wrist"] != before["joints"]["left_wrist"]
        studio.page.keyboard.press("Control+z")
        studio.until(lambda state: not state["busy"] and len(state["goals"]) == 2)
    studio.page.keyboard.press("t")
    assert studio.state()["mode"] == "full body"


def test_pins_by_key_hold_position_and_orientation(studio: StudioPage) -> None:
    studio.page.mouse.click(*forearm(studio))
    studio.until(lambda state: len(state["goals"]) == 3 and not state["busy"])
    studio.page.keyboard.press("r")
    pinned = studio.until(lambda state: state["goals"][2]["priority"] == 1 and not state["busy"])
    assert pinned["goals"][2]["kind"] == "placement"
    inspector = studio.page.get_by_role("region", name="Inspector")
    inspector.get_by_role("switch", name="pin orientation").click()
    studio.until(lambda state: state["goals"][2]["kind"] == "position" and not state["busy"])
    assert studio.state()["goals"][2]["priority"] == 1
    pelvis = between(studio, "left_hip", "right_hip", 0.5)
    studio.drag(pelvis, (pelvis[0] + 10, pelvis[1] + 25))
    state = studio.until(lambda state: not state["busy"] and len(state["goals"]) == 4)
    assert state["goals"][2]["reached"]
    np.testing.assert_allclose(state["sites"]["left_forearm.1"], pinned["sites"]["left_forearm.1"], atol=1e-3)


def test_mirror_copy_paste_flipped_and_live_symmetry(studio: StudioPage) -> None:
    studio.page.get_by_role("application", name="viewport").focus()
    studio.page.keyboard.press("x")
    assert studio.state()["symmetric"]
    x, y = forearm(studio)
    studio.drag((x, y), (x + 60, y - 90))
    state = studio.until(lambda state: not state["busy"] and len(state["goals"]) == 4)
    left, right = (np.array(state["joints"][f"{side}_wrist"]) for side in ("left", "right"))
    np.testing.assert_allclose(right, left * [-1, 1, 1], atol=5e-3)
    studio.page.keyboard.press("x")
    x, y = studio.screen("goal:left_forearm.1")
    studio.drag((x, y), (x - 30, y + 60))
    bent = studio.until(lambda s: not s["busy"] and s["joints"]["left_wrist"] != state["joints"]["left_wrist"])
    studio.page.keyboard.press("Control+c")
    studio.settle()
    studio.page.get_by_role("button", name="Mirror pose").click()
    mirrored = studio.until(lambda state: not state["busy"] and state["joints"] != bent["joints"])
    np.testing.assert_allclose(
        np.multiply(mirrored["joints"]["right_wrist"], [-1, 1, 1])[1:], bent["joints"]["left_wrist"][1:], atol=1e-6
    )
    studio.page.get_by_role("application", name="viewport").focus()
    studio.page.keyboard.press("Control+v")
    pasted = studio.until(lambda state: not state["busy"] and state["joints"] != mirrored["joints"])
    assert pasted["joints"] == bent["joints"]
    studio.page.keyboard.press("Control+Shift+V")
    flipped = studio.until(lambda state: not state["busy"] and state["joints"] != bent["joints"])
    np.testing.assert_allclose(flipped["joints"]["head"], mirrored["joints"]["head"], atol=1e-9)


def test_solvers_are_compared_and_an_answer_is_accepted(studio: StudioPage) -> None:
    x, y = forearm(studio)
    studio.drag((x, y), (x + 60, y - 120))
    before = studio.until(lambda state: not state["busy"] and len(state["goals"]) == 3)
    page = studio.page
    page.get_by_role("button", name="Compare").click()
    studio.until(lambda state: len(state["proposals"]) >= 4 and not state["proposing"], 90)
    table = page.get_by_role("table", name="answers")
    assert "ms" in table.inner_text()
    page.get_by_role("button", name="Next answer").click()
    page.get_by_role("button", name="Reject").click()
    assert shown(studio.until(lambda state: not state["proposals"])) == shown(before)
    page.get_by_role("button", name="Other answers").click()
    studio.until(lambda state: len(state["proposals"]) > 1 and not state["proposing"], 90)
    assert studio.state()["particles"] > 10
    page.get_by_role("button", name="Play path").click()
    shown_first = studio.until(lambda state: state["search_step"] is not None)["search_step"]
    studio.until(lambda state: state["search_step"] is None or state["search_step"] > shown_first)
    page.get_by_role("slider", name="step of the search").focus()
    page.keyboard.press("Home")
    studio.until(lambda state: state["search_step"] == 0)
    page.get_by_role("button", name="Particles").click()
    studio.until(lambda state: state["particles"] == 0)
    page.get_by_role("button", name="Particles").click()
    page.get_by_role("button", name="Next answer").click()
    page.get_by_role("button", name="Accept").click()
    after = studio.until(lambda state: not state["busy"] and not state["proposals"])
    assert after["joints"] != before["joints"]
    assert all(goal["reached"] for goal in after["goals"])
    page.get_by_role("combobox", name="solver").select_option("least_squares")
    studio.until(lambda state: state["solver"] == "least_squares" and not state["busy"])


def test_rigidity_groups_and_dofs_by_the_inspector(studio: StudioPage) -> None:
    page = studio.page
    page.keyboard.press("q")
    page.mouse.click(*forearm(studio))
    assert studio.until(lambda state: state["selection"] is not None)["selection"] == "left_elbow"
    before = studio.state()
    slider = page.get_by_role("slider", name="rigidity")
    slider.focus()
    slider.press("End")
    studio.until(lambda state: not state["busy"] and state["unsaved"])
    assert slider.input_value() == "1"
    field = page.get_by_role("region", name="Inspector").get_by_role("spinbutton", name="flexion")
    field.fill("60")
    field.press("Enter")
    studio.until(lambda state: not state["busy"] and state["joints"]["left_wrist"] != before["joints"]["left_wrist"])
    page.get_by_role("button", name="Groups and constraints").click()
    group = page.get_by_role("switch", name="spine", exact=True)
    group.click()
    studio.settle()
    assert group.get_attribute("aria-checked") == "true"
    page.get_by_role("button", name="Groups and constraints").click()


def test_views_framing_picker_double_click_and_help(studio: StudioPage) -> None:
    page = studio.page
    page.get_by_role("application", name="viewport").focus()
    seen = []
    for key in ("1", "3", "7", "5", "5"):
        page.keyboard.press(key)
        seen.append(studio.screen("left_wrist"))
    assert len(set(seen[:4])) == 4
    assert seen[4] == seen[2]
    page.keyboard.press("1")
    page.get_by_role("button", name="view front").click()
    page.mouse.dblclick(*forearm(studio))
    state = studio.until(lambda state: state["selection"] == "left_elbow" and not state["busy"])
    assert len(state["goals"]) == 2  # the goal of the first click is gone
    page.get_by_role("application", name="viewport").focus()
    page.keyboard.press("f")
    near = np.subtract(studio.screen("left_elbow"), studio.screen("left_wrist"))
    page.get_by_role("button", name="Body", exact=True).click()
    page.get_by_role("button", name="pick head", exact=True).click()
    assert studio.state()["selection"] == "head"
    page.get_by_role("button", name="Body", exact=True).click()
    page.mouse.click(260, 600)
    page.get_by_role("application", name="viewport").focus()
    page.keyboard.press("f")
    assert np.linalg.norm(near) > np.linalg.norm(np.subtract(studio.screen("left_elbow"), studio.screen("left_wrist")))
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="keys")
    assert "Paste the pose flipped" in keys.inner_text()
    page.get_by_role("status").click()  # wherever the focus is
    page.keyboard.press("Escape")
    assert not keys.is_visible()
    page.mouse.click(*forearm(studio), button="right")
    page.get_by_role("menu").wait_for()
    page.get_by_role("region", name="Inspector").click()
    page.get_by_role("menu").wait_for(state="hidden")
    for side in ("back", "top", "front"):  # also those that are turned away
        page.get_by_role("button", name=f"view {side}").click()


def test_all_by_the_keyboard_alone(studio: StudioPage) -> None:
    keyboard, page = studio.page.keyboard, studio.page
    focused = """() => {
        const {outlineStyle, outlineWidth} = getComputedStyle(document.activeElement);
        return [document.activeElement.textContent, outlineStyle !== "none" && parseFloat(outlineWidth) >= 2];
    }"""
    page.get_by_role("tab", name="Pose").focus()
    key = "Tab"
    for _ in range(80):  # to the outliner, and in it to the hand
        keyboard.press(key)
        text, seen = page.evaluate(focused)
        assert seen, f"the focus on {text!r} is not seen"
        if text == "pelvis":
            key = "ArrowDown"
        if text == "left_wrist":
            break
    else:
        raise AssertionError("the keyboard does not come to the hand")
    keyboard.press("Enter")
    assert studio.state()["selection"] == "left_wrist"
    keyboard.press("a")
    keyboard.press("ArrowDown")
    keyboard.press("Enter")
    state = studio.until(lambda state: len(state["goals"]) == 3 and not state["busy"])
    assert state["goals"][2]["kind"] == "position"
    page.get_by_role("button", name="gizmo y").focus()
    keyboard.press("Shift+ArrowUp")
    moved = studio.until(lambda s: not s["busy"] and s["goals"][2]["target"] != state["goals"][2]["target"])
    assert moved["goals"][2]["target"][1] == pytest.approx(state["goals"][2]["target"][1] + 0.1)
    keyboard.press("r")
    studio.until(lambda state: state["goals"][2]["priority"] == 1 and not state["busy"])
    keyboard.press("Delete")
    studio.until(lambda state: len(state["goals"]) == 2 and not state["busy"])


def test_a_hundred_random_actions_are_undone_and_redone_bit_for_bit(studio: StudioPage) -> None:
    chance, page = random.Random(15), studio.page
    studio.resize(800, 500)  # software draws it
    before = studio.settle()
    joints = ("left_wrist", "right_elbow", "head", "left_knee", "pelvis")
    page.get_by_role("application", name="viewport").focus()
    for _ in range(100):
        what = chance.randrange(7)
        state = studio.settle()
        names = [goal["name"] for goal in state["goals"]]
        if what <= 1:
            where = page.evaluate("name => window.posewright.screen(name)", chance.choice(joints))
            if where is None:  # a goal far out of reach has drawn it out of view
                continue
            x, y = where
            studio.drag((x, y), (x + chance.uniform(-60, 60), y + chance.uniform(-60, 60)), steps=2)
        elif what == 2 and names:
            row = studio.row(chance.choice(names))
            row.get_by_role("switch", name="enabled").click()
        elif what == 3 and names:
            weight = studio.row(chance.choice(names)).get_by_role("spinbutton", name="weight")
            weight.press(chance.choice(["ArrowUp", "ArrowDown"]))
        elif what == 4 and len(names) > 4:
            studio.row(chance.choice(names)).get_by_role("button", name="delete").click()
        elif what == 5:
            page.get_by_role("button", name="Mirror pose").click()
        elif names:
            studio.row(chance.choice(names)).get_by_role("button", name="pin").click()
    after = studio.settle()
    for name, key, wanted in (("Undo", "Control+z", before), ("Redo", "Control+Shift+Z", after)):
        page.get_by_role("application", name="viewport").focus()
        button = page.get_by_role("button", name=name)
        for _ in range(40):
            if not button.is_enabled():
                break
            for _ in range(5):  # what is pressed too often is refused in a sentence
                page.keyboard.press(key)
            studio.settle()
        assert shown(studio.state()) == shown(wanted)


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (2560, 1440)])
def test_screens_small_and_large(studio: StudioPage, width: int, height: int) -> None:
    studio.resize(width, height)
    x, y = forearm(studio)
    studio.drag((x, y), (x + 50, y - 80), steps=2)
    studio.until(lambda state: not state["busy"] and len(state["goals"]) == 3)
    assert np.linalg.norm(np.subtract(studio.screen("goal:left_forearm.1"), (x + 50, y - 80))) < 2.0
    for name in ("Goals", "Inspector", "Solver"):
        box = studio.page.get_by_role("region", name=name, exact=True).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    studio.resize(1366, 768)


def test_axe_finds_nothing_serious_beside_a_pose_and_in_drawers(studio: StudioPage) -> None:
    page = studio.page
    made(studio, "any_of")
    assert studio.serious() == []
    for key, dialog in (("?", "keys"), ("Control+Shift+S", "files"), ("Control+e", "export")):
        page.get_by_role("application", name="viewport").focus()
        page.keyboard.press(key)
        page.get_by_role("dialog", name=dialog).wait_for()
        assert studio.serious() == []
        page.keyboard.press("Escape")
        page.get_by_role("dialog", name=dialog).wait_for(state="hidden")


def test_keys_of_blender_can_be_chosen(studio: StudioPage) -> None:
    page = studio.page
    page.get_by_role("button", name="Help").click()
    page.get_by_role("combobox", name="key map").select_option("Blender")
    page.get_by_role("button", name="Close help").click()
    page.get_by_role("application", name="viewport").focus()
    page.keyboard.press("r")
    assert studio.state()["tool"] == "turn"
    page.keyboard.press("g")
    assert studio.state()["tool"] == "move"
    page.keyboard.press("F1")
    page.get_by_role("combobox", name="key map").select_option("Posewright")
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    assert studio.state()["tool"] == "turn"
