"""In notebooks things show themselves: by the viewer where it is built, else by a picture; nothing is made for it."""

from __future__ import annotations

import html
import re
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

import posewright as pw
from posewright import clips
from posewright.errors import MissingExtra
from posewright.report import image_files
from posewright.studio import page, page_build
from posewright.studio.notebook import MOST_FRAMES, Viewer

from .conftest import StudioPage, is_complaint

PAGE = {"studio.js": b"0", "studio.css": b"", "licences.txt": b"", "index.html": b""}


def everything() -> dict[str, Any]:
    """One of each kind that shows itself."""
    human = pw.figure("human40")
    made = clips.walk(human, steps=2, fps=30.0)
    walk = pw.Motion(human, made.q, made.fps, "walk")
    goal = pw.Position("left_wrist", (0.4, 1.2, 0.3))
    solved = pw.LeastSquares().solve(pw.Problem(human, [goal]))
    x, y, z = walk.pose(10).point("left_wrist").tolist()
    edited = pw.edit(walk, pw.Position("left_wrist", (x, y + 0.1, z)).at(10))
    return {"figure": human, "pose": solved.pose, "motion": walk, "pose result": solved, "edit": edited}


@pytest.fixture(scope="module")
def things() -> dict[str, Any]:
    return everything()


@pytest.fixture
def nothing_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever builds, connects or starts a program fails the test."""

    def refuse(*arguments: Any, **options: Any) -> Any:
        raise AssertionError("a repr must not do this")

    monkeypatch.setattr(page_build, "build", refuse)
    monkeypatch.setattr(page_build, "packages", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)


@pytest.mark.parametrize("kind", ["figure", "pose", "motion", "pose result", "edit"])
@pytest.mark.usefixtures("nothing_is_made")
def test_with_the_page_it_is_the_viewer(monkeypatch: pytest.MonkeyPatch, things: dict[str, Any], kind: str) -> None:
    monkeypatch.setattr(page, "built_page", lambda: PAGE)
    shown = things[kind]._repr_html_()
    assert 'sandbox="allow-scripts"' in shown
    assert "MB in this notebook" in shown
    assert html.escape(str(things[kind])) in shown
    assert not re.search(r'(src|href)="http', html.unescape(shown))


@pytest.mark.parametrize("kind", ["figure", "pose", "motion", "pose result", "edit"])
@pytest.mark.usefixtures("nothing_is_made")
def test_without_it_it_is_a_picture(monkeypatch: pytest.MonkeyPatch, things: dict[str, Any], kind: str) -> None:
    monkeypatch.setattr(page, "built_page", lambda: None)
    shown = things[kind]._repr_html_()
    assert "data:image/png;base64," in shown
    assert "<iframe" not in shown


def test_without_both_it_is_what_print_says(monkeypatch: pytest.MonkeyPatch, things: dict[str, Any]) -> None:
    def missing(picture: Any) -> Any:
        raise MissingExtra("pictures", "PIL", "render")

    monkeypatch.setattr(page, "built_page", lambda: None)
    monkeypatch.setattr(image_files, "as_image", missing)
    figure = things["figure"]
    assert figure._repr_html_() == f"<pre>{html.escape(str(figure))}</pre>"


def test_print_says_what_it_said(things: dict[str, Any]) -> None:
    assert str(things["figure"]).startswith("<Figure human40:")
    assert str(things["motion"]).startswith("<Motion")
    assert str(things["pose result"]).startswith("reached after")


def test_long_motions_are_thinned_and_say_so(monkeypatch: pytest.MonkeyPatch, things: dict[str, Any]) -> None:
    monkeypatch.setattr(page, "built_page", lambda: PAGE)
    walk = things["motion"]
    long = pw.Motion.concatenated([walk] * (2 + 2 * MOST_FRAMES // len(walk)))
    shown = long._repr_html_()
    kept = re.search(r"(\d+) of (\d+) frames, one in (\d+)", shown)
    assert kept is not None
    assert (int(kept[2]), int(kept[1]) <= MOST_FRAMES) == (len(long), True)
    more = Viewer(long, frames=len(long))._repr_html_()
    assert f"{len(long)} frames" in more
    assert len(more) > len(shown)


def test_names_are_text(monkeypatch: pytest.MonkeyPatch, things: dict[str, Any]) -> None:
    from dataclasses import replace

    hostile = replace(things["motion"], name="</iframe><script>alert(1)</script>")
    for built in (PAGE, None):
        monkeypatch.setattr(page, "built_page", lambda built=built: built)
        assert "<script>" not in hostile._repr_html_()


def test_a_notebook_cell_plays_in_a_real_browser(browser: Any, things: dict[str, Any], tmp_path: Path) -> None:
    cell = tmp_path / "cell.html"
    cell.write_text(f"<!doctype html><body>{things['motion']._repr_html_()}</body>", encoding="utf-8")
    context = browser.new_context(viewport={"width": 900, "height": 700}, offline=True)
    outer = context.new_page()
    complaints: list[str] = []
    outer.on("console", lambda m: complaints.append(m.text) if is_complaint(m) else None)
    outer.on(
        "request",
        lambda r: None if r.url.startswith(("file:", "data:", "blob:", "about:")) else complaints.append(r.url),
    )
    outer.goto(cell.as_uri())
    inner = object.__new__(StudioPage)
    inner.page = next(frame for frame in outer.frames if frame is not outer.main_frame)
    inner.until(lambda state: not state["busy"])
    inner.page.get_by_role("button", name="Play").click()
    inner.until(lambda state: state["frame"] > 3)
    context.close()
    assert complaints == []
