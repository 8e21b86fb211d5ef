"""Two line segments: which of their points are nearest to each other (Ericson 2005, section 5.1.9)."""

from __future__ import annotations

from posewright.kernels.compiling.jit import kernel

Point = tuple[float, float, float]


@kernel
def dot(a: Point, b: Point) -> float:
    """The scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def nearest_points(a: Point, u: Point, v: Point) -> tuple[float, float, float]:
    """Of the segments a + s u and t v, with s and t from 0 to 1: s and t of the nearest points, and their distance².

    A segment without length is a point.
    """
    uu, vv, uv, ua, va = dot(u, u), dot(v, v), dot(u, v), dot(u, a), dot(v, a)
    across = uu * vv - uv * uv
    s = 0.0
    if across > 1e-12 * uu * vv:
        s = min(1.0, max(0.0, (uv * va - ua * vv) / across))
    t = (uv * s + va) / vv if vv > 0.0 else 0.0
    if not 0.0 < t < 1.0:
        t = min(1.0, max(0.0, t))
        s = min(1.0, max(0.0, (t * uv - ua) / uu)) if uu > 0.0 else 0.0
    x, y, z = a[0] + s * u[0] - t * v[0], a[1] + s * u[1] - t * v[1], a[2] + s * u[2] - t * v[2]
    return s, t, x * x + y * y + z * z
