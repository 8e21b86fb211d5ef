"""Files in a real browser: saving, recovery, opening, exporting."""

from __future__ import annotations

import json
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from posewright import Pose, clips, figure
from posewright.cli.app import command_line
from posewright.studio.session.journal import read_journal
from posewright.studio.session.sources import Sources
from posewright.tasks import load_task

from .conftest import Server, StudioPage
from .test_page import forearm, shown


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    found = browser.new_context(viewport={"width": 1366, "height": 768}, color_scheme="dark", accept_downloads=True)
    yield found
    found.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "folder"
    path.mkdir()
    return path


def start(tmp_path: Path, folder: Path, *arguments: str) -> Server:
    return Server("--folder", str(folder), *arguments, home=tmp_path / "home")


def drag_forearm(page: StudioPage) -> dict[str, Any]:
    at = forearm(page)
    page.drag(at, (at[0] + 60, at[1] - 120))
    return page.until(lambda state: not state["busy"] and state["unsaved"])


def test_save_then_open_the_project_again(tmp_path: Path, folder: Path, context: Any) -> None:
    server = start(tmp_path, folder)
    try:
        page = StudioPage(context.new_page(), server.address)
        before = drag_forearm(page)
        page.until(lambda state: page.page.title().startswith("* human"))
        page.page.keyboard.press("Control+s")
        page.until(lambda state: state["project"] == "human.posewright" and not state["unsaved"])
        page.until(lambda state: page.page.title().startswith("human.posewright"))
        assert "saved at" in page.page.get_by_role("status").inner_text()
        drag = forearm(page)
        page.drag(drag, (drag[0] - 40, drag[1]))
        page.until(lambda state: state["unsaved"])
        page.page.get_by_role("button", name="Files", exact=True).click()
        name = page.page.get_by_role("textbox", name="project name")
        name.fill("../elsewhere")
        name.press("Enter")
        page.page.get_by_role("alert").get_by_text("it must be a file in the folder").wait_for()
        name.fill("human.posewright")
        page.page.get_by_role("button", name="Save as").click()
        page.until(lambda state: not state["unsaved"])
        assert page.complaints == []
    finally:
        server.end()
    session = read_journal(folder / "human.posewright", Sources([])).session
    assert session.done == 2
    server = start(tmp_path, folder, str(folder / "human.posewright"))
    try:
        page = StudioPage(context.new_page(), server.address)
        assert not page.state()["unsaved"]
        page.page.get_by_role("button", name="Undo").click()
        assert shown(page.until(lambda state: state["unsaved"] and not state["busy"])) == shown(before)
    finally:
        server.end()


def test_a_reload_loses_nothing(tmp_path: Path, folder: Path, context: Any) -> None:
    server = start(tmp_path, folder)
    try:
        page = StudioPage(context.new_page(), server.address)
        before = drag_forearm(page)
        page.page.reload()
        assert shown(page.settle()) == shown(before)
        page.page.keyboard.press("Control+z")
        page.until(lambda state: len(state["goals"]) == 2)
        assert page.complaints == []
    finally:
        server.end()


def test_after_the_server_was_killed_the_open_page_goes_on_by_itself(
    tmp_path: Path, folder: Path, context: Any
) -> None:
    server = start(tmp_path, folder)
    try:
        page = StudioPage(context.new_page(), server.address)
        before = drag_forearm(page)
        server.kill()
        page.page.get_by_role("status").get_by_text("The server does not answer").wait_for()
        server = start(tmp_path, folder)  # as a user does: the same words again
        page.page.get_by_role("alert").get_by_text("recovered what was not saved: 1 step").wait_for()
        assert shown(page.settle()) == shown(before)
        page.page.keyboard.press("Control+s")
        page.until(lambda state: state["project"] == "human.posewright" and not state["unsaved"])
        server.kill()
        page.page.get_by_role("status").get_by_text("The server does not answer").wait_for()
        server = start(tmp_path, folder)  # nothing could be lost, and yet it goes on
        page.page.get_by_role("status").get_by_text("The server does not answer").wait_for(state="hidden")
        after = page.until(lambda state: state["project"] == "human.posewright" and not state["busy"])
        assert shown(after) == shown(before)
        assert not after["unsaved"]
        page.page.keyboard.press("Control+z")
        page.until(lambda state: len(state["goals"]) == 2)
    finally:
        server.end()


def test_after_a_crash_of_server_and_browser_the_work_is_offered(tmp_path: Path, folder: Path, browser: Any) -> None:
    server = start(tmp_path, folder)
    try:
        first = browser.new_context(viewport={"width": 1366, "height": 768})
        before = drag_forearm(StudioPage(first.new_page(), server.address))
        server.kill()
        first.close()
        server = start(tmp_path, folder)
        second = browser.new_context(viewport={"width": 1366, "height": 768})
        page = StudioPage(second.new_page(), server.address)
        assert len(page.state()["goals"]) == 2
        page.page.get_by_role("button", name="Recover").click()
        assert shown(page.until(lambda state: state["unsaved"] and not state["busy"])) == shown(before)
        page.page.get_by_role("button", name="Recover").wait_for(state="detached")
        assert page.complaints == []
        second.close()
    finally:
        server.end()


HOSTILE = "<img src=x onerror=window.hacked=1>"


