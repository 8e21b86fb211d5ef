"""The studio at its websocket: drags of a figure with five goals in two priorities, half of them out of reach.

    python benchmarks/studio.py [--figure human] [--drags 1000] [--seconds 60]

The server is a process of its own, as a user starts it. A drag is one `move_drag` and the answer to it, with the pose
that comes with it: times are on the clock of the client, so run it on an idle machine; the processor time of the server
per drag does not depend on that. Then targets come 60 times a second, whether they are answered or not, for
`--seconds`: how many poses come back, and how late. Then a clip of 20,000 frames is opened during a drag. Memory is
that of the server. The size of the page is that of its files, gzipped. What happens in the browser is measured by
`studio_page.py`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from websockets.sync.client import ClientConnection, connect

import posewright as pw
from posewright.studio import protocol
from posewright.studio.page import page_folder

STEP = 0.02
"""m: how far the target moves in a drag"""
REACHABLE, UNREACHABLE = 0.25, 0.9
"""m: sizes of the paths"""
RATE = 60.0
"""Targets a second"""
LONG_CLIP = 20_000
"""Frames."""
LONGEST_LINE = 600
"""Requests that may be unanswered before the client waits"""
TICKS = os.sysconf("SC_CLK_TCK")


class Client:
    """A page without a picture."""

    def __init__(self, address: str) -> None:
        host, token = address.removeprefix("http://").split("/?token=")
        headers = {"Cookie": f"posewright_{host.rpartition(':')[2]}={token}"}
        self._socket: ClientConnection = connect(
            f"ws://{host}/socket", origin=f"http://{host}", additional_headers=headers, max_size=None, legacy=True
        )
        self._id = 0
        self._done: set[int] = set()  # those that nobody has waited for yet
        self.pose = b""
        self.document: dict[str, Any] = {}
        while not self.pose:
            self._take(self._socket.recv())

    def ask(self, **request: Any) -> float:
        """Seconds until it is answered and the newest pose is there."""
        self.pose = b""
        began = time.perf_counter()
        self.wait(self.send(**request))
        while not self.pose:
            self._take(self._socket.recv())
        return time.perf_counter() - began

    def send(self, **request: Any) -> int:
        """Ask and do not wait; the number of the request."""
        self._id += 1
        self._socket.send(json.dumps({"id": self._id, **request}))
        return self._id

    def wait(self, number: int) -> None:
        """Until a request is answered."""
        while number not in self._done:
            reply = self._take(self._socket.recv())
            if reply.get("kind") == "error":
                raise SystemExit(f"refused: {reply['message']}")
            if reply.get("kind") == "done":
                self._done.add(reply["id"])
        self._done.discard(number)

    def keep_asking(self, rate: float, requests: Iterable[dict[str, Any]]) -> tuple[int, list[float]]:
        """Send requests at a rate, whatever the answers do; poses that came, and seconds until each was answered."""
        sent: dict[int, float] = {}
        late: list[float] = []
        poses, began = 0, time.perf_counter()
        for k, request in enumerate(requests):
            while (left := began + k / rate - time.perf_counter()) > 0.0 or len(sent) > LONGEST_LINE:
                poses += self._drained(max(left, 0.0), sent, late)
            began_one = time.perf_counter()
            sent[self.send(**request)] = began_one
        while sent:
            poses += self._drained(1.0, sent, late)
        return poses, late

    def _drained(self, seconds: float, sent: dict[int, float], late: list[float]) -> int:
        self.pose = b""
        try:
            reply = self._take(self._socket.recv(timeout=seconds))
        except TimeoutError:
            return 0
        if reply.get("kind") == "done":
            late.append(time.perf_counter() - sent.pop(reply["id"]))
        return 1 if self.pose else 0

    def _take(self, message: str | bytes) -> dict[str, Any]:
        if isinstance(message, bytes):
            if protocol.POSE_HEADER.unpack_from(message)[0] == protocol.POSE_FRAME:
                self.pose = message
            return {}
        reply: dict[str, Any] = json.loads(message)
        if reply["kind"] == "document":
            self.document = reply
        return reply


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def megabytes(pid: int) -> float:
    """Memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def path(start: np.ndarray, size: float, count: int) -> np.ndarray:
    """Points (count, 3) of a smooth closed path, STEP apart or a little less."""
    angle = STEP / size * np.arange(count)
    rings = np.stack([np.sin(angle), 0.7 * np.sin(2 * angle) + 0.3, 1.0 - np.cos(angle)], axis=1)
    return start + size * 0.6 * rings


