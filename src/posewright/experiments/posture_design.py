"""Key postures designed from a database (Li et al., section 6): experiments 5-A to 5-D."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache

import numpy as np

import posewright as pw
from posewright.conventions import Array
from posewright.experiments.clip_sets import ACTIVITIES, left_out, people, person
from posewright.experiments.experiment import Outcome, experiment
from posewright.figures.catalogue import abnorman1, abnorman2, norman
from posewright.figures.kinematics import site_frames
from posewright.figures.vectors import vector
from posewright.goals.goal import Recruit
from posewright.problem.evaluation import readable
from posewright.report.picture import Picture
from posewright.report.plots import Curve, Plot, plot_picture
from posewright.report.result_pictures import design_picture, side_by_side
from posewright.report.scene import Scene, SceneBody
from posewright.workflows.design import REFINING, pull_weights

SITES = ("pelvis", "left_hand", "right_hand", "left_sole", "right_sole")
PRIORITIES = (1, 2, 2, 3, 3)
DRIVING = ((0.0, 0.58, -0.1), (0.17, 0.98, 0.32), (-0.17, 0.98, 0.32), (0.12, 0.1, 0.5), (-0.12, 0.1, 0.5))
"""m: hip on the seat, hands at the wheel, feet on the pedals."""
OUT_OF_REACH = (*DRIVING[:3], (0.12, 0.1, 1.5), (-0.12, 0.1, 1.5))
_SHAKEN = 0.15  # rad: postures that no activity has


def goals_at(points: Sequence[Sequence[float]] | Array) -> list[pw.Position]:
    """Hip first, then hands, then feet."""
    sites = zip(SITES, points, PRIORITIES, strict=True)
    return [pw.Position(site, vector(np.array(point)), priority=priority) for site, point, priority in sites]


@cache
def goal_sets(n: int, shaken: float, activity: str = "", seed: int = 0) -> Array:
    """(sets, sites, 3), m: where left-out poses have the sites, with every joint off by some random angle."""
    rng = np.random.default_rng(5 + seed)
    poses, figure = left_out(only=activity, seed=seed), person()
    q = poses[rng.choice(len(poses), n, replace=len(poses) < n)]
    noise = shaken * rng.normal(size=q.shape)
    noise[:, figure.dof_slice(SITES[0])] = 0.0
    points: Array = site_frames(figure, np.clip(q + noise, figure.lower, figure.upper), SITES).points
    return points


def _people(found: Outcome) -> pw.Postures:
    return people(seed=found.seed)


@experiment(
    "5-A",
    "A driver's posture: hip, hands and feet by priority",
    accepts="level 2 makes an upper and a lower part; hip and hands met, and only what is out of reach is missed",
)
def driving(found: Outcome, count: int = 10) -> None:
    """How the body is divided, and which goals give way."""
    people = _people(found)
    found.columns = ("recruiting", "parts", "hip", "hands", "feet", "iterations", "reached")
    cases: dict[str, tuple[list[pw.Position], Recruit | None]] = {
        "level 2 for hands and feet": (goals_at(DRIVING), "limb+spine"),
        "automatic levels": (goals_at(DRIVING), None),
        "automatic, feet 1 m out of reach": (goals_at(OUT_OF_REACH), None),
    }
    results = {
        name: pw.design(person(), goals, people, recruiting=recruiting) for name, (goals, recruiting) in cases.items()
    }
    for name, result in results.items():
        levels = [[result.errors[site] for site in sites] for sites in (SITES[:1], SITES[1:3], SITES[3:])]
        parts = " ".join(f"{{{', '.join(part.goals)}}}" for part in result.parts)
        worst = (readable(max(error.value for error in level), "m") for level in levels)
        found.row(name, parts, *worst, str(result.iterations), "yes" if result.reached else "no")
        missed = [not all(error.reached for error in level) for level in levels]
        far = name.endswith("reach")
        found.require(
            missed == [False, False, far],
            f"{name}: {'the feet alone' if far else 'nothing'} should be missed, but {result!r}",
        )
    ((goals, _), *_), (first, *_) = cases.values(), results.values()
    upper = {"waist", "back", "left_shoulder", "left_elbow", "right_shoulder", "right_elbow"}
    lower = {f"{side}_{joint}" for side in ("left", "right") for joint in ("hip", "knee", "ankle")}
    joints = [set(part.joints) for part in first.splice.parts]
    found.require(
        len(joints) == 2 and joints[0] >= upper and joints[1] == lower and not joints[0] & joints[1],
        "level 2 does not divide the body into an upper and a lower part",
    )
    random, kept = found.random("seats"), 0
    for _ in range(count):
        other = pw.design(person(), goals_at(np.array(DRIVING) + random.uniform(-0.05, 0.05, 3)), people)
        kept += other.reached
    found.beside(f"{count} seats up to 5 cm lower, higher, further: all goals met", f"{kept} of {count}")
    for figure in (norman(), abnorman1()):
        other = pw.design(figure, goals_at(DRIVING), people.on(figure))
        gone = [site for site in SITES if not other.errors[site].reached]
        found.beside(f"the same posture of {figure.name}: missed", ", ".join(gone) or "nothing")
    start = pw.Pose.rest(person())
    found.draw = lambda: design_picture(goals, first.parts, first.initial, first, start=start)


@experiment(
    "5-B",
    "From a splice against from standing, of activities that the database has never seen",
    accepts="of every activity, left out or not, all goal sets are met from a splice, in fewer iterations (median) "
    "than from standing; at least 2 times fewer if the database has the activity",
)
def against_standing(found: Outcome, count: int = 100) -> None:
    """Goal sets of one activity, solved from standing and from a splice of the postures of all others."""
    found.columns = ("activity left out", "goal sets", "met from standing", "met from a splice", "iterations standing",
                     "iterations spliced", "ratio", "time standing", "time spliced")  # fmt: skip
    kinds = [(name, shaken) for shaken in (0.0, _SHAKEN) for name in ("nothing", *ACTIVITIES)]
    drawn: list[Array] = []
    for left, shaken in found.each(kinds):
        seen = left == "nothing"
        sets = goal_sets(2 * count if seen else count, shaken, "" if seen else left, found.seed)
        problem = pw.Problem(person(), goals_at(sets[0]))
        designer = pw.workflows.PostureDesigner(
            problem, _people(found) if seen else people(3, without=left, seed=found.seed)
        )
        both = (pw.Prioritized().prepare(problem), designer)
        runs = []
        for points in sets:
            targets = {site: point.tolist() for site, point in zip(SITES, points, strict=True)}
            began = time.process_time()
            plain = both[0].solve(targets)
            between = time.process_time()
            spliced = both[1].solve(targets)
            times = between - began, time.process_time() - between
            runs.append([plain.iterations, spliced.iterations, plain.reached, spliced.reached, *times])
        table = np.array(runs, float)
        ratio = float(np.median(table[:, 0] / np.maximum(table[:, 1], 1.0)))
        medians, met = np.median(table, axis=0), table[:, 2:4].sum(axis=0)
        found.row(
            left + (f", joints off by {shaken} rad" if shaken else ""), str(len(sets)), f"{met[0]:g}", f"{met[1]:g}",
            f"{medians[0]:g}", f"{medians[1]:g}", f"{ratio:.2f}", *(f"{1e3 * t:.2f} ms" for t in medians[4:]),
        )  # fmt: skip
        where = f"without {left}, joints off by {shaken} rad"
        found.require(met[1] == len(sets), f"{where}: {met[1]:g} of {len(sets)} are met from a splice")
        quicker = ratio >= 2.0 if seen else ratio > 1.0
        found.require(quicker, f"{where}: the median ratio of iterations is {ratio:.2f}")
        drawn.append(table[:, :2])
    for words, database in (
        ("one person", people(1, seed=found.seed)),
        ("a coarse one", people(threshold=0.15, seed=found.seed)),
    ):
        sets = goal_sets(count, 0.0, seed=found.seed)
        designer = pw.workflows.PostureDesigner(pw.Problem(person(), goals_at(sets[0])), database)
        wanted = [{site: point.tolist() for site, point in zip(SITES, points, strict=True)} for points in sets]
        met = sum(designer.solve(one).reached for one in wanted)
        found.beside(f"from {words} of {len(database)} postures: met from a splice", f"{met} of {count}")
    found.note(
        "of the activity that is left out nothing is in the database, its mirror images included; of `nothing` all "
        "activities are, of other seeds",
        "times are of one call each and are not judged; the paper says about 3 for the time of one example",
    )
    found.draw = lambda: _iterations_plot(drawn[0])


def _iterations_plot(iterations: Array) -> Picture:
    order = np.argsort(iterations[:, 0], kind="stable")
    curves = [
        Curve(x=range(len(order)), y=np.maximum(column[order], 0.8), label=label, style="points")
        for column, label in zip(iterations.T, ("from standing", "from a splice"), strict=True)
    ]
    title = "iterations until hip, hands and feet are met"
    return plot_picture(Plot(content=curves, title=title, x_label="goal set", y_label="iterations", log_y=True))


@experiment(
    "5-C",
    "Two figures, one database",
    accepts="both figures meet the goals, and their spliced postures are more alike than the refined ones",
)
def two_figures(found: Outcome) -> None:
    """The same goals and the same database on two figures of other proportions."""
    found.columns = ("figures", "both reached", "mean difference spliced", "refined", "sets where it grew")
    sets = list(goal_sets(30, 0.0, seed=found.seed))
    postures = [_people(found).on(figure) for figure in (norman(), abnorman1())]
    pairs = [[pw.design(own.figure, goals_at(points), own) for own in postures] for points in found.each(sets)]
    both = [pair for pair in pairs if all(result.reached for result in pair)]
    before = [pw.Postures.distance(one.initial, other.initial) for one, other in both]
    after = [pw.Postures.distance(one.pose, other.pose) for one, other in both]
    found.row(
        " and ".join(own.figure.name for own in postures), f"{len(both)} of {len(pairs)}",
        f"{np.degrees(np.mean(before)):.1f}°", f"{np.degrees(np.mean(after)):.1f}°",
        f"{sum(a < b for a, b in zip(before, after, strict=True))} of {len(both)}",
    )  # fmt: skip
    found.require(len(both) == len(pairs), f"both figures meet the goals in {len(both)} of {len(pairs)} sets only")
    found.require(np.mean(before) < np.mean(after), "the two figures differ more when spliced than when refined")
    for figures in ((person(), norman()), (person(), abnorman1()), (norman(), abnorman2())):
        own = [_people(found).on(figure) for figure in figures]
        others = [[pw.design(one.figure, goals_at(points), one) for one in own] for points in sets[:10]]
        apart = [
            np.degrees(np.mean([pw.Postures.distance(*map(pose, pair)) for pair in others]))
            for pose in (lambda result: result.initial, lambda result: result.pose)
        ]
        met = sum(all(result.reached for result in pair) for pair in others)
        found.beside(
            f"{' and '.join(figure.name for figure in figures)}, 10 sets: both reached; spliced, refined",
            f"{met} of 10; {apart[0]:.1f}°, {apart[1]:.1f}°",
        )
    panels = []
    for result, colour in zip((both or pairs)[0], ("coral", "teal"), strict=True):
        for words, pose in (("spliced", result.initial), ("refined", result.pose)):
            panels.append((f"{pose.figure.name}, {words}", SceneBody(pose=pose, colour=colour)))
    found.draw = lambda: _beside_each_other(panels)


@experiment(
    "5-D",
    "Resemblance to the spliced posture",
    accepts="settled, the pull leaves at most 0.8 of the distance for hands and feet, and with the paper's hip goal "
    "at most 0.8 of the squared distance, which is the paper's cost",
)
def resemblance(found: Outcome) -> None:
    """How far the answer is from the splice, with the pull to it and without."""
    found.columns = ("goals", "ends when", "without", "with", "ratio", "of squares", "iterations")
    sets = goal_sets(50, _SHAKEN, seed=found.seed)
    cases = [
        (words, sites, mode, solver)
        for words, sites in (("hands and feet", SITES[1:]), ("hip, hands and feet", SITES))
        for mode, solver in (("goals met", REFINING), ("settled", pw.Prioritized()))
    ]
    for words, sites, mode, solver in found.each(cases):
        goals = [goal for goal in goals_at(sets[0]) if goal.site in sites]
        pulled = pw.workflows.PostureDesigner(pw.Problem(person(), goals), _people(found), solver=solver)
        free = pw.workflows.PostureDesigner(pw.Problem(person(), goals), _people(found), attraction={}, solver=solver)
        targets = [{site: points[SITES.index(site)].tolist() for site in sites} for points in sets]
        results = [(free.solve(points), pulled.solve(points)) for points in targets]
        lengths = np.array([[_weighted_distance(result) for result in pair] for pair in results])
        iterations = np.median([[result.iterations for result in pair] for pair in results], axis=0)
        ratios = lengths[:, 1] / np.maximum(lengths[:, 0], 1e-12)
        ratio = float(np.median(ratios))
        found.row(
            words, mode, *(f"{median:.2f}°" for median in np.degrees(np.median(lengths, axis=0))), f"{ratio:.2f}",
            f"{np.median(ratios**2):.2f}", f"{iterations[0]:g}, {iterations[1]:g}",
        )  # fmt: skip
        if mode == "settled" and sites == SITES[1:]:
            found.require(ratio <= 0.8, f"{words}: with the pull the distance is {ratio:.2f} of that without")
        squares = float(np.median(ratios**2))
        if mode == "settled" and sites == SITES:
            found.require(squares <= 0.8, f"{words}: with the pull the squares are {squares:.2f} of those without")
    hands = [goal for goal in goals_at(sets[0]) if goal.site in SITES[1:3]]
    wanted = [{site: points[SITES.index(site)].tolist() for site in SITES[1:3]} for points in sets]
    lengths = np.empty((2, len(wanted)))
    attractions: tuple[dict[str, float] | None, ...] = ({}, None)  # none, and the default
    for row, attraction in zip(lengths, attractions, strict=True):
        designer = pw.workflows.PostureDesigner(
            pw.Problem(person(), hands), _people(found), attraction=attraction, solver=pw.Prioritized()
        )
        row[:] = [_weighted_distance(designer.solve(points)) for points in wanted]
    ratio = float(np.median(lengths[1] / np.maximum(lengths[0], 1e-12)))
    found.beside("the hands alone, settled: median ratio", f"{ratio:.2f}")
    found.note(
        "distance: root mean square of the joints' turns from the splice, weighted as the pull weighs them",
        "steps of least length already stay near the splice; a hip goal leaves the pull little to choose",
    )
    found.draw = lambda: _with_and_without(goals_at(sets[20])[1:], _people(found))


def _weighted_distance(result: pw.workflows.DesignResult) -> float:
    figure = result.pose.figure
    weights = figure.values_by_name(pull_weights(figure), default=0.0)
    away = result.pose.q - result.initial.q
    return float(np.sqrt((weights * away**2).sum() / weights.sum()))


def _with_and_without(goals: Sequence[pw.Position], people: pw.Postures) -> Picture:
    """The splice, and what was made of it."""
    pulled = pw.design(person(), goals, people, solver=pw.Prioritized())
    free = pw.design(person(), goals, people, attraction={})
    return _beside_each_other(
        [
            ("spliced", SceneBody(pose=pulled.initial, colour="slate")),
            ("refined with the pull, settled", SceneBody(pose=pulled.pose, colour="teal")),
            ("refined without", SceneBody(pose=free.pose, colour="coral")),
        ]
    )


def _beside_each_other(bodies: Sequence[tuple[str, SceneBody]]) -> Picture:
    return side_by_side([(text, Scene(bodies=(body,))) for text, body in bodies], 360, 450)
