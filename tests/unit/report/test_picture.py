"""Pictures of scenes."""

import math
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from posewright.errors import InvalidSetting
from posewright.figures import Ball, Capsule, Figure, Joint, Pose, free_slides
from posewright.report.camera import DIRECTIONS, Camera, Direction, Extent
from posewright.report.picture import fitting_spacing, render
from posewright.report.scene import Ground, Mark, Scene, SceneBody, linear_rgb


def stick(height: float = 1.0) -> Pose:
    """One upright capsule that stands on the floor."""
    shape = (Capsule(start=(0, 0.2, 0), end=(0, height, 0), start_radius=0.2, end_radius=0.1),)
    joint = Joint(name="root", slides=free_slides(), rotation=Ball(), shape=shape)
    return Pose.rest(Figure(name="stick", joints=(joint,)))


def busy_scene() -> Scene:
    """Something of everything."""
    pose = stick()
    return Scene(
        bodies=(
            SceneBody(pose=pose),
            SceneBody(pose=pose.with_values({"root.tx": 0.6, "root.wz": 0.4}), colour="teal", opacity=0.4),
            SceneBody(pose=pose.with_values({"root.tx": -0.5, "root.tz": -0.4}), colour="#5468d4", opacity=0.6),
        ),
        marks=(Mark.target((0.3, 0.8, 0.4)), Mark.line([(0, 0, 0.5), (0.5, 0.5, 0.5), (0.6, 0.1, 0.2)])),
    )


TINY = """
import hashlib, sys
sys.path.insert(0, {folder!r})
from test_picture import busy_scene
from posewright.report.picture import render
print(hashlib.sha256(render(busy_scene(), 24, 18, threads=1).tobytes()).hexdigest())
"""


def test_plain_python_draws_the_same_bits() -> None:
    program = TINY.format(folder=os.path.dirname(__file__))
    digests = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert digests[0] == digests[1]
    assert len(digests[0].strip()) == 64


def test_any_number_of_threads_draws_the_same_bits() -> None:
    pictures = [render(busy_scene(), 150, 100, threads=threads) for threads in (1, 2, 5)]
    assert (pictures[0] == pictures[1]).all()
    assert (pictures[0] == pictures[2]).all()


@pytest.mark.parametrize("size", [(1, 1), (7, 3), (33, 50)])
def test_a_picture_has_the_size_asked_for(size) -> None:
    width, height = size
    picture = render(Scene.of(stick()), width, height)
    assert picture.shape == (height, width, 3)
    assert picture.dtype == np.uint8


@pytest.mark.parametrize("size", [(0, 10), (10, -1), (10**6, 10**6)])
def test_an_impossible_size_is_refused(size) -> None:
    with pytest.raises(InvalidSetting, match="picture size is"):
        render(Scene.of(stick()), *size)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("far", [1e13, 1e40, 1e200, 1e307])
def test_what_is_beyond_all_sight_is_refused(far) -> None:
    near = Mark.point((0.0, 0.0, 0.0))
    for mark in (Mark.point((0.0, far, 0.0)), Mark.line([(0.0, 0.0, 0.0), (far, 0.0, 0.0)]), replace(near, radius=far)):
        with pytest.raises(InvalidSetting, match=r"of 1e\+\d+ m; it must be at most 1e\+12 m"):
            render(Scene(marks=(near, mark)), 32, 32)


@pytest.mark.filterwarnings("error")
def test_what_is_very_far_is_drawn_without_a_word() -> None:
    picture = render(Scene(marks=(Mark.point((0.0, 9e11, 0.0)), Mark.point((0.0, 0.0, 0.0)))), 32, 32)
    assert picture.shape == (32, 32, 3)


@pytest.mark.parametrize("eye", [(0.0, 0.0, 0.0), (1e200, 0.0, 0.0), (math.nan, 0.0, 0.0)])
def test_a_camera_looks_from_one_place_at_another(eye) -> None:
    with pytest.raises(InvalidSetting, match="these must be two points, at most"):
        Camera(eye=eye, target=(0.0, 0.0, 0.0), right=(1.0, 0.0, 0.0))


