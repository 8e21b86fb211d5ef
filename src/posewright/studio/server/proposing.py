"""Looking for other answers beside the line of requests: nobody waits for it, and it can be stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

from posewright.solvers.registry import SOLVERS
from posewright.studio.session.editor import Editor
from posewright.studio.session.proposals import ANSWERS, Proposal, by_every_solver, distinct_answers

_SEARCHES = {"solvers": (by_every_solver, len(SOLVERS)), "answers": (distinct_answers, ANSWERS)}


class Proposing:
    """One search at a time, on the state it began with; what it finds for a state that is gone is dropped."""

    def __init__(self, editor: Editor, found: Callable[[Proposal | None], Awaitable[None]]) -> None:
        """Begin with nothing.

        Args:
            editor: whose question is answered.
            found: called with each answer, and with None when the search begins and ends.
        """
        self._editor, self._found = editor, found
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="proposals")
        self._task: asyncio.Task[None] | None = None
        self.wanted = 0
        """How many answers there may be in the end."""
        self.refusals: tuple[str, ...] = ()
        """Why solvers could not be asked, a sentence each."""

    @property
    def running(self) -> bool:
        """Whether more are looked for."""
        return self._task is not None

    def start(self, what: Literal["solvers", "answers"]) -> None:
        """Look for answers, in place of those that were being looked for."""
        self.stop()
        self.refusals = ()
        self._task = asyncio.create_task(self._look(what))

    def stop(self) -> None:
        """Look for no more."""
        if self._task is not None:
            self._task.cancel()
        self._task = None

    async def _look(self, what: Literal["solvers", "answers"]) -> None:
        searched, (search, self.wanted) = self._editor.session, _SEARCHES[what]
        answers = search(searched.state)
        await self._found(None)
        while True:
            answer = await asyncio.get_running_loop().run_in_executor(self._thread, next, answers, None)
            if answer is None or self._editor.session is not searched or self._editor.drag is not None:
                break
            if isinstance(answer, Proposal):
                await self._found(answer)
            else:
                self.refusals = (*self.refusals, f"{answer.name}: {answer.why}")
        self._task = None
        await self._found(None)
