"""Errands beside the line of requests: done in threads, ended when their turn comes; they can be stopped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, TypeVar

from posewright.errors import PosewrightError
from posewright.formats import atomic
from posewright.studio import protocol
from posewright.studio.files.errand import TURN, Errand
from posewright.studio.server.pages import Page

T = TypeVar("T")
_PAUSE = 0.1
"""s between two news of them."""


_DOING = {"open": "opening", "save": "saving", "export": "exporting", "recover": "recovering", "discard": "discarding"}


class _Stopped(Exception):
    """Nobody waits for it any more."""


@dataclass(eq=False)
class Job:
    """A request that takes long."""

    page: Page
    request: protocol.FileRequest
    number: int
    step: str = ""
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def forgotten(self) -> bool:
        """Whether it was stopped and leaves nothing behind. What is written is waited for: only then is it known."""
        return self.stop.is_set() and not self.writes

    @property
    def writes(self) -> bool:
        """Whether files are written."""
        return isinstance(self.request, protocol.Save | protocol.Export)


class Jobs:
    """Those that are under way. Files are opened and saved in the order in which that was asked."""

    def __init__(
        self,
        begin: Callable[[protocol.FileRequest], Awaitable[Errand]],
        end: Callable[[Job, Errand], Awaitable[bool]],
        news: Callable[[], Awaitable[None]],
    ) -> None:
        """Begin with none.

        Args:
            begin: finds the errand of a request.
            end: carries out the rest of one when its turn comes; whether its request is answered then.
            news: called when those under way have changed.
        """
        self._begin, self._end, self._news = begin, end, news
        self._jobs: dict[int, Job] = {}
        self._told = protocol.Jobs(jobs=())
        self._watch: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._last = 0
        self._in_order = asyncio.Lock()

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._jobs)

    @property
    def info(self) -> protocol.Jobs:
        """As pages are told."""
        jobs = self._jobs.values()
        told = (protocol.JobInfo(number=job.number, doing=_DOING[job.request.kind], step=job.step) for job in jobs)
        return protocol.Jobs(jobs=tuple(told))

    def add(self, page: Page, request: protocol.FileRequest) -> None:
        """One more."""
        self._last += 1
        job = self._jobs[self._last] = Job(page, request, self._last)
        task = asyncio.create_task(self._answered(job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._watched())

    def stop(self, number: int) -> None:
        """What is read is forgotten, and what is written does not take its place."""
        if number in self._jobs:
            self._jobs[number].stop.set()

    async def _watched(self) -> None:
        """Tell pages of those that take long."""
        while self._jobs:
            await asyncio.sleep(_PAUSE)
            await self._tell()

    async def _tell(self) -> None:
        if self.info != self._told:
            self._told = self.info
            await self._news()

    async def _answered(self, job: Job) -> None:
        answer: protocol.Done | protocol.Failed | None = protocol.Done(id=job.request.id)
        try:
            if isinstance(job.request, protocol.Export):
                ended = await self._carried_out(job)
            else:
                async with self._in_order:
                    ended = await self._carried_out(job)
            answer = answer if ended else None
        except (PosewrightError, _Stopped) as error:
            answer = protocol.Failed(id=job.request.id, message=str(error))
        except Exception as error:  # a mistake of ours: it must not end the session
            sentence = f"internal error: {type(error).__name__}: {error}"
            answer = protocol.Failed(id=job.request.id, message=sentence)
        del self._jobs[job.number]
        if self._told.jobs:
            await self._tell()
        if answer is not None:
            job.page.answer(protocol.write_reply(answer))

    async def _carried_out(self, job: Job) -> bool:
        if job.stop.is_set():
            raise stopped(job)
        errand = await self._begin(job.request)
        away = _in_a_thread(lambda: _done_beside(job, errand))
        await (away if job.writes else _unless_stopped(job, away))
        return await self._end(job, errand)


def stopped(job: Job) -> Exception:
    """What ends one that was stopped."""
    return _Stopped(f"{_DOING[job.request.kind]} was stopped; nothing has changed")


async def _unless_stopped(job: Job, work: asyncio.Future[None]) -> None:
    stop: asyncio.Future[Any] = asyncio.ensure_future(job.stop.wait())
    await asyncio.wait([work, stop], return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    if not work.done():
        work.add_done_callback(lambda late: late.exception())
        raise stopped(job)
    work.result()


def _done_beside(job: Job, errand: Errand) -> None:
    """All of an errand that is not for the caller of the session."""
    atomic.stopped.set(job.stop.is_set)
    for step in errand:
        if step == TURN:
            return
        if job.stop.is_set():
            errand.close()
            raise stopped(job)
        job.step = step


def _in_a_thread(work: Callable[[], T]) -> asyncio.Future[T]:
    """What is found in a thread of its own, which does not keep the program from ending."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[T] = loop.create_future()

    def tell(say: Callable[[], None]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lambda: None if found.done() else say())

    def run() -> None:
        try:
            value = work()
        except Exception as error:
            told = error
            tell(lambda: found.set_exception(told))
        else:
            tell(lambda: found.set_result(value))

    threading.Thread(target=copy_context().run, args=[run], name="studio errand", daemon=True).start()
    return found
