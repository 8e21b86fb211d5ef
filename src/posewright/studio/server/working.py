"""Long work beside the line of requests: in a thread of its own, with progress, and it can be stopped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from posewright.errors import PosewrightError

T = TypeVar("T")
_PAUSE = 0.1
"""s between two news of the progress."""


class _Stopped(Exception):
    """Nobody waits for the work any more."""


class Working(Generic[T]):
    """One job at a time. Compiled code lets other threads run, so that a drag does not wait for it."""

    def __init__(self, news: Callable[[], Awaitable[None]], done: Callable[[T | str], Awaitable[None]]) -> None:
        """Begin with nothing.

        Args:
            news: called when a job begins, ends, or has come some way.
            done: called with what a job has found, or with a sentence that says why it found nothing.
        """
        self._news, self._done = news, done
        self._job: object | None = None  # whoever finds another one here has been stopped
        self.progress = 0
        """How much is done."""
        self.total = 0
        """Of how much."""

    @property
    def running(self) -> bool:
        """Whether a job is under way."""
        return self._job is not None

    async def start(self, work: Callable[[Callable[[int], None]], T], total: int) -> None:
        """Begin a job, in place of the one that is under way; it calls what it is given with how much is done."""
        job = self._job = object()
        self.progress, self.total = 0, total
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        found: list[T | str] = []

        def progress(done: int) -> None:
            if self._job is not job:
                raise _Stopped
            self.progress = min(done, total)

        def run() -> None:
            try:
                found.append(work(progress))
            except _Stopped:
                pass
            except PosewrightError as error:
                found.append(str(error))
            except Exception as error:  # a mistake of ours: it must not end the session
                found.append(f"internal error: {type(error).__name__}: {error}")
            if not loop.is_closed():
                loop.call_soon_threadsafe(ended.set)

        threading.Thread(target=run, name="studio work", daemon=True).start()
        await self._news()
        self._watch = asyncio.create_task(self._watched(job, ended, found))

    async def stop(self) -> None:
        """Find nothing: at the next step of the progress the work ends, and nobody waits for that."""
        self._job = None
        await self._news()

    async def _watched(self, job: object, ended: asyncio.Event, found: list[T | str]) -> None:
        told = 0
        while not ended.is_set() and self._job is job:
            try:
                await asyncio.wait_for(ended.wait(), _PAUSE)
            except TimeoutError:
                if self.progress != told:
                    told = self.progress
                    await self._news()
        if self._job is job:
            self._job = None
            await self._done(found[0])