def test_an_empty_scene_is_a_picture_too() -> None:
    assert render(Scene(), 20, 10).std() < 20


def middle(scene: Scene, **more) -> np.ndarray:
    return render(scene, 61, 61, camera=DIRECTIONS["front"], **more)[25:36, 28:33].reshape(-1, 3).mean(axis=0)


def test_a_body_has_its_colour() -> None:
    teal = middle(Scene(bodies=(SceneBody(pose=stick(), colour="teal"),)))
    coral = middle(Scene(bodies=(SceneBody(pose=stick(), colour="coral"),)))
    assert teal[1] > teal[0] + 40
    assert coral[0] > coral[1] + 40


def test_a_ghost_is_between_the_body_and_nothing() -> None:
    solid, ghost, faint = (
        middle(Scene(bodies=(SceneBody(pose=stick(), colour="ink", opacity=opacity),), ground=None))
        for opacity in (1.0, 0.6, 0.2)
    )
    assert (solid + 20 < ghost).all()
    assert (ghost + 20 < faint).all()


def test_a_ghost_shows_what_is_behind_it_and_hides_nothing_before_it() -> None:
    ghost = SceneBody(pose=stick(), colour="white", opacity=0.5)
    behind = SceneBody(pose=stick().with_values({"root.tz": -1.0}), colour="red")
    before = SceneBody(pose=stick().with_values({"root.tz": 1.0}), colour="red")
    camera = Extent.of(Scene(bodies=(ghost, behind, before))).camera(DIRECTIONS["front"], aspect=1.0)

    def centre(*bodies: SceneBody) -> np.ndarray:
        picture = render(Scene(bodies=bodies, ground=None), 61, 61, camera=camera)
        return picture[29:32, 29:32].reshape(-1, 3).mean(axis=0)

    red, alone, through, covered = centre(behind), centre(ghost), centre(ghost, behind), centre(ghost, before)
    assert red[1] + 30 < through[1] < alone[1] - 30
    assert covered[1] < 90


def test_ghosts_are_added_to_a_scene_behind_its_bodies() -> None:
    scene = Scene.of(stick(), marks=[Mark.point((0.0, 1.0, 0.0))])
    haunted = scene.with_ghosts([stick(0.5), stick(0.8)], opacity=0.2)
    assert haunted.bodies[:1] == scene.bodies
    assert [(body.colour, body.opacity) for body in haunted.bodies[1:]] == [("slate", 0.2)] * 2
    assert haunted.marks == scene.marks


def test_more_ghosts_than_layers_keep_the_solid_body() -> None:
    ghosts = tuple(SceneBody(pose=stick(), opacity=0.02, colour="white") for _ in range(20))
    red = middle(Scene(bodies=(SceneBody(pose=stick().with_values({"root.tz": -0.5}), colour="red"), *ghosts)))
    assert red[0] > red[1] + 60


def test_bodies_throw_shadows_on_the_ground_and_far_ground_has_none() -> None:
    camera = Extent.of(Scene.of(stick())).camera(Direction.parse("30,25"), aspect=1.0)
    plain = Ground(colour="#dddddd", line="#dddddd", height=0.0)
    ground = render(Scene(ground=plain), 120, 120, camera=camera).astype(int).sum(axis=2)
    shaded = render(Scene(bodies=(SceneBody(pose=stick(), colour="#dddddd"),), ground=plain), 120, 120, camera=camera)
    darker = ground - shaded.astype(int).sum(axis=2)
    assert darker[70:110, 60:115].max() > 90  # the key light comes from the left
    assert abs(darker[100:, :10]).max() < 25


def test_thin_lines_do_not_fall_between_rays() -> None:
    line = Mark.line([(-1, 0.5, 0), (1, 0.52, 0)], radius=1e-5, colour="#000000")
    picture = render(Scene(marks=(line,), ground=None), 200, 100, camera=DIRECTIONS["front"])
    columns = picture.astype(int).sum(axis=2).min(axis=0)
    assert (columns[25:175] < 650).all()


