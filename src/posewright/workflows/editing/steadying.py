"""Steadied displacements of a body: positions of its joints change smoothly, not only its angles.

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
from posewright.workflows.editing.steps import Step, untold

CALM = 1.1
"""An edit is steadied if its jerk is more than so many times the necessary one."""
_ORDER, _THIRD = 3, (-1.0, 3.0, -3.0, 1.0)
"""Jerk is by third differences."""
NOISE, SHAKING = 8.0, 1.5
"""Hz: lower frequencies are not changed; for noise, and for a change that itself jerks."""
_KEPT = 1e6
"""What is held weighs beside steadiness."""
_FEET = 2.5
"""What the place of a foot (m) weighs then."""
_STEPS, _STALLED = 10, 1e-2
"""Largest number of steps, and the share of the cost that a step must save for another one."""
_HARDER, _HARDEST = 10.0, 1e3
"""Damping after a failed step, and the largest."""
_LAST_STEPS = 3
"""Back to what is held, which"""
_ON_THE_WAY = 10.0
"""weighs so little before."""
_EXACT = 1e-9
"""Of what is held: it is met."""

Held = Callable[[Array], tuple[IntArray, Array, Array]]
"""At displacements (frames, dofs): frames, in which residuals (frames, rows) are to vanish, these, and derivatives."""


def steadied(
    body: Body, d: Array, held: Held, slow: float, source: Motion | None = None, *, step: Step = untold
) -> Array:
    """Displacements near those given, by damped Gauss-Newton steps.

    Args:
        body: what is displaced.
        d: (frames, dofs that move).
        held: what is met first.
        slow: Hz: changes that are slower are left as they are.
        source: the motion beside which places change smoothly (default: the body's own).
        step: called at each of them.
    """
    names = [body.figure.joint_names[k] for k in body.figure.anatomy.captured if body.carried[k]]
    if not names:
        return d
    search = _Steadying(body, d, held, names, slow, body.motion if source is None else source)
    out, cost, damping = d, search.cost(d), 1.0
    for _ in range(_STEPS):
        step()
        tried = body.within_limits(out + search.step(out, damping))
        now = search.cost(tried)
        saved = cost - now
        if saved > 0.0:
            out, cost, damping = tried, now, max(1.0, damping / _HARDER)
        else:
            damping *= _HARDER
        if 0.0 <= saved <= _STALLED * cost or damping > _HARDEST:
            break
    for _ in range(_LAST_STEPS):
        if search.is_held(out):
            break
        out = body.within_limits(out + search.step(out))
    return out


def steady_leg(source: Motion, made: Motion, leg: Collection[int], sites: Sequence[str], slow: float) -> Motion:
    """An edited motion whose leg moves steadily, with the foot where it is but for a fraction of a millimetre.

    A leg that is nearly straight bends by much for little: exactly as its foot stands, its knee would pop.

    Args:
        source: what was edited.
        made: what became of it.
        leg: joints that may change.
        sites: of the foot.
        slow: Hz: changes that are slower are left as they are.
    """
    body = Body(made, np.flatnonzero((made.q != source.q).any(axis=1)))
    body.let_move(np.isin(body.figure.tables.dofs["joint"], list(leg)))
    every = np.arange(len(body.frames))
    feet = site_frames(body.figure, body.own, sites).points.reshape(len(every), -1)

    def held(d: Array) -> tuple[IntArray, Array, Array]:
        q = body.displaced(d)
        J = site_jacobians(body.figure, q, sites)[:, :, :3].reshape(len(q), -1, q.shape[1])
        off = site_frames(body.figure, q, sites).points.reshape(len(q), -1) - feet
        return every, _FEET * off, _FEET * body.by_displacement(J, q, d)

    given = np.zeros((len(every), len(body.moving)))
    return body.made(steadied(body, given, held, slow, source), np.ones(len(every), np.bool_))


class _Steadying:
    """What steadied displacements cost: squared jerk by which places change, and how far they are from the given."""

    def __init__(
        self, body: Body, given: Array, held: Held, joints: Sequence[str], slow: float, source: Motion
    ) -> None:
        self._body, self._given, self._held, self._joints = body, given, held, joints
        self._own = site_frames(source.figure, source.q[body.frames], joints).points.reshape(len(given), -1)
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
        return self._away(q), self._body.by_displacement(J, q, d)

    def _away(self, q: Array) -> Array:
        return site_frames(self._body.figure, q, self._joints).points.reshape(self._own.shape) - self._own

    def is_held(self, d: Array) -> bool:
        """Whether all that is held is met at displacements (frames, dofs)."""
        return float(np.abs(self._held(d)[1]).max(initial=0.0)) <= _EXACT

    def cost(self, d: Array) -> float:
        """Of displacements (frames, dofs)."""
        away, (_, rho, _) = self._away(self._body.displaced(d)), self._held(d)
        total = self._near * float(((d - self._given) ** 2).sum()) + _ON_THE_WAY * float((rho**2).sum())
        for jerk, run in zip(self._jerks, self._runs, strict=True):
            total += jerk.value(away[run])
        return total

    def step(self, d: Array, damping: float | None = None) -> Array:
        """To where the cost would be least if it were as it looks from displacements; or smoothly to what is held.

        Args:
            d: (frames, dofs).
            damping: from 1; None: only to what is held.
        """
        (away, J), (frames, rho, of_held), n = self._places(d), self._held(d), d.shape[1]
        kept, slope = np.zeros((*d.shape, n)), self._near * (d - self._given) * (damping is not None)
        kept[frames] = _KEPT * np.swapaxes(of_held, 1, 2) @ of_held
        slope[frames] += _KEPT * (rho[:, None] @ of_held)[:, 0]
        if damping is not None:
            for jerk, run in zip(self._jerks, self._runs, strict=True):
                slope[run] += (jerk.slope(away[run])[:, None] @ J[run])[:, 0]
        free = ~self._body.stuck(d, slope)
        diagonal, out = np.arange(n), np.zeros_like(d)
        J, slope, kept = J * free[:, None], slope * free, kept * (free[:, None] & free[:, :, None])
        for jerk, run in zip(self._jerks, self._runs, strict=True):
            width = min(_ORDER, len(run) - 1)
            matrix = Banded(len(run), n, width)
            for k in range(width + 1):
                later, earlier = J[run[k:]], J[run[: len(run) - k]]
                blocks = jerk.curvature(k)[:, None, None] * (np.swapaxes(later, 1, 2) @ earlier)
                if k == 0:
                    blocks += kept[run]
                    blocks[:, diagonal, diagonal] += self._near * (damping or 1.0)
                matrix.set(k, blocks)
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
