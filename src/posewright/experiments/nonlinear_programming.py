"""Inverse kinematics as nonlinear programming (Zhao & Badler 1994): experiments 1-A to 1-F.

The times of the paper are those of its machines of 1994. What an evaluation costs (1-G) is in `evaluation_cost`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import posewright as pw
from posewright.conventions import Array
from posewright.experiments.experiment import Outcome, experiment, seconds_in_turns
from posewright.experiments.torso_tasks import (
    ARM,
    BOX,
    TUBE,
    WAIST,
    Tube,
    five_segment_torso,
    random_boxes,
    random_tubes,
    sideways,
    sideways_coordinates,
    whole,
)
from posewright.figures.catalogue import human22, human70
from posewright.figures.catalogue.trunk import COORDINATES, VERTEBRAE
from posewright.problem.evaluation import readable
from posewright.problem.feasible import feasible_region
from posewright.report.camera import Direction, Extent
from posewright.report.picture import Picture
from posewright.report.plots import Curve, Plot, plot_picture
from posewright.report.result_pictures import goal_marks, side_by_side
from posewright.report.scene import Mark, Scene, SceneBody
from posewright.solvers.active_set_bfgs import free_search
from posewright.solvers.solver import Solver

SOLVER = pw.ActiveSetBfgs(restarts=0)  # the paper's search has no restarts
_DEFAULT = "with the default restarts"
_SOLVERS: dict[str, Solver] = {
    "without restarts": SOLVER,
    _DEFAULT: pw.ActiveSetBfgs(),
    "by LeastSquares": pw.LeastSquares(),
}
_ROUGHNESS, _STIFFNESS = 0.2, 0.7  # at most, of grouped to single vertebrae and of stiff to free torso


@dataclass(frozen=True)
class Answer:
    """One task solved, and how long it took."""

    problem: pw.Problem
    result: pw.PoseResult
    milliseconds: float
    """Processor time, the quickest of some solves of the prepared problem."""

    @classmethod
    def of(cls, problem: pw.Problem) -> Answer:
        """Solve a task from standing."""
        prepared = SOLVER.prepare(problem)
        return cls(problem, prepared.solve(), 1e3 * float(seconds_in_turns(prepared.solve, turns=3).min()))

    @property
    def n_variables(self) -> int:
        """How many numbers the search has."""
        return len(free_search(SOLVER.prepare(self.problem).lowered).variables)

    @property
    def work(self) -> float:
        """Iterations times dofs."""
        return self.result.iterations * self.n_variables

    @property
    def reached(self) -> str:
        """In a word."""
        return "yes" if self.result.reached else "no"

    @property
    def sideways(self) -> str:
        """How far the torso bends sideways and turns."""
        return f"{math.degrees(math.sqrt(sideways(self.problem, self.result.q))):.0f}°"


@experiment(
    "1-A",
    "Look into a tube, the spine as one group",
    accepts="from standing, all six goals satisfied in at least nine of ten tubes by the search alone, which is the "
    "paper's, and in all with the default restarts; the cost never rises, solves of less than a second",
)
def tube_with_grouped_spine(found: Outcome, tubes: int = 30) -> None:
    """22 dofs."""
    answers = _look_into(human22(), tubes, found)
    _judge_tubes(answers, 22, "5 s", found)
    _tubes_beside(human22(), tubes, found)
    again = [("the same from the left", answers[0])]
    found.draw = lambda: np.hstack(
        [_tube_picture([("22 dofs", answers[0])]), _pictures(again, TUBE.marks(), 75.0, 8.0)]
    )


@experiment(
    "1-B",
    "Look into a tube, every vertebra on its own",
    accepts="the same with 70 dofs, with more iterations times dofs than with 22, and a spine that bends irregularly",
)
def tube_with_single_vertebrae(found: Outcome, tubes: int = 30) -> None:
    """70 dofs."""
    grouped, single = _look_into(human22(), tubes, found, 0.0, 0.5), _look_into(human70(), tubes, found, 0.5, 1.0)
    _judge_tubes(single, 70, '"10 seconds longer"', found)
    few, many = (float(np.median([answer.milliseconds for answer in answers])) for answers in (grouped, single))
    work = [float(np.median([answer.work for answer in answers])) for answers in (grouped, single)]
    rougher = float(np.median(1.0 / _roughness_ratios(grouped, single)))
    found.measure("time over that of 22 dofs, medians", "2 to 3", f"{many / few:.1f}")
    found.measure("iterations times dofs over those of 22 dofs, medians", "-", f"{work[1] / work[0]:.1f}", "above 1",
                  work[1] > work[0])  # fmt: skip
    found.measure("roughness of the spine over that of 22 dofs, median", "irregular", f"{rougher:.0f}",
                  f"above {1.0 / _ROUGHNESS:g}", rougher > 1.0 / _ROUGHNESS)  # fmt: skip
    found.note("the paper's sentence can be read as 10 s or as 10 s more than the 5 s of 22 dofs, hence 2 to 3")
    _tubes_beside(human70(), tubes, found)
    named = [("22 dofs: the spine is a group", grouped[0]), ("70 dofs: every vertebra on its own", single[0])]
    found.draw = lambda: _tube_picture(named)


@experiment(
    "1-C",
    "Angles along the spine: group against single vertebrae",
    accepts="roughness of the group at most 0.2 of that of single vertebrae, on the tube of the pictures and in the "
    "median",
)
def spine_angles(found: Outcome, tubes: int = 30) -> None:
    """How the bend is distributed along the spine."""
    grouped, single = _look_into(human22(), tubes, found, 0.0, 0.5), _look_into(human70(), tubes, found, 0.5, 1.0)
    ratios = _roughness_ratios(grouped, single)
    median, n = float(np.median(ratios)), len(ratios)
    at_most = f"<= {_ROUGHNESS}"
    found.measure("roughness, group over single, the tube of the pictures", "smooth, ragged", f"{ratios[0]:.4f}",
                  at_most, ratios[0] <= _ROUGHNESS)  # fmt: skip
    found.measure(f"the same, median of {n} tubes", "-", f"{median:.4f}", at_most, median <= _ROUGHNESS)
    found.measure("the same, worst", "-", f"{ratios.max():.4f}")
    found.measure(f"tubes above {_ROUGHNESS}", "-", f"{(ratios > _ROUGHNESS).sum()} of {n}")
    for words, away in (("4 cm", 0.04), ("16 cm", 0.16)):
        others = random_tubes(tubes, found.random(f"tubes at {words}"), away)
        both = ([Answer.of(tube.problem(figure)) for tube in others] for figure in (human22(), human70()))
        found.beside(
            f"tubes {words} before the eye instead of 8 cm: median", f"{np.median(_roughness_ratios(*both)):.4f}"
        )
    found.note("roughness is the sum of squared second differences of the angles along the 17 vertebrae")
    named = {"the spine is a group (22 dofs)": grouped[0], "every vertebra on its own (70 dofs)": single[0]}
    found.draw = lambda: _spine_plot({title: answer.result.pose for title, answer in named.items()})


@experiment(
    "1-D",
    "Reach with the arm alone: not reachable",
    accepts="a stationary point outside the tolerance, with every limit kept",
)
def reach_with_the_arm(found: Outcome, count: int = 60) -> None:
    """The arm alone cannot reach the box."""
    answer = Answer.of(BOX.problem(five_segment_torso(), ARM))
    problem, result = answer.problem, answer.result
    broken = float(feasible_region(problem).violation(problem.space.encode(result.q)))
    place, turn = result.errors.parts
    found.measure("dofs of the chain", "-", str(answer.n_variables))
    found.measure("stopped", "not reachable", result.stopped, "stationary", result.stopped == "stationary")
    found.measure("hand from the box", "-", readable(place.value, "m"), "above the tolerance", not result.reached)
    found.measure("palm from the face's normal", "-", readable(turn.value, "rad"))
    found.measure("worst violation of a limit or constraint (rad)", "0", f"{broken:.0e}", "<= 1e-9", broken <= 1e-9)
    found.measure("time", "-", f"{answer.milliseconds:.2f} ms")
    others = [box.problem(five_segment_torso(), ARM) for box in random_boxes(count, found.random("boxes"))]
    answers = [(SOLVER.solve(other), other) for other in others]
    missed = [(one, other) for one, other in answers if not one.reached]
    still = sum(one.stopped == "stationary" for one, _ in missed)
    worst = max(float(feasible_region(other).violation(other.space.encode(one.q))) for one, other in answers)
    found.beside(f"{count} boxes anywhere: out of the arm's reach", str(len(missed)))
    found.beside("of these, stopped as stationary", f"{still} of {len(missed)}")
    found.beside("worst violation of a limit or constraint in all of them (rad)", f"{worst:.0e}")
    found.draw = lambda: _reach_picture({"the arm alone": answer})


@experiment("1-E", "Reach from the waist: reached, awkwardly", accepts="the goal is reached by a chain of 22 dofs")
def reach_from_the_waist(found: Outcome, count: int = 60) -> None:
    """With the torso the box is reached, in whatever pose comes first."""
    arm, waist = (Answer.of(BOX.problem(five_segment_torso(), joints)) for joints in (ARM, WAIST))
    dofs = waist.n_variables
    found.measure("dofs of the chain", "22", str(dofs), "22", dofs == 22)
    found.measure("reached", "yes, awkwardly", waist.reached, "yes", waist.result.reached)
    found.measure("sideways bends and turns of the torso, root of the sum of squares", "-", waist.sideways)
    found.measure("iterations", "-", str(waist.result.iterations))
    found.measure("time", "-", f"{waist.milliseconds:.2f} ms")
    figure = five_segment_torso()
    others = [
        box for box in random_boxes(count, found.random("boxes")) if not SOLVER.solve(box.problem(figure, ARM)).reached
    ]
    for words, solver in _SOLVERS.items():
        met = sum(solver.solve(box.problem(figure, WAIST)).reached for box in others)
        found.beside(f"boxes out of the arm's reach reached from the waist, {words}", f"{met} of {len(others)}")
    found.draw = lambda: _reach_picture({"the arm alone": arm, "from the waist": waist})


@experiment(
    "1-F",
    "Reach from the waist with rigidity 0.5 sideways: naturally",
    accepts="no box is lost, and the sideways squares are at most 0.7, at the box of the pictures and in the median",
)
def reach_with_rigidity(found: Outcome, count: int = 60) -> None:
    """The same with rigidity 0.5 against bending sideways and turning."""
    free, stiff = five_segment_torso(), five_segment_torso(0.5)
    others = {rigidity: five_segment_torso(rigidity) for rigidity in (0.25, 0.75, 0.9)}
    beside: dict[float, list[float]] = {rigidity: [] for rigidity in others}
    ratios, needed, lost, reached = [], [], 0, 0
    for box in found.each((BOX, *random_boxes(count, found.random("boxes")))):
        if SOLVER.solve(box.problem(free, ARM)).reached:
            continue  # the torso is not needed
        problem = box.problem(free, WAIST)
        soft, hard = SOLVER.solve(problem), SOLVER.solve(box.problem(stiff, WAIST))
        lost += soft.reached and not hard.reached
        reached += soft.reached
        if soft.reached:
            ratios.append(sideways(problem, hard.q) / sideways(problem, soft.q))
            for rigidity, other in others.items():
                harder = SOLVER.solve(box.problem(other, WAIST))
                beside[rigidity].append(sideways(problem, harder.q) / sideways(problem, soft.q))
            if ratios[-1] > _STIFFNESS:
                least = _least_sideways(problem, (soft.pose, hard.pose, pw.Pose.rest(free)))
                needed.append(least / sideways(problem, soft.q))
    arm, first, second = (
        Answer.of(BOX.problem(figure, joints)) for figure, joints in ((free, ARM), (free, WAIST), (stiff, WAIST))
    )
    above, n, median = sum(ratio > _STIFFNESS for ratio in ratios), len(ratios), float(np.median(ratios))
    what, at_most = "sideways bends and turns, stiff over free, squared", f"<= {_STIFFNESS}"
    found.measure("reached", "yes, naturally", second.reached, "yes", second.result.reached)
    found.measure(f"{what}: box of the pictures", "-", f"{ratios[0]:.2f}", at_most, ratios[0] <= _STIFFNESS)
    found.measure(
        f"the same, median of {n} boxes out of the arm's reach", "-", f"{median:.2f}", at_most, median <= _STIFFNESS
    )
    found.measure("the same, least and greatest", "-", f"{min(ratios):.2f}, {max(ratios):.2f}")
    found.measure(f"boxes above {_STIFFNESS}", "-", f"{above} of {n}")
    found.measure("the least that these boxes need, over free", "-", ", ".join(f"{n:.2f}" for n in needed) or "-")
    found.measure("boxes reached when free and missed when stiff", "-", f"{lost} of {reached}", "none", lost == 0)
    found.measure("iterations, free and stiff", "-", f"{first.result.iterations}, {second.result.iterations}")
    found.measure("time", "2 s (4D-25TG)", f"{second.milliseconds:.2f} ms")
    for rigidity, these in beside.items():
        found.beside(f"median with a rigidity of {rigidity} instead of 0.5", f"{np.median(these):.2f}")
    found.note(
        "rigidity scales the path to a minimum and promises nothing about its end: the boxes above 0.7 could be "
        "reached with much less sideways motion than either search found"
    )
    panels = {"the arm alone": arm, "from the waist": first, "rigidity 0.5 sideways": second}
    found.draw = lambda: _reach_picture(panels)


def _look_into(figure: pw.Figure, tubes: int, found: Outcome, first: float = 0.0, last: float = 1.0) -> list[Answer]:
    """Answers for the tube of the pictures and some random ones."""
    drawn: Sequence[Tube] = (TUBE, *random_tubes(tubes, found.random("tubes")))
    return [Answer.of(tube.problem(figure)) for tube in found.each(drawn, first, last)]


def _tubes_beside(figure: pw.Figure, tubes: int, found: Outcome) -> None:
    """The same task nearer and farther, more precisely, and from random poses, where local minima are many."""
    drawn = random_tubes(tubes, found.random("tubes"))
    for words, away in (("4 cm", 0.04), ("16 cm", 0.16)):
        others = random_tubes(tubes, found.random(f"tubes at {words}"), away)
        met = sum(SOLVER.solve(tube.problem(figure)).reached for tube in others)
        found.beside(f"tubes {words} before the eye instead of 8 cm: all goals satisfied", f"{met} of {tubes}")
    coarse = [tube.problem(figure) for tube in drawn]
    fine = [pw.Problem(p.space, [replace(goal, tolerance=1e-6) for goal in p.goals]) for p in coarse]
    found.beside("within 1 µm and 1 µrad", f"{sum(SOLVER.solve(p).reached for p in fine)} of {tubes}")
    random = found.random("starts")
    starts = [_random_start(tube.problem(figure), random) for tube in drawn]
    for words, solver in _SOLVERS.items():
        met = sum(solver.solve(tube.problem(figure), start).reached for tube, start in zip(drawn, starts, strict=True))
        found.beside(f"from random poses, {words}", f"{met} of {tubes}")


def _random_start(problem: pw.Problem, random: np.random.Generator) -> pw.Pose:
    """Anywhere within limits and constraints."""
    figure, space = problem.space.figure, problem.space
    q = random.uniform(np.maximum(figure.lower, -math.pi), np.minimum(figure.upper, math.pi))
    return pw.Pose(figure, space.decode(feasible_region(problem).projected(space.encode(q))))


def _judge_tubes(answers: Sequence[Answer], dofs: int, paper: str, found: Outcome) -> None:
    """The table of one figure and what is wrong with it."""
    times = [answer.milliseconds for answer in answers]
    n, reached = len(answers), sum(answer.result.reached for answer in answers)
    falling = sum(bool((np.diff(answer.result.trace) <= 0.0).all()) for answer in answers)
    met = sum(error.reached for error in answers[0].result.errors.parts)
    searched = answers[0].n_variables
    errors = [error for answer in answers for error in answer.result.errors.parts]
    worst = [readable(max(e.value for e in errors if e.unit == unit), unit) for unit in ("m", "rad")]
    satisfied = "6 goals satisfied"
    found.measure("dofs", str(dofs), str(searched), str(dofs), searched == dofs)
    found.measure("the tube of the pictures", satisfied, satisfied if met == 8 else f"{met} of 8 terms", "6", met == 8)
    retried = sum(answer.result.reached or _SOLVERS[_DEFAULT].solve(answer.problem).reached for answer in answers)
    found.measure(f"all goals satisfied, of {n} tubes", "-", str(retried), f"{n}", retried == n)
    least = math.ceil(0.9 * n)
    found.measure("of them without restarts", "-", str(reached), f"at least {least}", reached >= least)
    found.measure("worst error without restarts", "-", ", ".join(worst))
    found.measure("the cost never rises", "claimed", f"{falling} of {n}", f"{n}", falling == n)
    found.measure("iterations, median", "-", f"{np.median([a.result.iterations for a in answers]):g}")
    found.measure("time, median", paper, f"{np.median(times):.2f} ms", "< 1 s", np.median(times) < 1000.0)
    found.measure("time, worst", "-", f"{max(times):.2f} ms")


def _least_sideways(problem: pw.Problem, starts: Sequence[pw.Pose]) -> float:
    """`sideways` of the pose that reaches with the least of it, as far as searches from these starts find one.

    The hand may miss by the little (2 mm at most, else the pose does not count) that a faint pull to the front costs.
    """
    chosen = sideways_coordinates(problem)
    by_q: Array = np.asarray(np.linalg.pinv(problem.space.matrix)[chosen], dtype=np.float64)
    upright = pw.PythonGoal(
        lambda pose: problem.space.encode(pose.q)[chosen],
        len(chosen),
        unit="rad",
        jacobian=lambda _: by_q,
        weight=1e-4,
        tolerance=1e-12,
        name="upright",
    )
    goals = [*(replace(goal, tolerance=1e-12) for goal in problem.goals), upright]
    found = [SOLVER.solve(pw.Problem(problem.space, goals), start) for start in starts]
    return min(sideways(problem, result.q) for result in found if result.errors["right_hand"] < 2e-3)


def spine_bends(pose: pw.Pose) -> Array:
    """(bends, vertebrae), rad, from the sacrum up."""
    return np.array([[pose[f"{vertebra.name}.{bend}"] for vertebra in VERTEBRAE] for bend in COORDINATES])


def roughness(pose: pw.Pose) -> float:
    """Sum of squared second differences (rad²) of the spine's angles along its vertebrae."""
    return float(np.sum(np.diff(spine_bends(pose), n=2, axis=1) ** 2))


