"""What pages were told last, and what is new since."""

from __future__ import annotations

from dataclasses import dataclass

from posewright.models.motion_model import MotionModel
from posewright.models.postures.database import Postures
from posewright.studio import protocol
from posewright.studio.exporting.exports import exports_of
from posewright.studio.files.files import Files
from posewright.studio.server import view
from posewright.studio.server.clip_view import clip_info, clip_poses
from posewright.studio.server.design_view import DesignView
from posewright.studio.server.jobs import Jobs
from posewright.studio.server.meshes import Meshes
from posewright.studio.server.model_view import ModelView
from posewright.studio.server.pages import Frames, Message
from posewright.studio.server.proposing import Proposing
from posewright.studio.server.retarget_view import RetargetView
from posewright.studio.server.working import Working
from posewright.studio.session.editor import Editor
from posewright.studio.session.proposals import Proposal
from posewright.studio.session.retargeting.retargeter import Retargeted
from posewright.studio.session.state import State


@dataclass(frozen=True)
class Beside:
    """What is done beside the line of requests."""

    proposing: Proposing
    retargeting: Working[Retargeted]
    collecting: Working[Postures]
    fitting: Working[MotionModel]
    editing: Working[State]


class News:
    """Messages about an editor. Only the thread of the editor may ask for them."""

    def __init__(self, editor: Editor, files: Files, meshes: Meshes, beside: Beside, jobs: Jobs) -> None:
        """Begin with nothing told."""
        self._jobs = jobs
        self._editor, self._files, self._meshes, self._beside = editor, files, meshes, beside
        self._state: State | None = None  # what pages were shown last
        self._clip_state: State | None = None  # whose clip they were shown last
        self._previewed: State | None = None
        self._revision = self._files_revision = 0
        self._exports: tuple[str, ...] = ()
        self._proposals: tuple[Proposal, ...] = ()
        self._begin_views()

    def _begin_views(self) -> None:
        """Of workflows: as if nobody had been told of them."""
        self._editing = protocol.Editing(what="", steps=0, waiting=0)
        self._retarget_view, self._design_view, self._model_view = RetargetView(self._meshes), DesignView(), ModelView()

    def since(self) -> tuple[list[Message], bytes]:
        """What pages were not told yet, and the pose."""
        self._files.keep()
        editor, before = self._editor, self._state
        messages: list[Message] = []
        if before is None or editor.state.figure.joints is not before.figure.joints:
            messages.append(protocol.write_reply(self._scene()))
        if editor.revision != self._revision:
            messages.append(protocol.write_reply(view.document(editor)))
            self._previewed = None  # with a document a page shows the clip as it is
        if self._files.revision != self._files_revision or tuple(exports_of(editor.session)) != self._exports:
            messages.append(self._of_files())
        if editor.proposals is not self._proposals:
            messages.append(self.of_proposals())
        if editor.previewed is not self._previewed:
            self._previewed = editor.previewed
            clip = None if editor.previewed is None else clip_info(editor.previewed)
            messages.append(protocol.write_reply(protocol.Previewed(clip=clip)))
        messages += self.of_editing()
        shown, now = self._clip_state, editor.clip_state
        if shown is None or now.clip is not shown.clip:
            messages.append(Frames(lambda: clip_poses(now, shown)))
        self._clip_state = now
        if editor.drag is None:
            messages.extend(self.of_retargeting())
        messages += [*self.of_design(), *self.of_model()]
        self._state, self._revision, self._proposals = editor.state, editor.revision, editor.proposals
        return messages, view.pose(editor)

    def everything(self) -> tuple[list[Message], bytes]:
        """All that a page that comes must know, and the pose."""
        editor = self._editor
        self._state, self._revision = editor.state, editor.revision
        replies: list[Message] = [protocol.write_reply(reply) for reply in (self._scene(), view.document(editor))]
        replies.append(self._of_files())
        poses = [frame for number in range(len(editor.proposals)) for frame in view.proposal_poses(editor, number)]
        self._clip_state = editor.clip_state
        now = editor.clip_state
        self._begin_views()  # what they have to show goes to all
        if editor.previewed is not None:
            replies.append(protocol.write_reply(protocol.Previewed(clip=clip_info(editor.previewed))))
        shown = [*self.of_retargeting(), *self.of_design(), *self.of_model(), *self.of_editing()]
        shown.append(protocol.write_reply(self._jobs.info))
        return [*replies, Frames(lambda: clip_poses(now, None)), *poses, self.of_proposals(), *shown], view.pose(editor)

    def proposed(self, proposal: Proposal) -> list[Message]:
        """One answer more stands beside the work."""
        self._editor.propose(proposal)
        self._proposals = self._editor.proposals
        return [*view.proposal_poses(self._editor, len(self._proposals) - 1), self.of_proposals()]

    def of_proposals(self) -> str:
        """Answers, and whether more are looked for."""
        search = self._beside.proposing
        found = view.proposals(self._editor, running=search.running, wanted=search.wanted, refusals=search.refusals)
        return protocol.write_reply(found)

    def of_editing(self) -> list[str]:
        """Edits of the clip that are under way."""
        asked, work = self._editor.asked, self._beside.editing
        now = protocol.Editing(
            what=asked[0].command.says if asked else "",
            steps=work.progress if asked and work.running else 0,
            waiting=max(0, len(asked) - 1),
        )
        told, self._editing = self._editing, now
        return [] if now == told else [protocol.write_reply(now)]

    def of_model(self) -> list[str]:
        """What the clip is edited in."""
        return list(self._model_view.news(self._editor, self._beside.fitting))

    def of_design(self) -> list[Message]:
        """What is designed."""
        return list(self._design_view.news(self._editor, self._beside.collecting))

    def of_retargeting(self) -> list[Message]:
        """What is retargeted."""
        run = self._beside.retargeting
        return list(self._retarget_view.news(self._editor, running=run.running, done=run.progress))

    def _scene(self) -> protocol.Scene:
        return view.scene(self._editor, self._meshes.address(self._editor.state.figure))

    def _of_files(self) -> str:
        self._files_revision = self._files.revision
        exports = exports_of(self._editor.session)
        self._exports = tuple(exports)
        return protocol.write_reply(view.files(self._files, exports.values()))
