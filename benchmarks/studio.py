"""The studio at its websocket: drags of a figure with five goals in two priorities, half of them out of reach.

    python benchmarks/studio.py [--figure human] [--drags 1000]

The server is a process of its own, as a user starts it. A drag is one `move_drag` and the answer to it, with the pose
that comes with it: times are on the clock of the client, so run it on an idle machine; the processor time of the server
per drag does not depend on that. The size of the page is that of its files, gzipped. What happens in the browser is
measured by `studio_page.py`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import time
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
        self.pose = b""
        self.document: dict[str, Any] = {}
        while not self.pose:
            self._take(self._socket.recv())

    def ask(self, **request: Any) -> float:
        """Seconds until it is answered and the newest pose is there."""
        self._id += 1
        self.pose = b""
        began = time.perf_counter()
        self._socket.send(json.dumps({"id": self._id, **request}))
        answered = False
        while not (answered and self.pose):
            reply = self._take(self._socket.recv())
            if reply.get("kind") == "error":
                raise SystemExit(f"refused: {reply['message']}")
            answered = answered or reply.get("kind") == "done"
        return time.perf_counter() - began

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figure", default="human")
    parser.add_argument("--drags", type=int, default=1000)
    options = parser.parse_args()
    figure = pw.figure(options.figure)
    command = [sys.executable, "-m", "posewright", "studio", "--no-browser", options.figure]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            client = Client(server.stdout.readline().strip())
            for site in ("left_wrist", "right_wrist", "head"):
                client.ask(kind="run", command={"kind": "new_goal", "goal_kind": "position", "at": site})
            goals = client.document["goals"]
            start = pw.Pose.rest(figure).point("left_wrist")
            drags(client, "left_wrist", start, REACHABLE, 20)  # what is compiled or loaded once
            before, times = cpu_seconds(server.pid), []
            for size in (REACHABLE, UNREACHABLE):
                times += drags(client, "left_wrist", start, size, options.drags // 2)
            cpu = (cpu_seconds(server.pid) - before) / len(times)
        finally:
            server.terminate()
    ms = 1000.0 * np.array(times)
    levels = len({goal["priority"] for goal in goals})
    print(f"{figure.n_dofs} dofs, {len(goals)} goals, {levels} priorities, {len(ms)} drags, half of them out of reach")
    print(f"answered in ms: median {np.median(ms):.1f}, p95 {np.percentile(ms, 95):.1f}, worst {ms.max():.1f}")
    print(f"processor time of the server per drag: {1000 * cpu:.2f} ms")
    folder = page_folder(lambda step: None)
    sizes = {name: len(gzip.compress((folder / name).read_bytes(), 9)) for name in ("studio.js", "studio.css")}
    print(f"page, gzipped: {sum(sizes.values()) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
