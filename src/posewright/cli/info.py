"""`posewright info`: what a file holds, and what had to be assumed to read it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from posewright.cli import reading

if TYPE_CHECKING:
    from posewright.figures import Figure
    from posewright.motions import Motion


def info(
    file: reading.File,
    unit: reading.Unit = None,
    up: reading.Up = None,
    fps: reading.Fps = None,
    positions: reading.Positions = None,
    drop_first: reading.DropFirst = False,
    skeleton: reading.Skeleton = None,
    animation: reading.Animation = None,
    base: reading.Base = None,
    tree: Annotated[bool, typer.Option("--tree", help="Print the tree of joints with their dofs.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Say what a file holds: figure, frames, size, and every assumption made while reading it.

    For example:

        posewright info walk.bvh

        posewright info walk.bvh --unit cm --up z --tree

        posewright info walk.bvh --json
    """
    from posewright.formats import load

    loaded = load(file, reading.options(unit, up, fps, positions, drop_first, skeleton, animation, base))
    facts = describe(loaded)
    if as_json:
        import json

        typer.echo(json.dumps({"file": str(file), **facts}, indent=2))
        return
    _print(file, facts)
    if tree:
        _print_tree(loaded if not hasattr(loaded, "figure") else loaded.figure)


def describe(loaded: Figure | Motion) -> dict[str, Any]:
    """The facts about a figure or motion, ready for JSON (metres, seconds, frames per second)."""
    from posewright.figures import Figure
    from posewright.figures.size import figure_height

    figure = loaded if isinstance(loaded, Figure) else loaded.figure
    source = figure.source
    facts: dict[str, Any] = {
        "figure": figure.name,
        "joints": len(figure.joints),
        "dofs": figure.n_dofs,
        "sites": len(figure.sites),
        "skinned": figure.skin is not None,
        "height": round(figure_height(figure), 4),
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
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from posewright.formats.registry import heeded

    table = Table(
        box=None, show_header=False, pad_edge=False, title=escape(str(file)), title_justify="left", title_style="bold"
    )
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for key in ("figure", "joints", "dofs", "sites"):
        table.add_row(key, escape(str(facts[key])))
    if facts["skinned"]:
        table.add_row("skin", "meshes and materials of its own")
    table.add_row("height at rest", f"{facts['height']:.3f} m")
    table.add_row("file unit", f"{facts['metres_per_unit']:.6g} m, {facts['up']} up")
    if "frames" in facts:
        table.add_row("motion", f"{facts['frames']} frames at {facts['fps']:g} fps, {facts['seconds']:g} s")
    for i, note in enumerate(facts["notes"]):
        table.add_row("assumed" if i == 0 else "", escape(note))
    flags = [reading.FLAGS[name] for name in heeded(file)]
    if facts["notes"] and flags:
        table.add_row("override", ", ".join(flags))
    Console(highlight=False, soft_wrap=True).print(table)


def _print_tree(figure: Figure) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.tree import Tree

    branches: dict[int, Tree] = {}
    root = Tree(escape(figure.name))
    for index, joint in enumerate(figure.joints):
        parent = branches.get(figure.parents[index], root)
        branches[index] = parent.add(f"{escape(joint.name)} [dim]{escape(' '.join(joint.labels))}[/dim]")
    Console(highlight=False).print(root)
