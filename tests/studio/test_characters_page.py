"""A character with its own mesh in a real browser: shown, picked, dragged."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from posewright import Pose, clips, figure

from .conftest import StudioPage, serving


@pytest.fixture(scope="module")
def character(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A skinned character, made by code."""
    path = tmp_path_factory.mktemp("character") / "character.glb"
    Pose.rest(figure("human")).save(path)
    return path


@pytest.fixture
def posing(browser: Any, character: Path) -> Iterator[StudioPage]:
    with serving(str(character)) as address:
        context = browser.new_context(viewport={"width": 1366, "height": 768}, color_scheme="dark")
        page = StudioPage(context.new_page(), address, fine=True)
        yield page
        context.close()
    assert page.complaints == []


def pixels(studio: StudioPage) -> np.ndarray:
    """(height, width, 3): the view"""
    studio.page.mouse.move(5, 5)
    for _ in range(2):
        studio.page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => drawn(null)))")
    data = studio.page.get_by_role("application", name="viewport").screenshot()
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), dtype=float)


def test_a_character_is_shown_picked_and_follows_a_drag(posing: StudioPage) -> None:
    state = posing.state()
    assert state["mesh"]
    wrist, elbow = np.array(posing.screen("left_wrist")), np.array(posing.screen("left_elbow"))
    x, y = 0.5 * (wrist + elbow)
    before = pixels(posing)
    posing.page.mouse.move(float(x), float(y))
    assert posing.page.locator(".under").inner_text() == "left_forearm"
    posing.drag((float(x), float(y)), (float(x) + 60, float(y) - 120), release=False)
    moved = posing.until(lambda now: now["goals"] and now["goals"][-1]["reached"] and len(now["goals"]) == 3)
    posing.page.mouse.up()
    after = posing.until(lambda now: not now["busy"] and now["unsaved"])
    assert np.linalg.norm(np.subtract(after["joints"]["left_wrist"], state["joints"]["left_wrist"])) > 0.1
    assert moved["goals"][-1]["site"] == "left_forearm.1"
    for foot in ("left_ankle", "right_ankle"):
        np.testing.assert_allclose(after["joints"][foot], state["joints"][foot], atol=2e-3)
    # The mesh went with its joints: where the arm was there is background now, and where it is there was.
    difference = np.abs(pixels(posing) - before).max(axis=2)
    box = posing.page.get_by_role("application", name="viewport").bounding_box()
    there = np.array(posing.screen("left_wrist")) - (box["x"], box["y"])
    for px, py in (there, wrist - (box["x"], box["y"])):
        assert difference[int(py) - 3 : int(py) + 4, int(px) - 3 : int(px) + 4].max() > 40


def test_a_click_beside_the_mesh_picks_nothing(posing: StudioPage) -> None:
    head, pelvis = np.array(posing.screen("head")), np.array(posing.screen("pelvis"))
    beside = pelvis + np.array([0.8 * float(np.linalg.norm(head - pelvis)), 0.0])
    posing.page.mouse.click(*beside.tolist())
    assert len(posing.settle()["goals"]) == 2
    posing.page.mouse.click(*head.tolist())
    state = posing.until(lambda now: len(now["goals"]) == 3 and not now["busy"])
    assert state["goals"][-1]["site"].startswith(("head", "neck"))


def test_a_clip_of_a_character_plays_and_is_retargeted_with_meshes(
    browser: Any, character: Path, tmp_path: Path
) -> None:
    path = tmp_path / "walk.glb"
    clips.walk(figure("human40"), steps=2, fps=30.0).save(path)
    with serving(str(path), str(character)) as address:
        context = browser.new_context(viewport={"width": 1366, "height": 768}, color_scheme="light")
        fetched: set[str] = set()
        context.on(
            "request",
            lambda request: fetched.add(f"/{request.url.split('/', 3)[3]}") if "/mesh/" in request.url else None,
        )
        page = StudioPage(context.new_page(), address, fine=True)
        first = page.until(lambda state: state["mesh"] and state["tab"] == "Edit" and not state["busy"])
        still = pixels(page)
        page.page.keyboard.press("End")
        page.until(lambda state: state["frame"] == first["frames"] - 1)
        assert (np.abs(pixels(page) - still).max(axis=2) > 40).mean() > 0.002
        page.page.get_by_role("tab", name="Retarget").click()
        state = page.until(lambda state: state["retarget"] and state["figure"] == "character" and not state["busy"])
        assert state["mesh"]
        assert fetched == {"/mesh/1", "/mesh/2"}  # source and target as they look, each fetched once
        page.page.get_by_role("button", name="Match", exact=True).click()
        page.until(lambda state: state["retarget"]["view"] == "Match" and not state["busy"])
        seen, box = pixels(page), page.page.get_by_role("application", name="viewport").bounding_box()
        for role in ("source", "target"):
            hip, knee = (np.array(page.screen(f"match:{role}:left_{joint}")) for joint in ("hip", "knee"))
            x, y = 0.5 * (hip + knee)
            red, green, blue = seen[int(y - box["y"]), int(x - box["x"])]
            assert red > green > blue > 0.45 * red  # skin, and neither of the colours of cones
            page.page.mouse.click(float(x), float(y))
            page.until(lambda state: state["retarget"]["picked"] == {"role": role, "joint": "left_hip"})  # noqa: B023
            page.page.keyboard.press("Escape")
            page.until(lambda state: state["retarget"]["picked"] is None)
        context.close()
    assert page.complaints == []