def test_the_ground_meets_the_sky_without_a_line() -> None:
    picture = render(Scene(), 60, 200, camera=Direction.parse("20,4")).astype(int)
    assert abs(np.diff(picture[:, 30].sum(axis=1))[:120]).max() <= 12


@pytest.mark.parametrize("name", ["front", "side", "top", "back", "three-quarter"])
def test_a_camera_frames_everything_and_not_much_more(name) -> None:
    rng = np.random.default_rng(5)
    centres, radii = rng.uniform(-1, 1, (30, 3)) * [3, 1, 2], rng.uniform(0.05, 0.3, 30)
    extent = Extent(centres=centres, radii=radii, front=np.array([0.0, 0.0, 1.0]))
    camera = extent.camera(DIRECTIONS[name], aspect=1.5)
    right, up, ahead = camera.axes
    seen = centres - np.array(camera.eye)
    depth = seen @ ahead
    assert (depth > radii).all()
    reach = []
    for axis, tangent in ((right, 1.5 * camera.half_height), (up, camera.half_height)):
        slope = math.atan(0.8 * tangent)
        outside = np.abs(seen @ axis) * math.cos(slope) - depth * math.sin(slope) + radii
        assert outside.max() < 1e-9
        reach.append(outside.max())
    assert max(reach) > -1e-6  # one pair of sides is touched


def test_a_camera_word_is_understood_or_explained() -> None:
    assert Direction.parse("Front") == DIRECTIONS["front"]
    assert Direction.parse("90,30").elevation == pytest.approx(math.pi / 6)
    with pytest.raises(InvalidSetting, match="did you mean 'front'"):
        Direction.parse("frnt")
    with pytest.raises(InvalidSetting, match="between -90 and 90"):
        Direction.parse("0,120")


def test_the_front_is_where_the_figure_faces() -> None:
    joints = [Joint(name="root", rotation=Ball())]
    joints += [Joint(name=f"{side}_arm", parent="root", offset=(x, 0, 0)) for side, x in (("left", 1), ("right", -1))]
    figure = Figure(name="cross", joints=tuple(joints))
    turned = Pose.rest(figure).with_values({"root.wy": math.pi / 2})
    np.testing.assert_allclose(Extent.of(Scene.of(Pose.rest(figure))).front, [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(Extent.of(Scene.of(turned)).front, [1, 0, 0], atol=1e-12)


def test_the_floor_is_at_zero_unless_everything_is_elsewhere() -> None:
    assert Extent.of(Scene.of(stick())).floor() == 0.0
    assert Extent.of(Scene.of(stick().with_values({"root.ty": 0.3}))).floor() == 0.0
    assert Extent.of(Scene.of(stick().with_values({"root.ty": -3.0}))).floor() == pytest.approx(-3.0)
    assert fitting_spacing(1.75) == 0.25


def test_colours_are_names_or_hex_words() -> None:
    assert linear_rgb("#ff0000") == (1.0, 0.0, 0.0)
    assert linear_rgb("Teal") == linear_rgb("#1f9e94")
    with pytest.raises(InvalidSetting, match="did you mean 'coral'"):
        linear_rgb("corall")
    with pytest.raises(InvalidSetting, match="opacity of a body must be a number above 0 and at most 1, got 2"):
        SceneBody(pose=stick(), opacity=2.0)
    with pytest.raises(InvalidSetting, match="the points of a mark must be"):
        Mark(points=())
    with pytest.raises(InvalidSetting, match="radius of a mark must be a positive number of metres, got 0"):
        Mark.point((0.0, 0.0, 0.0), radius=0.0)
    with pytest.raises(InvalidSetting, match="opacity of a mark must be a number above 0 and at most 1, got 0"):
        Mark(points=((0.0, 0.0, 0.0),), opacity=0.0)