def _roughness_ratios(grouped: Sequence[Answer], single: Sequence[Answer]) -> Array:
    pairs = zip(grouped, single, strict=True)
    return np.array([roughness(a.result.pose) / roughness(b.result.pose) for a, b in pairs])


def _tube_picture(named: Sequence[tuple[str, Answer]]) -> Picture:
    panels = [(f"{text}: {'reached' if a.result.reached else 'missed'}", a) for text, a in named]
    return _pictures(panels, TUBE.marks(), -42.0, 14.0)


def _reach_picture(named: dict[str, Answer]) -> Picture:
    words = {True: "reached", False: "out of reach"}
    panels = [(f"{text}: {words[a.result.reached]}, sideways {a.sideways}", a) for text, a in named.items()]
    return _pictures(panels, BOX.marks(), -55.0, 16.0)


def _pictures(
    panels: Sequence[tuple[str, Answer]], things: Sequence[Mark], azimuth: float, elevation: float
) -> Picture:
    """Each the whole person with the goals and the thing to reach, all framed alike about the upper bodies."""
    scenes, uppers = [], []
    for text, answer in panels:
        pose = whole(answer.result.pose)
        marks = (*things, *goal_marks(answer.problem.goals, pose, answer.result.errors))
        scenes.append((text, Scene(bodies=(SceneBody(pose=pose),), marks=marks)))
        uppers.append(Scene(bodies=(SceneBody(pose=answer.result.pose),), marks=marks))
    direction = Direction(azimuth=math.radians(azimuth), elevation=math.radians(elevation))
    camera = Extent.of(*uppers).camera(direction, aspect=460 / 500)
    return side_by_side(scenes, 460, 500, camera=camera, below=36)


def _spine_plot(poses: dict[str, pw.Pose]) -> Picture:
    """The angles along the spine, as in the paper's figures 4 and 5."""
    plots = [
        Plot(
            content=[
                Curve(x=range(len(VERTEBRAE)), y=np.degrees(row), label=bend, style="both")
                for bend, row in zip(COORDINATES, spine_bends(pose), strict=True)
            ],
            title=title,
            x_label="vertebra, from L5 (0) up to T1 (16)",
            y_label="angle (degrees)",
        )
        for title, pose in poses.items()
    ]
    return plot_picture(*plots, width=470, height=360)
