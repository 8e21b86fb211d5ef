"""Goals that nothing serves: every joint that could is frozen or left out. The answer says so."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from posewright.goals.term import SiteTerm
from posewright.problem import Problem
from posewright.problem.lowering import lower


def out_of_service(problem: Problem) -> Iterator[str]:
    """A sentence for each goal whose site no dof can move."""
    figure, lowered = problem.figure, lower(problem)
    moving = {figure.joints[j].name for j in np.unique(lowered.dofs["joint"][lowered.dofs["scale"] > 0.0])}
    for goal in problem.goals:
        terms = [term for term in goal.terms(figure) if isinstance(term, SiteTerm) and term.site is not None]
        sites = [name for term in terms for name in (term.site, term.like, term.point) if isinstance(name, str)]
        chains = [figure.ancestors(figure.site(name).joint) for name in sites]
        serving = {figure.joints[index].name for chain in chains for index in chain}
        if goal.enabled and sites and not serving & moving:
            yield f"nothing can move for goal {goal.label!r}: all joints that carry it are frozen or left out"
