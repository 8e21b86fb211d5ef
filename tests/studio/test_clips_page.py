"""Clips in a real browser: scrubbed, played by the page's own clock, edited by keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from posewright import clips, figure
from posewright.kernels.compiling.cache import cache_root
from posewright.studio import page_build

from .conftest import StudioPage, serving

FRAME = 30


@pytest.fixture
def walking(browser: Any, tmp_path: Path) -> Iterator[StudioPage]:
    """`posewright studio walk.npz`."""
    path = tmp_path / "walk.npz"
    clips.walk(figure("human40"), steps=4, fps=30.0).save(path)
    with serving(str(path)) as address:
        context = browser.new_context(viewport={"width": 1366, "height": 768}, color_scheme="dark")
        page = StudioPage(context.new_page(), address)
        yield page
        context.close()
    assert page.complaints == []


def scrubbed(studio: StudioPage, frame: int = FRAME) -> dict[str, Any]:
    """At a frame, by the keyboard."""
    studio.page.get_by_role("slider", name="frame").focus()
    studio.page.keyboard.press("Home")
    for _ in range(frame // 10):
        studio.page.keyboard.press("Shift+ArrowRight")
    for _ in range(frame % 10):
        studio.page.keyboard.press("ArrowRight")
    return studio.until(lambda state: state["frame"] == frame)


def test_a_clip_is_scrubbed_by_mouse_and_keys(walking: StudioPage) -> None:
    state = walking.until(lambda state: state["frames"] > 1 and state["tab"] == "Edit")
    assert (state["frame"], state["fps"], state["playing"]) == (0, 30.0, False)
    box = walking.page.get_by_role("slider", name="frame").bounding_box()
    middle = box["y"] + 0.3 * box["height"]
    walking.drag((box["x"] + 0.2 * box["width"], middle), (box["x"] + 0.6 * box["width"], middle))
    there = walking.until(lambda state: state["frame"] > 20)
    assert there["joints"]["pelvis"][2] > state["joints"]["pelvis"][2] + 0.3  # it walked on
    walking.page.keyboard.press("End")
    last = walking.until(lambda state: state["frame"] == state["frames"] - 1)
    assert f"frame {last['frame']}/{last['frame']}" in walking.page.get_by_role("status").inner_text()
    walking.page.keyboard.press("ArrowLeft")
    walking.page.keyboard.press("Shift+ArrowLeft")
    walking.until(lambda state: state["frame"] == state["frames"] - 12)
    walking.page.keyboard.press("Home")
    walking.until(lambda state: state["frame"] == 0)
    slider = walking.page.get_by_role("slider", name="frame")
    assert slider.get_attribute("aria-valuenow") == "0"


def test_playing_follows_the_clock_and_frames_come_in_order(walking: StudioPage) -> None:
    walking.until(lambda state: state["frames"] > 1)
    seen, earliest, latest = walking.page.evaluate(
        """() => new Promise((resolve) => {
            const before = performance.now();
            document.querySelector('[aria-label="Play"]').click();
            const [after, seen] = [performance.now(), []];
            const look = (now) => {
                const { frame, playing } = window.posewright.state();
                seen.push([now, frame, playing]);
                if (now - after < 1500 || seen.length < 5) requestAnimationFrame(look);
                else resolve([seen, before, after]);
            };
            requestAnimationFrame(look);
        })"""
    )
    frames, passed = walking.state()["frames"], -1
    for now, frame, playing in seen:
        assert playing
        most, least = (int(30.0 * max(0.0, now - began) / 1000.0) for began in (earliest, latest))
        passed = next(count for count in range(max(least, passed), most + 1) if count % frames == frame)
    assert passed >= 30
    walking.page.keyboard.press("Space")
    at = walking.until(lambda state: not state["playing"])["frame"]
    walking.page.wait_for_timeout(100)
    assert walking.state()["frame"] == at


def test_a_key_is_set_by_mouse_and_undone(walking: StudioPage) -> None:
    before = scrubbed(walking)
    hand = walking.screen("left_wrist")
    walking.drag(hand, (hand[0] + 40, hand[1] - 60))
    state = walking.until(lambda state: state["keys"] and not state["busy"])
    (key,) = state["keys"]
    assert (key["frame"], key["reached"]) == (FRAME, True)
    assert key["site"].startswith("left_")
    assert np.linalg.norm(np.subtract(state["sites"][key["site"]], key["target"])) < 2e-3
    assert state["joints"]["left_wrist"][1] > before["joints"]["left_wrist"][1] + 0.05
    for foot in ("left_ankle", "right_ankle"):
        np.testing.assert_allclose(state["joints"][foot], before["joints"][foot], atol=3e-3)
    x, y = walking.screen(f"key:{FRAME}")
    mark = walking.page.get_by_role("button", name=f"key {FRAME}", exact=True).bounding_box()
    assert (x, y) == pytest.approx((mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2), abs=1.5)
    walking.page.keyboard.down("b")
    walking.until(lambda now: now["joints"] == before["joints"])
    walking.page.keyboard.up("b")
    walking.until(lambda now: now["joints"] == state["joints"])
    walking.page.keyboard.press("Control+z")
    assert walking.until(lambda now: not now["keys"] and not now["busy"])["joints"] == before["joints"]
    walking.page.keyboard.press("Control+Shift+Z")
    assert walking.until(lambda now: now["keys"] and not now["busy"])["joints"] == state["joints"]


def test_the_clip_follows_a_drag_live_and_escape_ends_it(walking: StudioPage) -> None:
    before = scrubbed(walking)
    hand = walking.screen("left_wrist")
    walking.drag(hand, (hand[0] + 30, hand[1] - 60), release=False)
    height = before["joints"]["left_wrist"][1]
    state = walking.until(lambda state: state["joints"]["left_wrist"][1] > height + 0.05)
    assert state["keys"] == []
    walking.page.keyboard.press("Escape")
    walking.until(lambda state: state["joints"] == before["joints"] and not state["busy"])
    walking.page.mouse.up()
    assert walking.settle()["keys"] == []


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_axe_finds_nothing_serious_beside_a_clip(walking: StudioPage, scheme: str) -> None:
    page = walking.page
    page.emulate_media(color_scheme=scheme)
    packages = page_build.packages(cache_root() / "studio" / "packages", lambda step: None)
    page.evaluate((packages / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    scrubbed(walking)
    hand = walking.screen("left_wrist")
    walking.drag(hand, (hand[0] + 40, hand[1] - 60))
    walking.until(lambda state: state["keys"] and not state["busy"])
    found = page.evaluate("axe.run()")["violations"]
    page.emulate_media(color_scheme="dark")
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_keys_are_moved_stepped_between_and_deleted(walking: StudioPage) -> None:
    for frame in (10, FRAME):
        scrubbed(walking, frame)
        x, y = walking.screen("head")
        walking.drag((x, y - 10), (x + 10, y + 20))
        walking.until(lambda state: not state["busy"] and state["keys"] and state["keys"][-1]["frame"] == frame)  # noqa: B023
    walking.page.keyboard.press(",")
    walking.until(lambda state: state["frame"] == 10)
    walking.page.keyboard.press(".")
    walking.until(lambda state: state["frame"] == FRAME)
    x, y = walking.screen(f"key:{FRAME}")
    there = walking.screen("key:10")
    walking.drag((x, y), (x + 0.25 * (x - there[0]), y))
    walking.until(lambda state: state["keys"][-1]["frame"] == 35 and state["frame"] == 35)
    walking.page.get_by_role("button", name="key 35", exact=True).focus()
    walking.page.keyboard.press("ArrowLeft")
    walking.until(lambda state: state["keys"][-1]["frame"] == 34)
    walking.page.get_by_role("slider", name="frame").focus()
    walking.page.keyboard.press("Delete")
    state = walking.until(lambda state: len(state["keys"]) == 1)
    assert state["keys"][0]["frame"] == 10


def test_a_clip_is_opened_on_the_page(studio: StudioPage) -> None:
    studio.page.get_by_role("combobox", name="open clip").select_option("jump")
    state = studio.until(lambda state: state["frames"] > 1 and not state["busy"])
    assert state["tab"] == "Edit"
    assert studio.screen("contact:left_foot:0")
    studio.page.keyboard.press("Control+z")
    assert studio.until(lambda state: state["frames"] == 1 and not state["busy"])["joints"] != state["joints"]
