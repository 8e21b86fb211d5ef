"""Designing in a real browser: postures collected, a splice edited, a goal dragged, the design taken as the pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from .conftest import StudioPage


def button(studio: StudioPage, name: str) -> Any:
    return studio.page.get_by_role("button", name=name, exact=True)


def with_design(studio: StudioPage) -> dict[str, Any]:
    """A goal for the left hand, and a design from the postures of two clips."""
    page = studio.page
    elbow, wrist = (np.array(studio.screen(joint)) for joint in ("left_elbow", "left_wrist"))
    x, y = (0.3 * elbow + 0.7 * wrist).tolist()
    studio.drag((x, y), (x + 40.0, y - 110.0))
    studio.until(lambda state: state["unsaved"] and not state["busy"])
    page.get_by_role("tab", name="Design").click()
    studio.until(lambda state: state["design"] and not state["busy"])
    for clip in ("walk (built in)", "reach (built in)"):
        page.get_by_role("checkbox", name=clip).check()
    button(studio, "Collect postures").click()
    return studio.until(
        lambda state: state["design"]["parts"] and not state["design"]["collecting"] and not state["busy"]
    )


def hand(state: dict[str, Any]) -> str:
    return next(goal["name"] for goal in state["goals"] if goal["name"].startswith("left_forearm"))


def test_a_posture_is_spliced_edited_refined_live_and_accepted(studio: StudioPage) -> None:
    page = studio.page
    state = with_design(studio)
    name = hand(state)
    assert "postures of 2 clips" in state["design"]["postures"]
    assert all(one["reached"] for one in state["design"]["errors"] if one["goal"] == name)
    assert studio.serious() == []
    part = next(part for part in state["design"]["parts"] if name in part["name"])
    assert len({one["colour"] for one in state["design"]["parts"]}) == len(state["design"]["parts"])
    before = state["joints"]
    row = page.get_by_role("row", name=f"part {part['name']}", exact=True)
    other = part["samples"][-1]["posture"]
    row.get_by_role("combobox", name="donor").select_option(str(other))
    state = studio.until(
        lambda state: any(one["donor"] == other for one in state["design"]["parts"]) and not state["busy"]
    )
    assert state["joints"] != before
    page.keyboard.press("Control+z")
    studio.until(lambda state: state["joints"] == before and not state["busy"])
    x, y = studio.screen(f"goal:{name}")
    studio.drag((x, y), (x + 30, y - 50), release=False)
    wrist = before["left_wrist"][1]
    studio.until(lambda state: state["joints"]["left_wrist"][1] > wrist + 0.03)  # while the mouse is down
    page.mouse.up()
    state = studio.until(lambda state: not state["busy"] and all(one["reached"] for one in state["design"]["errors"]))
    shoulder, elbow = (np.array(studio.screen(joint)) for joint in ("right_shoulder", "right_elbow"))
    page.mouse.click(*(0.5 * (shoulder + elbow)).tolist())  # a goal for what the design shows, where it shows it
    known = {goal["name"] for goal in state["goals"]}
    state = studio.until(lambda now: len(now["goals"]) > len(known) and not now["busy"])
    (made,) = [goal for goal in state["goals"] if goal["name"] not in known]
    assert made["site"] == "right_upper_arm.1"
    np.testing.assert_allclose(state["sites"][made["site"]], made["target"], atol=0.02)
    page.keyboard.press("Control+z")
    state = studio.until(lambda now: len(now["goals"]) == len(known) and not now["busy"])
    designed = state["joints"]
    button(studio, "Accept").click()
    state = studio.until(lambda state: state["tab"] == "Pose" and not state["busy"])
    for joint, place in designed.items():
        np.testing.assert_allclose(state["joints"][joint], place, atol=1e-5)
    page.keyboard.press("Control+z")
    studio.until(lambda now: now["joints"] != state["joints"] and not now["busy"])


def test_poses_are_kept_and_taken_again(studio: StudioPage) -> None:
    page = studio.page
    before = studio.state()["joints"]
    button(studio, "Poses").click()
    page.get_by_role("textbox", name="name of the pose").fill("stand")
    button(studio, "Keep pose").click()
    studio.until(lambda state: state["unsaved"] and not state["busy"])
    wrist = studio.screen("left_wrist")
    studio.drag(wrist, (wrist[0] + 50, wrist[1] - 120))
    studio.until(lambda state: state["joints"]["left_wrist"] != before["left_wrist"] and not state["busy"])
    button(studio, "stand").click()
    studio.until(lambda state: state["joints"] == before and not state["busy"])
    button(studio, "forget stand").click()
    page.get_by_text("No saved poses yet.").wait_for()
