"""What each request means to the editor. What is done beside the line of requests, the desk does itself."""

from __future__ import annotations

from functools import singledispatch

from posewright.errors import InvalidSetting
from posewright.studio import protocol
from posewright.studio.session.codec import read_command
from posewright.studio.session.editor import Editor


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
    editor.copy_keys((request.frame, *request.also))


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
    | protocol.StopFitting
    | protocol.StopEditing
    | protocol.StopJob,
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
