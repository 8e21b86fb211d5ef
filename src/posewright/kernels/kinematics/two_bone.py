"""Two bones in closed form: a leg or an arm whose end is at a wanted point, in every frame at once.

Symbols: a from the upper joint to the middle one, in the upper frame; P the middle joint's rest rotation, n its
hinge axis and θ its angle, b from the middle joint to the end, in the middle frame. The end is at
`v(θ) = a + P R_n(θ) b` in the upper frame, so `|v|² = |a|² + |b|² + 2 (k + A cos θ + B sin θ)` with c = Pᵀa,
k = (c·n)(b·n), A = c·b - k, B = c·(n×b): one cosine gives θ. The upper frame is then turned so that v lies along
the line to the target and the middle joint towards the pole. The turn about that line is taken from the hinge's
axis and not from the middle joint's place, so a straight limb is no special case.
"""

from __future__ import annotations

import math

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.tables import Array


@kernel
def _cross(a: Array, b: Array, out: Array) -> None:
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def _normalise(v: Array) -> float:
    length = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if length > 1e-12:
        for i in range(3):
            v[i] /= length
    return length


@kernel
def _remove_along(v: Array, unit: Array) -> None:
    along = v[0] * unit[0] + v[1] * unit[1] + v[2] * unit[2]
    for i in range(3):
        v[i] -= along * unit[i]


@kernel
def two_bone_all(
    a: Array,
    rest: Array,
    axis: Array,
    b: Array,
    limits: Array,
    branch: float,
    pole_sign: float,
    roots: Array,
    targets: Array,
    poles: Array,
    rotations: Array,
    angles: Array,
    misses: Array,
) -> None:
    """World rotation of the upper segment and angle of the middle hinge, for every frame.

    Args:
        a: (3,) m, to the middle joint, in the upper frame.
        rest: (3, 3) P, from the middle joint's frame at angle zero to the upper frame.
        axis: (3,) n, unit.
        b: (3,) m, to the end, in the middle frame.
        limits: (2,) rad, of the hinge.
        branch: +1 or -1, which of the two angles of one distance.
        pole_sign: +1 or -1, whether axis x line points towards the middle joint or away from it.
        roots: (frames, 3) m, where the upper joint is.
        targets: (frames, 3) m, where the end should be.
        poles: (frames, 3) the direction in which the middle joint should lie; need not be unit.
        rotations: (frames, 3, 3) out: world_from_upper.
        angles: (frames,) out, rad, within the limits.
        misses: (frames,) out, m, how far the end stays from its target.
    """
    c, nb, v, m, t, s = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    third_local, third_world = np.empty(3), np.empty(3)
    for i in range(3):
        c[i] = rest[0, i] * a[0] + rest[1, i] * a[1] + rest[2, i] * a[2]
    _cross(axis, b, nb)
    n_b = axis[0] * b[0] + axis[1] * b[1] + axis[2] * b[2]
    k = (c[0] * axis[0] + c[1] * axis[1] + c[2] * axis[2]) * n_b
    A = c[0] * b[0] + c[1] * b[1] + c[2] * b[2] - k
    B = c[0] * nb[0] + c[1] * nb[1] + c[2] * nb[2]
    r = math.hypot(A, B)
    straight = math.atan2(B, A)
    squares = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + 2.0 * k
    for frame in range(targets.shape[0]):
        for i in range(3):
            t[i] = targets[frame, i] - roots[frame, i]
        distance = _normalise(t)
        cosine = min(1.0, max(-1.0, (distance * distance - squares) / (2.0 * r)))
        angle = straight + branch * math.acos(cosine)
        angle = min(limits[1], max(limits[0], angle))
        angles[frame] = angle
        co, si = math.cos(angle), math.sin(angle)
        # R_n(θ) b by Rodrigues, then P and a.
        x = co * b[0] + si * nb[0] + (1.0 - co) * n_b * axis[0]
        y = co * b[1] + si * nb[1] + (1.0 - co) * n_b * axis[1]
        z = co * b[2] + si * nb[2] + (1.0 - co) * n_b * axis[2]
        for i in range(3):
            v[i] = a[i] + rest[i, 0] * x + rest[i, 1] * y + rest[i, 2] * z
            m[i] = rest[i, 0] * axis[0] + rest[i, 1] * axis[1] + rest[i, 2] * axis[2]
        misses[frame] = abs(_normalise(v) - distance)
        _remove_along(m, v)
        _normalise(m)
        _cross(v, m, third_local)
        _cross(t, poles[frame], s)
        if _normalise(s) < 1e-9:  # the pole lies on the line: any turn about it is as good
            s[0], s[1], s[2] = t[1], t[2], t[0]
            _remove_along(s, t)
            _normalise(s)
        for i in range(3):
            s[i] *= pole_sign
        _cross(t, s, third_world)
        for i in range(3):
            for j in range(3):
                rotations[frame, i, j] = t[i] * v[j] + s[i] * m[j] + third_world[i] * third_local[j]
