"""What peers have in common: one differential step at a time until the tips are where they should be, timed."""

from __future__ import annotations

import json
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, NamedTuple

import clips
import numpy as np
import tasks
from clips import ClipTask
from tasks import Array, Body, Task


class Solver(NamedTuple):
    """A library ready for a task."""

    solve: Callable[[int], Any]
    """From the number of a solve to an answer as the library gives it; this is what is timed."""
    state: Callable[[Any], Array]
    """The answer as a state."""


class Stepper(ABC):
    """A library that offers one step towards targets; the loop and the stop test are ours, alike for all."""

    def __init__(self, body: Body) -> None:
        self.body = body

    @abstractmethod
    def reset(self, state: Array) -> None:
        """Go to a state."""

    @abstractmethod
    def aim(self, points: Array, rotations: Array) -> None:
        """Take targets of all tips."""

    @abstractmethod
    def step(self) -> None:
        """One step."""

    def lean(self, angles: Array) -> None:
        """Take angles to stay near: for a stepper made for a clip."""
        raise NotImplementedError

    @abstractmethod
    def errors(self) -> tuple[float, float]:
        """Largest distance (m) and, of oriented tips, largest angle (rad)."""

    @abstractmethod
    def state(self) -> Array:
        """Where it is now."""

    def reach(self, cap: int = 200, patience: int = 12) -> None:
        """Step until within tolerance, or until `patience` steps brought no progress."""
        best, idle = np.inf, 0
        for _ in range(cap):
            distance, angle = self.errors()
            if distance < tasks.POSITION_TOLERANCE and angle < tasks.ANGLE_TOLERANCE:
                return
            worst = max(distance / tasks.POSITION_TOLERANCE, angle / tasks.ANGLE_TOLERANCE)
            best, idle = (worst, 0) if worst < 0.99 * best else (best, idle + 1)
            if idle > patience:
                return
            self.step()

    def solver(self, task: Task) -> Solver:
        """Solves of a task from rest, after a check that the library's kinematics are those of the task."""
        for k in range(3):
            self.reset(task.truth[k])
            self.aim(task.points[k], task.rotations[k])
            distance, angle = self.errors()
            if distance > 1e-5 or angle > 1e-4:
                raise AssertionError(f"kinematics differ by {distance} m, {angle} rad")

        def solve(k: int) -> None:
            self.reset(self.body.rest)
            self.aim(task.points[k], task.rotations[k])
            self.reach()

        return Solver(solve, lambda _: self.state())


class Follower(NamedTuple):
    """A library ready for a clip."""

    frame: Callable[[int], Any]
    """Solve the next frame, numbered; this is what is timed."""
    state: Callable[[Any], Array]
    """The answer as a state."""


def follower(stepper: Stepper, clip: ClipTask, steps: int) -> Follower:
    """Steppers follow a clip alike: targets of the frame, then so many steps from the answer before."""
    stepper.reset(clip.start)

    def frame(k: int) -> None:
        stepper.aim(clip.points[k], clip.rotations[k])
        stepper.lean(clip.angles[k])
        for _ in range(steps):
            stepper.step()

    return Follower(frame, lambda _: stepper.state())


def follow(clip: ClipTask, ready: Follower) -> dict[str, Any]:
    """One round over a clip: seconds of wall and CPU, and the score; of a drag the frames one by one too."""
    states, wall, frames = [], 0.0, []
    for k in range(len(clip)):
        began, busy = time.perf_counter(), time.process_time()
        answer = ready.frame(k)
        wall += time.perf_counter() - began
        frames.append(time.process_time() - busy)
        states.append(ready.state(answer))
    one_by_one = {"frames": frames, "states": np.array(states).tolist()} if clip.name in clips.DRAGS else {}
    return {"seconds": wall, "cpu": sum(frames), **one_by_one, **asdict(clips.score(clip, np.array(states)))}


def serve(
    version: str, make: Callable[[Task], Solver], make_follower: Callable[[ClipTask, int], Follower] | None = None
) -> None:
    """Answer a runner: each line `task count` on standard input is one round, answered by one line of JSON.

    Of a clip the count is that of steps per frame.
    """
    print(json.dumps({"version": version}), flush=True)
    known: dict[str, tuple[Task, Solver]] = {}
    for line in sys.stdin:
        name, count = line.split()
        if name in clips.CLIPS | clips.DRAGS and make_follower is not None:
            clip = (clips.CLIPS | clips.DRAGS)[name]()
            print(json.dumps(follow(clip, make_follower(clip, int(count)))), flush=True)
            continue
        if name not in known:
            task = tasks.TASKS[name]()
            known[name] = (task, make(task))
            known[name][1].solve(0)
        task, solver = known[name]
        task = task.first(int(count))
        seconds, states = np.empty(len(task)), []
        for k in range(len(task)):
            began = time.perf_counter()
            answer = solver.solve(k)
            seconds[k] = time.perf_counter() - began
            states.append(solver.state(answer))
        found = tasks.score(task, np.array(states))
        answer = {"seconds": seconds.tolist(), "success": found.success, "violation": found.worst_violation}
        print(json.dumps(answer), flush=True)
