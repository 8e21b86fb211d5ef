"""Retargeting in a real browser: a BVH onto another figure, a wrong pair mended by two clicks, taken, stopped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from posewright import clips, figure, motion, retarget

from .conftest import StudioPage, serving


@pytest.fixture
def performing(browser: Any, tmp_path: Path) -> Iterator[StudioPage]:
    """`posewright studio walk.bvh human`, in the tab Retarget."""
    path = tmp_path / "walk.bvh"
    clips.walk(figure("human40"), steps=4, fps=30.0).save(path)
    skeleton, frames = path.read_text().split("MOTION")
    root = "ROOT world\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT"  # which stays where it is, as some files have one
    path.write_text(f"{skeleton.replace('ROOT', root, 1)}}}\nMOTION{frames}")
    with serving(str(path), "human") as address:
        context = browser.new_context(viewport={"width": 1366, "height": 768}, color_scheme="dark")
        page = StudioPage(context.new_page(), address)
        first = page.until(lambda state: state["tab"] == "Edit" and not state["busy"])
        at = page.screen("pelvis")
        page.page.keyboard.press("End")
        last = page.until(lambda state: state["frame"] > 0)
        assert far(last, first, "pelvis") > 1.0
        assert np.linalg.norm(np.subtract(page.screen("pelvis"), at)) < 40.0  # the camera goes along
        page.page.keyboard.press("Home")
        page.page.get_by_role("tab", name="Retarget").click()
        page.until(lambda state: state["retarget"] and state["figure"] == "human" and not state["busy"])
        yield page
        context.close()
    assert page.complaints == []


def far(state: dict[str, Any], other: dict[str, Any], joint: str) -> float:
    """m"""
    return float(np.linalg.norm(np.subtract(state["joints"][joint], other["joints"][joint])))


def button(studio: StudioPage, name: str) -> Any:
    return studio.page.get_by_role("button", name=name, exact=True)


def retargeted(studio: StudioPage) -> dict[str, Any]:
    button(studio, "Retarget").click()
    return studio.until(
        lambda state: state["retarget"]["result"] and not state["retarget"]["running"] and not state["busy"]
    )


def clicked(studio: StudioPage, name: str) -> None:
    studio.page.mouse.click(*studio.screen(name))


def test_a_bvh_is_retargeted_compared_and_accepted(performing: StudioPage, tmp_path: Path) -> None:
    before = performing.state()
    assert (before["retarget"]["source"], before["retarget"]["target"]) == ("open", "item:human")
    assert before["frames"] > 30
    state = retargeted(performing)
    expected = retarget(motion(tmp_path / "walk.bvh"), figure("human"))
    measures = {one["name"]: one for one in state["retarget"]["result"]["measures"]}
    assert measures["foot skate"]["value"] == pytest.approx(expected.quality()["foot skate"].value)
    assert {"likeness.mean", "jerk", "contact drift"} <= {*measures}
    assert performing.page.get_by_role("table", name="measures").get_by_role("row").count() == len(measures) + 1
    performing.page.get_by_role("slider", name="frame").focus()
    for _ in range(2):
        performing.page.keyboard.press("Shift+ArrowRight")
    state = performing.until(lambda state: state["frame"] == 20)
    at = expected.motion.pose(20)
    for joint in ("head", "left_ankle", "right_wrist"):
        np.testing.assert_allclose(state["joints"][joint], at.point(joint), atol=1e-5)
    assert performing.screen("contact:left_foot:0")
    for view in ("Overlay", "Match", "Side by side"):
        button(performing, view).click()
        performing.until(lambda state: state["retarget"]["view"] == view)  # noqa: B023
        assert performing.serious() == []
    button(performing, "Accept").click()
    state = performing.until(lambda state: state["tab"] == "Edit" and not state["busy"] and state["unsaved"])
    assert (state["figure"], state["frames"], state["frame"]) == ("human", before["frames"], 20)
    performing.page.keyboard.press("Control+z")
    state = performing.until(lambda state: not state["unsaved"] and not state["busy"])
    assert "left_wrist" in state["joints"]
    assert state["figure"] != "human"
    performing.page.keyboard.press("Control+Shift+Z")
    performing.until(lambda state: state["unsaved"] and state["figure"] == "human")


def test_a_wrong_pair_is_corrected_by_two_clicks_and_cleared_by_a_key(performing: StudioPage) -> None:
    button(performing, "Match").click()
    found = performing.until(lambda state: state["retarget"]["view"] == "Match" and not state["busy"])["retarget"][
        "parts"
    ]
    clicked(performing, "match:source:left_knee")
    performing.until(lambda state: state["retarget"]["picked"] == {"role": "source", "joint": "left_knee"})
    clicked(performing, "match:target:right_knee")  # a mistake
    wrong = performing.until(lambda state: partner(state, "left_knee") == ["right_knee"])
    assert partner(wrong, "right_knee") == ["left_knee"]  # they have changed places
    clicked(performing, "match:source:left_knee")
    clicked(performing, "match:target:left_knee")
    performing.until(lambda state: partner(state, "left_knee") == ["left_knee"])
    performing.page.keyboard.press("Control+z")
    performing.until(lambda state: partner(state, "left_knee") == ["right_knee"])
    performing.page.keyboard.press("Control+z")
    performing.until(lambda state: state["retarget"]["parts"] == found)
    clicked(performing, "match:source:head")
    performing.page.keyboard.press("Delete")
    performing.until(lambda state: state["retarget"]["parts"]["head"]["target"] == [])
    button(performing, "Find again").click()
    performing.until(lambda state: state["retarget"]["parts"] == found)


def partner(state: dict[str, Any], source: str) -> list[str]:
    """The joints of the target that a joint of the source is paired with."""
    return next((part["target"] for part in state["retarget"]["parts"].values() if source in part["source"]), [])


def test_the_keyboard_alone_pairs_joints(performing: StudioPage) -> None:
    button(performing, "Match").click()
    for name in ("source left_elbow", "target right_elbow"):
        button(performing, name).focus()
        performing.page.keyboard.press("Enter")
    performing.until(lambda state: partner(state, "left_elbow") == ["right_elbow"])
    performing.page.keyboard.press("Control+z")
    performing.until(lambda state: partner(state, "left_elbow") == ["left_elbow"])
    row = performing.page.get_by_role("row", name="part left elbow")
    row.get_by_role("button", name="clear").click()
    performing.until(lambda state: "left elbow" in state["retarget"]["why_not"])
    for role in ("source", "target"):
        row.get_by_role("button", name="left elbow").click()
        performing.until(lambda state: state["retarget"]["picked"] == {"part": "left_elbow"})
        clicked(performing, f"match:{role}:left_elbow")
        performing.until(lambda state: state["retarget"]["parts"]["left_elbow"][role] == ["left_elbow"])  # noqa: B023
    assert performing.settle()["retarget"]["why_not"] == ""


def test_a_run_is_stopped_and_a_drag_goes_on_meanwhile(performing: StudioPage) -> None:
    page = performing.page
    page.get_by_role("combobox", name="solver").select_option("scipy")
    performing.until(lambda state: state["retarget"]["options"]["solver"] == "scipy" and not state["busy"])
    button(performing, "Retarget").click()
    performing.until(lambda state: state["retarget"]["running"])
    page.get_by_role("tab", name="Pose").click()
    performing.until(lambda state: state["goals"] and not state["busy"])
    elbow, wrist = (np.array(performing.screen(joint)) for joint in ("left_elbow", "left_wrist"))
    x, y = 0.4 * elbow + 0.6 * wrist
    performing.drag((float(x), float(y)), (float(x) + 40.0, float(y) - 60.0))
    state = performing.until(lambda state: state["unsaved"] and not state["busy"])
    assert any(goal["name"].startswith("left_forearm") for goal in state["goals"])
    page.get_by_role("tab", name="Retarget").click()
    assert performing.state()["retarget"]["running"]
    button(performing, "Stop").click()
    state = performing.until(lambda state: not state["retarget"]["running"])
    assert state["retarget"]["result"] is None
    page.get_by_role("combobox", name="solver").select_option("least_squares")
    performing.until(lambda state: state["retarget"]["options"]["solver"] == "least_squares")
    retargeted(performing)
    button(performing, "Reject").click()
    performing.until(lambda state: state["retarget"]["result"] is None)
