"""Every workflow by the keyboard alone in a real browser, the focus seen at every step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from posewright import clips, figure, motion

from .conftest import SIZE, Server, StudioPage
from .test_page import shown
from .test_retarget_page import partner

MOST_STEPS = 250
"""Presses of Tab around the whole page."""
FOCUS = """target => {
    const at = document.activeElement;
    const seen = at === document.body || [at, at.parentElement].some((one) => ["", "::after"].some((part) => {
        const {outlineStyle, outlineWidth, content, borderTopWidth} = getComputedStyle(one, part);
        const framed = content === '""' && parseFloat(borderTopWidth) >= 2;
        return framed || (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2);
    }));
    const list = at.closest("ul.tree");
    return [at === target, list !== null && list.contains(target), seen, at.outerHTML.slice(0, 200)];
}"""


class Keys:
    """Somebody without a mouse."""

    def __init__(self, studio: StudioPage) -> None:
        self.studio, self.page, self.press = studio, studio.page, studio.page.keyboard.press

    def to(self, role: str, name: str, *, within: Any = None) -> Any:
        """By Tab to a control; in a list by arrows."""
        control = (within or self.page).get_by_role(role, name=name, exact=True)
        control.wait_for()
        target = control.element_handle()
        for _ in range(MOST_STEPS):
            there, in_list, seen, what = target.evaluate(FOCUS)
            assert seen, f"the focus is not seen on {what}"
            if there:
                return control
            self.press("ArrowDown" if in_list else "Tab")
        raise AssertionError(f"the keyboard does not come to {role} {name!r}")

    def do(self, role: str, name: str, key: str = "Enter", *, within: Any = None) -> Any:
        """Come to a control and press a key."""
        control = self.to(role, name, within=within)
        self.press(key)
        return control

    def tab(self, name: str) -> None:
        """Another workflow."""
        now = self.page.get_by_role("tab", selected=True)
        self.to("tab", now.inner_text())
        for _ in range(4):
            if self.studio.state()["tab"] == name:
                return
            self.press("ArrowRight")
        raise AssertionError(f"there is no tab {name}")

    def choose(self, name: str, label: str) -> None:
        """One of the choices of a field, by typing what it is called."""
        box = self.to("combobox", name)
        self.page.keyboard.type(label)
        assert box.evaluate("(at) => at.selectedOptions[0].label").startswith(label)

    def open(self, *paths: Path) -> None:
        """Files; which ones is asked by the system, not by the page."""
        with self.page.expect_file_chooser() as chooser:
            self.press("Control+o")
        chooser.value.set_files(paths)


def test_pose_compare_and_search_by_the_keyboard(studio: StudioPage) -> None:
    keys = Keys(studio)
    keys.do("button", "left_wrist")
    studio.until(lambda state: state["selection"] == "left_wrist")
    keys.press("a")  # which kinds of goals there are
    keys.press("ArrowDown")
    keys.press("Enter")
    studio.until(lambda state: len(state["goals"]) == 3 and not state["busy"])
    before = studio.state()
    keys.to("button", "goal left_wrist")
    for _ in range(3):
        keys.press("Shift+ArrowUp")
    studio.until(lambda state: state["joints"]["left_wrist"][1] > before["joints"]["left_wrist"][1] + 0.2)
    row = studio.row("left_wrist")
    keys.to("spinbutton", "weight", within=row)
    for _ in range(5):
        keys.press("ArrowUp")
    studio.until(lambda state: state["goals"][-1]["weight"] == pytest.approx(1.5) and not state["busy"])
    keys.do("spinbutton", "priority", "ArrowDown", within=row)
    studio.until(lambda state: state["goals"][-1]["priority"] == 1 and not state["busy"])
    keys.do("button", "Compare")
    studio.until(lambda state: len(state["proposals"]) >= 4 and not state["proposing"])
    keys.do("button", "Next answer")
    keys.do("button", "Accept")
    studio.until(lambda state: not state["proposals"] and not state["busy"])
    keys.do("button", "Other answers")
    studio.until(lambda state: len(state["proposals"]) > 1 and not state["proposing"])
    keys.do("button", "Play path")
    studio.until(lambda state: state["search_step"] is not None)
    keys.do("slider", "step of the search", "Home")
    studio.until(lambda state: state["search_step"] == 0)
    keys.do("button", "Particles")
    studio.until(lambda state: state["particles"] == 0)
    keys.press("Enter")
    studio.until(lambda state: state["particles"] > 10)
    keys.do("button", "Next answer")
    keys.do("button", "Accept")
    state = studio.until(lambda state: not state["proposals"] and not state["busy"])
    assert all(goal["reached"] for goal in state["goals"])


def test_design_by_the_keyboard(studio: StudioPage) -> None:
    keys = Keys(studio)
    keys.do("button", "left_wrist")
    keys.press("a")
    keys.press("ArrowDown")
    keys.press("Enter")
    studio.until(lambda state: len(state["goals"]) == 3 and not state["busy"])
    keys.tab("Design")
    for clip in ("walk (built in)", "reach (built in)"):
        keys.do("checkbox", clip, "Space")
    keys.do("button", "Collect postures")
    state = studio.until(lambda state: state["design"]["parts"] and not state["busy"])
    before = state["joints"]
    part = next(part for part in state["design"]["parts"] if "left_wrist" in part["name"])
    keys.do("combobox", "donor", "End", within=studio.page.get_by_role("row", name=f"part {part['name']}", exact=True))
    studio.until(lambda state: state["joints"] != before and not state["busy"])
    keys.to("button", "goal left_wrist")
    keys.press("Shift+ArrowUp")
    state = studio.until(lambda state: not state["busy"] and all(one["reached"] for one in state["design"]["errors"]))
    keys.do("button", "Accept")
    taken = studio.until(lambda now: now["tab"] == "Pose" and not now["busy"])
    np.testing.assert_allclose(taken["joints"]["left_wrist"], state["joints"]["left_wrist"], atol=1e-5)


def test_retarget_edit_export_and_recover_by_the_keyboard(browser: Any, tmp_path: Path) -> None:
    folder, home = tmp_path / "folder", tmp_path / "home"
    folder.mkdir()
    clips.walk(figure("human40"), steps=2, fps=30.0).save(tmp_path / "walk.bvh")
    figure("human").save(tmp_path / "hero.glb")
    server = Server("--folder", str(folder), home=home)
    context = browser.new_context(viewport=SIZE, color_scheme="light")
    try:
        studio = StudioPage(context.new_page(), server.address)
        keys = Keys(studio)
        for name in ("walk.bvh", "hero.glb"):
            keys.open(tmp_path / name)
            studio.until(lambda state: state["project"] is None and state["unsaved"] and not state["busy"])
            studio.page.get_by_text(name.split(".", maxsplit=1)[0]).first.wait_for()
        keys.tab("Retarget")
        studio.until(lambda state: state["retarget"] and state["figure"] == "hero" and not state["busy"])
        keys.do("button", "Match")
        studio.until(lambda state: state["retarget"]["view"] == "Match" and not state["busy"])
        for wrong in ("right_knee", "left_knee"):  # a mistake, then its correction
            keys.do("button", "source left_knee")
            keys.do("button", f"target {wrong}")
            studio.until(lambda state: partner(state, "left_knee") == [wrong] and not state["busy"])  # noqa: B023
        keys.do("button", "Retarget")
        studio.until(lambda state: state["retarget"]["result"] and not state["busy"])
        keys.do("slider", "frame", "End")
        keys.do("button", "Accept")
        studio.until(lambda state: state["tab"] == "Edit" and state["figure"] == "hero" and not state["busy"])
        keys.do("button", "left_wrist")
        keys.do("slider", "frame", "Home")
        for _ in range(3):
            keys.press("Shift+ArrowRight")
        studio.until(lambda state: state["frame"] == 30)
        keys.press("k")
        keyed = studio.until(lambda state: state["keys"] and not state["busy"])
        keys.to("button", "key left_wrist")
        keys.press("Shift+ArrowUp")
        higher = keyed["joints"]["left_wrist"][1] + 0.05
        edited = studio.until(lambda state: state["joints"]["left_wrist"][1] > higher and not state["busy"])
        keys.press("Control+s")
        studio.until(lambda state: state["project"] and not state["unsaved"])
        keys.press("Control+e")
        box = keys.to("combobox", "export as")
        keys.press("Home")
        chosen = box.input_value()
        for _ in range(20):
            if chosen == "clip.glb":
                break
            keys.press("ArrowDown")
            chosen = box.input_value()
        keys.to("textbox", "export name")
        studio.page.keyboard.type("walked")
        keys.do("button", "Export to folder")
        studio.page.get_by_role("alert").get_by_text("wrote walked").wait_for()
        keys.press("Escape")
        (written,) = folder.glob("walked*.glb")
        np.testing.assert_allclose(
            motion(written).pose(30).point("left_wrist"), edited["joints"]["left_wrist"], atol=1e-4
        )
        keys.do("button", "key left_wrist", "Delete")
        last = studio.until(lambda state: not state["keys"] and state["unsaved"] and not state["busy"])
        server.kill()
        studio.page.get_by_role("status").get_by_text("The server does not answer").wait_for()
        server = Server("--folder", str(folder), home=home)
        studio.page.get_by_role("alert").get_by_text("recovered what was not saved").wait_for()
        again = studio.settle()
        assert (again["frame"], shown(again)) == (30, shown(last))
        keys.press("Control+z")
        studio.until(lambda state: state["keys"] and not state["busy"])
        assert [one for one in studio.complaints if "ERR_CONNECTION_REFUSED" not in one] == []
    finally:
        context.close()
        server.end()