def hostile_bvh(folder: Path) -> Path:
    """A clip whose file, joints and figure have names that would be a script in a page that is not careful."""
    path = folder / "walk.bvh"
    clips.walk(figure("human40")).save(path)
    text = path.read_text().replace("left_wrist", HOSTILE.replace(" ", "_"))
    path.write_text(text)
    return path


def test_a_clip_is_dropped_and_its_names_are_only_text(tmp_path: Path, folder: Path, context: Any) -> None:
    data = hostile_bvh(tmp_path).read_bytes()
    server = start(tmp_path, folder)
    try:
        page = StudioPage(context.new_page(), server.address)
        page.drop(**{"walk <b>.bvh": data})
        page.page.get_by_role("alert").get_by_text("it must be a file in the folder").wait_for()
        page.drop(**{"walk.bvh": data})
        state = page.until(lambda state: state["frames"] > 1 and not state["busy"])
        assert (folder / "walk.bvh").read_bytes() == data
        (name,) = [joint for joint in state["joints"] if "onerror" in joint]
        page.page.get_by_role("tab", name="Pose").click()
        page.page.get_by_role("tabpanel", name="Pose").wait_for()
        x, y = page.screen(name)
        page.page.mouse.click(x, y, button="right")
        page.page.keyboard.press("Escape")
        for tab in ("Edit", "Retarget", "Design", "Pose"):  # the outliner of the last shows it
            page.page.get_by_role("tab", name=tab).click()
        assert page.page.get_by_text(name).first.inner_text()
        assert page.page.evaluate("[window.hacked === undefined, document.querySelectorAll('img').length]") == [True, 0]
        page.page.keyboard.press("Control+z")
        page.until(lambda state: state["frames"] == 1 and state["figure"] == "human")
        assert [one for one in page.complaints if "status of 422" not in one] == []  # the name that was refused
    finally:
        server.end()


def test_files_are_opened_by_the_input_and_from_the_folder(tmp_path: Path, folder: Path, context: Any) -> None:
    clips.walk(figure("human40")).save(folder / "walk.npz")
    character = tmp_path / "character.glb"
    figure("human40").save(character)
    server = start(tmp_path, folder)
    try:
        page = StudioPage(context.new_page(), server.address)
        page.page.get_by_label("Open", exact=True).set_input_files(character)
        page.until(lambda state: state["figure"] == "character" and not state["busy"])
        page.page.get_by_role("button", name="Files", exact=True).click()
        page.page.get_by_role("button", name="open walk.npz").click()
        page.until(lambda state: state["frames"] > 1 and not state["busy"])
        page.page.get_by_role("tab", name="Retarget").click()
        retarget = page.until(lambda state: state["retarget"] and not state["busy"])["retarget"]
        assert (retarget["source"], retarget["target"]) == ("open", "item:character.glb")
        broken = tmp_path / "broken.glb"
        broken.write_bytes(b"glTF")
        page.page.get_by_label("Open", exact=True).set_input_files(broken)
        page.page.get_by_role("alert").get_by_text("broken.glb").wait_for()
        assert not (folder / "broken.glb").exists()
        assert page.complaints == []
    finally:
        server.end()


def test_a_task_is_opened_solved_saved_and_solved_by_the_command_line_to_the_same_pose(
    tmp_path: Path, folder: Path, context: Any
) -> None:
    server = start(tmp_path, folder)
    try:
        page = StudioPage(context.new_page(), server.address)
        page.page.get_by_label("Open", exact=True).set_input_files(Path("examples/tasks/reach_and_look.yaml"))
        opened = page.until(lambda state: not state["busy"] and any(goal["site"] == "view" for goal in state["goals"]))
        page.page.get_by_role("button", name="Solve", exact=True).click()
        solved = page.until(lambda state: not state["busy"] and state["joints"] != opened["joints"])
        handle = page.page.get_by_role("button", name="goal right_hand", exact=True)
        handle.focus()
        page.page.keyboard.press("Shift+ArrowUp")  # another target: the next solve begins where this one ended
        moved = page.until(lambda state: not state["busy"] and state["joints"] != solved["joints"])
        page.page.keyboard.press("Control+e")
        choice = page.page.get_by_role("combobox", name="export as")
        choice.select_option("task.yaml")
        page.page.get_by_role("textbox", name="export name").fill("again")
        page.page.get_by_role("button", name="Export to folder").click()
        page.page.get_by_role("alert").get_by_text("wrote again.task.yaml").wait_for()
        choice.select_option("session.py")
        with page.page.expect_download() as waiting:
            page.page.get_by_role("link", name="Download").click()
        waiting.value.save_as(folder / "again.py")
        choice.select_option("pose.png")
        page.page.get_by_role("button", name="Export to folder").click()
        page.page.get_by_role("alert").get_by_text(".png").wait_for()
        assert page.complaints == []
    finally:
        server.end()
    task = load_task(folder / "again.task.yaml")
    answer = CliRunner().invoke(command_line, ["pose", str(folder / "again.task.yaml"), "--json"])
    values = json.loads(answer.stdout)["answers"][0]["pose"]
    by_script = runpy.run_path(str(folder / "again.py"))["pose"]
    pose = Pose(task.problem.figure, np.array([values[dof] for dof in task.problem.figure.dof_names]))
    for joint, point in moved["joints"].items():
        np.testing.assert_allclose(pose.point(joint), point, rtol=0, atol=1e-9)
        np.testing.assert_allclose(by_script.point(joint), point, rtol=0, atol=1e-9)
