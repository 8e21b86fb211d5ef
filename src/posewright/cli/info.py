"""`posewright info`: show what a file contains, and what was assumed when reading it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from posewright.cli import options
from posewright.cli.printing import print_facts, print_joints, print_json

if TYPE_CHECKING:
    from posewright.figures import Figure
    from posewright.formats import ReadOptions
    from posewright.motions import Motion


@click.command(cls=options.CommandWithExamples)
@click.argument("file", type=options.PATH)
@click.option("--tree", is_flag=True, help="Print the joints as a tree, with their dofs.")
@options.as_json
@options.read_flags()
def info(file: Path, tree: bool, as_json: bool, read: ReadOptions) -> None:
    """Show what a file contains, and what was assumed when reading it.

    FILE is a figure or motion file. Its suffix selects the format.

    For example:
        posewright info walk.bvh
        posewright info walk.bvh --unit cm --up z --tree
        posewright info walk.bvh --json
    """
    from posewright.formats import load

    loaded = load(file, read)
    facts = describe(loaded)
    if as_json:
        print_json({"file": str(file), **facts})
        return
    _print(file, facts)
    if tree:
        print_joints(loaded if not hasattr(loaded, "figure") else loaded.figure, lambda joint: " ".join(joint.labels))


def describe(loaded: Figure | Motion) -> dict[str, Any]:
    """The facts about a figure or motion, ready for JSON (metres, seconds, frames per second)."""
    from posewright.figures import Figure

    figure = loaded if isinstance(loaded, Figure) else loaded.figure
    source = figure.source
    facts: dict[str, Any] = {
        "figure": figure.name,
        "joints": len(figure.joints),
        "dofs": figure.n_dofs,
        "sites": len(figure.sites),
        "skinned": figure.skin is not None,
        "height": round(figure.height, 4),
        "metres_per_unit": source.metres_per_unit if source else 1.0,
        "up": source.up if source else "y",
    }
    if not isinstance(loaded, Figure):
        facts |= {"frames": len(loaded), "fps": round(loaded.fps, 4), "seconds": round(loaded.duration, 3)}
        facts["notes"] = [*(source.notes if source else ()), *loaded.notes]
    else:
        facts["notes"] = list(source.notes) if source else []
    return facts


def _print(file: Path, facts: dict[str, Any]) -> None:
    from posewright.formats.registry import options_for

    lines = [(key, str(facts[key])) for key in ("figure", "joints", "dofs", "sites")]
    if facts["skinned"]:
        lines.append(("skin", "meshes and materials"))
    lines.append(("height at rest", f"{facts['height']:.3f} m"))
    lines.append(("file unit", f"{facts['metres_per_unit']:.6g} m, {facts['up']} up"))
    if "frames" in facts:
        lines.append(("motion", f"{facts['frames']} frames at {facts['fps']:g} fps, {facts['seconds']:g} s"))
    lines += [("assumed" if i == 0 else "", note) for i, note in enumerate(facts["notes"])]
    flags = [options.FLAG_OF[name] for name in options_for(file)]
    if facts["notes"] and flags:
        lines.append(("override", ", ".join(flags)))
    print_facts(lines, title=str(file))
