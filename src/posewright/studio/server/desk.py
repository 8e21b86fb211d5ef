"""The desk: requests of all pages wait here in one line, are carried out one by one in a thread, and all pages see it.

Latest wins: a move of a drag replaces the one that still waits. So at most one solve is under way and one waits,
however fast the mouse is.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, singledispatch
from pathlib import Path
from typing import TypeVar

from posewright.errors import InvalidSetting, PosewrightError
from posewright.models.motion_model import MotionModel
from posewright.models.postures.database import Postures
from posewright.studio import protocol
from posewright.studio.exporting.exports import export_of, exports_of
from posewright.studio.files.files import Files
from posewright.studio.files.uploads import Uploads
from posewright.studio.server import view
from posewright.studio.server.clip_view import clip_info, clip_poses, curves
from posewright.studio.server.design_view import DesignView
from posewright.studio.server.filing import file_away
from posewright.studio.server.meshes import Meshes
from posewright.studio.server.model_view import ModelView
from posewright.studio.server.pages import Page
from posewright.studio.server.proposing import Proposing
from posewright.studio.server.retarget_view import RetargetView
from posewright.studio.server.working import Working
from posewright.studio.session.codec import read_command
from posewright.studio.session.commands.designing import UsePostures
from posewright.studio.session.designing.designer import collected
from posewright.studio.session.editor import Editor
from posewright.studio.session.modelling.fitting import fitted
from posewright.studio.session.proposals import Proposal
from posewright.studio.session.retargeting.retargeter import Retargeted, answer
from posewright.studio.session.state import State

T = TypeVar("T")
LONGEST_LINE = 1000
"""Requests that may wait; a page that sends more faster than they are carried out is refused."""
_LATEST_WINS = (protocol.MoveDrag, protocol.Preview)

LONGEST_WAY = 500
"""Answers that a drag that rests may take to arrive."""


@singledispatch
def carry_out(request: protocol.Request, editor: Editor) -> None:
    """What a request means. A new kind of request is one more function below."""
    raise InvalidSetting(f"a request {type(request).__name__} is not known")


@carry_out.register
def _(request: protocol.Run, editor: Editor) -> None:
    editor.run(read_command(request.command))


@carry_out.register
def _(request: protocol.Undo, editor: Editor) -> None:
    editor.undo()


@carry_out.register
def _(request: protocol.Redo, editor: Editor) -> None:
    editor.redo()


@carry_out.register
def _(request: protocol.Preview, editor: Editor) -> None:
    editor.preview(read_command(request.command))


@carry_out.register
def _(request: protocol.StopPreview, editor: Editor) -> None:
    editor.stop_preview()


@carry_out.register
def _(request: protocol.BeginDrag, editor: Editor) -> None:
    first = None if request.first is None else read_command(request.first)
    editor.begin_drag(first, request.goals, request.mode, symmetric=request.symmetric)


@carry_out.register
def _(request: protocol.MoveDrag, editor: Editor) -> None:
    editor.move(request.targets, request.turns)


@carry_out.register
def _(request: protocol.EndDrag, editor: Editor) -> None:
    editor.end_drag()


@carry_out.register
def _(request: protocol.CancelDrag, editor: Editor) -> None:
    editor.cancel_drag()


@carry_out.register
def _(request: protocol.CopyPose, editor: Editor) -> None:
    editor.copy()


@carry_out.register
def _(request: protocol.PastePose, editor: Editor) -> None:
    editor.paste(flipped=request.flipped)


@carry_out.register
def _(request: protocol.CopyKeys, editor: Editor) -> None:
    editor.copy_keys(request.frame)


@carry_out.register
def _(request: protocol.PasteKeys, editor: Editor) -> None:
    editor.paste_keys(request.frame, flipped=request.flipped)


@carry_out.register
def _(request: protocol.LookAtCurves, editor: Editor) -> None:
    """The desk itself answers the page that asks."""


@carry_out.register
def _(request: protocol.Propose | protocol.StopProposing, editor: Editor) -> None:
    """The desk itself looks for answers, beside the line."""


@carry_out.register
def _(request: protocol.Accept, editor: Editor) -> None:
    editor.accept(request.number)


@carry_out.register
def _(request: protocol.Reject, editor: Editor) -> None:
    editor.reject()


@carry_out.register
def _(request: protocol.Look, editor: Editor) -> None:
    """The desk itself knows who looks at what."""


@carry_out.register
def _(
    request: protocol.Retarget
    | protocol.StopRetarget
    | protocol.CollectPostures
    | protocol.StopCollecting
    | protocol.FitModel
    | protocol.StopFitting,
    editor: Editor,
) -> None:
    """The desk itself does long work, beside the line."""


@carry_out.register
def _(request: protocol.TakeDesign, editor: Editor) -> None:
    editor.accept_design()


@carry_out.register
def _(request: protocol.TakeRetarget, editor: Editor) -> None:
    editor.accept_retarget()


@carry_out.register
def _(request: protocol.DropRetarget, editor: Editor) -> None:
    editor.retargeter.let_go()


class Desk:
    """An editor and the pages that look at it."""

    def __init__(self, editor: Editor, files: Files | None = None) -> None:
        self._editor = editor
        self._files = files or Files(editor)
        self._files_revision = 0
        self._exports: tuple[str, ...] = ()
        self._writing: set[asyncio.Task[None]] = set()
        self.meshes = Meshes()
        """Of the characters that pages are shown."""
        self._pages: list[Page] = []
        self._line: deque[tuple[Page, protocol.Request]] = deque()
        self._someone = asyncio.Event()
        self._busy = False
        self._dragging: Page | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="studio")  # the editor is for one thread
        self._state: State | None = None  # what pages were shown last
        self._clip_state: State | None = None  # whose clip they were shown last
        self._previewed: State | None = None
        self._revision = 0
        self._proposals: tuple[Proposal, ...] = ()
        self._proposing = Proposing(editor, self._found)
        self._retargeting: Working[Retargeted] = Working(self._retarget_news, self._retargeted)
        self._retarget_view = RetargetView(self.meshes)
        self._collecting: Working[Postures] = Working(self._design_news, self._collected)
        self._collected_from: tuple[str, ...] = ()
        self._design_view = DesignView()
        self._fitting: Working[MotionModel] = Working(self._model_news, self._fitted)
        self._fitted_from: tuple[str, ...] = ()
        self._model_view = ModelView()
        self._looking: dict[Page, str] = {}

    # Pages.

    async def enter(self, page: Page) -> None:
        """A page comes: it gets everything."""
        messages, pose = await self._in_thread(self._everything)
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
                raise InvalidSetting(f"{LONGEST_LINE} requests wait already; send them more slowly")
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
        return not self._line and not self._busy and not self._writing

    async def work_forever(self) -> None:
        """Carry out requests, until cancelled."""
        while True:
            await self._someone.wait()
            self._someone.clear()
            while self._line:
                self._busy = True
                page, request = self._line.popleft()
                if isinstance(request, protocol.Export):
                    task = asyncio.create_task(self._export(page, request))  # nobody waits for it
                    self._writing.add(task)
                    task.add_done_callback(self._writing.discard)
                else:
                    page.reply(protocol.write_reply(await self._answer(page, request)))
                await self._arrive()
            self._busy = False

    async def _export(self, page: Page, request: protocol.Export) -> None:
        """Write an export in a thread of its own; all pages are told when it is there."""
        files = self._files
        try:
            ask = partial(files.exporting, request.what, request.name, overwrite=request.overwrite)
            name = await asyncio.to_thread(await self._in_thread(ask))
            await self._in_thread(lambda: files.notice(f"wrote {name}"))
            self._send_all(await self._in_thread(lambda: self._news()[0]))
            page.reply(protocol.write_reply(protocol.Done(id=request.id)))
        except PosewrightError as error:
            page.reply(protocol.write_reply(protocol.Failed(id=request.id, message=str(error))))
        except Exception as error:  # a mistake of ours: it must not end the session
            sentence = f"this went wrong inside: {type(error).__name__}: {error}"
            page.reply(protocol.write_reply(protocol.Failed(id=request.id, message=sentence)))

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

    async def _answer(self, page: Page, request: protocol.Request) -> protocol.Done | protocol.Failed:
        try:
            if self._dragging is not None and self._dragging is not page:
                raise InvalidSetting("another page is dragging; wait until it lets go")
            if isinstance(request, protocol.Propose):
                await self._in_thread(self._editor.reject)
                self._proposing.start(request.what)
            if isinstance(request, protocol.StopProposing):
                self._proposing.stop()
                self._send_all([self._proposals_message()])
            if isinstance(request, protocol.Retarget):
                asked = await self._in_thread(lambda: self._editor.retargeter.ask(self._editor.state))
                await self._retargeting.start(lambda progress: answer(asked, progress), len(asked.source))
            if isinstance(request, protocol.StopRetarget):
                await self._retargeting.stop()
            if isinstance(request, protocol.CollectPostures):
                await self._collect(request.clips)
            if isinstance(request, protocol.StopCollecting):
                await self._collecting.stop()
            if isinstance(request, protocol.LookAtCurves):
                joint = request.joint
                found = await self._in_thread(lambda: curves(self._editor.clip_state, joint))
                page.reply(protocol.write_reply(found))
            if isinstance(request, protocol.FitModel):
                await self._fit(request.clips, request.explained_variance)
            if isinstance(request, protocol.StopFitting):
                await self._fitting.stop()
            if isinstance(request, protocol.Look):
                self._look(page, request.at)
            messages, pose = await self._in_thread(lambda: self._carried_out(request))
        except PosewrightError as error:
            return protocol.Failed(id=request.id, message=str(error))
        except Exception as error:  # a mistake of ours: it must not end the session
            return protocol.Failed(id=request.id, message=f"this went wrong inside: {type(error).__name__}: {error}")
        self._dragging = page if self._editor.drag is not None else None
        self._send_all(messages)
        for one in self._pages:
            one.show(pose)
        return protocol.Done(id=request.id)

    def _send_all(self, messages: Sequence[str | bytes]) -> None:
        for page in self._pages:
            for message in messages:
                page.reply(message)

    async def _found(self, proposal: Proposal | None) -> None:
        """An answer was found beside the line; None: the search begins or ends."""
        if proposal is None:
            self._send_all([self._proposals_message()])
        else:
            self._send_all(await self._in_thread(lambda: self._proposed(proposal)))

    def _proposed(self, proposal: Proposal) -> list[str | bytes]:
        self._editor.propose(proposal)
        self._proposals = self._editor.proposals
        return [*view.proposal_poses(self._editor, len(self._proposals) - 1), self._proposals_message()]

    def _proposals_message(self) -> str:
        search = self._proposing
        found = view.proposals(self._editor, running=search.running, wanted=search.wanted, refusals=search.refusals)
        return protocol.write_reply(found)

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
        await self._collecting.start(lambda progress: collected(motions, figure, progress), len(motions))

    async def _fit(self, names: tuple[str, ...], explained_variance: float) -> None:
        editor = self._editor
        clips, figure = await self._in_thread(lambda: (editor.modeller.ask(editor.state, names), editor.state.figure))
        self._fitted_from = names
        await self._fitting.start(lambda progress: fitted(clips, figure, explained_variance, progress), len(clips) + 1)

    async def _fitted(self, found: MotionModel | str) -> None:
        """A model was fitted; or why it was not."""
        editor, names = self._editor, self._fitted_from

        def use() -> tuple[list[str | bytes], bytes]:
            if isinstance(found, str):
                editor.modeller.failed(found)
            else:
                editor.modeller.found = names, found
                editor.take_model()
            return self._news()

        messages, pose = await self._in_thread(use)
        self._send_all(messages)
        for page in self._pages:
            page.show(pose)

    async def _model_news(self) -> None:
        self._send_all(await self._in_thread(self._model_messages))

    def _model_messages(self) -> list[str]:
        return list(self._model_view.news(self._editor, self._fitting))

    async def _collected(self, found: Postures | str) -> None:
        """Postures were collected; or why they were not."""
        editor, names = self._editor, self._collected_from
        if isinstance(found, str):
            editor.designer.failure = found
            await self._design_news()
            return

        def use() -> tuple[list[str | bytes], bytes]:
            editor.designer.keep(editor.state, names, found)
            if editor.drag is None:
                editor.run(UsePostures(clips=names))
            return self._news()

        messages, pose = await self._in_thread(use)
        self._send_all(messages)
        for page in self._pages:
            page.show(pose)

    async def _design_news(self) -> None:
        self._send_all(await self._in_thread(self._design_messages))

    def _design_messages(self) -> list[str | bytes]:
        return list(self._design_view.news(self._editor, self._collecting))

    async def _retarget_news(self) -> None:
        self._send_all(await self._in_thread(self._retarget_messages))

    async def _retargeted(self, found: Retargeted | str) -> None:
        """A run has ended: with an answer, or with why there is none."""
        if isinstance(found, str):
            self._editor.retargeter.failure = found
        else:
            self._editor.retargeter.take(found)
        await self._retarget_news()

    def _retarget_messages(self) -> list[str | bytes]:
        run = self._retargeting
        return list(self._retarget_view.news(self._editor, running=run.running, done=run.progress))

    def _carried_out(self, request: protocol.Request) -> tuple[list[str | bytes], bytes]:
        """What pages get after a request, carried out in the thread."""
        if isinstance(request, protocol.FileRequest):
            file_away(request, self._files)
        else:
            carry_out(request, self._editor)
        self._editor.take_model()  # one that was fitted while something was dragged
        return self._news()

    def _news(self) -> tuple[list[str | bytes], bytes]:
        """What pages were not told yet."""
        self._files.keep()
        editor, before = self._editor, self._state
        messages: list[str | bytes] = []
        if before is None or editor.state.figure.joints is not before.figure.joints:
            messages.append(protocol.write_reply(self._scene()))
        if editor.revision != self._revision:
            messages.append(protocol.write_reply(view.document(editor)))
        if self._files.revision != self._files_revision or tuple(exports_of(editor.session)) != self._exports:
            messages.append(self._files_message())
        if editor.proposals is not self._proposals:
            messages.append(self._proposals_message())
        if editor.previewed is not self._previewed:
            self._previewed = editor.previewed
            shown = None if editor.previewed is None else clip_info(editor.previewed)
            messages.append(protocol.write_reply(protocol.Previewed(clip=shown)))
        messages.extend(clip_poses(editor.clip_state, self._clip_state))
        self._clip_state = editor.clip_state
        if editor.drag is None:
            messages.extend(self._retarget_messages())
        messages.extend(self._design_messages())
        messages.extend(self._model_messages())
        self._state, self._revision, self._proposals = editor.state, editor.revision, editor.proposals
        return messages, view.pose(editor)

    def _scene(self) -> protocol.Scene:
        return view.scene(self._editor, self.meshes.address(self._editor.state.figure))

    def _everything(self) -> tuple[list[str | bytes], bytes]:
        editor = self._editor
        self._state, self._revision = editor.state, editor.revision
        replies = [protocol.write_reply(reply) for reply in (self._scene(), view.document(editor))]
        replies.append(self._files_message())
        poses = [frame for number in range(len(editor.proposals)) for frame in view.proposal_poses(editor, number)]
        self._clip_state = editor.clip_state
        frames = clip_poses(editor.clip_state, None)
        self._retarget_view, self._design_view = (
            RetargetView(self.meshes),
            DesignView(),
        )  # all that they have to show, to all
        self._model_view = ModelView()
        shown = [*self._retarget_messages(), *self._design_messages(), *self._model_messages()]
        return [*replies, *frames, *poses, self._proposals_message(), *shown], view.pose(editor)

    def _files_message(self) -> str:
        self._files_revision = self._files.revision
        exports = exports_of(self._editor.session)
        self._exports = tuple(exports)
        return protocol.write_reply(view.files(self._files, exports.values()))

    async def welcome(self, tokens: Collection[str]) -> str | None:
        """Someone comes with tokens; one of a session that was killed is recovered, and is a token here from now on."""

        def recovered() -> tuple[str | None, list[str | bytes]]:
            token = self._files.welcome(tokens)
            return token, [] if token is None else self._news()[0]

        token, messages = await self._in_thread(recovered)
        self._send_all(messages)
        return token

    async def brought(self, name: str, path: Path) -> str:
        """A page has brought a file; what it is called until it is opened."""
        return await self._in_thread(lambda: self._files.uploads.add(self._files.folder.file(name).name, path))

    @property
    def uploads(self) -> Uploads:
        """Files that pages bring."""
        return self._files.uploads

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
