"""Editing: a model learned from swings on gentle slopes puts a flat swing on a steep one by a single key frame."""

from __future__ import annotations

import math
from pathlib import Path

from posewright.clips import golf_swing
from posewright.demo.chapter import Chapter, Tell
from posewright.figures.catalogue import build
from posewright.figures.kinematics import site_frames
from posewright.formats.atomic import replacing
from posewright.models import MotionModel
from posewright.problem.evaluation import readable
from posewright.report.edit_strip import edit_strips
from posewright.report.html import Pictures, Section, Table, Text
from posewright.report.image_files import write_png
from posewright.tasks.edit_file import load_edit
from posewright.workflows.editing.edit import edit

_SLOPES = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
"""Degrees, of the swings that are learned from."""
_STEEP = 7.0
_IMPACT = 94
_SITES = {"left_sole": 1, "right_sole": 1, "club_head": 2}
"""What the key frame asks for, and its priority."""


def editing_chapter(out: Path, tell: Tell) -> Chapter:
    """Learn, edit, write everything that the commands `model` and `edit` need to do it again."""
    tell("making swings")
    player = build("human40")
    swings = [
        golf_swing(player, slope=math.radians(slope), style=style, seed=k)
        for k, (slope, style) in enumerate((slope, style) for slope in _SLOPES for style in (-0.5, 0.5))
    ]
    tell("learning a motion model")
    model = MotionModel.fit(swings, explained_variance=0.98)
    flat, steep = golf_swing(player, seed=50), golf_swing(player, slope=math.radians(_STEEP), seed=50)
    clip_file, model_file, edit_file = out / "swing.npz", out / "golf.model.npz", out / "steep.yaml"
    flat.save(clip_file)
    model.save(model_file)
    there = site_frames(steep.figure, steep.q[_IMPACT], list(_SITES)).points
    with replacing(edit_file) as temporary:
        temporary.write_text(_edit_text(dict(zip(_SITES, there.tolist(), strict=True))), encoding="utf-8")
    tell("editing the swing")
    keys = load_edit(edit_file, flat).goals
    result = edit(flat, keys, model=model)
    made = out / "steep_swing.glb"
    result.motion.save(made)
    picture = edit_strips({"a flat swing": flat, f"put on a slope of {_STEEP:g} degrees": result.motion}, keys=keys)
    write_png(picture, out / "edited.png")
    about = (
        f"{len(swings)} swings on slopes of at most {_SLOPES[-1]:g} degrees became a model of {model.n_modes} modes. "
        f"Where the soles and the club head shall be at the impact on {_STEEP:g} degrees is all that was asked; "
        "the whole swing followed."
    )
    rows = [(e.label, readable(e.value, e.unit), readable(e.tolerance, e.unit)) for e in result.errors]
    met = "all goals reached" if result.reached else "some goals missed"
    sentence = f"edit of {len(flat)} frames by {result.solves} solve: {met} after {result.iterations} iterations"
    told = [Text(text=line) for line in (sentence, *result.warnings)]
    return Chapter(
        section=Section(
            title="Edit",
            blocks=[
                Text(text=about),
                Pictures(pictures=[(picture, "Before and after.")], wide=True),
                Table(header=("key", "error", "tolerance"), rows=rows),
                *told,
            ],
        ),
        files={"edit": [clip_file, model_file, edit_file, made, out / "edited.png"]},
        sentences=[sentence],
        command=f"posewright edit {clip_file} {edit_file} --model {model_file} -o steep.png",
    )


def _edit_text(points: dict[str, list[float]]) -> str:
    goals = "".join(
        f"  - frame: {_IMPACT}\n    goal: {{kind: position, site: {site}, "
        f"target: [{', '.join(f'{x:.4f}' for x in point)}], priority: {_SITES[site]}, tolerance: 0.005}}\n"
        for site, point in points.items()
    )
    return f"# An edit: run `posewright edit` on it. Lengths are metres, y is up; frames count from 0.\nkeys:\n{goals}"
