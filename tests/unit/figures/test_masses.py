"""Masses estimated from shapes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import trapezoid

import posewright as pw
from posewright.errors import InvalidFigure, InvalidSetting
from posewright.figures.joint import Capsule
from posewright.figures.kinematics import centre_of_mass
from posewright.figures.transforms.masses import _rounded_cones


def rod(start_radius: float, end_radius: float, length: float = 1.0) -> Capsule:
    return Capsule(start=(0.0, 0.0, 0.0), end=(length, 0.0, 0.0), start_radius=start_radius, end_radius=end_radius)


def test_mass_follows_volume_and_the_total_is_kept() -> None:
    figure = pw.Figure(
        name="rods",
        joints=(
            pw.figures.Joint(name="a", shape=(rod(0.1, 0.1),)),
            pw.figures.Joint(name="b", parent="a", shape=(rod(0.1, 0.1), rod(0.1, 0.1))),
            pw.figures.Joint(name="c", parent="b", offset=(0.0, 0.0, 0.0), mass=100.0),
        ),
    )
    weighed = figure.with_masses(30.0)
    assert [joint.mass for joint in weighed.joints] == pytest.approx([10.0, 20.0, 0.0])
    assert weighed.joint("a").centre == pytest.approx((0.5, 0.0, 0.0))
    assert centre_of_mass(weighed, np.zeros(0)) == pytest.approx((0.5, 0.0, 0.0))


@pytest.mark.parametrize(("a", "b", "length"), [(0.1, 0.1, 0.5), (0.2, 0.05, 0.7), (0.0, 0.3, 1.0), (0.2, 0.1, 0.0)])
def test_volume_and_centre_equal_a_numerical_integral(a: float, b: float, length: float) -> None:
    x = np.linspace(-a, length + b, 400_001)
    inside = (x >= 0.0) & (x <= length)
    radius = np.where(inside, a + (b - a) * np.divide(x, length, out=np.zeros_like(x), where=length > 0.0), 0.0)
    area = np.pi * np.where(inside, radius, 0.0) ** 2
    area = np.where(x < 0.0, np.pi * np.maximum(a * a - x * x, 0.0), area)
    area = np.where(x > length, np.pi * np.maximum(b * b - (x - length) ** 2, 0.0), area)
    volumes, centres = _rounded_cones(np.zeros((1, 3)), np.array([[length, 0.0, 0.0]]), np.array([[a, b]]))
    assert volumes[0] == pytest.approx(trapezoid(area, x), rel=1e-4)
    if length > 0.0:  # without length there is no direction to put the centre along
        assert centres[0, 0] == pytest.approx(trapezoid(area * x, x) / trapezoid(area, x), rel=1e-3)


def test_a_figure_without_shapes_gets_them_from_its_bones(mixed_figure: pw.Figure) -> None:
    bare = replace(mixed_figure, joints=tuple(replace(joint, mass=0.0) for joint in mixed_figure.joints))
    weighed = bare.with_masses(70.0)
    assert sum(joint.mass for joint in weighed.joints) == pytest.approx(70.0)
    assert all(joint.mass > 0.0 for joint in weighed.joints)


@pytest.mark.parametrize("total", [0.0, -1.0, math.nan, math.inf])
def test_impossible_totals_are_told(mixed_figure: pw.Figure, total: float) -> None:
    with pytest.raises(InvalidSetting, match=r"the total mass must be a positive number of kg, got"):
        mixed_figure.with_masses(total)


def test_a_figure_without_volume_is_told() -> None:
    with pytest.raises(InvalidFigure, match="figure 'dot' has no segment of any volume to share 3 kg among"):
        pw.Figure(name="dot", joints=(pw.figures.Joint(name="a"),)).with_masses(3.0)
