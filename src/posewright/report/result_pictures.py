"""Pictures of results: poses with their goals, a design next to its splice, a motion before and after an edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle

import numpy as np

from posewright.conventions import Array
from posewright.errors import counted
from posewright.figures import Figure, Pose
from posewright.figures.kinematics import joint_positions
from posewright.figures.reach import reach
from posewright.figures.vectors import vector
from posewright.goals import Goal, Position
from posewright.goals.sketch import Sketch, Stroke
from posewright.goals.timed import Timed
from posewright.models.postures.splicing import SplicedPart
from posewright.motions.motion import Motion
from posewright.motions.splines import KochanekBartels
from posewright.problem import PoseResult, Problem
from posewright.problem.evaluation import GoalError
from posewright.report.camera import DIRECTIONS, Camera, Direction, Extent
from posewright.report.film import Film
from posewright.report.image_files import labelled, with_legend, with_words
from posewright.report.picture import Picture, render
from posewright.report.scene import PALETTE, Mark, Scene, SceneBody

MET, MISSED, GAP = "leaf", "red", "ink"
"""Colours of goals, and of errors."""
PART_COLOURS = ("coral", "teal", "indigo", "sand", "plum", "leaf", "sky")
"""Colours of the parts of a splice, in turn."""
REST = "slate"
"""Colour of joints that no goal recruits."""
_NAMED = 3  # goals of a part in a legend
_WITHOUT_KEY = 0.6  # opacity of moments without a key where others have one
_MARGIN = 0.1  # of a strip's height, left free above and below


def goal_marks(goals: Sequence[Goal], pose: Pose, errors: Mapping[str, GoalError] | None = None) -> tuple[Mark, ...]:
    """Marks for all enabled goals: green if met, red if missed according to `errors`."""
    on = Sketch(pose, reach(pose.figure, None))
    return tuple(
        _mark(stroke, MISSED if errors and goal.label in errors and not errors[goal.label].reached else MET)
        for goal in goals
        if goal.enabled
        for stroke in goal.sketch(on)
    )


def _mark(stroke: Stroke, colour: str) -> Mark:
    if stroke.kind == "target":
        return Mark.target(stroke.points[0], colour=colour, radius=stroke.radius)
    if stroke.kind == "dot":
        return Mark.point(stroke.points[0], colour=colour, radius=stroke.radius)
    return Mark.line(stroke.points, colour=GAP if stroke.kind == "gap" else colour, radius=stroke.radius)


def side_by_side(
    panels: Sequence[tuple[str, Scene]],
    width: int,
    height: int,
    *,
    camera: Camera | Direction = DIRECTIONS["three-quarter"],
    columns: int = 0,
    below: int = 0,
) -> Picture:
    """Scenes in panels of `width` x `height` pixels, seen by one camera and labelled.

    Args:
        panels: what is written in the lower left corner, and the scene.
        width: pixels of a panel.
        height: pixels of a panel.
        camera: for all panels; a direction sees everything in any of them.
        columns: panels in a row; 0: all of them.
        below: pixels added below each panel for its label.
    """
    if isinstance(camera, Direction):
        camera = Extent.of(*(scene for _, scene in panels)).camera(camera, aspect=width / height)
    strip = np.full((below, width, 3), 246, np.uint8)
    drawn = [np.vstack([render(scene, width, height, camera=camera), strip]) for _, scene in panels]
    pictures = [labelled(picture, text) if text else picture for picture, (text, _) in zip(drawn, panels, strict=True)]
    columns = columns or len(pictures)
    pictures += [np.full_like(pictures[0], 255)] * (-len(pictures) % columns)
    return np.vstack([np.hstack(pictures[first : first + columns]) for first in range(0, len(pictures), columns)])


def pose_picture(
    problem: Problem,
    answers: Mapping[str, PoseResult],
    *,
    others: Sequence[Pose] = (),
    width: int = 640,
    height: int = 640,
) -> Picture:
    """Poses with their goals side by side, each `width` pixels wide; labelled if there are several.

    More than three are in two rows: six in one would be too small to see on a screen. `others` are figures that have
    a part in the goals; they are ghosts, and the camera looks at where the answers face.
    """
    scenes = [
        Scene(
            bodies=(SceneBody(pose=result.pose, colour=colour),),
            marks=goal_marks(problem.goals, result.pose, result.errors),
        )
        for result, colour in zip(answers.values(), cycle(list(PALETTE)[:8]), strict=False)
    ]
    front = Extent.of(*scenes).front
    scenes = [scene.with_ghosts(others) for scene in scenes]
    camera = replace(Extent.of(*scenes), front=front).camera(aspect=width / height)
    labels = [
        f"{name}: {'reached' if result.reached else f'missed {result.worst()[0]}'}" if len(answers) > 1 else ""
        for name, result in answers.items()
    ]
    columns = len(labels) if len(labels) <= 3 else -(-len(labels) // 2)
    return side_by_side(list(zip(labels, scenes, strict=True)), width, height, camera=camera, columns=columns)


def design_picture(
    goals: Sequence[Goal],
    parts: Sequence[SplicedPart],
    initial: Pose,
    result: PoseResult,
    *,
    start: Pose | None = None,
    width: int = 480,
    height: int = 560,
) -> Picture:
    """The start (if given), the spliced and the refined posture side by side, with the parts of the body in colours."""
    colours = part_colours(initial.figure, parts)
    panels: list[tuple[str, Scene]] = []
    if start is not None:
        panels.append(("start", Scene(bodies=(SceneBody(pose=start, colour=REST),), marks=goal_marks(goals, start))))
    outcome = f"{'reached' if result.reached else 'missed'}: {counted(result.iterations, 'iteration')}"
    for text, pose, errors in (
        (f"spliced: {counted(len(parts), 'part')}", initial, None),
        (outcome, result.pose, result.errors),
    ):
        body = SceneBody(pose=pose, colour=REST, sides=False, joint_colours=colours)
        panels.append((text, Scene(bodies=(body,), marks=goal_marks(goals, pose, errors))))
    picture = side_by_side(panels, width, height)
    spliced = slice(-2 * width, -width)
    picture[:, spliced] = with_legend(picture[:, spliced], legend(initial.figure, parts))
    return picture


def legend(figure: Figure, parts: Sequence[SplicedPart]) -> list[tuple[str, str]]:
    """The colour of each part and the goals that it serves."""
    found = []
    for colour, part in zip(cycle(PART_COLOURS), parts, strict=False):
        more = f" and {len(part.goals) - _NAMED} more" if len(part.goals) > _NAMED else ""
        found.append((PALETTE[colour], ", ".join(part.goals[:_NAMED]) + more))
    coloured = part_colours(figure, parts)
    if any(joint.name not in coloured for joint in figure.joints):
        found.append((PALETTE[REST], "the rest"))
    return found


def part_colours(figure: Figure, parts: Sequence[SplicedPart]) -> dict[str, str]:
    """A colour for each joint of the parts, and for the fixed joints attached to them."""
    found = {joint: colour for colour, part in zip(cycle(PART_COLOURS), parts, strict=False) for joint in part.joints}
    for joint in figure.joints:
        if not joint.n_dofs and joint.parent in found:
            found[joint.name] = found[joint.parent]
    return found


def edit_picture(
    motions: Mapping[str, Motion],
    *,
    keys: Sequence[Timed] = (),
    width: int = 960,
    height: int = 320,
    moments: int = 7,
    direction: Direction = DIRECTIONS["three-quarter"],
) -> Picture:
    """Strips of motions, one below the other, from one camera.

    Args:
        motions: by what is written on them, the source first; others are shown at the same share of their frames.
        keys: the goals; their frames are shown solid with their marks, others as ghosts.
        width: pixels.
        height: pixels of each strip, at most; what would be empty is cut off.
        moments: how many are shown, evenly in time but for those of keys.
        direction: from where to look.
    """
    source = next(iter(motions.values()))
    film = Film(motions=(source,), direction=direction, width=width, height=height)
    asked = {frame for key in keys if key.goal.enabled for frame in key.range(len(source))}
    frames = shown_frames(len(source), sorted(asked), moments)
    offsets = (np.arange(len(frames)) - len(frames) + 1)[:, None] * film.spread(np.array(frames) / source.fps)
    solid = [not asked or frame in asked for frame in frames]
    marks = [mark for frame, by in zip(frames, offsets, strict=True) for mark in marks_at(keys, source, frame, by)]
    scenes = []
    for colour, motion in zip(cycle(film.colours), motions.values(), strict=False):
        share = (len(motion) - 1) / max(1, len(source) - 1)
        bodies = [
            SceneBody(
                pose=motion.pose(round(frame * share)),
                colour=colour,
                opacity=1.0 if full else _WITHOUT_KEY,
                offset=vector(by),
            )
            for frame, by, full in zip(frames, offsets, solid, strict=True)
        ]
        scenes.append(Scene(bodies=tuple(bodies), marks=tuple(marks), ground=film.floor))
    extent = Extent.of(*scenes)
    camera = extent.camera(direction, aspect=width / height)
    feet = joint_positions(source.figure, source.q[frames])[:, 0] + offsets
    feet[:, 1] = 0.0 if film.floor is None or film.floor.height is None else film.floor.height
    places = camera.seen_at(feet, width, height)
    places[:, 1] = np.minimum(places[:, 1] + 0.06 * height, 0.97 * height)
    numbers = [
        (x, y, f"{'frame ' if asked and full else ''}{source.first_frame + frame}", bool(asked) and full)
        for (x, y), frame, full in zip(places.tolist(), frames, solid, strict=True)
    ]
    seen = camera.seen_at(extent.centres, width, height)[:, 1]
    top, bottom = max(0.0, seen.min() - _MARGIN * height), max(seen.max(), places[:, 1].max()) + _MARGIN * height
    rows = slice(round(top), round(min(bottom, height)))  # a wide strip is low
    drawn = [with_words(render(scene, width, height, camera=camera), numbers)[rows] for scene in scenes]
    return np.vstack([labelled(picture, name) for picture, name in zip(drawn, motions, strict=True)])


def shown_frames(n_frames: int, asked: Sequence[int], moments: int) -> list[int]:
    """A number of frames, evenly spaced; the nearest ones are replaced by the requested frames."""
    if len(asked) >= moments:
        return sorted({asked[round(k)] for k in np.linspace(0, len(asked) - 1, moments)})
    shown = sorted({round(frame) for frame in np.linspace(0, n_frames - 1, moments).tolist()})
    for frame in asked:
        if frame not in shown:
            free = [other for other in shown if other not in asked]
            shown[shown.index(min(free, key=lambda other: abs(other - frame)))] = frame
    return sorted(shown)


def marks_at(keys: Sequence[Timed], source: Motion, frame: int, offset: Array) -> Iterator[Mark]:
    """Marks for the goals at a frame, next to where its body is drawn."""
    for key in keys:
        low, high = key.range(len(source))
        if not low <= frame <= high:
            continue
        goal: Goal = key.goal
        if key.points is not None and isinstance(goal, Position):
            there = key.points.at(frame) if isinstance(key.points, KochanekBartels) else key.points[frame - low]
            goal = Position(goal.site, vector(there))
        for mark in goal_marks([goal], source.pose(frame)):
            yield replace(mark, points=tuple(vector(point + offset) for point in np.array(mark.points)), colour="ink")
