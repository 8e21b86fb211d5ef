"""The studio's page in a real browser: from the mouse to the picture, script time per frame, loading, memory.

    python benchmarks/studio_page.py [--drags 10000] [--large]

A skinned character of 50,000 triangles is made by code. From mouse to picture is from the time stamp of the mouse's
event to the call that draws the answer, by the page's own marks; what of it came after the page was told of the event
is printed too. Script time is that of all callbacks of a frame and of the mouse; drawing itself is the graphics
card's, or on a machine without one the processor's. `--large` opens 500,000 triangles with 20,000 frames.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

import posewright as pw
from posewright import clips
from posewright.figures.capsules import capsule_table
from posewright.formats.gltf import body_mesh

FLAGS = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run",
    "--disable-background-networking", "--enable-precise-memory-info", "--js-flags=--expose-gc",
]  # fmt: skip
WATCH = """
window.waits = []; window.handled = []; window.scripts = [];
let from = null, taken = 0, answered = false, spent = 0;
new PerformanceObserver((list) => {
  for (const { name, startTime, detail } of list.getEntries()) {
    if (name === "drag" && from === null) [from, taken] = [detail, startTime];
    else if (name === "pose" && from !== null) answered = true;
    else if (name === "draw" && answered) {
      window.waits.push(startTime - from); window.handled.push(startTime - taken);
      from = null; answered = false;
    }
  }
}).observe({ entryTypes: ["mark"] });
const timed = (callback) => (...words) => {
  const began = performance.now();
  try { return callback(...words); } finally { spent += performance.now() - began; }
};
const frame = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (callback) => frame(timed(callback));
const listen = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (kind, listener, options) {
  const own = kind === "pointermove" && typeof listener === "function" ? timed(listener) : listener;
  return listen.call(this, kind, own, options);
};
const count = () => { if (spent > 0) window.scripts.push(spent); spent = 0; frame(count); };
frame(count);
"""
SETTLED = "window.posewright !== undefined && !window.posewright.state().busy"


def character(path: Path, triangles: int, frames: int) -> int:
    """A walking character of about so many triangles; how many it has."""
    figure = pw.figure("human")
    plain = body_mesh._AROUND
    walk = clips.walk(figure, steps=4, fps=30.0)
    q = walk.q[np.arange(frames) % len(walk)]
    few = len(body_mesh.body_mesh(capsule_table(figure)).triangles)
    body_mesh._AROUND = round(plain * triangles / few)
    found = len(body_mesh.body_mesh(capsule_table(figure)).triangles)
    pw.Motion(figure, q, walk.fps, "walk").save(path)
    body_mesh._AROUND = plain
    return found


def until_settled(page: Page, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not page.evaluate(SETTLED):
        if time.monotonic() > end:
            raise SystemExit("the page does not settle")
        page.wait_for_timeout(10)


def numbers(name: str, values: list[float], unit: str = "ms") -> None:
    found = np.array(values)
    if not len(found):
        print(f"{name}: nothing was measured")
        return
    middle, high = np.median(found), np.percentile(found, 95)
    print(f"{name}: median {middle:.1f} {unit}, p95 {high:.1f}, worst {found.max():.1f}, of {len(found)}")


def heap(page: Page) -> float:
    """MB after collecting garbage."""
    page.evaluate("window.gc && window.gc()")
    return float(page.evaluate("performance.memory.usedJSHeapSize")) / 1e6


def resident(server: subprocess.Popen[str]) -> float:
    """MB of a server."""
    return int(Path(f"/proc/{server.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def drag(page: Page, count: int) -> None:
    """One long drag of a wrist around its place, a move at a time."""
    x, y = page.evaluate("window.posewright.screen(window.joint)")
    page.evaluate("window.waits.length = window.handled.length = 0")
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(count):
        page.mouse.move(x + 40 * np.sin(0.11 * k), y - 30 + 30 * np.cos(0.07 * k))
    page.mouse.up()
    until_settled(page)


def looked_at(page: Page) -> None:
    """Script time while the camera turns and while the clip plays."""
    box = page.get_by_role("application", name="viewport").bounding_box()
    assert box is not None
    left, top = box["x"] + 30, box["y"] + 120
    page.evaluate("window.scripts.length = 0")
    page.mouse.move(left, top)
    page.mouse.down()
    for k in range(150):
        page.mouse.move(left + 2 * k, top + 10 * np.sin(0.1 * k))
    page.mouse.up()
    numbers("script time per frame, turning the camera", page.evaluate("window.scripts"))
    page.keyboard.press("Space")
    page.wait_for_timeout(500)
    page.evaluate("window.scripts.length = 0")
    page.wait_for_timeout(5000)
    numbers("script time per frame, playing", page.evaluate("window.scripts"))
    page.keyboard.press("Space")


def served(path: Path) -> tuple[subprocess.Popen[str], str, float]:
    """A server as a user starts it, its address, and the seconds until it said it."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "posewright", "studio", "--no-browser", str(path)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    return server, server.stdout.readline().strip(), time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drags", type=int, default=1000)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    chromium = os.environ.get("POSEWRIGHT_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "character.glb"
        triangles, frames = (500_000, 20_000) if options.large else (50_000, 600)
        print(f"a character of {character(path, triangles, frames):,} triangles and a clip of {frames:,} frames")
        server, address, seconds = served(path)
        try:
            browser = driver.chromium.launch(executable_path=chromium, headless=True, args=FLAGS)
            page = browser.new_context(viewport={"width": 1366, "height": 768}).new_page()
            page.add_init_script(WATCH)
            began = time.perf_counter()
            page.goto(address)
            until_settled(page)
            print(f"server up in {seconds:.2f} s; first page there in {time.perf_counter() - began:.2f} s")
            began = time.perf_counter()
            page.goto(address.split("?")[0])
            until_settled(page)
            print(f"page loaded again, from a warm server, in {time.perf_counter() - began:.2f} s")
            looked_at(page)
            page.get_by_role("tab", name="Pose").click()
            page.evaluate("window.joint = 'left_wrist'")
            drag(page, 50)
            before, server_before = heap(page), resident(server)
            drag(page, options.drags)
            numbers("from the mouse event to the call that draws its answer", page.evaluate("window.waits"))
            numbers("of it after the page has been told of the event", page.evaluate("window.handled"))
            print(f"script memory: {before:.1f} MB before {options.drags} moves of a drag, {heap(page):.1f} MB after")
            print(f"memory of the server: {server_before:.0f} MB before, {resident(server):.0f} MB after")
        finally:
            server.terminate()
            server.wait(timeout=30)


if __name__ == "__main__":
    main()
