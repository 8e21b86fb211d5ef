"""The page's packages are pinned by hash, its types hold, and the command refuses what makes no sense."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from posewright.errors import PosewrightError
from posewright.studio import page_build
from posewright.studio.page import page_files, page_folder


def test_the_lock_file_has_hashes_and_no_addresses() -> None:
    text = (page_build.SOURCES / "package-lock.json").read_text(encoding="utf-8")
    packages = {name: about for name, about in json.loads(text)["packages"].items() if name}
    assert packages
    assert "http" not in text.replace("https://github.com/sponsors", "").replace("https://opencollective", "")
    for name, about in packages.items():
        assert about["integrity"].startswith("sha512-"), name
        assert "resolved" not in about, name
        assert not about.get("hasInstallScript") or name == "node_modules/esbuild", name


def test_the_page_is_built_with_its_licences_and_its_types_hold() -> None:
    try:
        page_folder(lambda step: None)
    except PosewrightError as error:
        if os.environ.get("POSEWRIGHT_REQUIRE_BROWSER") == "1":
            raise
        pytest.skip(str(error))
    page_folder(lambda step: None, check_types=True)
    files = page_files(lambda step: None)
    assert set(files) == {"index.html", "icon.svg", "studio.js", "studio.css", "licences.txt"}
    licences = files["licences.txt"].decode()
    assert all(name in licences for name in ("three 0.", "preact ", "@preact/signals "))
    assert b"innerHTML" not in b"".join(
        path.read_bytes() for path in page_build.source_files() if path.suffix != ".json"
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["humn"], "did you mean 'human'"),
        (["nowhere.bvh"], "nowhere.bvh"),
        (["--folder", "nowhere"], "--folder is 'nowhere', which is not a folder"),
        (["--port", "99999"], "port"),
        (["--host", "203.0.113.1"], "cannot listen at 203.0.113.1"),
    ],
)
def test_bad_arguments_are_one_sentence(arguments: list[str], says: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "posewright", "studio", "--no-browser", *arguments],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
