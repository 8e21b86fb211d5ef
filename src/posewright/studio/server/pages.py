"""The pages that are open, and what waits to be sent to each: replies in their order, of poses only the newest."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from typing import Protocol


class Frames:
    """Poses of a motion. They are made when they are sent, beside all else: of a long motion there are many."""

    def __init__(self, make: Callable[[], Iterator[bytes]]) -> None:
        self.make = make


Message = str | bytes | Frames


class Wire(Protocol):
    """What sends to one page."""

    async def send_text(self, data: str) -> None:
        """Send a reply."""

    async def send_bytes(self, data: bytes) -> None:
        """Send a pose."""


class Page:
    """One page. A slow one misses poses, and slows nobody down."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._replies: deque[str | bytes] = deque()
        self._pose: bytes | None = None
        self._long: deque[str | Iterator[bytes]] = deque()
        self._something = asyncio.Event()

    def reply(self, message: Message) -> None:
        """Send a reply, or poses that must not be missed, after those before it; all but frames overtake frames."""
        if isinstance(message, Frames):
            self._long.append(message.make())
        else:
            self._replies.append(message)
        self._something.set()

    def answer(self, message: str) -> None:
        """Send a reply after all frames before it: it says that a page has what it asked for."""
        (self._long if self._long else self._replies).append(message)
        self._something.set()

    def show(self, pose: bytes) -> None:
        """Send a pose after the replies that wait, in place of one that still waits."""
        self._pose = pose
        self._something.set()

    async def send_forever(self) -> None:
        """Send what there is to send, until cancelled."""
        while True:
            await self._something.wait()
            self._something.clear()
            while self._replies or self._pose is not None or self._long:
                if self._replies:
                    await self._send(self._replies.popleft())
                elif self._pose is not None:
                    pose, self._pose = self._pose, None
                    await self._send(pose)
                else:
                    await self._send_next_of_long()

    async def _send_next_of_long(self) -> None:
        first = self._long[0]
        message = first if isinstance(first, str) else await asyncio.to_thread(next, first, None)
        if message is None or message is first:
            self._long.popleft()
        if message is not None:
            await self._send(message)

    async def _send(self, message: str | bytes) -> None:
        await (self._wire.send_text(message) if isinstance(message, str) else self._wire.send_bytes(message))
