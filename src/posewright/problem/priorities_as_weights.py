"""Priorities turned into weights, for solvers that have no strict levels left."""

from __future__ import annotations

from dataclasses import replace

from posewright.problem.lowering import LEVEL_WEIGHT
from posewright.problem.problem import Problem


def priorities_as_weights(problem: Problem, strict: int) -> tuple[Problem, tuple[str, ...]]:
    """The problem with priorities beyond the `strict` first ones as weights, 100 per level, and what to say about it.

    Goals stay in their order, so targets of the one fit the other.
    """
    priorities = sorted({goal.priority for goal in problem.goals if goal.enabled})
    if len(priorities) <= strict:
        return problem, ()
    goals = []
    for goal in problem.goals:
        level = 1 + sum(priority < goal.priority for priority in priorities)
        weight = goal.weight * LEVEL_WEIGHT ** -max(0, level - strict)
        goals.append(replace(goal, weight=weight, priority=min(level, strict)))
    which = "priorities" if strict == 1 else "priorities beyond the second"
    weighed = Problem(
        problem.space,
        goals,
        constraints=problem.constraints,
        frozen=problem.frozen,
        predicates=problem.predicates,
    )
    return weighed, (f"{which} became weights, 100 per level",)
