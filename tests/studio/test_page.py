"""The page in a real browser, by mouse and keyboard."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .conftest import StudioPage, serving

FEET = ("left_sole", "right_sole")


def forearm(studio: StudioPage) -> tuple[float, float]:
    """A pixel of the left forearm, between elbow and wrist."""
    elbow, wrist = np.array(studio.screen("left_elbow")), np.array(studio.screen("left_wrist"))
    x, y = 0.4 * elbow + 0.6 * wrist
    return float(x), float(y)


def shown(state: dict[str, Any]) -> tuple[Any, ...]:
    return state["joints"], state["sites"], state["goals"]


def test_a_forearm_is_dragged_and_the_feet_stay(studio: StudioPage) -> None:
    before = studio.state()
    assert [goal["name"] for goal in before["goals"]] == list(FEET)
    start = forearm(studio)
    end = (start[0] + 80, start[1] - 150)
    studio.drag(start, end, release=False)
    wrist = before["joints"]["left_wrist"]  # follows while the mouse is down
    studio.until(
        lambda now: len(now["goals"]) == 3 and now["goals"][2]["reached"] and now["joints"]["left_wrist"] != wrist
    )
    studio.page.mouse.up()
    after = studio.until(lambda state: not state["busy"] and state["unsaved"])
    goal = after["goals"][2]
    assert (goal["name"], goal["site"], goal["kind"], goal["reached"]) == (
        "left_forearm.1", "left_forearm.1", "position", True,
    )  # fmt: skip
    assert np.linalg.norm(np.array(studio.screen("left_forearm.1")) - end) < 2.0  # the point is under the mouse
    for foot in FEET:
        np.testing.assert_allclose(after["sites"][foot], before["sites"][foot], atol=5e-4)
    assert after["selection"] == "left_forearm.1"


def test_undo_and_redo_are_exact_and_one_drag_is_one_step(studio: StudioPage) -> None:
    before = studio.state()
    start = forearm(studio)
    studio.drag(start, (start[0] - 60, start[1] - 100))
    after = studio.until(lambda state: not state["busy"] and state["unsaved"])
    studio.page.get_by_role("button", name="Undo").click()
    undone = studio.until(lambda state: not state["busy"] and not state["unsaved"])
    assert shown(undone) == shown(before)
    studio.page.keyboard.press("Control+Shift+Z")
    redone = studio.until(lambda state: not state["busy"] and state["unsaved"])
    assert shown(redone) == shown(after)


def test_escape_cancels_a_drag(studio: StudioPage) -> None:
    before = studio.state()
    start = forearm(studio)
    studio.drag(start, (start[0] + 100, start[1] - 100), release=False)
    studio.until(lambda state: len(state["goals"]) == 3)
    studio.page.keyboard.press("Escape")
    after = studio.until(lambda state: not state["busy"] and len(state["goals"]) == 2)
    studio.page.mouse.up()
    assert shown(after) == shown(before)


def test_keys_do_nothing_to_what_is_in_the_hand_but_undo_lets_go_of_it(studio: StudioPage) -> None:
    page, mouse, key = studio.page, studio.page.mouse, studio.page.keyboard.press
    page.mouse.click(*forearm(studio))
    made = studio.until(lambda state: len(state["goals"]) == 3 and not state["busy"])
    x, y = studio.screen("goal:left_forearm.1")
    for undone in (True, False):
        studio.drag((x, y), (x + 30, y - 40), release=False)
        studio.until(lambda state: state["goals"][2]["target"] != made["goals"][2]["target"])
        for other in ("3", "Delete", "Control+z" if undone else "x"):
            key(other)
        mouse.move(x + 50, y - 40)
        mouse.up()
        after = studio.settle()
        assert (shown(after) == shown(made)) == undone
        assert (after["selection"], after["symmetric"]) == ("left_forearm.1", False)
    assert np.linalg.norm(np.subtract(studio.screen("goal:left_forearm.1"), (x + 50, y - 40))) < 2.0
    studio.drag((x + 50, y - 40), (x + 40, y - 30), release=False)
    mouse.down(button="right")
    mouse.up()  # what took it lets go of it, though another button is still down
    mouse.move(x - 100, y)
    mouse.up(button="right")
    studio.settle()
    assert np.linalg.norm(np.subtract(studio.screen("goal:left_forearm.1"), (x + 40, y - 30))) < 2.0
    page.get_by_role("application", name="viewport").focus()
    for _ in range(3):
        key("Control+z")
    assert studio.until(lambda state: len(state["goals"]) == 2)["selection"] is None


def test_a_handle_is_dragged_far_out_of_reach_and_the_row_says_so(studio: StudioPage) -> None:
    studio.page.mouse.click(*forearm(studio))
    studio.until(lambda state: len(state["goals"]) == 3 and not state["busy"])
    x, y = studio.screen("goal:left_forearm.1")
    studio.drag((x, y), (x + 380, y - 220), steps=15)
    state = studio.until(lambda state: not state["busy"] and state["goals"][2]["why"])
    assert "left_forearm.1 missed by" in state["goals"][2]["why"]
    assert studio.row("left_forearm.1").get_by_role("img", name="missed").is_visible()
    assert all(goal["reached"] for goal in state["goals"][:2])


def test_rows_switch_weigh_pin_and_delete(studio: StudioPage) -> None:
    row = studio.row("left_sole")
    row.get_by_role("switch", name="enabled").click()
    studio.until(lambda state: not state["goals"][0]["enabled"])
    row.get_by_role("spinbutton", name="weight").fill("2.5")
    row.get_by_role("spinbutton", name="weight").press("Enter")
    studio.until(lambda state: state["goals"][0]["weight"] == 2.5)
    row.get_by_role("button", name="pin").click()
    studio.until(lambda state: state["goals"][0]["priority"] == 2 and state["goals"][0]["kind"] == "position")
    row.get_by_role("spinbutton", name="priority").press("ArrowUp")
    studio.until(lambda state: state["goals"][0]["priority"] == 3)
    row.get_by_role("button", name="delete").click()
    studio.until(lambda state: [goal["name"] for goal in state["goals"]] == ["right_sole"])


def test_the_keyboard_moves_a_goal_and_typing_is_not_a_shortcut(studio: StudioPage) -> None:
    handle = studio.page.get_by_role("button", name="goal left_sole", exact=True)
    handle.focus()
    before = studio.state()["goals"][0]["target"]
    studio.page.keyboard.press("ArrowUp")
    after = studio.until(lambda state: state["goals"][0]["target"] != before and not state["busy"])
    assert np.linalg.norm(np.subtract(after["goals"][0]["target"], before)) == pytest.approx(0.01)
    studio.row("left_sole").get_by_role("spinbutton", name="weight").press("Delete")
    assert len(studio.settle()["goals"]) == 2
    handle.focus()
    studio.page.keyboard.press("Delete")
    studio.until(lambda state: len(state["goals"]) == 1)


def test_beside_the_body_the_mouse_turns_the_camera_and_changes_nothing(studio: StudioPage) -> None:
    hands = ("left_wrist", "right_wrist")
    before, seen = studio.state(), [studio.screen(hand) for hand in hands]
    box = studio.page.get_by_role("application", name="viewport").bounding_box()
    corner = (box["x"] + 60, box["y"] + 60)
    studio.drag(corner, (corner[0] + 300, corner[1]))
    assert shown(studio.settle()) == shown(before)
    assert np.abs(np.subtract([studio.screen(hand) for hand in hands], seen)).max() > 20.0


def test_the_viewport_has_at_least_half_of_a_small_screen(studio: StudioPage) -> None:
    studio.page.get_by_label("open clip").select_option(index=1)
    for name in ("Pose", "Edit", "Retarget", "Design"):
        studio.page.get_by_role("tab", name=name).click()
        studio.page.get_by_role("slider", name="frame").wait_for()  # the timeline has its full height
        box = studio.page.get_by_role("application", name="viewport").bounding_box()
        assert box["width"] * box["height"] >= 0.5 * 1366 * 768, name
    assert "reached 2 of 2" in studio.page.get_by_role("status").inner_text()


def test_the_token_leaves_the_address_and_a_second_page_follows(studio: StudioPage) -> None:
    assert "token" not in studio.page.url
    other = StudioPage(studio.page.context.new_page(), studio.page.url)  # by the cookie
    start = forearm(studio)
    studio.drag(start, (start[0] + 50, start[1] - 80))
    mine = studio.until(lambda state: not state["busy"] and state["unsaved"])
    theirs = other.until(lambda state: state["unsaved"] and state["joints"] == mine["joints"])
    assert theirs["goals"] == mine["goals"]
    assert other.complaints == []


def test_without_the_token_there_is_no_page(browser: Any) -> None:
    with serving("human40") as address:
        page = browser.new_context().new_page()
        assert page.goto(address.split("?")[0]).status == 403
        assert page.goto(address[:-1] + ("A" if address[-1] != "A" else "B")).status == 403
        assert page.goto(address).status == 200
