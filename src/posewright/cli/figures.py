"""`posewright figures`: the catalogue of built-in figures, or one of them in detail."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from posewright.figures import Figure


def figures(
    name: Annotated[str | None, typer.Argument(help="A figure of the catalogue, or a file, to see in detail.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead (radians, metres, kilograms).")] = False,
) -> None:
    """List the built-in figures, or show one: its joints, limits, groups and sites.

    For example:

        posewright figures

        posewright figures human

        posewright figures human22 --json

        posewright figures g1.urdf
    """
    from posewright.figures.catalogue import CATALOGUE, build
    from posewright.formats import load_figure

    if name is None:
        rows = [_facts(build(known)) | {"name": known} for known in CATALOGUE]
        _print_json(rows) if as_json else _print_table(rows)
        return
    figure = load_figure(name) if name not in CATALOGUE and Path(name).suffix else build(name)
    _print_json(_details(figure)) if as_json else _print_figure(figure)


def _facts(figure: Figure) -> dict[str, Any]:
    from dataclasses import asdict

    from posewright.figures.catalogue.summary import summary

    facts = asdict(summary(figure))
    return facts | {"height": round(facts["height"], 4), "mass": round(facts["mass"], 4)}


def _details(figure: Figure) -> dict[str, Any]:
    return {
        **_facts(figure),
        "joints": [
            {
                "name": joint.name,
                "parent": joint.parent,
                "offset": list(joint.offset),
                "mass": joint.mass,
                "dofs": [
                    {
                        "name": label,
                        "lower": _finite(lower),
                        "upper": _finite(upper),
                        "rest": rest,
                        "max_speed": _finite(speed),
                    }
                    for label, (lower, upper, rest, _), speed in zip(
                        joint.labels, joint.bounds, joint.max_speeds, strict=True
                    )
                ],
            }
            for joint in figure.joints
        ],
        "groups": [
            {"name": group.name, "coordinates": list(group.coordinates), "members": list(group.members)}
            for group in figure.groups
        ],
        "constraints": [constraint.name for constraint in figure.constraints],
        "sites": [{"name": site.name, "joint": site.joint, "point": list(site.point)} for site in figure.sites],
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None  # JSON knows no infinity


def _print_json(value: object) -> None:
    import json

    typer.echo(json.dumps(value, indent=2))


def _print_table(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = ("name", "joints", "dofs", "coordinates", "height", "mass", "sites")
    for column in columns:
        table.add_column(column, justify="left" if column == "name" else "right")
    for row in rows:
        words = row | {"height": f"{row['height']:.2f} m", "mass": f"{row['mass']:.1f} kg"}
        table.add_row(*(escape(str(words[column])) for column in columns))
    Console(highlight=False, soft_wrap=True).print(table)


def _print_figure(figure: Figure) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.tree import Tree

    console = Console(highlight=False, soft_wrap=True)
    _print_table([_facts(figure)])
    root = Tree("\n[bold]joints[/bold] [dim](limits in degrees and metres)[/dim]")
    branches: dict[int, Tree] = {}
    for index, joint in enumerate(figure.joints):
        words = ", ".join(
            f"{label} {_limits(label, lower, upper)}"
            for label, (lower, upper, _, _) in zip(joint.labels, joint.bounds, strict=True)
        )
        parent = branches.get(figure.parents[index], root)
        # a vertebra has one child: drawing it deeper would push the head off the screen
        only_child = index > 0 and len(figure.children[figure.parents[index]]) == 1
        line = f"{escape(joint.name)} [dim]{escape(words) or 'rigid'}[/dim]"
        branches[index] = parent if only_child else parent.add(line)
        if only_child:
            parent.label = f"{parent.label}\n{line}"
    console.print(root)
    for group in figure.groups:
        drives = f"{', '.join(group.coordinates)} drive {len(group.members)} dofs"
        console.print(f"[bold]group[/bold] {escape(group.name)} [dim]{escape(drives)}[/dim]")
    rows_of = Counter(row.name.partition("[")[0] for row in figure.constraints)
    for constraint, rows in rows_of.items():
        console.print(f"[bold]constraint[/bold] {escape(constraint)} [dim]{rows} linear row{'s' * (rows > 1)}[/dim]")
    sites = ", ".join(f"{site.name} on {site.joint}" for site in figure.sites)
    console.print(f"[bold]sites[/bold] [dim]{escape(sites)}[/dim]")


def _limits(label: str, lower: float, upper: float) -> str:
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return "free"
    if label.startswith("t") and label[1:] in ("x", "y", "z"):
        return f"{lower:g}..{upper:g} m"
    return f"{math.degrees(lower):.0f}..{math.degrees(upper):.0f}"
