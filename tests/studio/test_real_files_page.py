"""Files of other programs in a real browser: dropped, retargeted, exported, read back."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from posewright import clips, figure, motion

from .conftest import SIZE, Server, StudioPage
from .test_retarget_page import button, retargeted


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "folder"
    path.mkdir()
    return path


@pytest.fixture
def studio(browser: Any, tmp_path: Path, folder: Path) -> Iterator[StudioPage]:
    server = Server("--folder", str(folder), home=tmp_path / "home")
    context = browser.new_context(viewport=SIZE, color_scheme="light")
    try:
        page = StudioPage(context.new_page(), server.address)
        yield page
        assert page.complaints == []
    finally:
        context.close()
        server.end()


def dropped(studio: StudioPage, *paths: Path) -> dict[str, Any]:
    """The state once files are open."""
    shown = (studio.state()["figure"], studio.state()["frames"])
    studio.drop(**{path.name: path.read_bytes() for path in paths})
    return studio.until(lambda state: (state["figure"], state["frames"]) != shown and not state["busy"])


def gltf(path: Path) -> dict[str, Any]:
    """The document of a .glb."""
    data = path.read_bytes()
    return dict(json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]]))


def test_an_avatar_is_dropped_and_a_scene_is_refused_with_what_to_do(
    studio: StudioPage, folder: Path, tmp_path: Path
) -> None:
    studio.drop(**{"hero.fbx": b"Kaydara FBX Binary  \x00"})
    studio.page.get_by_role("alert").get_by_text("export it as .glb, with Blender for example").wait_for()
    assert list(folder.iterdir()) == []
    figure("human40").save(tmp_path / "avatar.glb")
    (tmp_path / "avatar.glb").rename(tmp_path / "avatar.vrm")
    assert dropped(studio, tmp_path / "avatar.vrm")["figure"] == "avatar"


def test_a_capture_and_its_skeleton_are_dropped_together(studio: StudioPage, data_folder: Path) -> None:
    captures = data_folder / "cmu" / "asfamc"
    state = dropped(studio, captures / "07_05.amc", captures / "07.asf")
    expected = motion(captures / "07_05.amc")
    assert state["frames"] == len(expected)
    for joint, place in state["joints"].items():
        np.testing.assert_allclose(place, expected.pose(0).point(joint), atol=1e-5)


def test_an_animation_of_an_avatar_is_dropped(studio: StudioPage, data_folder: Path) -> None:
    path = data_folder / "vrm" / "test.vrma"
    assert dropped(studio, path)["frames"] == len(motion(path))


@pytest.mark.parametrize("name", ["xbot", "readyplayerme", "mesh2motion_rig"])
def test_what_a_character_exports_is_read_back(
    studio: StudioPage, folder: Path, tmp_path: Path, data_folder: Path, name: str
) -> None:
    clips.walk(figure("human40"), steps=2, fps=30.0).save(tmp_path / "walk.bvh")
    character = data_folder / "characters" / f"{name}.glb"
    dropped(studio, tmp_path / "walk.bvh")
    dropped(studio, character)
    studio.page.get_by_role("tab", name="Retarget").click()
    studio.until(lambda state: state["retarget"] and state["figure"] == name and not state["busy"])
    assert studio.state()["retarget"]["source"] != studio.state()["retarget"]["target"]
    studio.page.get_by_role("combobox", name="source").select_option(label="walk.bvh")
    studio.settle()
    retargeted(studio)
    button(studio, "Accept").click()
    state = studio.until(lambda state: state["tab"] == "Edit" and state["mesh"] and not state["busy"])
    assert state["figure"] == name
    studio.page.get_by_role("slider", name="frame").focus()
    studio.page.keyboard.press("Shift+ArrowRight")
    state = studio.until(lambda now: now["frame"] == 10)
    studio.page.keyboard.press("Control+e")
    studio.page.get_by_role("combobox", name="export as").select_option("clip.glb")
    studio.page.get_by_role("textbox", name="export name").fill("walked")
    studio.page.get_by_role("button", name="Export to folder").click()
    studio.page.get_by_role("alert").get_by_text("wrote walked").wait_for()
    (written,) = folder.glob("walked*.glb")
    back = motion(written)
    assert len(back) == state["frames"]
    for joint, place in state["joints"].items():
        np.testing.assert_allclose(back.pose(10).point(joint), place, atol=1e-3)
    before, after = gltf(character), gltf(written)
    for what in ("meshes", "skins", "materials", "textures", "images"):
        assert len(after.get(what, [])) == len(before.get(what, []))
