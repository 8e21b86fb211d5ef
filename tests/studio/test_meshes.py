"""Meshes as pages fetch them: only of what is open, only with the cookie, and only what our reader understood."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from gltf_samples import PNG, character
from starlette.testclient import TestClient

from posewright.figures import Figure
from posewright.formats import load
from posewright.motions import Motion
from posewright.studio.server.app import application
from posewright.studio.server.guard import Guard
from posewright.studio.server.meshes import KEPT, Meshes
from posewright.studio.session.clips.opening import opened_motion
from posewright.studio.session.editor import Editor

from .test_server import FILES, HOST, ORIGIN, received, talk


@pytest.fixture
def motion(tmp_path: Path) -> Motion:
    sample = character()
    sample.document["nodes"][1]["extras"] = {"secret": "not for pages"}
    found = load(sample.glb(tmp_path / "character.glb"))
    assert isinstance(found, Motion)
    return found


def test_a_page_fetches_the_mesh_that_the_scene_names(motion: Motion) -> None:
    guard = Guard("127.0.0.1", 8123)
    with TestClient(application(Editor(opened_motion(motion)), guard, FILES), base_url=ORIGIN) as client:
        assert client.get("/mesh/1").status_code == 403
        assert client.get("/", params={"token": guard.token}).status_code == 200
        assert client.get("/mesh/1").status_code == 404  # nothing was shown yet
        with talk(client) as socket:
            address = received(socket, kind="scene")["mesh"]
        answer = client.get(f"/{address}")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/octet-stream"
        for other in ("mesh/0", "mesh/2", "mesh/-1", "mesh/..%2f..%2fetc%2fpasswd", "mesh/1/../../secret", "mesh/x"):
            assert client.get(f"/{other}").status_code == 404
        assert client.get(f"/{address}", headers={"host": f"evil.example:{HOST[-4:]}"}).status_code == 421
    (length,) = struct.unpack_from("<I", answer.content)
    info, data = json.loads(answer.content[4 : 4 + length]), answer.content[4 + length :]
    assert (info["joints"], len(info["parts"]), info["notes"]) == (len(motion.figure.joints), 1, [])
    picture = info["pictures"][0]["data"]
    assert data[picture["start"] : picture["start"] + picture["count"]] == PNG
    assert b"secret" not in answer.content


def test_a_character_that_cannot_be_shown_says_why(tmp_path: Path) -> None:
    sample = character()
    sample.document["meshes"][0]["primitives"][0]["indices"] = 999
    found = load(sample.glb(tmp_path / "broken.glb"))
    assert isinstance(found, Motion)
    meshes = Meshes()
    assert meshes.address(found.figure) == "mesh/1"
    file = meshes.file(1)
    assert file is not None
    info = json.loads(file[4 : 4 + struct.unpack_from("<I", file)[0]])
    assert info["parts"] == []
    assert "accessor 999" in info["notes"][0]


def test_a_changed_figure_keeps_its_mesh_and_old_ones_go(tmp_path: Path, motion: Motion) -> None:
    meshes = Meshes()
    first = meshes.address(motion.figure)
    assert meshes.address(motion.figure.with_rest(motion.q[1])) == first
    others: list[Figure] = []
    for _ in range(KEPT):
        other = load(character().glb(tmp_path / "other.glb"))
        assert isinstance(other, Motion)
        others.append(other.figure)
        meshes.address(other.figure)
    assert meshes.file(1) is None
    assert meshes.file(KEPT + 1) is not None
