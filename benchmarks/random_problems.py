"""Random questions as plain data: trees, limits, polytopes, spaces, goals, sizes from a millimetre to a thousand km.

Nothing here is of Posewright; `violations` asks it these questions, and `oracle` checks the answers from the same data.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
ANGLES = ("orientation", "direction", "aim")
"""Kinds of goals whose errors are angles."""
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass
class RandomDof:
    """One number of a pose."""

    name: str
    kind: str
    """slide, hinge or ball (one of its three)"""
    axis: tuple[float, ...]
    lower: float
    upper: float
    rest: float
    rigidity: float


@dataclass
class RandomJoint:
    """A joint, with its dofs in the order of a pose."""

    name: str
    parent: int
    offset: Array
    rest: Array
    """wxyz"""
    mass: float
    centre: Array
    dofs: list[RandomDof] = field(default_factory=list)
    replaces_offset: bool = False


@dataclass
class RandomSite:
    """A point and two directions on a joint."""

    name: str
    joint: int
    point: Array
    x: Array
    y: Array


@dataclass
class RandomRow:
    """lower <= Σ factor · dof <= upper"""

    name: str
    factors: dict[str, float]
    lower: float
    upper: float


@dataclass
class RandomGoal:
    """A kind of goal and its numbers; `target` (3,) is replaced in every solve where the kind is a position."""

    kind: str
    label: str
    site: str
    partner: str
    target: Array
    x: Array
    y: Array
    distance: float
    tolerance: float | None
    weight: float
    priority: int


@dataclass
class RandomProblem:
    """A figure, a space of its poses, rows and goals."""

    size: float
    """What its lengths are multiples of (m)."""
    joints: list[RandomJoint]
    sites: list[RandomSite]
    rows: list[RandomRow]
    goals: list[RandomGoal]
    space: str
    """dofs, chart, chain, group or affine"""
    matrix: Array
    """(dofs, coordinates) of an affine space or with a group; else empty"""
    base: Array
    """(dofs,): what the space counts from"""
    free_joints: list[int]
    """Of a chain."""
    chart: dict[int, Array]
    """Reference rotations (wxyz) by joint."""
    frozen: list[str]

    @property
    def dofs(self) -> list[RandomDof]:
        """All, in the order of a pose."""
        return [dof for joint in self.joints for dof in joint.dofs]

    def units(self) -> Array:
        """(dofs,): 1, or of slides the size."""
        return np.array([self.size if dof.kind == "slide" else 1.0 for dof in self.dofs])


def random_problem(rng: np.random.Generator) -> RandomProblem:
    """Anything that can be asked; the rest pose keeps all limits and rows."""
    size = float(10.0 ** rng.uniform(-3.0, 6.0)) if rng.random() < 0.8 else 1.0
    joints = _joints(rng, size, int(rng.integers(2, 12)))
    sites = [
        RandomSite(f"site{k}", k, size * rng.normal(scale=0.3, size=3), *_frame(rng).T[:2]) for k in range(len(joints))
    ]
    problem = RandomProblem(size, joints, sites, [], [], "dofs", np.zeros((0, 0)), np.zeros(0), [], {}, [])
    _choose_space(problem, rng)
    if rng.random() < 0.6:
        problem.rows = _rows(problem, rng)
    problem.goals = _goals(problem, rng)
    if rng.random() < 0.2 and problem.space in ("dofs", "chart"):
        names = [dof.name for dof in problem.dofs]
        problem.frozen = [str(name) for name in rng.choice(names, size=min(2, len(names)), replace=False)]
    return problem


def resized(problem: RandomProblem, factor: float) -> RandomProblem:
    """The same question about a figure of another size: all that is in metres is multiplied."""
    found = deepcopy(problem)
    found.size *= factor
    slides = {dof.name for dof in found.dofs if dof.kind == "slide"}
    for joint in found.joints:
        joint.offset, joint.centre = factor * joint.offset, factor * joint.centre
        for dof in joint.dofs:
            if dof.kind == "slide":
                dof.lower, dof.upper, dof.rest = factor * dof.lower, factor * dof.upper, factor * dof.rest
    for site in found.sites:
        site.point = factor * site.point
    for row in found.rows:
        row.factors = {name: part / (factor if name in slides else 1.0) for name, part in row.factors.items()}
    for goal in found.goals:
        goal.target, goal.distance = factor * goal.target, factor * goal.distance
        if goal.tolerance is not None and goal.kind not in ANGLES:
            goal.tolerance *= factor
    unit = np.where([dof.kind == "slide" for dof in found.dofs], factor, 1.0)
    if found.space == "affine":
        found.matrix = found.matrix * unit[:, None]
    found.base = found.base * unit
    return found


def random_poses(problem: RandomProblem, rng: np.random.Generator, n: int, *, beyond: float) -> Array:
    """(n, dofs) within limits, or up to `beyond` units outside of them."""
    unit = problem.units()
    lower = np.array([dof.lower for dof in problem.dofs])
    upper = np.array([dof.upper for dof in problem.dofs])
    low, high = np.maximum(lower, -2.0 * unit), np.minimum(upper, 2.0 * unit)
    return rng.uniform(np.minimum(low, high) - beyond * unit, high + beyond * unit, (n, len(unit)))


def _joints(rng: np.random.Generator, size: float, n: int) -> list[RandomJoint]:
    joints = []
    for k in range(n):
        parent = -1 if k == 0 else int(rng.integers(max(0, k - 3), k))
        joint = RandomJoint(
            name=f"j{k}",
            parent=parent,
            offset=size * rng.normal(scale=0.3, size=3),
            rest=_quaternion(rng) if rng.random() < 0.5 else np.array([1.0, 0.0, 0.0, 0.0]),
            mass=float(rng.uniform(0.1, 5.0)),
            centre=size * rng.normal(scale=0.2, size=3),
        )
        n_slides = 3 if k == 0 and rng.random() < 0.6 else int(rng.integers(1, 3)) if rng.random() < 0.25 else 0
        for i in range(n_slides):
            axis = AXES[i] if n_slides == 3 or rng.random() < 0.5 else tuple(_unit(rng).tolist())
            joint.dofs.append(_dof(rng, f"j{k}.s{i}", "slide", axis, 0.4 if k == 0 else 1.0, size))
        joint.replaces_offset = n_slides == 3 and rng.random() < 0.3
        if rng.random() < 0.25:
            limits = rng.random() < 0.3
            for i in range(3):
                dof = _dof(rng, f"j{k}.{['wx', 'wy', 'wz'][i]}", "ball", AXES[i], 1.0 if limits else 0.0, 1.0)
                dof.lower, dof.upper = max(dof.lower, -1.8), min(dof.upper, 1.8)
                if not limits:
                    dof.lower, dof.upper = -np.inf, np.inf
                joint.dofs.append(dof)
        else:
            for i in range(int(rng.integers(0 if n_slides else 1, 4))):
                axis = AXES[int(rng.integers(3))] if rng.random() < 0.6 else tuple(_unit(rng).tolist())
                joint.dofs.append(_dof(rng, f"j{k}.r{i}", "hinge", axis, 0.8, 1.0))
        joints.append(joint)
    return joints


def _dof(
    rng: np.random.Generator, name: str, kind: str, axis: tuple[float, ...], limited: float, size: float
) -> RandomDof:
    lower, upper = -np.inf, np.inf
    rest = size * float(rng.uniform(-0.3, 0.3))
    if rng.random() < limited:
        width = float(rng.choice([0.0, 1e-6, 0.1, 1.0, 2.0], p=[0.05, 0.05, 0.2, 0.4, 0.3]))
        share = float(rng.uniform())
        lower, upper = rest - share * width * size, rest + (1.0 - share) * width * size
        lower, upper = (lower, upper) if rng.random() < 0.85 else ((lower, np.inf) if share < 0.5 else (-np.inf, upper))
        if rng.random() < 0.2 and upper > 0.0 > lower:
            upper = max(0.0, rest)
    rigidity = float(rng.choice([0.0, 0.3, 0.9, 1.0], p=[0.85, 0.05, 0.05, 0.05]))
    return RandomDof(name, kind, axis, lower, upper, rest, rigidity)


def _choose_space(problem: RandomProblem, rng: np.random.Generator) -> None:
    dofs = problem.dofs
    n, unit = len(dofs), problem.units()
    rest = np.array([dof.rest for dof in dofs])
    problem.base = np.zeros(n)
    problem.space = str(
        rng.choice(["dofs", "chart", "chain", "group", "affine", "offset"], p=[0.5, 0.1, 0.1, 0.1, 0.15, 0.05])
    )
    if problem.space == "chart":
        free = [k for k, j in enumerate(problem.joints) if any(d.kind == "ball" for d in j.dofs)]
        free = [
            k
            for k in free
            if all(np.isinf([d.lower, d.upper]).all() for d in problem.joints[k].dofs if d.kind == "ball")
        ]
        problem.chart = {k: _quaternion(rng) for k in free}
    elif problem.space == "chain":
        some = rng.choice(len(problem.joints), size=int(rng.integers(1, len(problem.joints) + 1)), replace=False)
        problem.free_joints = sorted(int(k) for k in some)
        if not any(problem.joints[k].dofs for k in problem.free_joints):
            problem.free_joints = list(range(len(problem.joints)))
    elif problem.space == "group":
        turns = [d for d, dof in enumerate(dofs) if dof.kind == "hinge"]
        members = [int(d) for d in rng.permutation(turns)[: int(rng.integers(2, 6))]]
        if len(members) < 2:
            problem.space = "dofs"
            return
        others = [d for d in range(n) if d not in members]
        matrix = np.zeros((n, len(others) + 1))
        matrix[others, np.arange(len(others))] = 1.0
        matrix[members, -1] = rng.uniform(0.2, 1.0, len(members)) * rng.choice([-1.0, 1.0], len(members))
        problem.matrix, problem.base = matrix, np.zeros(n)
        problem.base[members] = rest[members]
    elif problem.space == "affine":
        problem.matrix = rng.normal(scale=0.4, size=(n, int(rng.integers(1, n + 1)))) * unit[:, None]
        problem.base = rest.copy()
    elif problem.space == "offset":
        problem.matrix, problem.base = np.eye(n), unit * rng.normal(scale=0.5, size=n)


def _rows(problem: RandomProblem, rng: np.random.Generator) -> list[RandomRow]:
    """Polygons, couplings and any inequalities, some of them thin, some all but the same; the rest pose keeps them."""
    charted = {dof.name for k in problem.chart for dof in problem.joints[k].dofs if dof.kind == "ball"}
    dofs = [dof for dof in problem.dofs if dof.name not in charted]
    unit = {dof.name: problem.size if dof.kind == "slide" else 1.0 for dof in dofs}
    rest = {dof.name: dof.rest for dof in dofs}
    rows: list[RandomRow] = []
    if len(dofs) < 2:
        return rows
    for k in range(int(rng.integers(1, 5))):
        kind = str(rng.choice(["sum", "polygon", "coupling", "twin"], p=[0.45, 0.25, 0.2, 0.1]))
        scale = float(10.0 ** rng.uniform(-3.0, 3.0)) if rng.random() < 0.2 else 1.0
        chosen = [
            dofs[int(i)] for i in rng.choice(len(dofs), size=min(len(dofs), int(rng.integers(2, 5))), replace=False)
        ]
        width = float(rng.choice([1e-7, 0.05, 0.5, 2.0], p=[0.1, 0.3, 0.4, 0.2]))
        if kind == "polygon":
            a, b = chosen[0].name, chosen[1].name
            corners = int(rng.integers(3, 7))
            angles = (
                np.sort(rng.uniform(0.0, 2.0 * np.pi, corners))
                if rng.random() < 0.5
                else np.arange(corners) * 2.0 * np.pi / corners
            )
            for i, angle in enumerate(angles.tolist()):
                parts = {a: float(np.cos(angle)) / unit[a], b: float(np.sin(angle)) / unit[b]}
                factors = {name: factor for name, factor in parts.items() if factor != 0.0}
                here = sum(f * rest[name] for name, f in factors.items())
                rows.append(RandomRow(f"polygon{k}.{i}", factors, -np.inf, here + width * float(rng.uniform(0.1, 1.0))))
            continue
        factors = {dof.name: scale * float(rng.normal()) / unit[dof.name] for dof in chosen}
        here = sum(f * rest[name] for name, f in factors.items())
        if kind == "coupling":
            rows.append(RandomRow(f"coupling{k}", factors, here, here))
        elif kind == "twin" and rows:
            old = rows[int(rng.integers(len(rows)))]
            factors = {name: f * (1.0 + 1e-7 * float(rng.normal())) for name, f in old.factors.items()}
            here = sum(f * rest[name] for name, f in factors.items())
            rows.append(RandomRow(f"twin{k}", factors, -np.inf, here + scale * width))
        else:
            below = here - scale * width * float(rng.uniform()) if rng.random() < 0.5 else -np.inf
            rows.append(RandomRow(f"sum{k}", factors, below, here + scale * width * float(rng.uniform())))
    return rows


def _goals(problem: RandomProblem, rng: np.random.Generator) -> list[RandomGoal]:
    kinds = ["position", "orientation", "direction", "placement", "aim", "line", "plane", "half_space", "distance"]
    kinds += ["mass", "balance", "any_of", "together", "posture"]
    shares = np.array([6.0, 1.5, 1.0, 1.5, 1.5, 0.5, 0.5, 0.5, 0.5, 0.7, 0.7, 0.7, 0.7, 0.7])
    n_goals = int(rng.integers(1, 4))
    n_levels = int(rng.choice([1, 2, 3], p=[0.6, 0.3, 0.1]))
    goals = []
    for k, kind in enumerate(rng.choice(kinds, size=n_goals, p=shares / shares.sum())):
        site, partner = rng.choice(len(problem.sites), size=2, replace=False)
        frame = _frame(rng)
        tolerance = None if rng.random() < 0.5 else float(10.0 ** rng.uniform(-5.0, -1.0))
        if tolerance is not None and kind not in ANGLES:
            tolerance *= problem.size
        if kind in ("placement", "posture"):  # it has metres and radians, or none
            tolerance = None
        goals.append(
            RandomGoal(
                kind=str(kind),
                label=f"goal{k}",
                site=problem.sites[int(site)].name,
                partner=problem.sites[int(partner)].name,
                target=problem.size * rng.normal(scale=0.8, size=3),
                x=frame[:, 0],
                y=frame[:, 1],
                distance=problem.size * float(rng.uniform(0.05, 1.0)),
                tolerance=tolerance,
                weight=float(10.0 ** rng.uniform(-2.0, 2.0)) if rng.random() < 0.4 else 1.0,
                priority=int(rng.integers(1, n_levels + 1)),
            )
        )
    return goals


def _unit(rng: np.random.Generator) -> Array:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def _quaternion(rng: np.random.Generator) -> Array:
    v = rng.normal(size=4)
    return v / np.linalg.norm(v)


def _frame(rng: np.random.Generator) -> Array:
    return np.linalg.qr(rng.normal(size=(3, 3)))[0]
