"""Retargeting beside the work: the question as it is now, and the answer that stands beside it until it is accepted."""

from __future__ import annotations

from dataclasses import dataclass

from posewright.anatomy.feet import SOLE_ENDS
from posewright.errors import InvalidSetting, PosewrightError
from posewright.motions import Motion, QualityLimits
from posewright.motions.contacts import Contacts
from posewright.motions.quality.report import Verdict, verdict_sentence
from posewright.solvers.motion.frames import Progress
from posewright.studio.session.clips.clip import Bar
from posewright.studio.session.clips.frames import write_frames
from posewright.studio.session.clips.opening import bars, contacts_of
from posewright.studio.session.commands.retargeting import AcceptRetarget
from posewright.studio.session.retargeting.question import Question, question_of
from posewright.studio.session.state import State
from posewright.workflows.retargeting.retarget import retarget


@dataclass(frozen=True, eq=False)
class Retargeted:
    """An answer, with all that is told about it."""

    question: Question
    motion: Motion
    verdicts: tuple[Verdict, ...]
    """Every measure beside the source's, as `posewright check` judges it."""
    sentence: str
    """What all comes to."""
    warnings: tuple[str, ...]
    contacts: tuple[Bar, ...]
    """Those that were kept."""
    seconds: float
    """Of the solve."""


def answer(question: Question, progress: Progress) -> Retargeted:
    """Retarget, and judge what came out. What `progress` raises ends it.

    Raises:
        PosewrightError: it cannot be done; the sentence says why.
    """
    made = retarget(
        question.source,
        question.target,
        question.match,
        progress=progress,
        **question.retargeting.options.keywords(),
    )
    progress(len(question.source))
    verdicts = made.quality().check(QualityLimits())
    return Retargeted(
        question=question,
        motion=made.motion,
        verdicts=verdicts,
        sentence=verdict_sentence(verdicts),
        warnings=made.warnings,
        contacts=() if made.contacts is None else sole_bars(made.contacts),
        seconds=made.seconds,
    )


def sole_bars(found: Contacts) -> tuple[Bar, ...]:
    """Heel and toe tip of a side are one foot."""
    feet = {f"{side}_foot": [name for name in SOLE_ENDS if name.startswith(side)] for side in ("left", "right")}
    return bars(found, feet)


class Retargeter:
    """The question of a state, looked up when something of it changed, and the last answer."""

    def __init__(self) -> None:
        self.shown = False
        """Whether a page looks at it; before, nothing is looked up."""
        self.failure = ""
        """Why the last run ended without an answer; empty: it did not."""
        self._answer: Retargeted | None = None
        self._key: tuple[object, ...] = ()
        self._question: Question | None = None
        self._why = ""
        self._bars: tuple[Question | None, tuple[Bar, ...]] = (None, ())

    def look(self, state: State) -> Question | None:
        """The question; None: it cannot be asked, and `why` says why."""
        clip_q = None if state.clip is None else state.clip.q
        key = (state.retargeting, clip_q, state.figure.joints, state.library)
        if len(key) != len(self._key) or any(new is not old for new, old in zip(key, self._key, strict=True)):
            self._key, self._why, self._question, self.failure = key, "", None, ""
            try:
                self._question = question_of(state)
            except PosewrightError as error:
                self._why = str(error)
        return self._question

    def why_not(self, state: State) -> str:
        """Why it cannot be retargeted as things are, a sentence; empty: it can."""
        asked = self.look(state)
        return self._why if asked is None else asked.obstacle

    def ask(self, state: State) -> Question:
        """The question, if it can be answered.

        Raises:
            InvalidSetting: it cannot.
        """
        why, asked = self.why_not(state), self.look(state)
        if why or asked is None:
            raise InvalidSetting(why)
        self.failure = ""
        return asked

    def take(self, found: Retargeted) -> None:
        """An answer that was found."""
        self._answer = found

    def let_go(self) -> None:
        """Without the answer."""
        self._answer = None

    def answer(self, state: State) -> Retargeted | None:
        """The answer to the question as it is now; None: there is none yet."""
        found, asked = self._answer, self.look(state)
        if found is None or asked is None or not _same(found.question, asked):
            return None
        return found

    def accepted(self, state: State) -> AcceptRetarget:
        """What makes the answer the clip.

        Raises:
            InvalidSetting: there is none.
        """
        found = self.answer(state)
        if found is None:
            raise InvalidSetting("nothing is retargeted yet that could be accepted; press Retarget first")
        return AcceptRetarget(q=write_frames(found.motion.q))

    def source_bars(self, state: State) -> tuple[Bar, ...]:
        """When the feet of the source are on the ground."""
        asked, (of, found) = self.look(state), self._bars
        if asked is None:
            return ()
        if of is None or of.source.q is not asked.source.q:
            found = contacts_of(asked.source)
            self._bars = asked, found
        return found


def _same(one: Question, other: Question) -> bool:
    """Whether two questions have the same answer."""
    return (
        one.source.q is other.source.q
        and one.target.joints is other.target.joints
        and one.retargeting == other.retargeting
    )
