"""Clips in a real browser: scrubbed, played by the page's own clock, edited by keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from posewright import clips, figure
from posewright.kernels.compiling.cache import cache_root
from posewright.studio import page_build

from .conftest import StudioPage, serving

FRAME = 30


@pytest.fixture(scope="module")
def walk_page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioPage]:
    """`posewright studio walk.npz`."""
    path = tmp_path_factory.mktemp("clips") / "walk.npz"
    clips.walk(figure("human40"), steps=4, fps=30.0).save(path)
    with serving(str(path)) as address:
        context = browser.new_context(viewport={"width": 1366, "height": 768}, color_scheme="dark")
        yield StudioPage(context.new_page(), address)
        context.close()


@pytest.fixture
def walking(walk_page: StudioPage) -> Iterator[StudioPage]:
    """The page with the clip as it was opened; whatever it complained about fails the test."""
    while walk_page.settle()["unsaved"]:
        walk_page.page.get_by_role("button", name="Undo").click()
    walk_page.page.goto(walk_page.page.url)
    walk_page.until(lambda state: state.get("tab") == "Edit" and not state["busy"])
    yield walk_page
    assert walk_page.complaints == []


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
    for key in ("Space", "Shift+ArrowRight", "Escape"):
        walking.page.keyboard.press(key)
    walking.until(lambda state: state["joints"] == before["joints"] and not state["busy"])
    walking.page.mouse.up()
    state = walking.settle()
    assert (state["keys"], state["frame"], state["playing"]) == ([], FRAME, False)


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
    page.get_by_role("slider", name="frame").focus()
    for key in ("p", "c"):
        page.mouse.click(*walking.screen("right_elbow"))
        page.keyboard.press(key)
    walking.until(lambda state: state["paths"] and not state["busy"])
    page.get_by_label("Curves", exact=True).get_by_role("img").wait_for()
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
    walking.until(lambda state: state["keys"][-1]["frame"] == 34 and state["frame"] == 34)
    walking.page.get_by_role("slider", name="frame").focus()
    walking.page.keyboard.press("Delete")
    state = walking.until(lambda state: len(state["keys"]) == 1)
    assert state["keys"][0]["frame"] == 10
    walking.page.get_by_role("button", name="left_wrist", exact=True).click()
    walking.page.keyboard.press("k")
    walking.until(lambda state: len(state["keys"]) == 2 and not state["busy"])
    walking.page.get_by_role("button", name="key left_wrist", exact=True).click()
    assert walking.settle()["selection"] == "left_wrist"


def far(one: Any, other: Any) -> float:
    """m"""
    return float(np.linalg.norm(np.subtract(one, other)))


def test_a_path_is_made_its_knot_dragged_and_deleted_by_mouse(walking: StudioPage) -> None:
    page, before = walking.page, scrubbed(walking)
    page.mouse.click(*walking.screen("left_wrist"))
    walking.until(lambda state: state["selection"])
    page.get_by_role("button", name="Path", exact=True).click()
    made = walking.until(lambda state: state["paths"] and not state["busy"])
    (path,) = made["paths"]
    assert (path["start"], path["end"]) == (FRAME - 15, FRAME + 15)
    assert path["error"] < 2e-3
    assert path["knots"][0]["frame"] == path["start"]
    for number, knot in enumerate(path["knots"]):  # also where others lie over it
        page.mouse.click(*walking.screen(f"knot:{number}"))
        walking.until(lambda state: state["frame"] == knot["frame"])  # noqa: B023
    number = len(path["knots"]) // 2
    scrubbed(walking)
    for _ in range(int(path["knots"][number]["frame"]) - FRAME):
        page.keyboard.press("ArrowRight")
    walking.until(lambda state: state["frame"] == path["knots"][number]["frame"])
    x, y = walking.screen(f"knot:{number}")
    walking.drag((x, y), (x + 20, y - 50), release=False)
    moved = walking.until(lambda state: state["frame"] == path["knots"][number]["frame"] and not state["busy"])
    site = path["site"]
    live = walking.until(lambda state: far(state["joints"][site], path["knots"][number]["point"]) > 0.05)
    assert live["paths"] == made["paths"]  # nothing is done yet
    page.mouse.up()
    after = walking.until(lambda state: state["paths"] != made["paths"] and not state["busy"])
    knot = after["paths"][0]["knots"][number]
    assert far(after["joints"][site], knot["point"]) < 2e-3
    assert far(knot["point"], path["knots"][number]["point"]) > 0.05
    for foot in ("left_ankle", "right_ankle"):
        np.testing.assert_allclose(after["joints"][foot], moved["joints"][foot], atol=3e-3)
    page.keyboard.press("Control+z")
    walking.until(lambda state: state["paths"] == made["paths"] and not state["busy"])
    page.get_by_role("row", name=f"path {path['name']}").get_by_role("button", name="delete").click()
    walking.until(lambda state: not state["paths"] and not state["busy"])
    scrubbed(walking)
    assert walking.settle()["joints"] == before["joints"]


def test_a_long_edit_shows_that_it_is_made_and_is_stopped(studio: StudioPage) -> None:
    page = studio.page
    page.get_by_role("combobox", name="open clip").select_option("walk")
    studio.until(lambda state: state["frames"] > 1 and not state["busy"])
    scrubbed(studio, 60)
    page.mouse.click(*studio.screen("head"))
    studio.until(lambda state: state["selection"])
    page.keyboard.press("p")
    made = studio.until(lambda state: state["paths"] and not state["busy"])
    knot = f"knot:{len(made['paths'][0]['knots']) // 2}"
    for how in ("button", "Escape"):
        x, y = studio.screen(knot)
        studio.drag((x, y), (x + 30, y + 40))
        studio.until(lambda state: state["editing"])
        if how == "button":
            page.get_by_role("button", name="Stop editing").click(force=True)  # the edit does not wait for pictures
        else:
            page.keyboard.press("Escape")
        studio.until(lambda state: not state["editing"])
        stopped = studio.settle()
        assert stopped["paths"] == made["paths"]
        assert stopped["joints"] == made["joints"], "the last good clip is shown"
        assert page.get_by_text("was stopped; the clip is as it was before it").last.is_visible()


def test_paths_are_shaped_on_the_timeline_and_by_keys(walking: StudioPage) -> None:
    page = walking.page
    scrubbed(walking)
    page.mouse.click(*walking.screen("head"))
    walking.until(lambda state: state["selection"])
    page.keyboard.press("p")
    path = walking.until(lambda state: state["paths"] and not state["busy"])["paths"][0]
    name = path["name"]

    def now() -> Any:
        return walking.settle()["paths"][0]

    bar = page.get_by_role("button", name=f"path {name}", exact=True).and_(page.locator(".bar"))
    box = bar.bounding_box()
    middle = (box["x"] + 0.4 * box["width"], box["y"] + 0.5 * box["height"])
    walking.drag(middle, (middle[0] + 3.2 * box["width"] / 30, middle[1]))
    walking.until(lambda state: state["paths"][0]["start"] == path["start"] + 3)
    assert [knot["frame"] for knot in now()["knots"]] == [knot["frame"] + 3 for knot in path["knots"]]
    page.get_by_role("slider", name=f"path {name} start").focus()
    page.keyboard.press("ArrowLeft")
    walking.until(lambda state: state["paths"][0]["start"] == path["start"] + 2)
    assert now()["knots"][0]["frame"] == path["start"] + 2
    page.get_by_role("slider", name=f"path {name} ease in").focus()
    page.keyboard.press("ArrowLeft")
    walking.until(lambda state: state["paths"][0]["ease_in"] == path["ease_in"] + 1)
    page.get_by_role("spinbutton", name="tension").fill("0.5")
    page.keyboard.press("Enter")
    walking.until(lambda state: state["paths"][0]["tension"] == 0.5)
    scrubbed(walking, 25)
    page.keyboard.press("n")
    walking.until(lambda state: len(state["paths"][0]["knots"]) == len(path["knots"]) + 1)
    number = [knot["frame"] for knot in now()["knots"]].index(25)
    target = now()["knots"][number]["point"]
    page.get_by_role("button", name=f"knot {number} of {name}", exact=True).focus()
    page.keyboard.press("ArrowUp")
    raised = walking.until(lambda state: state["paths"][0]["knots"][number]["point"] != target)
    assert far(raised["paths"][0]["knots"][number]["point"], target) == pytest.approx(0.01)
    page.get_by_role("button", name=f"knot {number} of {name}", exact=True).focus()
    page.keyboard.press("Delete")
    walking.until(lambda state: len(state["paths"][0]["knots"]) == len(path["knots"]))
    page.get_by_role("button", name="Hold turn").click()
    held = walking.until(lambda state: len(state["paths"]) == 2 and not state["busy"])["paths"][1]
    assert (held["goal_kind"], held["knots"], held["unit"]) == ("orientation", [], "rad")


def test_a_contact_bar_is_cut_moved_drawn_and_deleted(walking: StudioPage) -> None:
    page = walking.page
    before = scrubbed(walking, 16)
    foot = walking.screen("left_ankle")
    walking.drag(foot, (foot[0] + 25, foot[1]))
    keyed = walking.until(lambda state: state["keys"] and not state["busy"])
    scrubbed(walking, 6)

    def away() -> float:
        return far(walking.settle()["joints"]["left_ankle"], planted)

    planted = scrubbed(walking, 6)["joints"]["left_ankle"]
    first = [one for one in keyed["contacts"] if one["foot"] == "left_foot"]
    page.mouse.dblclick(*walking.screen("contact:left_foot:0"))
    cut = walking.until(lambda state: len(state["contacts"]) == len(keyed["contacts"]) + 1 and not state["busy"])
    one, two = [bar for bar in cut["contacts"] if bar["foot"] == "left_foot"][:2]
    assert (one["start"], two["end"]) == (first[0]["start"], first[0]["end"])
    assert two["start"] - one["end"] > 1
    scrubbed(walking, 6)
    assert away() > 0.02  # before the cut the foot stands where it did, after it where the key has it
    before_there = far(walking.state()["joints"]["left_ankle"], planted)
    assert before_there > 0.02
    end = page.get_by_role("slider", name="contact left_foot 1 end", exact=True)
    box = end.bounding_box()
    grip = (box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    frame_width = (walking.screen("contact:left_foot:1")[0] - walking.screen("contact:left_foot:0")[0]) / (
        0.5 * (two["start"] + two["end"] - one["start"] - one["end"])
    )
    walking.drag(grip, (grip[0] + 2.2 * frame_width, grip[1]))
    longer = walking.until(lambda state: state["contacts"] != cut["contacts"] and not state["busy"])
    assert [bar for bar in longer["contacts"] if bar["foot"] == "left_foot"][1]["end"] == two["end"] + 2
    bar = page.get_by_role("button", name="contact left_foot 0", exact=True)
    bar.focus()
    page.keyboard.press("Delete")
    fewer = walking.until(lambda state: len(state["contacts"]) == len(keyed["contacts"]) and not state["busy"])
    x, y = walking.screen("contact:left_foot:0")
    left = x - frame_width * (0.5 * (two["start"] + two["end"] + 2))  # frame 0
    walking.drag((left + 1, y), (left + 3.2 * frame_width, y))
    drawn = walking.until(lambda state: len(state["contacts"]) == len(fewer["contacts"]) + 1 and not state["busy"])
    assert drawn["contacts"][0] == {"foot": "left_foot", "start": 0, "end": 3}
    page.get_by_role("button", name="Find contacts").click()
    walking.until(lambda state: state["contacts"] == keyed["contacts"] and not state["busy"])
    assert before["keys"] == []


def test_only_the_play_range_is_played(walking: StudioPage) -> None:
    page = walking.page
    scrubbed(walking, 10)
    page.keyboard.press("i")
    scrubbed_to = [page.keyboard.press("ArrowRight") for _ in range(4)]
    walking.until(lambda state: state["frame"] == 14 and len(scrubbed_to) == 4)
    page.keyboard.press("o")
    walking.until(lambda state: state["range"] == [10, 14])
    page.keyboard.press("End")
    walking.until(lambda state: state["frame"] == 14)
    page.get_by_role("button", name="Play", exact=True).click()
    seen: set[int] = set()
    walking.until(lambda state: seen.add(state["frame"]) or len(seen) > 2)
    assert seen <= set(range(10, 15))
    page.keyboard.press("Space")
    page.get_by_role("slider", name="play range end").focus()
    page.keyboard.press("ArrowRight")
    walking.until(lambda state: state["range"] == [10, 15])
    page.get_by_role("button", name="Play the whole clip").click()
    walking.until(lambda state: state["range"] == [0, state["frames"] - 1])


def test_a_key_is_dragged_in_a_model_that_is_fitted_on_the_page(walking: StudioPage) -> None:
    page = walking.page
    page.get_by_role("combobox", name="open clip").select_option("jump")
    walking.until(lambda state: state["frames"] > 100 and not state["busy"])
    last = scrubbed(walking, 120)["joints"]
    scrubbed(walking, 60)
    assert page.get_by_role("button", name="Model", exact=True).is_disabled()
    page.get_by_role("checkbox", name="8 of jump (built in)").check()
    page.get_by_role("button", name="Fit model").click()
    fitted = walking.until(lambda state: state["modelling"]["in_model"] and not state["busy"], 60)["modelling"]
    assert fitted["model"]["explained"] >= 0.98
    assert 1 <= fitted["model"]["modes"] <= 7
    assert f"of {len(fitted['model']['clips'])} clips" in page.get_by_label("Motion model").inner_text()
    hand = walking.screen("left_wrist")
    walking.drag(hand, (hand[0] + 12, hand[1] - 12))
    keyed = walking.until(lambda state: state["keys"] and not state["busy"])
    assert keyed["keys"][0]["reached"]
    assert far(scrubbed(walking, 120)["joints"]["left_wrist"], last["left_wrist"]) > 1e-3  # the whole clip follows
    page.get_by_role("button", name="Joint space").click()
    walking.until(lambda state: not state["modelling"]["in_model"] and not state["busy"])
    assert scrubbed(walking, 120)["joints"] == last  # only the frames around the key
    page.keyboard.press("Control+z")
    walking.until(lambda state: state["modelling"]["in_model"] and not state["busy"])


def test_keys_are_copied_and_pasted_flipped(walking: StudioPage) -> None:
    before = scrubbed(walking, 15)
    hand = walking.screen("left_wrist")
    walking.drag(hand, (hand[0] + 20, hand[1] - 40))
    walking.until(lambda state: state["keys"] and not state["busy"])
    walking.page.keyboard.press("Control+c")
    walking.settle()
    there = scrubbed(walking)
    walking.page.keyboard.press("Control+Shift+V")
    state = walking.until(lambda state: len(state["keys"]) == 2 and not state["busy"])
    first, second = state["keys"]
    assert (second["frame"], second["site"].startswith("right_")) == (FRAME, True)
    raised = [state["joints"]["right_wrist"][1] - there["joints"]["right_wrist"][1]]
    raised.append(scrubbed(walking, 15)["joints"]["left_wrist"][1] - before["joints"]["left_wrist"][1])
    assert raised[0] == pytest.approx(raised[1], abs=0.02)
    scrubbed(walking, 45)
    walking.page.keyboard.press("Control+v")
    state = walking.until(lambda state: len(state["keys"]) == 3 and not state["busy"])
    assert (state["keys"][2]["frame"], state["keys"][2]["site"]) == (45, first["site"])


def test_curves_of_the_selected_joint_open_over_the_view(walking: StudioPage) -> None:
    page = walking.page
    box = page.get_by_role("application", name="viewport").bounding_box()
    scrubbed(walking)
    page.mouse.click(*walking.screen("left_elbow"))
    name = walking.until(lambda state: state["selection"])["selection"]
    page.get_by_role("button", name="Curves", exact=True).click()
    drawn = page.get_by_label("Curves", exact=True).get_by_role("img")
    drawn.wait_for()
    assert f"{name}." in drawn.get_attribute("aria-label")
    assert page.get_by_role("application", name="viewport").bounding_box() == box

    def has_gone_on(state: dict[str, Any]) -> bool:
        if state["frame"] <= FRAME + 5:  # curves that are drawn anew at that moment do not notice a click
            area = drawn.bounding_box()
            page.mouse.click(area["x"] + 0.8 * area["width"], area["y"] + 0.5 * area["height"])
        return bool(state["frame"] > FRAME + 5)

    walking.until(has_gone_on)
    handle = page.get_by_role("separator", name="height of the curves")
    handle.focus()
    page.keyboard.press("ArrowUp")
    assert page.get_by_label("Curves", exact=True).and_(page.locator("section")).bounding_box()["height"] > 195
    page.get_by_role("combobox", name="onion skin").select_option("2")
    page.keyboard.press("c")
    drawn.wait_for(state="detached")


def test_a_clip_is_opened_on_the_page(studio: StudioPage) -> None:
    studio.page.get_by_role("combobox", name="open clip").select_option("jump")
    state = studio.until(lambda state: state["frames"] > 1 and not state["busy"])
    assert state["tab"] == "Edit"
    assert studio.screen("contact:left_foot:0")
    studio.page.keyboard.press("Control+z")
    assert studio.until(lambda state: state["frames"] == 1 and not state["busy"])["joints"] != state["joints"]


def test_a_key_is_eased_and_several_move_together(walking: StudioPage) -> None:
    page = walking.page
    page.get_by_role("button", name="left_wrist", exact=True).click()
    for frame in (20, 40):
        scrubbed(walking, frame)
        page.keyboard.press("k")
        walking.until(lambda state, frame=frame: state["keys"] and state["keys"][-1]["frame"] == frame)
    page.get_by_role("slider", name="key 40 ease in").press("Shift+ArrowRight")
    eased = walking.until(lambda state: state["keys"][-1]["eased"])["keys"][-1]
    assert eased["ease_in"] < eased["ease_out"]
    page.get_by_role("button", name="key 20").press("Shift+Enter")
    page.get_by_role("button", name="key 20").press("ArrowRight")
    walking.until(lambda state: [key["frame"] for key in state["keys"]] == [21, 41])
