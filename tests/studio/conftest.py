"""A studio to talk to: an editor, a server in this process, and a real one with a real browser."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest

from posewright import figure
from posewright.errors import PosewrightError
from posewright.kernels.compiling.cache import cache_root
from posewright.studio import page_build
from posewright.studio.page import page_folder
from posewright.studio.session.editor import Editor
from posewright.studio.session.opening import opened

T = TypeVar("T")
SIZE = {"width": 1366, "height": 768}
"""Of the window, px."""
PATIENCE = 120.0
"""Seconds after which what is waited for will not come, however slow the machine: the server may compile kernels."""
CHROMIUM = os.environ.get("POSEWRIGHT_CHROMIUM") or shutil.which("chromium")
FLAGS = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
COARSE = "Object.defineProperty(window, 'devicePixelRatio', {get: () => 0.25})"
"""The view in fewer pixels and facets: without a graphics card a fine picture takes half a second. All else stays."""


@pytest.fixture
def editor() -> Editor:
    return Editor(opened(figure("human")))


def run_in_a_loop(work: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`, in a thread of its own: Playwright keeps a loop running in that of the tests."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@functools.cache
def missing_for_browser() -> str | None:
    """What the browser tests lack here; asked once per run."""
    if CHROMIUM is None:
        return "there is no chromium here"
    try:
        import playwright  # noqa: F401

        page_folder(lambda step: None)
    except (ImportError, PosewrightError) as error:
        return str(error)
    return None


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    missing = missing_for_browser()
    if missing is not None:
        (pytest.fail if os.environ.get("POSEWRIGHT_REQUIRE_BROWSER") == "1" else pytest.skip)(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        cheap = ["--webgl-antialiasing-mode=none", "--disable-gpu-rasterization", "--disable-gpu-compositing"]
        running = driver.chromium.launch(executable_path=CHROMIUM, headless=True, args=[*FLAGS, *cheap])
        yield running
        running.close()


class Server:
    """`posewright studio` (or `view`) as a user starts it, with a home of its own."""

    def __init__(self, *arguments: str, home: Path, command: str = "studio") -> None:
        words = [sys.executable, "-m", "posewright", command, "--no-browser", *arguments]
        environment = os.environ | {"XDG_STATE_HOME": str(home)}
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()

    def kill(self) -> None:
        """As by `kill -9`."""
        self.process.kill()
        self.process.wait(timeout=20)

    def end(self) -> None:
        """As by Ctrl-C."""
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("the studio does not end when told to") from None
        finally:
            assert self.process.stdout is not None
            self.process.stdout.close()


@contextlib.contextmanager
def serving(*arguments: str, command: str = "studio") -> Iterator[str]:
    """The address of a server, for a while."""
    with tempfile.TemporaryDirectory() as home:
        server = Server(*arguments, command=command, home=Path(home))
        try:
            yield server.address
        finally:
            server.end()


def is_complaint(message: Any) -> bool:
    """Whether the console has an error or a warning of a page, not one of a browser without a graphics card."""
    return message.type in ("error", "warning") and "GPU stall due to ReadPixels" not in message.text


class StudioPage:
    """A page of the studio, driven by mouse and keyboard; what it must never do is noted."""

    def __init__(self, page: Any, address: str, *, fine: bool = False) -> None:
        self.page, self.address = page, address
        page.set_default_timeout(1000.0 * PATIENCE)
        if not fine:
            page.add_init_script(COARSE)
        self.complaints: list[str] = []
        host = address.split("/?")[0]
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on(
            "request",
            lambda r: None if r.url.startswith((host, "data:", "blob:")) else self.complaints.append(f"asked {r.url}"),
        )
        page.goto(address)
        self.settle()

    def _hear(self, message: Any) -> None:
        if is_complaint(message):
            self.complaints.append(message.text)

    def state(self) -> dict[str, Any]:
        return dict(self.page.evaluate("window.posewright ? window.posewright.state() : {busy: true}"))

    def screen(self, name: str) -> tuple[float, float]:
        """Where something is on the page, once the page is at rest: a click there finds it."""
        ask = "name => [window.posewright.state().busy, window.posewright.screen(name)]"
        end = time.monotonic() + PATIENCE
        while (found := self.page.evaluate(ask, name))[0] or found[1] is None:
            assert time.monotonic() < end, f"{name} is not on the page"
            self.page.wait_for_timeout(20)
        return found[1][0], found[1][1]

    def until(self, holds: Callable[[dict[str, Any]], object], seconds: float = PATIENCE) -> dict[str, Any]:
        """Wait for a state. (The page's policy forbids what Playwright's own waiting would do in it.)"""
        end = time.monotonic() + seconds
        while not holds(state := self.state()):
            assert time.monotonic() < end, f"waited in vain; the state is {state}"
            self.page.wait_for_timeout(20)
        return state

    def settle(self) -> dict[str, Any]:
        """Wait until every request is answered and drawn."""
        return self.until(lambda state: not state["busy"])

    def drag(
        self, start: tuple[float, float], end: tuple[float, float], *, steps: int = 8, release: bool = True
    ) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=steps)
        if release:
            mouse.up()

    def drop(self, **files: bytes) -> None:
        """Drop files on the page together, by name."""
        there = [[name, base64.b64encode(data).decode()] for name, data in files.items()]
        self.page.evaluate(
            """files => {
                const data = new DataTransfer();
                for (const [name, text] of files)
                    data.items.add(new File([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))], name));
                const about = {dataTransfer: data, bubbles: true, cancelable: true};
                for (const kind of ["dragover", "drop"]) document.body.dispatchEvent(new DragEvent(kind, about));
            }""",
            there,
        )

    def resize(self, width: int, height: int) -> None:
        """Another size of the window, once the page has drawn itself in it."""
        self.page.set_viewport_size({"width": width, "height": height})
        across = f"[innerWidth, innerHeight].join() === '{width},{height}'"
        frame = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(null))))"
        while not self.page.evaluate(f"() => {frame}.then(() => {across})"):
            pass
        self.settle()

    def row(self, goal: str) -> Any:
        return self.page.get_by_role("row", name=f"goal {goal}", exact=True)

    def serious(self) -> list[str]:
        """What axe-core calls serious or critical of the page as it is, in light and in dark."""
        if not self.page.evaluate("'axe' in window"):
            packages = page_build.packages(cache_root() / "studio" / "packages", lambda step: None)
            self.page.evaluate((packages / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
        found = []
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            self.page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => drawn(null)))")
            found += [
                f"{scheme}: {one['id']} {[node['target'] for node in one['nodes']]}"
                for one in self.page.evaluate("axe.run()")["violations"]
                if one["impact"] in ("serious", "critical")
            ]
        return found


class SharedStudio:
    """A server and a page that tests use one after another: each begins where the first did, by undo."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._open = contextlib.ExitStack()
        self._page: StudioPage | None = None

    def page(self) -> StudioPage:
        """As it was at first."""
        if self._page is None:
            address = self._open.enter_context(serving())
            context = self._browser.new_context(viewport=SIZE, color_scheme="dark")
            self._open.callback(context.close)
            self._page = StudioPage(context.new_page(), address)
        self._page.complaints.clear()
        return self._page

    def restore(self) -> None:
        """Undo all that a test did; what cannot be undone costs a new server."""
        assert self._page is not None
        page = self._page.page
        try:
            page.mouse.up()
            page.set_viewport_size(SIZE)
            page.get_by_role("tab", name="Pose").click()
            for key in ("Escape", "w", "1"):
                page.keyboard.press(key)
            page.get_by_role("application", name="viewport").focus()
            for _ in range(40):
                if self._page.settle()["unsaved"] is False:
                    return
                for _ in range(5):
                    page.keyboard.press("Control+z")
            raise AssertionError("what a test did was not undone by 200 steps")
        except Exception:
            self.close()
            raise

    def close(self) -> None:
        self._page = None
        self._open.close()


@pytest.fixture(scope="session")
def shared_studio(browser: Any) -> Iterator[SharedStudio]:
    shared = SharedStudio(browser)
    yield shared
    shared.close()


@pytest.fixture
def studio(shared_studio: SharedStudio) -> Iterator[StudioPage]:
    """`posewright studio` in the browser; whatever it complained about fails the test."""
    page = shared_studio.page()
    yield page
    complaints = [*page.complaints]
    shared_studio.restore()
    assert complaints == []
