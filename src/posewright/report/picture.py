"""Pictures of scenes: the scene is lowered to tables, sorted into tiles, and ray-cast by threads in bands of rows."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import numpy.typing as npt

from posewright.checks import require
from posewright.conventions import Array, IntArray
from posewright.errors import InvalidSetting
from posewright.kernels.raycast.cones import aim
from posewright.kernels.raycast.picture import Nearby, cast
from posewright.kernels.raycast.surfaces import BODY_REACH, GROUND_REACH
from posewright.kernels.raycast.tiles import find_neighbours, sort_segments
from posewright.kernels.tables import GRID, VIEW, Row, Table
from posewright.report.camera import DIRECTIONS, Camera, Direction, Extent
from posewright.report.scene import Scene, linear_rgb, scene_cones

Picture = npt.NDArray[np.uint8]
"""(height, width, 3), red, green, blue"""

LIGHT_TURN, LIGHT_HEIGHT, LIGHT_SPREAD = math.radians(-48.0), math.radians(52.0), 0.085
"""Direction of the key light (left of the camera, above the horizon) and the tangent of its radius."""
HORIZON, ZENITH = "#edf0f4", "#b9c9dc"
"""Colours of the sky."""
TILE = 16
MAX_PIXELS = 100_000_000


def render(
    scene: Scene, width: int = 640, height: int = 480, *, camera: Camera | Direction | None = None, threads: int = 0
) -> Picture:
    """The picture of a scene, with the same bits for any number of threads.

    Args:
        scene: what to show.
        width: pixels.
        height: pixels.
        camera: a camera, or a direction to see everything from; a three-quarter view by default.
        threads: how many work at it; 0 means one per processor.
    """
    require(scene, Scene, "what is rendered", "a Scene, such as Scene.of(pose)")
    if camera is not None:
        require(camera, Camera | Direction, "camera", "a Camera or a Direction, such as Direction.parse('front')")
    if not (width >= 1 and height >= 1 and width * height <= MAX_PIXELS):
        raise InvalidSetting(f"picture size is {width}x{height}; it must be from 1x1 to {MAX_PIXELS:,} pixels")
    extent = Extent.of(scene)
    if not isinstance(camera, Camera):
        camera = extent.camera(camera or DIRECTIONS["three-quarter"], aspect=width / height)
    view = _view(scene, extent, camera, width, height)
    cones = scene_cones(scene)
    cast_band = partial(cast, cones, view, _nearby(cones, view, camera, width, height))
    draft = np.empty((height, width, 3), dtype=np.uint8)
    shown = np.empty((height, width), dtype=np.int64)
    n_threads = threads or os.cpu_count() or 1
    band = max(8, min(32, -(-height // n_threads)))
    bands = [(row, min(row + band, height)) for row in range(0, height, band)]
    with ThreadPoolExecutor(n_threads) as pool:
        for smoothing in (0, 1):  # the second cast looks at neighbours, so the first must be complete
            picture = draft.copy() if smoothing else draft
            done = [pool.submit(cast_band, smoothing, first, last, shown, draft, picture) for first, last in bands]
            for band_done in done:
                band_done.result()
    return picture


def _view(scene: Scene, extent: Extent, camera: Camera, width: int, height: int) -> Row:
    """Camera, light and surroundings as a record VIEW."""
    view = np.zeros(1, VIEW)[0]
    right, up, ahead = camera.axes
    pixel = 2.0 * camera.half_height / height
    _write(view, "ox oy oz", camera.eye)
    _write(view, "fx fy fz", ahead - 0.5 * width * pixel * right + 0.5 * height * pixel * up)
    _write(view, "rx ry rz", pixel * right)
    _write(view, "dx dy dz", -pixel * up)
    back = np.array([-right[2], 0.0, right[0]])  # horizontal, towards the camera: right turned about the vertical
    level = math.cos(LIGHT_TURN) * back + math.sin(LIGHT_TURN) * right
    point_light(view, math.cos(LIGHT_HEIGHT) * level + math.sin(LIGHT_HEIGHT) * np.array([0.0, 1.0, 0.0]))
    reach = math.dist(camera.target, camera.eye) * camera.half_height
    wide = max(reach * width / height, reach)
    view["size"] = min(extent.size, 2.0 * reach)
    view["cx"], view["cz"], view["near"], view["far"] = camera.target[0], camera.target[2], 0.7 * wide, 4.5 * wide
    _write(view, "horizon_r horizon_g horizon_b", linear_rgb(HORIZON))
    _write(view, "zenith_r zenith_g zenith_b", linear_rgb(ZENITH))
    if scene.ground is not None:
        view["has_floor"] = 1
        view["floor"] = extent.floor() if scene.ground.height is None else scene.ground.height
        view["spacing"] = fitting_spacing(view["size"])
        _write(view, "ground_r ground_g ground_b", linear_rgb(scene.ground.colour))
        _write(view, "line_r line_g line_b", linear_rgb(scene.ground.line))
    return view


def point_light(view: Row, light: Array) -> None:
    """Write a light from the direction of a unit vector (3,) into the record VIEW."""
    across = np.cross(light, np.eye(3)[np.argmin(np.abs(light))])
    across /= np.linalg.norm(across)
    _write(view, "lx ly lz", light)
    _write(view, "px py pz", across)
    _write(view, "qx qy qz", np.cross(light, across))
    view["spread"] = LIGHT_SPREAD


def _write(row: Row, names: str, values: Sequence[float] | Array) -> None:
    for name, value in zip(names.split(), values, strict=True):
        row[name] = value


def fitting_spacing(size: float) -> float:
    """Metres between grid lines for a given size: 1, 2.5 or 5 times a power of ten, about a seventh of the size."""
    ideal = size / 7.0
    power = 10.0 ** math.floor(math.log10(ideal))
    return min((power * step for step in (1.0, 2.5, 5.0, 10.0)), key=lambda s: abs(math.log(s / ideal)))


def _nearby(cones: Table, view: Row, camera: Camera, width: int, height: int) -> Nearby:
    """Which cones may matter in which tiles, after thin cones have been widened."""
    starts, ends, thick = _widened(cones, camera, height)
    aim(cones, view)
    light, floor = np.array([view["lx"], view["ly"], view["lz"]]), view["floor"]
    tiles = _grid(0.0, 0.0, TILE, -(-width // TILE), -(-height // TILE))
    shadow_ends, shadow_radii = _on_ground(starts, ends, thick, light, floor)
    contact_ends, contact_radii = np.hstack([starts[:, ::2], ends[:, ::2]]), GROUND_REACH * thick
    casts = (cones["casts"] > 0.0) & (view["has_floor"] == 1)
    shadow_radii[~casts | (np.maximum(starts[:, 1], ends[:, 1]) + thick < floor)] = -1.0
    contact_radii[~casts | (np.minimum(starts[:, 1], ends[:, 1]) - contact_radii > floor)] = -1.0
    cells = _ground_cells(
        np.vstack([shadow_ends, contact_ends]), np.concatenate([shadow_radii, contact_radii]), view["size"]
    )
    shades, near = np.zeros((2, len(cones), len(cones)), np.bool_)
    find_neighbours(cones, BODY_REACH, shades, near)
    return Nearby(
        tiles=tiles,
        tile_cones=sort_segments(tiles, *_on_screen(starts, ends, thick, camera, width, height)),
        cells=cells,
        cell_shadows=sort_segments(cells, shadow_ends, shadow_radii),
        cell_contacts=sort_segments(cells, contact_ends, contact_radii),
        shades=row_lists(shades),
        neighbours=row_lists(near),
    )


def row_lists(flags: npt.NDArray[np.bool_]) -> IntArray:
    """The set columns of each row, as lists in one array (see `kernels.raycast.tiles`)."""
    starts = len(flags) + 1 + np.cumsum([0, *np.count_nonzero(flags, axis=1)])
    return np.concatenate([starts, np.nonzero(flags)[1]]).astype(np.int64)


def _widened(cones: Table, camera: Camera, height: int) -> tuple[Array, Array, Array]:
    """Starts, ends and larger radii; thin cones are widened to about a pixel so that none falls between rays."""
    starts = np.column_stack([cones["ax"], cones["ay"], cones["az"]])
    ends = starts + np.column_stack([cones["ux"], cones["uy"], cones["uz"]])
    for name, places in (("ra", starts), ("rb", ends)):
        away = np.linalg.norm(places - np.array(camera.eye), axis=1)
        cones[name] = np.maximum(cones[name], 0.7 * 2.0 * camera.half_height / height * away)
    return starts, ends, np.maximum(cones["ra"], cones["rb"])


def _on_screen(
    starts: Array, ends: Array, thick: Array, camera: Camera, width: int, height: int
) -> tuple[Array, Array]:
    """Thick segments in pixels that contain each cone."""
    scale = height / (2.0 * camera.half_height)
    segments, radii = [], np.zeros(len(starts))
    for places in (starts, ends):
        x, y, depth = ((places - np.array(camera.eye)) @ camera.axes.T).T
        visible = depth > thick + 1e-6
        safe = np.where(visible, depth, 1.0 + thick)
        segments += [0.5 * width + scale * x / safe, 0.5 * height - scale * y / safe]
        # No point of a ball of radius r at depth z is projected farther from its centre than this.
        radius = scale * thick * np.sqrt(x * x + y * y + safe * safe) / (safe * (safe - thick))
        radii = np.maximum(radii, np.where(visible, radius, np.inf))
    return np.column_stack(segments), radii + 0.5


def _on_ground(starts: Array, ends: Array, thick: Array, light: Array, floor: float) -> tuple[Array, Array]:
    """Thick segments on the ground (x, z in m) that contain the shadow of each cone."""
    segments, radii = [], np.zeros(len(starts))
    for places in (starts, ends):
        distance = np.maximum(places[:, 1] - floor, 0.0) / light[1]
        segments += [places[:, 0] - distance * light[0], places[:, 2] - distance * light[2]]
        far = distance + thick / light[1]
        radii = np.maximum(radii, (thick + 2.0 * LIGHT_SPREAD * far) / light[1])
    return np.column_stack(segments), radii + 1e-3


def _ground_cells(segments: Array, radii: Array, size: float) -> Row:
    """A grid over the ground covered by thick segments."""
    used = radii >= 0.0
    if not used.any():
        return _grid(0.0, 0.0, 1.0, 1, 1)
    corners = segments[used].reshape(-1, 2, 2)
    low = (corners.min(axis=1) - radii[used, None]).min(axis=0)
    high = (corners.max(axis=1) + radii[used, None]).max(axis=0)
    side = max(float((high - low).max()) / 128.0, 0.02 * size)
    columns, rows = np.ceil((high - low) / side + 1e-9)
    return _grid(low[0], low[1], side, columns, rows)


def _grid(x: float, y: float, side: float, columns: float, rows: float) -> Row:
    return np.array([(x, y, 1.0 / side, columns, rows)], GRID)[0]
