"""Grips of the hand: poses that experiments with finger tips take their targets from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import posewright as pw
from posewright.figures.catalogue.hand import COUPLING, FINGERS, THUMB
from posewright.figures.joint import Vector
from posewright.figures.vectors import vector

Targets = dict[str, Vector]
"""A point (m) for every finger tip."""


def gripping(
    figure: pw.Figure, bends: Sequence[float], *, thumb: float, spreads: Sequence[float], wrist: float
) -> pw.Pose:
    """A hand that grips; angles in degrees, of the four fingers from the index on."""
    values = {"wrist.flexion": wrist}
    for finger, bend in zip((*FINGERS, THUMB), (*bends, thumb), strict=True):
        middle = bend * (1.2 if finger is not THUMB else 1.0)
        values[f"{finger.name}_base.flexion"] = bend
        values[f"{finger.name}_middle.flexion"] = middle
        values[f"{finger.name}_end.flexion"] = COUPLING * middle
    for k, (finger, spread) in enumerate(zip(FINGERS, spreads, strict=True)):
        values[f"{finger.name}_base.spread"] = spread * (1.5 - k)
    return pw.Pose.rest(figure).with_values({dof: float(np.radians(angle)) for dof, angle in values.items()})


def random_grip(figure: pw.Figure, random: np.random.Generator) -> pw.Pose:
    """Any of them."""
    bends, spreads = random.uniform(10.0, 70.0, len(FINGERS)), random.uniform(0.0, 4.0, len(FINGERS))
    thumb, wrist = float(random.uniform(5.0, 30.0)), float(random.uniform(-20.0, 20.0))
    return gripping(figure, bends.tolist(), thumb=thumb, spreads=spreads.tolist(), wrist=wrist)


def tips_of(pose: pw.Pose) -> Targets:
    """Where a pose has the finger tips."""
    return {site.name: vector(pose.point(site.name)) for site in pose.figure.sites if site.tip}
