"""What is retargeted, as the messages that pages get: only what they do not know yet."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Literal

import numpy as np

from posewright.anatomy.lexicon import ESSENTIAL, PARTS
from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.capsules import capsule_table
from posewright.figures.kinematics import joint_frames
from posewright.motions import Motion
from posewright.motions.quality.report import Verdict
from posewright.report.scene import PALETTE
from posewright.solvers.registry import SOLVERS
from posewright.studio import protocol
from posewright.studio.server import view
from posewright.studio.server.clip_view import joint_numbers, motion_frames
from posewright.studio.server.meshes import Meshes
from posewright.studio.server.pages import Frames
from posewright.studio.session.editor import Editor
from posewright.studio.session.retargeting.question import Question, retargeting_of, source_names, target_names
from posewright.studio.session.retargeting.retargeter import Retargeted

SOURCE = PALETTE["teal"]
"""As in our reports."""


class RetargetView:
    """Remembers what pages were shown."""

    def __init__(self, meshes: Meshes) -> None:
        self._meshes = meshes
        self._source: Question | None = None
        self._target: Question | None = None
        self._answer: Retargeted | None = None
        self._text = ""

    def news(self, editor: Editor, *, running: bool, done: int) -> Iterator[str | Frames]:
        """What pages must get to show it as it is now; nothing while nobody looks."""
        if not editor.retargeter.shown:
            return
        asked = editor.retargeter.look(editor.state)
        if asked is not None:
            yield from self._staged(asked)
        found = editor.retargeter.answer(editor.state)
        text = protocol.write_reply(retargeting(editor, asked, found, running=running, done=done))
        if text != self._text:
            yield text
        if found is not None and found is not self._answer:
            yield _frames(found.motion, protocol.RETARGETED)
        self._answer, self._text = found, text

    def _staged(self, asked: Question) -> Iterator[str | Frames]:
        old, new = self._source, asked.source
        if old is None or old.source.q is not new.q or old.source.figure.joints is not new.figure.joints:
            figure = new.with_standing_rest().figure
            yield self._figure("source", figure)
            yield _frames(new, protocol.RETARGET_SOURCE)
        if self._target is None or self._target.target.joints is not asked.target.joints:
            yield self._figure("target", asked.target)
        self._source = self._target = asked

    def _figure(self, role: Literal["source", "target"], figure: Figure) -> str:
        rest, colour = _standing(figure), SOURCE if role == "source" else view.BODY
        scene = view.figure_scene(figure, 0.0, colour, self._meshes.address(figure))
        return protocol.write_reply(protocol.Staged(role=role, scene=scene, rest=tuple(rest.ravel().tolist())))


def _frames(motion: Motion, which: int) -> Frames:
    return Frames(lambda: motion_frames(motion.figure, motion.q, which, 0, len(motion)))


def _standing(figure: Figure) -> Array:
    """(joints, 7): its rest pose, on the floor"""
    numbers, table = joint_numbers(figure, figure.rest), capsule_table(figure)
    turns = joint_frames(figure, figure.rest).rotations[table.joint]
    lowest = [numbers[:, 1].min()]
    for ends, radii in ((table.start, table.radii[:, 0]), (table.end, table.radii[:, 1])):
        heights = numbers[table.joint, 1] + np.einsum("ij,ij->i", turns[:, 1], ends) - radii
        lowest.append(heights.min(initial=np.inf))
    numbers[:, 1] -= min(lowest)
    return numbers


def retargeting(
    editor: Editor, asked: Question | None, found: Retargeted | None, *, running: bool, done: int
) -> protocol.Retargeting:
    """The question and the answer, but for poses."""
    state, retargeter = editor.state, editor.retargeter
    chosen = retargeting_of(state)
    bars = found.contacts if found is not None else retargeter.source_bars(state) if chosen.options.feet else ()
    return protocol.Retargeting(
        sources=_choices(source_names(state)),
        targets=_choices(target_names(state)),
        source=chosen.source,
        target=chosen.target,
        parts=() if asked is None else tuple(_parts(asked)),
        options=protocol.OptionsInfo(**asdict(chosen.options)),
        solvers=tuple(SOLVERS),
        states_speeds=asked is not None and any(map(math.isfinite, asked.target.max_speeds.tolist())),
        why_not=retargeter.why_not(state) or retargeter.failure,
        name="" if asked is None else asked.source.name,
        frames=0 if asked is None else len(asked.source),
        fps=0.0 if asked is None else asked.source.fps,
        contacts=tuple(protocol.ContactInfo(foot=bar.foot, start=bar.start, end=bar.end) for bar in bars),
        running=running,
        done=done if running else 0,
        result=None if found is None else _result(found),
    )


def _choices(names: dict[str, str]) -> tuple[protocol.ChoiceInfo, ...]:
    return tuple(protocol.ChoiceInfo(id=one, name=name) for one, name in names.items())


def _parts(asked: Question) -> Iterator[protocol.PartInfo]:
    match, chosen = asked.match, asked.retargeting
    confidence = match.confidence
    for part in PARTS:
        source, target = match.source.parts.get(part, ()), match.target.parts.get(part, ())
        corrected = part in chosen.source_parts or part in chosen.target_parts
        if source or target or corrected or part in ESSENTIAL:
            yield protocol.PartInfo(
                part=part,
                source=source,
                target=target,
                confidence=confidence.get(part, 0.0),
                corrected=corrected,
                essential=part in ESSENTIAL,
            )


def _result(found: Retargeted) -> protocol.RetargetedInfo:
    return protocol.RetargetedInfo(
        sentence=found.sentence,
        measures=tuple(map(_measure, found.verdicts)),
        warnings=found.warnings,
        seconds=found.seconds,
    )


def _measure(verdict: Verdict) -> protocol.MeasureInfo:
    measure = verdict.measure
    return protocol.MeasureInfo(
        name=measure.name,
        unit=measure.unit,
        value=measure.value,
        source=measure.source,
        bound=verdict.bound,
        passed=verdict.passed,
        frame=measure.frame,
    )
