"""What is designed, as the messages that pages get."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Any

import numpy as np

from posewright.models.postures.splicing import SplicedPart
from posewright.report.result_pictures import PART_COLOURS, REST
from posewright.report.scene import PALETTE, linear_rgb
from posewright.studio import protocol
from posewright.studio.server.clip_view import motion_frames
from posewright.studio.server.view import hex_colour
from posewright.studio.server.working import Working
from posewright.studio.session.designing.choices import Designing, part_name
from posewright.studio.session.designing.designer import Designed
from posewright.studio.session.editor import Editor
from posewright.studio.session.retargeting.question import source_names


class DesignView:
    """Remembers what pages were shown."""

    def __init__(self) -> None:
        self._found: Designed | None = None
        self._text = ""

    def news(self, editor: Editor, work: Working[Any]) -> Iterator[str | bytes]:
        """What pages must get to show it as it is now; nothing while nobody looks."""
        if not editor.designer.shown:
            return
        found = editor.designer.look(editor.state, editor.goals)
        if found is not None and found is not self._found:
            both = np.stack([found.spliced, found.result.q])
            yield from motion_frames(editor.state.figure, both, protocol.DESIGNED, 0, 2)
        text = protocol.write_reply(design(editor, found, work))
        if text != self._text:
            yield text
        self._found, self._text = found, text


def design(editor: Editor, found: Designed | None, work: Working[Any]) -> protocol.Design:
    """All but poses."""
    state = editor.state
    chosen, postures = state.designing or Designing(), editor.designer.postures(state)
    opened = [source.name for source in state.sources if source.role == "postures"]
    about = "" if postures is None else f"{len(postures)} postures of {len(postures.sources)} clips"
    return protocol.Design(
        clips=tuple(protocol.ChoiceInfo(id=one, name=name) for one, name in source_names(state).items()),
        chosen=chosen.clips,
        postures=about,
        file=opened[-1] if opened and state.postures is not None else "",
        recruiting={name: str(level) for name, level in chosen.recruiting.items()},
        keep_rest=chosen.keep_rest,
        why_not=editor.designer.why_not(state, editor.goals),
        collecting=work.running,
        done=work.progress,
        total=work.total,
        result=None if found is None else _designed(found, chosen),
    )


def _designed(found: Designed, chosen: Designing) -> protocol.DesignedInfo:
    result = found.result
    colours = zip(cycle(PART_COLOURS), result.parts, strict=False)
    rest = None if result.splice.rest is None else _sample(found, result.splice.rest, 1.0)
    return protocol.DesignedInfo(
        parts=tuple(_part(found, part, colour, chosen) for colour, part in colours),
        rest="as in the pose" if rest is None else f"{rest.clip} frame {rest.frame}",
        rest_colour=_hex(REST),
        errors=tuple(
            protocol.ErrorInfo(
                goal=goal, error=one.value, unit="rad" if one.unit == "rad" else "m", reached=one.reached
            )
            for goal, one in result.errors.items()
        ),
        warnings=result.warnings,
        splice_ms=round(1000.0 * result.splice_seconds, 1),
        milliseconds=round(1000.0 * result.seconds, 1),
    )


def _part(found: Designed, part: SplicedPart, colour: str, chosen: Designing) -> protocol.SplicedInfo:
    pairs = sorted(zip(part.weights.tolist(), part.samples.tolist(), strict=True), key=lambda pair: -abs(pair[0]))
    name = part_name(part.goals)
    return protocol.SplicedInfo(
        name=name,
        joints=part.joints,
        colour=_hex(colour),
        samples=() if "root" in part.levels else tuple(_sample(found, row, weight) for weight, row in pairs),
        donor=chosen.donors.get(name),
    )


def _sample(found: Designed, row: int, weight: float) -> protocol.SampleInfo:
    database = found.result.database
    return protocol.SampleInfo(
        posture=row, clip=database.clips[int(database.clip[row])], frame=int(database.frame[row]), weight=weight
    )


def _hex(colour: str) -> str:
    return hex_colour(linear_rgb(PALETTE[colour]))
