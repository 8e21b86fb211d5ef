"""Goals in time that an edit accepts."""

from __future__ import annotations

from collections.abc import Sequence

from posewright.checks import require, require_list
from posewright.errors import InvalidSetting
from posewright.goals.term import SiteTerm
from posewright.goals.timed import Timed
from posewright.motions.motion import Motion
from posewright.problem.schedule import with_own_names


def checked(motion: Motion, goals: Sequence[Timed], *, whole: bool = True) -> list[Timed]:
    """The goals that are enabled, each with a name of its own.

    Args:
        motion: what is edited.
        goals: what is asked.
        whole: whether goals over more than one frame are accepted, too.

    Raises:
        InvalidSetting: what is no goal in time, is outside the motion or not about sites.
    """
    accepted = "goals in time, such as goal.at(frame)"
    require_list(goals, "goals", accepted)
    for timed in goals:
        require(
            timed, Timed, "one of the goals", "in time: goal.at(frame), goal.during(start, end) or goal.along(path)"
        )
        for term in timed.goal.terms(motion.figure):
            if not isinstance(term, SiteTerm):
                raise InvalidSetting(
                    f"{timed.goal} cannot be a goal of an edit; only goals about sites and the centre of mass can"
                )
            if term.site is not None:
                motion.figure.site(term.site)
        start, end = timed.range(len(motion))
        if start < end and not whole:
            raise InvalidSetting(f"{timed.label!r} is about more than one frame; a drag takes goals at frames")
    return [timed for timed in with_own_names(goals) if isinstance(timed, Timed) and timed.goal.enabled]
