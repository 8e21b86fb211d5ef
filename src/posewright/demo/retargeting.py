"""Retargeting: the walk on two figures of other proportions, and how well it kept what it should."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from posewright.demo.chapter import Chapter, Tell
from posewright.figures.catalogue import build
from posewright.motions import Motion
from posewright.motions.quality.limits import verdict_sentence
from posewright.report.html import Block, Pictures, Section, Text
from posewright.report.image_files import labelled, write_png
from posewright.report.quality_page import quality_table, strip
from posewright.workflows.retargeting.retarget import retarget

TARGETS = {"abnorman1": ("coral", "long legs"), "abnorman2": ("indigo", "a long body on short legs")}
"""Colour of each and what is different about it."""


def retargeting_chapter(walk: Motion, out: Path, tell: Tell) -> Chapter:
    """Carry the walk over to every target."""
    strips = [labelled(strip(walk, colour="teal"), "source")]
    blocks: list[Block] = []
    files, sentences = {}, []
    for name, (colour, build_is) in TARGETS.items():
        tell(f"retargeting to {name}")
        made = retarget(walk, build(name))
        verdicts = made.quality().check()
        path = out / f"walk_{name}.glb"
        made.motion.save(path)
        files[f"walk on {name}"] = [path]
        strips.append(labelled(strip(made.motion, colour=colour), f"{name}: {build_is}"))
        sentence = f"walk on {name}: {verdict_sentence(verdicts)}"
        sentences.append(sentence)
        blocks += [Text(text=sentence), quality_table(verdicts)]
    picture = np.vstack(strips)
    write_png(picture, out / "retargeted.png")
    files["all walks"] = [out / "retargeted.png"]
    about = (
        "Joints are matched by themselves, the way is scaled to the legs, and feet stand still where the source's do. "
        "Measures beside the source's own:"
    )
    shown = Pictures(pictures=[(picture, "The last pose solid, those before it fading.")], wide=True)
    return Chapter(
        section=Section(title="Retarget", blocks=[shown, Text(text=about), *blocks]),
        files=files,
        sentences=sentences,
        command=f"posewright retarget {out / 'walk.bvh'} --to abnorman1 -o tall.glb --report tall.html",
    )
