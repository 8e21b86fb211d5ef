"""The pages that are open, and what waits to be sent to each: replies in their order, of poses only the newest."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Protocol


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
        self._something = asyncio.Event()

    def reply(self, message: str | bytes) -> None:
        """Send a reply, or poses that must not be missed, after those before it."""
        self._replies.append(message)
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
            while self._replies:
                message = self._replies.popleft()
                await (self._wire.send_text(message) if isinstance(message, str) else self._wire.send_bytes(message))
            pose, self._pose = self._pose, None
            if pose is not None:
                await self._wire.send_bytes(pose)
