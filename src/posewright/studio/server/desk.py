"""The desk: requests of all pages wait here in one line, are carried out one by one in a thread, and all pages see it.

Latest wins: a move of a drag replaces the one that still waits. So at most one solve is under way and one waits,
however fast the mouse is.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from posewright.errors import InvalidSetting, PosewrightError
from posewright.models.motion_model import MotionModel
from posewright.models.postures.database import Postures
from posewright.studio import protocol
from posewright.studio.exporting.exports import export_of
from posewright.studio.files.errand import Errand, done_at_once
from posewright.studio.files.files import Files
from posewright.studio.files.uploads import Uploads
from posewright.studio.server import view
from posewright.studio.server.clip_view import curves
from posewright.studio.server.filing import errand_of
from posewright.studio.server.jobs import Job, Jobs, stopped
from posewright.studio.server.meanings import carry_out
from posewright.studio.server.meshes import Meshes
from posewright.studio.server.news import Beside, News
from posewright.studio.server.pages import Message, Page
from posewright.studio.server.proposing import Proposing
from posewright.studio.server.working import Working
from posewright.studio.session.clips.asking import Asked
from posewright.studio.session.commands.designing import UsePostures
from posewright.studio.session.designing.designer import collected
from posewright.studio.session.editor import Editor
from posewright.studio.session.modelling.fitting import fitted
from posewright.studio.session.proposals import Proposal
from posewright.studio.session.retargeting.retargeter import Retargeted, answer
from posewright.studio.session.state import State

T = TypeVar("T")
MOST_STEPS = 2**31
LONGEST_LINE = 1000
"""Requests that may wait; a page that sends more faster than they are carried out is refused."""
_LATEST_WINS = (protocol.MoveDrag, protocol.Preview)
_DRAGS = (protocol.BeginDrag, protocol.MoveDrag, protocol.EndDrag, protocol.CancelDrag)
"""Their answers overtake frames of long clips that are still on their way."""

LONGEST_WAY = 500
"""Answers that a drag that rests may take to arrive."""


class Desk:
    """An editor and the pages that look at it."""

    def __init__(self, editor: Editor, files: Files | None = None) -> None:
        self._editor = editor
        self._files = files or Files(editor)
        self._jobs = Jobs(self._errand, self._ended, self._job_news)
        self._turns: deque[tuple[Job, Errand, asyncio.Future[bool]]] = deque()
        self.meshes = Meshes()
        """Of the characters that pages are shown."""
        self._pages: list[Page] = []
        self._line: deque[tuple[Page, protocol.Request]] = deque()
        self._someone = asyncio.Event()
        self._busy = False
        self._dragging: Page | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="studio")  # the editor is for one thread
        self._beside = Beside(
            Proposing(editor, self._found),
            Working(self._retarget_news, self._retargeted),
            Working(self._design_news, self._collected),
            Working(self._model_news, self._fitted),
            Working(self._editing_news, self._edited),
        )
        self._news = News(editor, self._files, self.meshes, self._beside, self._jobs)
        self._collected_from: tuple[str, ...] = ()
        self._fitted_from: tuple[str, ...] = ()
        editor.edits_later = True
        self._owed: dict[Asked, tuple[Page, int]] = {}
        self._edits: Asked | None = None
        self._made: tuple[Asked, State | str] | None = None
        self._looking: dict[Page, str] = {}
        self._looking_up: set[asyncio.Task[None]] = set()

    # Pages.

    async def enter(self, page: Page) -> None:
        """A page comes: it gets everything."""
        messages, pose = await self._in_thread(self._news.everything)
        for message in messages:
            page.reply(message)
        page.show(pose)
        self._pages.append(page)

    def leave(self, page: Page) -> None:
        """A page goes. What it was dragging is let go of where it was."""
        if page in self._pages:
            self._pages.remove(page)
        if self._looking.pop(page, None) is not None:
            self._editor.designer.shown = "design" in self._looking.values()
        if self._dragging is page:
            self._add(page, protocol.EndDrag(id=0))
        elif self._editor.previewed is not None:
            self._add(page, protocol.StopPreview(id=0))

    def ask(self, page: Page, text: str) -> None:
        """A request arrives."""
        try:
            request = protocol.read_request(text)
            if len(self._line) >= LONGEST_LINE:
                raise InvalidSetting(f"{LONGEST_LINE} requests are waiting already; send them more slowly")
        except PosewrightError as error:
            page.reply(protocol.write_reply(protocol.Failed(id=protocol.request_id(text), message=str(error))))
            return
        self._add(page, request)

    def _add(self, page: Page, request: protocol.Request) -> None:
        if self._line and isinstance(request, _LATEST_WINS):
            waiting_page, waiting = self._line[-1]
            if waiting_page is page and type(waiting) is type(request):
                self._line.pop()
                page.reply(protocol.write_reply(protocol.Done(id=waiting.id)))
        self._line.append((page, request))
        self._someone.set()

    # Work.

    @property
    def idle(self) -> bool:
        """Whether nothing waits and nothing is under way."""
        return not (self._line or self._busy or self._jobs or self._looking_up or self._editor.asked)

    async def work_forever(self) -> None:
        """Carry out requests, until cancelled."""
        while True:
            await self._someone.wait()
            self._someone.clear()
            await self._take_turns()
            await self._go_on_editing()
            while self._line:
                self._busy = True
                page, request = self._line.popleft()
                if isinstance(request, protocol.FileRequest):
                    self._jobs.add(page, request)
                elif (answer := await self._answer(page, request)) is not None:
                    send = page.reply if isinstance(request, _DRAGS) else page.answer
                    send(protocol.write_reply(answer))
                await self._take_turns()
                await self._go_on_editing()
                await self._arrive()
            self._busy = False

    # Errands about files, carried out beside the line.

    async def _errand(self, request: protocol.FileRequest) -> Errand:
        return await self._in_thread(lambda: errand_of(request, self._files))

    async def _ended(self, job: Job, errand: Errand) -> bool:
        """The rest of an errand, when its turn comes; whether its request is answered then."""
        turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._turns.append((job, errand, turn))
        self._someone.set()
        return await turn

    async def _take_turns(self) -> None:
        """End errands, unless something is dragged."""
        while self._turns and self._editor.drag is None:
            job, errand, turn = self._turns.popleft()
            edits = self._editor.asked
            try:
                if job.forgotten:
                    errand.close()
                    raise stopped(job)
                messages, pose = await self._in_thread(lambda errand=errand: self._done(errand))  # type: ignore[misc]
            except Exception as error:  # told to the page by whoever waits
                turn.set_exception(error)
                continue
            self._show(messages, pose)
            turn.set_result(not self._is_owed(edits, job.page, job.request))

    def _done(self, errand: Errand) -> tuple[list[Message], bytes]:
        done_at_once(errand)
        self._editor.take_model()
        return self._news.since()

    def _begin_curves(self, page: Page, request: protocol.LookAtCurves) -> None:
        """Of a long clip they take long, and only this page waits for them."""
        task = asyncio.create_task(self._show_curves(page, request))
        self._looking_up.add(task)
        task.add_done_callback(self._looking_up.discard)

    async def _show_curves(self, page: Page, request: protocol.LookAtCurves) -> None:
        answer: protocol.Done | protocol.Failed = protocol.Done(id=request.id)
        try:
            state = await self._in_thread(lambda: self._editor.clip_state)
            page.reply(protocol.write_reply(await asyncio.to_thread(curves, state, request.joint)))
        except PosewrightError as error:
            answer = protocol.Failed(id=request.id, message=str(error))
        page.answer(protocol.write_reply(answer))

    async def _job_news(self) -> None:
        self._send_all([protocol.write_reply(self._jobs.info)])

    async def exported(self, what: str, path: Path) -> str:
        """Write an export to a path for a page that downloads it; the name it should have."""
        session = await self._in_thread(lambda: self._editor.session)
        export = export_of(session, what)
        if not export.suffix:
            raise InvalidSetting(f"{export.title} is a folder, which cannot be downloaded; export it to the folder")
        own = path / f"it{export.suffix}"
        await asyncio.to_thread(export.write, session, own, None)
        return own.name

    async def _arrive(self) -> None:
        """While nothing waits, bring a drag that rests nearer to what it asks for."""
        for _ in range(LONGEST_WAY):
            if self._line or not self._editor.on_the_way:
                return
            pose = await self._in_thread(self._gone_on)
            for page in self._pages:
                page.show(pose)

    def _gone_on(self) -> bytes:
        self._editor.go_on()
        return view.pose(self._editor)

    async def _answer(self, page: Page, request: protocol.Request) -> protocol.Done | protocol.Failed | None:
        """What is answered at once; None: it is answered when an edit of the clip is made."""
        edits = self._editor.asked
        try:
            if self._dragging not in (None, page) and not isinstance(request, protocol.StopJob):
                raise InvalidSetting("another page is dragging; wait until it has finished")
            if isinstance(request, protocol.Propose):
                await self._in_thread(self._editor.reject)
                self._beside.proposing.start(request.what)
            if isinstance(request, protocol.StopProposing):
                self._beside.proposing.stop()
                self._send_all([self._news.of_proposals()])
            if isinstance(request, protocol.Retarget):
                asked = await self._in_thread(lambda: self._editor.retargeter.ask(self._editor.state))
                await self._beside.retargeting.start(lambda progress: answer(asked, progress), len(asked.source))
            if isinstance(request, protocol.StopRetarget):
                await self._beside.retargeting.stop()
            if isinstance(request, protocol.CollectPostures):
                await self._collect(request.clips)
            if isinstance(request, protocol.StopCollecting):
                await self._beside.collecting.stop()
            if isinstance(request, protocol.LookAtCurves):
                self._begin_curves(page, request)
                return None
            if isinstance(request, protocol.FitModel):
                await self._fit(request.clips, request.explained_variance)
            if isinstance(request, protocol.StopFitting):
                await self._beside.fitting.stop()
            if isinstance(request, protocol.StopJob):
                self._jobs.stop(request.number)
            if isinstance(request, protocol.StopEditing):
                await self._in_thread(lambda: self._editor.give_up(*self._editor.asked))
            if isinstance(request, protocol.Look):
                self._look(page, request.at)
            messages, pose = await self._in_thread(lambda: self._carried_out(request))
        except PosewrightError as error:
            return protocol.Failed(id=request.id, message=str(error))
        except Exception as error:  # a mistake of ours: it must not end the session
            return protocol.Failed(id=request.id, message=f"internal error: {type(error).__name__}: {error}")
        self._dragging = page if self._editor.drag is not None else None
        self._show(messages, pose)
        return None if self._is_owed(edits, page, request) else protocol.Done(id=request.id)

    def _is_owed(self, edits: tuple[Asked, ...], page: Page, request: protocol.Request) -> bool:
        """Whether a request asked for an edit: it is answered when that is made."""
        asked = [one for one in self._editor.asked if one not in edits]
        self._owed.update(dict.fromkeys(asked, (page, request.id)))
        return bool(asked)

    def _show(self, messages: Sequence[Message], pose: bytes) -> None:
        self._send_all(messages)
        for page in self._pages:
            page.show(pose)

    def _send_all(self, messages: Sequence[Message]) -> None:
        for page in self._pages:
            for message in messages:
                page.reply(message)

    async def _found(self, proposal: Proposal | None) -> None:
        """An answer was found beside the line; None: the search begins or ends."""
        if proposal is None:
            self._send_all([self._news.of_proposals()])
        else:
            self._send_all(await self._in_thread(lambda: self._news.proposed(proposal)))

    def _look(self, page: Page, at: str) -> None:
        self._looking[page] = at
        self._editor.retargeter.shown |= at == "retarget"
        self._editor.designer.shown = "design" in self._looking.values()

    async def _collect(self, names: tuple[str, ...]) -> None:
        editor = self._editor
        motions, figure = await self._in_thread(
            lambda: (editor.designer.clips(editor.state, names), editor.state.figure)
        )
        self._collected_from = names
        await self._beside.collecting.start(lambda progress: collected(motions, figure, progress), len(motions))

    async def _fit(self, names: tuple[str, ...], explained_variance: float) -> None:
        editor = self._editor
        clips, figure = await self._in_thread(lambda: (editor.modeller.ask(editor.state, names), editor.state.figure))
        self._fitted_from = names
        await self._beside.fitting.start(
            lambda progress: fitted(clips, figure, explained_variance, progress), len(clips) + 1
        )

    async def _fitted(self, found: MotionModel | str) -> None:
        """A model was fitted; or why it was not."""
        editor, names = self._editor, self._fitted_from

        def use() -> tuple[list[Message], bytes]:
            if isinstance(found, str):
                editor.modeller.failed(found)
            else:
                editor.modeller.found = names, found
                editor.take_model()
            return self._news.since()

        messages, pose = await self._in_thread(use)
        self._show(messages, pose)

    # Edits of the clip, made one after another beside the line.

    async def _go_on_editing(self) -> None:
        """Take the edit that was made, unless something is dragged; answer for those given up; begin the next one."""
        work = self._beside.editing
        if self._made is not None and self._editor.drag is None:
            (asked, made), self._made = self._made, None
            if asked in self._editor.asked:
                await self._take(asked, made)
        for asked in [one for one in self._owed if one not in self._editor.asked]:
            self._pay(asked, f"{asked.command.says!r} was stopped; the clip is as it was before it")
        if work.running and self._edits not in self._editor.asked:
            await work.stop()
        while self._editor.asked and not work.running and self._made is None:
            await self._begin_editing(self._editor.asked[0])

    async def _begin_editing(self, asked: Asked) -> None:
        editor = self._editor
        try:
            state = await self._in_thread(lambda: asked.on(editor.session.state))
        except PosewrightError as error:
            await self._take(asked, str(error))
            return
        self._edits = asked
        await self._beside.editing.start(lambda progress: editor.editing.edited(state, progress)[0], MOST_STEPS)

    async def _edited(self, found: State | str) -> None:
        """An edit was made; or why it was not. It is taken when its turn comes in the line."""
        assert self._edits is not None
        self._made = self._edits, found
        self._someone.set()

    async def _take(self, asked: Asked, made: State | str) -> None:
        """Take the first edit, or give it up and say why; tell all pages, and answer the one that asked for it."""

        def taken() -> tuple[str | None, tuple[list[Message], bytes]]:
            why = None
            try:
                if isinstance(made, str):
                    self._editor.give_up(asked)
                    why = made
                else:
                    self._editor.take_edit(asked, made)
            except PosewrightError as error:
                why = str(error)
            self._editor.take_model()
            return why, self._news.since()

        why, (messages, pose) = await self._in_thread(taken)
        self._show(messages, pose)
        self._pay(asked, why)

    def _pay(self, asked: Asked, why: str | None) -> None:
        """Answer the request of an edit: it is made, or why it is not."""
        page, number = self._owed.pop(asked, (None, 0))
        if page is not None:
            done = protocol.Done(id=number) if why is None else protocol.Failed(id=number, message=why)
            page.answer(protocol.write_reply(done))

    async def _editing_news(self) -> None:
        self._send_all(await self._in_thread(self._news.of_editing))

    async def _model_news(self) -> None:
        self._send_all(await self._in_thread(self._news.of_model))

    async def _collected(self, found: Postures | str) -> None:
        """Postures were collected; or why they were not."""
        editor, names = self._editor, self._collected_from
        if isinstance(found, str):
            editor.designer.failure = found
            await self._design_news()
            return

        def use() -> tuple[list[Message], bytes]:
            editor.designer.keep(editor.state, names, found)
            if editor.drag is None:
                editor.run(UsePostures(clips=names))
            return self._news.since()

        self._show(*await self._in_thread(use))

    async def _design_news(self) -> None:
        self._send_all(await self._in_thread(self._news.of_design))

    async def _retarget_news(self) -> None:
        self._send_all(await self._in_thread(self._news.of_retargeting))

    async def _retargeted(self, found: Retargeted | str) -> None:
        """A run has ended: with an answer, or with why there is none."""
        if isinstance(found, str):
            self._editor.retargeter.failure = found
        else:
            self._editor.retargeter.take(found)
        await self._retarget_news()

    def _carried_out(self, request: protocol.Request) -> tuple[list[Message], bytes]:
        """What pages get after a request, carried out in the thread."""
        carry_out(request, self._editor)
        self._editor.take_model()  # one that was fitted while something was dragged
        return self._news.since()

    async def welcome(self, tokens: Set[str]) -> tuple[str, ...]:
        """Someone comes with tokens; a session that was killed and knows one of them goes on, with all it knows."""

        def recovered() -> tuple[tuple[str, ...], list[Message]]:
            known = self._files.welcome(tokens)
            return known, self._news.since()[0] if known else []

        known, messages = await self._in_thread(recovered)
        self._send_all(messages)
        return known

    async def brought(self, name: str, path: Path) -> str:
        """A page has brought a file; what it is called until it is opened."""
        return await self._in_thread(lambda: self._files.uploads.add(self._files.folder.file(name).name, path))

    @property
    def uploads(self) -> Uploads:
        """Files that pages bring."""
        return self._files.uploads

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
