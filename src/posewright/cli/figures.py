"""`posewright figures`: list the built-in figures, or show a figure in detail."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from posewright.cli import options
from posewright.cli.printing import print_joints, print_json, print_table

if TYPE_CHECKING:
    from posewright.figures import Figure, Joint


@click.command(cls=options.CommandWithExamples)
@click.argument("name", metavar="[FIGURE]", required=False)
@options.as_json
def figures(name: str | None, as_json: bool) -> None:
    """List the built-in figures, or show one in detail.

    FIGURE is a built-in name or a file.

    For example:
        posewright figures
        posewright figures human
        posewright figures human22 --json
        posewright figures g1.urdf
    """
    from posewright.figures.catalogue import CATALOGUE
    from posewright.files import figure as figure_of

    if name is None:
        rows = [_facts(figure_of(known)) | {"name": known} for known in CATALOGUE]
        print_json(rows) if as_json else _print_table(rows)
    else:
        print_json(_details(figure_of(name))) if as_json else _print_figure(figure_of(name))


def _facts(figure: Figure) -> dict[str, Any]:
    return {
        "name": figure.name,
        "joints": len(figure.joints),
        "dofs": figure.n_dofs,
        "coordinates": figure.n_coordinates,
        "height": round(figure.height, 4),
        "mass": round(float(sum(joint.mass for joint in figure.joints)), 4),
        "sites": len(figure.sites),
        "groups": len(figure.groups),
        "constraints": len(figure.constraints),
    }


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


def _print_table(rows: list[dict[str, Any]]) -> None:
    columns = ("name", "joints", "dofs", "coordinates", "height", "mass", "sites")
    words = [row | {"height": f"{row['height']:.2f} m", "mass": f"{row['mass']:.1f} kg"} for row in rows]
    print_table([[str(row[column]) for column in columns] for row in words], columns)


def _print_figure(figure: Figure) -> None:
    _print_table([_facts(figure)])
    click.echo(f"\n{_bold('joints')} {_dim('(limits in degrees and metres)')}")
    print_joints(figure, _dofs)
    for group in figure.groups:
        drives = f"{', '.join(group.coordinates)} drive {len(group.members)} dofs"
        click.echo(f"{_bold('group')} {group.name} {_dim(drives)}")
    rows_of = Counter(row.name.partition("[")[0] for row in figure.constraints)
    for constraint, rows in rows_of.items():
        click.echo(f"{_bold('constraint')} {constraint} {_dim(f'{rows} linear row' + 's' * (rows > 1))}")
    sites = ", ".join(f"{site.name} on {site.joint}" for site in figure.sites)
    click.echo(f"{_bold('sites')} {_dim(sites)}")


def _bold(text: str) -> str:
    return click.style(text, bold=True)


def _dim(text: str) -> str:
    return click.style(text, dim=True)


def _dofs(joint: Joint) -> str:
    limits = zip(joint.labels, joint.bounds, strict=True)
    return ", ".join(f"{label} {_limits(label, lower, upper)}" for label, (lower, upper, _, _) in limits) or "rigid"


def _limits(label: str, lower: float, upper: float) -> str:
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return "free"
    if label.startswith("t") and label[1:] in ("x", "y", "z"):
        return f"{lower:g}..{upper:g} m"
    return f"{math.degrees(lower):.0f}..{math.degrees(upper):.0f}"
