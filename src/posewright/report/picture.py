"""Pictures of scenes: everything is lowered to tables, sorted into tiles, and cast by threads row band by row band."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from numbers import Integral
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from posewright.checks import require
from posewright.conventions import Array, IntArray
from posewright.errors import InvalidSetting
from posewright.figures.kinematics import joint_frames
from posewright.kernels.raycast.cones import aim
from posewright.kernels.raycast.lighting import BODY_REACH, GROUND_REACH
from posewright.kernels.raycast.picture import cast
from posewright.kernels.raycast.tiles import sort_neighbours, sort_segments
from posewright.kernels.tables import GRID, VIEW, Row, Table
from posewright.report.camera import DIRECTIONS, Camera, Direction, aim_view, frame_balls
from posewright.report.colours import linear_rgb
from posewright.report.scene import Scene, rgb_fields, scene_cones

Picture = npt.NDArray[np.uint8]
"""(height, width, 3), red, green, blue"""

LIGHT_TURN, LIGHT_HEIGHT, LIGHT_SPREAD = math.radians(-48.0), math.radians(52.0), 0.085
"""The key light: left of the camera, above the horizon, and the tangent of its radius."""
TILE = 16
MAX_PIXELS = 100_000_000


@dataclass(frozen=True, kw_only=True)
class Extent:
    """What a scene takes up, of one moment or of a whole motion."""

    centres: Array
    """(balls, 3), m; balls that hold everything"""
    radii: Array
    """(balls,), m"""
    front: Array
    """(3,), where the figures face"""

    @classmethod
    def of(cls, *scenes: Scene) -> Extent:
        """What several moments take up together."""
        cones = np.concatenate([scene_cones(scene) for scene in scenes])
        starts = np.column_stack([cones["ax"], cones["ay"], cones["az"]])
        ends = starts + np.column_stack([cones["ux"], cones["uy"], cones["uz"]])
        if not len(cones):
            starts, ends, cones = np.zeros((1, 3)), np.zeros((1, 3)), np.ones(1, [("ra", "f8"), ("rb", "f8")])
        fronts = [
            body.pose.figure.anatomy.facing(joint_frames(body.pose.figure, body.pose.q).positions)
            for scene in scenes
            for body in scene.bodies
        ]
        front = np.sum(fronts, axis=0) if fronts else np.zeros(3)
        if np.linalg.norm(front) < 1e-6:
            front = np.array([0.0, 0.0, 1.0])
        return cls(centres=np.vstack([starts, ends]), radii=np.concatenate([cones["ra"], cones["rb"]]), front=front)

    @property
    def low(self) -> float:
        """m, the height of the lowest point"""
        return float((self.centres[:, 1] - self.radii).min())

    @property
    def size(self) -> float:
        """m, the largest side of the box around everything"""
        high, low = self.centres + self.radii[:, None], self.centres - self.radii[:, None]
        return max(float((high.max(axis=0) - low.min(axis=0)).max()), 1e-6)

    def floor(self) -> float:
        """m, where a ground belongs: at 0, unless everything is far from it."""
        return 0.0 if -0.08 * self.size <= self.low <= 0.6 * self.size else self.low

    def camera(self, direction: Direction = DIRECTIONS["three-quarter"], *, aspect: float = 4.0 / 3.0) -> Camera:
        """The camera that sees everything from a direction."""
        return frame_balls(self.centres, self.radii, direction, aspect=aspect, front=self.front)


def render(
    scene: Scene, width: int = 640, height: int = 480, *, camera: Camera | Direction | None = None, threads: int = 0
) -> Picture:
    """A picture of a scene, the same bits for any number of threads.

    Args:
        scene: what to show.
        width: pixels.
        height: pixels.
        camera: a camera, or a direction to see everything from; a three-quarter view by default.
        threads: how many work at it; 0 means one per processor.
    """
    require(scene, Scene, "what is rendered", "a Scene, such as Scene.of(pose)")
    for name, pixels in (("width", width), ("height", height), ("threads", threads)):
        require(pixels, Integral, name, "a whole number")
    if camera is not None:
        require(camera, Camera | Direction, "camera", "a Camera or a Direction, such as Direction.parse('front')")
    if not (width >= 1 and height >= 1 and width * height <= MAX_PIXELS):
        raise InvalidSetting(f"picture size is {width}x{height}; it must be from 1x1 to {MAX_PIXELS:,} pixels")
    extent = Extent.of(scene)
    if not isinstance(camera, Camera):
        camera = extent.camera(camera or DIRECTIONS["three-quarter"], aspect=width / height)
    view = _view(scene, extent, camera, width, height)
    tables = _tables(scene_cones(scene), view, camera, width, height)
    draft = np.empty((height, width, 3), dtype=np.uint8)
    shown = np.empty((height, width), dtype=np.int64)
    n_threads = threads or os.cpu_count() or 1
    band = max(8, min(32, -(-height // n_threads)))
    bands = [(row, min(row + band, height)) for row in range(0, height, band)]
    with ThreadPoolExecutor(n_threads) as pool:
        for smoothing in (0, 1):  # the second cast looks at neighbours, so the first must be complete
            picture = draft.copy() if smoothing else draft
            done = [pool.submit(cast, *tables, smoothing, first, last, shown, draft, picture) for first, last in bands]
            for band_done in done:
                band_done.result()
    return picture


class _Tables(NamedTuple):
    """What `cast` reads, in its order."""

    cones: Table
    view: Row
    tiles: Row
    tile_starts: IntArray
    tile_items: IntArray
    cells: Row
    shadow_starts: IntArray
    shadow_items: IntArray
    contact_starts: IntArray
    contact_items: IntArray
    shade_starts: IntArray
    shade_items: IntArray
    near_starts: IntArray
    near_items: IntArray


def _view(scene: Scene, extent: Extent, camera: Camera, width: int, height: int) -> Row:
    view = np.zeros(1, VIEW)[0]
    aim_view(view, camera, width, height)
    right, _, _ = camera.axes
    back = np.array([-right[2], 0.0, right[0]])  # horizontal, towards the camera: right turned about the vertical
    level = math.cos(LIGHT_TURN) * back + math.sin(LIGHT_TURN) * right
    light = math.cos(LIGHT_HEIGHT) * level + math.sin(LIGHT_HEIGHT) * np.array([0.0, 1.0, 0.0])
    point_light(view, light)
    reach = float(np.linalg.norm(np.array(camera.target) - np.array(camera.eye))) * camera.half_height
    size = min(extent.size, 2.0 * reach)
    view["size"] = size
    view["cx"], view["cz"] = camera.target[0], camera.target[2]
    wide = max(reach * width / height, reach)
    view["near"], view["far"] = 0.7 * wide, 4.5 * wide
    for what, colour in (("horizon", scene.horizon), ("zenith", scene.zenith)):
        rgb_fields(view, what, linear_rgb(colour))
    if scene.ground is not None:
        ground = scene.ground
        view["has_floor"] = 1
        view["floor"] = extent.floor() if ground.height is None else ground.height
        view["spacing"] = ground.spacing or fitting_spacing(size)
        rgb_fields(view, "ground", linear_rgb(ground.colour))
        rgb_fields(view, "line", linear_rgb(ground.line))
    return view


def point_light(view: Row, light: Array) -> None:
    """Write a light in the direction of a unit vector (3,) into the record VIEW."""
    across = np.cross(light, np.eye(3)[np.argmin(np.abs(light))])
    across /= np.linalg.norm(across)
    for names, vector in (("lx ly lz", light), ("px py pz", across), ("qx qy qz", np.cross(light, across))):
        for name, value in zip(names.split(), vector, strict=True):
            view[name] = value
    view["spread"] = LIGHT_SPREAD


def fitting_spacing(size: float) -> float:
    """Metres between grid lines for something of a size: 1, 2.5 or 5 times a power of ten, about a seventh of it."""
    wanted = size / 7.0
    power = 10.0 ** math.floor(math.log10(wanted))
    return min((power * step for step in (1.0, 2.5, 5.0, 10.0)), key=lambda s: abs(math.log(s / wanted)))


def _tables(cones: Table, view: Row, camera: Camera, width: int, height: int) -> _Tables:
    starts, ends, thick = _widened(cones, camera, height)
    aim(cones, view)
    light, spread, floor = np.array([view["lx"], view["ly"], view["lz"]]), view["spread"], view["floor"]
    tiles = _grid(0.0, 0.0, TILE, -(-width // TILE), -(-height // TILE))
    shadow_ends, shadow_radii = _on_ground(starts, ends, thick, light, floor, spread)
    contact_ends, contact_radii = (
        np.column_stack([starts[:, 0], starts[:, 2], ends[:, 0], ends[:, 2]]),
        GROUND_REACH * thick,
    )
    casts = (cones["casts"] > 0.0) & (view["has_floor"] == 1)
    shadow_radii[~casts | (np.maximum(starts[:, 1], ends[:, 1]) + thick < floor)] = -1.0
    contact_radii[~casts | (np.minimum(starts[:, 1], ends[:, 1]) - contact_radii > floor)] = -1.0
    cells = _ground_cells(
        np.vstack([shadow_ends, contact_ends]), np.concatenate([shadow_radii, contact_radii]), view["size"]
    )
    return _Tables(
        cones,
        view,
        tiles,
        *sort_segments(tiles, *_on_screen(starts, ends, thick, camera, width, height)),
        cells,
        *sort_segments(cells, shadow_ends, shadow_radii),
        *sort_segments(cells, contact_ends, contact_radii),
        *sort_neighbours(cones, light[0], light[1], light[2], BODY_REACH),
    )


def _widened(cones: Table, camera: Camera, height: int) -> tuple[Array, Array, Array]:
    """Starts, ends and larger radii, after thin cones were made about a pixel wide so that none falls between rays."""
    starts = np.column_stack([cones["ax"], cones["ay"], cones["az"]])
    ends = starts + np.column_stack([cones["ux"], cones["uy"], cones["uz"]])
    for name, places in (("ra", starts), ("rb", ends)):
        away = np.linalg.norm(places - np.array(camera.eye), axis=1)
        cones[name] = np.maximum(cones[name], 0.7 * 2.0 * camera.half_height / height * away)
    return starts, ends, np.maximum(cones["ra"], cones["rb"])


def _on_screen(
    starts: Array, ends: Array, thick: Array, camera: Camera, width: int, height: int
) -> tuple[Array, Array]:
    """Fat segments in pixels that hold what each cone covers."""
    axes = np.array(camera.axes)
    scale = height / (2.0 * camera.half_height)
    segments, radii = [], np.zeros(len(starts))
    for places in (starts, ends):
        x, y, depth = ((places - np.array(camera.eye)) @ axes.T).T
        visible = depth > thick + 1e-6
        safe = np.where(visible, depth, 1.0 + thick)
        segments += [0.5 * width + scale * x / safe, 0.5 * height - scale * y / safe]
        # No point of a ball of radius r at depth z is projected farther from its centre than this.
        radius = scale * thick * np.sqrt(x * x + y * y + safe * safe) / (safe * (safe - thick))
        radii = np.maximum(radii, np.where(visible, radius, np.inf))
    return np.column_stack(segments), radii + 0.5


def _on_ground(
    starts: Array, ends: Array, thick: Array, light: Array, floor: float, spread: float
) -> tuple[Array, Array]:
    """Fat segments on the ground (x, z in m) that hold each cone's shadow."""
    segments, radii = [], np.zeros(len(starts))
    for places in (starts, ends):
        way = np.maximum(places[:, 1] - floor, 0.0) / light[1]
        segments += [places[:, 0] - way * light[0], places[:, 2] - way * light[2]]
        far = way + thick / light[1]
        radii = np.maximum(radii, (thick + 2.0 * spread * far) / light[1])
    return np.column_stack(segments), radii + 1e-3


def _ground_cells(segments: Array, radii: Array, size: float) -> Row:
    """A grid over all the ground that fat segments touch."""
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
