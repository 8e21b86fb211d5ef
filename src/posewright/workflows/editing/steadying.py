"""Displacements of a body steadied: the places of its joints change smoothly, not only its angles.

The angles of a recording are noisy, in ways that cancel along a limb. Once the limb is bent otherwise they no longer
do, and a hand that was still trembles. So joints are moved by a little in every frame: of all displacements, the one
whose change of places has the least squared jerk, beside how far it departs from the given one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.figures.kinematics import site_frames, site_jacobians
from posewright.motions.motion import Motion
from posewright.workflows.editing.banded import Banded
from posewright.workflows.editing.body import Body

CALM = 1.1
"""An edit that jerks more than so many times as much as it need is steadied."""
_ORDER, _THIRD = 3, (-1.0, 3.0, -3.0, 1.0)
"""Jerk is by third differences."""
NOISE, SHAKING = 8.0, 1.5
"""Hz: what is slower is left as it is, where noise is in the way, and where the change itself jerks."""
_KEPT = 1e6
"""What is held weighs beside steadiness."""
_FEET = 2.5
"""What the place of a foot (m) weighs then."""
_STEPS, _SHORTEST, _STALLED = 6, 0.1, 1e-3
"""How many steps, how much of one is tried at least, and what share of the cost one must save to go on."""
_LAST_STEPS = 3
"""Back to what is held, which"""
_ON_THE_WAY = 10.0
"""weighs so little before."""

Held = Callable[[Array], tuple[IntArray, Array, Array]]
"""At displacements (frames, dofs): frames, in which residuals (frames, rows) are to vanish, these, and derivatives."""


def steadied(body: Body, d: Array, held: Held, slow: float) -> Array:
    """Displacements near those given, by damped Gauss-Newton steps.

    Args:
        body: what is displaced.
        d: (frames, dofs that move).
        held: what is met first.
        slow: Hz: changes that are slower are left as they are.
    """
    names = [body.figure.joint_names[k] for k in body.figure.anatomy.captured if body.carried[k]]
    if not names:
        return d
    search = _Steadying(body, d, held, names, slow)
    out, cost = d, search.cost(d)
    for _ in range(_STEPS):
        step, share = search.step(out), 1.0
        tried = body.within_limits(out + step)
        while share > _SHORTEST and search.cost(tried) > cost:
            share *= 0.5
            tried = body.within_limits(out + share * step)
        now = search.cost(tried)
        if now > cost * (1.0 - _STALLED):
            break
        out, cost = tried, now
    for _ in range(_LAST_STEPS):
        out = body.within_limits(out + search.step(out, only_held=True))
    return out


def steady_legs(source: Motion, made: Motion, legs: Collection[int], sites: Sequence[str], slow: float) -> Motion:
    """An edited motion whose legs move steadily, with the feet where they are but for a fraction of a millimetre.

    A leg that is nearly straight bends by much for little: exactly as its foot stands, its knee would pop.

    Args:
        source: what was edited.
        made: what became of it.
        legs: joints that may change.
        sites: of the feet.
        slow: Hz: changes that are slower are left as they are.
    """
    changed = np.asarray((made.q != source.q).any(axis=1))
    body = Body(source, np.flatnonzero(changed))
    dofs = body.figure.tables.dofs["joint"]
    moved = np.isin(dofs, np.unique(source.figure.tables.dofs["joint"][(made.q != source.q).any(axis=0)]))
    body.let_move(moved)
    of_legs = np.isin(dofs[body.moving], list(legs))
    still = np.flatnonzero(~of_legs)
    every, given = np.arange(len(body.frames)), body.displacements(made)
    feet = site_frames(body.figure, body.displaced(given), sites).points.reshape(len(given), -1)

    def held(d: Array) -> tuple[IntArray, Array, Array]:
        q = body.displaced(d)
        J = body.by_displacement(site_jacobians(body.figure, q, sites)[:, :, :3].reshape(len(q), -1, q.shape[1]), q, d)
        rows = np.zeros((len(q), len(still), d.shape[1]))
        rows[:, np.arange(len(still)), still] = 1.0
        off = site_frames(body.figure, q, sites).points.reshape(len(q), -1) - feet
        rho = np.concatenate([_FEET * off, (d - given)[:, still]], axis=1)
        return every, rho, np.concatenate([_FEET * J, rows], axis=1)

    return body.made(steadied(body, given, held, slow), np.ones(len(every), np.bool_))


class _Steadying:
    """What steadied displacements cost: squared jerk by which places change, and how far they are from the given."""

    def __init__(self, body: Body, given: Array, held: Held, joints: Sequence[str], slow: float) -> None:
        self._body, self._given, self._held, self._joints = body, given, held, joints
        self._own = site_frames(body.figure, body.own, joints).points.reshape(len(given), -1)
        self._runs = np.split(np.arange(len(given)), np.flatnonzero(np.diff(body.frames) > 1) + 1)
        last = len(body.motion) - 1
        self._jerks = [
            _Jerk(len(run), before=int(body.frames[run[0]]) > 0, after=int(body.frames[run[-1]]) < last)
            for run in self._runs
        ]
        J = self._places(given)[1]
        waves = (2.0 * np.sin(np.pi * min(slow / body.motion.fps, 0.5))) ** (2 * _ORDER)
        self._near: float = waves * float(np.einsum("frd,frd->d", J, J).max() / len(given))

    def _places(self, d: Array) -> tuple[Array, Array]:
        """How far joints are displaced (frames, rows), and derivatives (frames, rows, dofs)."""
        q = self._body.displaced(d)
        J = site_jacobians(self._body.figure, q, self._joints)[:, :, :3].reshape(*self._own.shape, q.shape[1])
        return self._away(d), self._body.by_displacement(J, q, d)

    def _away(self, d: Array) -> Array:
        places = site_frames(self._body.figure, self._body.displaced(d), self._joints).points
        return places.reshape(self._own.shape) - self._own

    def cost(self, d: Array) -> float:
        """Of displacements (frames, dofs)."""
        away, (_, rho, _) = self._away(d), self._held(d)
        total = self._near * float(((d - self._given) ** 2).sum()) + _ON_THE_WAY * float((rho**2).sum())
        for jerk, run in zip(self._jerks, self._runs, strict=True):
            total += jerk.value(away[run])
        return total

    def step(self, d: Array, *, only_held: bool = False) -> Array:
        """To where the cost would be least if it were as it looks from displacements; or smoothly to what is held."""
        (away, J), (frames, rho, of_held), n = self._places(d), self._held(d), d.shape[1]
        kept, slope = np.zeros((*d.shape, n)), self._near * (d - self._given) * (not only_held)
        kept[frames] = _KEPT * np.swapaxes(of_held, 1, 2) @ of_held
        slope[frames] += _KEPT * (rho[:, None] @ of_held)[:, 0]
        diagonal, out = np.arange(n), np.zeros_like(d)
        for jerk, run in zip(self._jerks, self._runs, strict=True):
            width = min(_ORDER, len(run) - 1)
            matrix = Banded(len(run), n, width)
            for k in range(width + 1):
                later, earlier = J[run[k:]], J[run[: len(run) - k]]
                blocks = jerk.curvature(k)[:, None, None] * (np.swapaxes(later, 1, 2) @ earlier)
                if k == 0:
                    blocks += kept[run]
                    blocks[:, diagonal, diagonal] += self._near
                matrix.set(k, blocks)
            if not only_held:
                slope[run] += (jerk.slope(away[run])[:, None] @ J[run])[:, 0]
            out[run] = matrix.solved(-slope[run])
        return out


class _Jerk:
    """The sum of squared third differences of values over neighbouring frames, beside which nothing is displaced."""

    def __init__(self, n: int, *, before: bool, after: bool) -> None:
        """Of `n` frames, with others `before` and `after` them or not."""
        self._n, self._low, self._high = n, _ORDER * before, _ORDER * after

    def value(self, values: Array) -> float:
        """Of values (frames, n)."""
        whole = np.pad(values, ((self._low, self._high), (0, 0)))
        return float((np.diff(whole, n=_ORDER, axis=0) ** 2).sum())

    def slope(self, values: Array) -> Array:
        """Half its slope at values (frames, n)."""
        whole = np.pad(values, ((self._low, self._high), (0, 0)))
        if len(whole) <= _ORDER:
            return np.zeros_like(values)
        rates = np.pad(np.diff(whole, n=_ORDER, axis=0), ((_ORDER, _ORDER), (0, 0)))
        return -np.diff(rates, n=_ORDER, axis=0)[self._low : self._low + self._n]

    def curvature(self, k: int) -> Array:
        """(frames - k,): half its second derivatives by values of frames that are k apart."""
        first = self._low + np.arange(self._n - k)
        found = np.zeros(len(first))
        for i in range(len(_THIRD) - k):
            row = first - len(_THIRD) + 1 + k + i
            found += _THIRD[i] * _THIRD[i + k] * ((row >= 0) & (row < self._low + self._n + self._high - _ORDER))
        return found