def drags(client: Client, name: str, start: np.ndarray, size: float, count: int) -> list[float]:
    """Seconds of each move of one long drag."""
    client.ask(kind="begin_drag", goals=[name])
    found = [client.ask(kind="move_drag", targets={name: point.tolist()}) for point in path(start, size, count)]
    client.ask(kind="cancel_drag")
    return found


def drags_beside_opening(client: Client, name: str, start: np.ndarray, clip: str) -> list[float]:
    """Seconds of each move of a drag during which a clip is opened."""
    client.ask(kind="begin_drag", goals=[name])
    opening = client.send(kind="open", names=[clip])
    found = [client.ask(kind="move_drag", targets={name: at.tolist()}) for at in path(start, REACHABLE, 1000)]
    client.ask(kind="cancel_drag")  # when nobody drags any more, it is there
    client.wait(opening)
    return found


def report(what: str, seconds: list[float]) -> None:
    ms = 1000.0 * np.array(seconds)
    print(f"{what}, in ms: median {np.median(ms):.1f}, p95 {np.percentile(ms, 95):.1f}, worst {ms.max():.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figure", default="human")
    parser.add_argument("--drags", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    figure = pw.figure(options.figure)
    folder = tempfile.TemporaryDirectory()
    walk = pw.clips.walk(figure)
    pw.Motion(figure, walk.q[np.arange(LONG_CLIP) % len(walk)], walk.fps).save(Path(folder.name, "long.glb"))
    command = [sys.executable, "-m", "posewright", "studio", "--no-browser", options.figure, "--folder", folder.name]
    with folder, subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            client = Client(server.stdout.readline().strip())
            for site in ("left_wrist", "right_wrist", "head"):
                client.ask(kind="run", command={"kind": "new_goal", "goal_kind": "position", "at": site})
            goals = client.document["goals"]
            start = pw.Pose.rest(figure).point("left_wrist")
            drags(client, "left_wrist", start, REACHABLE, 20)  # what is compiled or loaded once
            before, times, first = cpu_seconds(server.pid), [], megabytes(server.pid)
            for size in (REACHABLE, UNREACHABLE):
                times += drags(client, "left_wrist", start, size, options.drags // 2)
            cpu = (cpu_seconds(server.pid) - before) / len(times)
            client.ask(kind="begin_drag", goals=["left_wrist"])
            held, points = megabytes(server.pid), path(start, REACHABLE, round(RATE * options.seconds))
            poses, late = client.keep_asking(
                RATE, ({"kind": "move_drag", "targets": {"left_wrist": point.tolist()}} for point in points)
            )
            client.ask(kind="cancel_drag")
            memory = (held, megabytes(server.pid))
            beside = drags_beside_opening(client, "left_wrist", start, "long.glb")
        finally:
            server.terminate()
    levels = len({goal["priority"] for goal in goals})
    print(
        f"{figure.n_dofs} dofs, {len(goals)} goals, {levels} priorities, {len(times)} drags, half of them out of reach"
    )
    report("answered", times)
    print(f"processor time of the server per drag: {1000 * cpu:.2f} ms")
    if late:
        print(f"{RATE:.0f} targets a second for {options.seconds:.0f} s: {poses / options.seconds:.1f} poses a second")
        report("answered then", late)
    report(f"answered while a clip of {LONG_CLIP:,} frames was opened", beside)
    print(f"memory of the server: {first:.0f} MB at first, {memory[0]:.0f} after the drags, {memory[1]:.0f} in the end")
    page = page_folder(lambda step: None)
    sizes = {name: len(gzip.compress((page / name).read_bytes(), 9)) for name in ("studio.js", "studio.css")}
    print(f"page, gzipped: {sum(sizes.values()) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
