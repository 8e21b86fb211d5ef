"""What a figure refuses, in which words, and what it answers."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import posewright as pw
from posewright.constraints import LinearConstraint
from posewright.errors import InvalidFigure, UnknownName
from posewright.figures import JointGroup
from posewright.figures.joint import Capsule

X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
A = pw.figures.Joint(name="a", rotation=(pw.figures.Hinge(axis=X),))
NAN, INF = math.nan, math.inf


def figure(*joints: pw.figures.Joint, **more: object) -> pw.Figure:
    return pw.Figure(name="f", joints=joints or (A,), **more)


def hinge(**settings: object) -> pw.figures.Joint:
    return pw.figures.Joint(name="j", rotation=(pw.figures.Hinge(**{"axis": X, **settings}),))


def group(**settings: object) -> JointGroup:
    plain = {"name": "g", "coordinates": ("c",), "members": ("a.rx",), "matrix": ((1.0,),)}
    return JointGroup(**{**plain, **settings})


PROBLEMS: dict[str, tuple[Callable[[], object], str]] = {
    "cycle": (
        lambda: figure(
            pw.figures.Joint(name="a", parent="c"),
            pw.figures.Joint(name="b", parent="a"),
            pw.figures.Joint(name="c", parent="b"),
        ),
        "figure 'f': joints form a cycle: a <- c <- b <- a",
    ),
    "itself": (lambda: figure(pw.figures.Joint(name="a", parent="a")), "figure 'f': joints form a cycle: a <- a"),
    "below a cycle": (
        lambda: figure(
            pw.figures.Joint(name="x", parent="b"),
            pw.figures.Joint(name="b", parent="c"),
            pw.figures.Joint(name="c", parent="b"),
        ),
        "joint 'x' hangs on a cycle of joints",
    ),
    "order": (
        lambda: figure(pw.figures.Joint(name="b", parent="a"), A),
        "figure 'f': joint 'b' is listed before its parent 'a'; list parents first",
    ),
    "parent": (
        lambda: figure(pw.figures.Joint(name="hips"), pw.figures.Joint(name="b", parent="hip")),
        "the parent of joint 'b': figure 'f' has no joint 'hip'; did you mean 'hips'?",
    ),
    "twice": (lambda: figure(A, A), "figure 'f' has two joints called 'a'"),
    "nothing": (lambda: pw.Figure(name="f", joints=()), "figure 'f' has no joints"),
    "blank name": (
        lambda: pw.figures.Joint(name=" a"),
        "joint ' a': a name must be text, not empty, without blanks at its ends",
    ),
    "limits": (
        lambda: hinge(lower=1.0, upper=0.5),
        "joint 'j', rx: limits run from 1 to 0.5; lower must not exceed upper",
    ),
    "nan limit": (lambda: hinge(lower=NAN), "joint 'j', rx: limits run from nan to inf"),
    "rest": (lambda: hinge(upper=0.5, rest=1.0), "joint 'j', rx: rest value 1 must lie within the limits -inf to 0.5"),
    "nan rest": (lambda: hinge(rest=NAN), "rest value nan must lie within"),
    "rigidity": (lambda: hinge(rigidity=1.5), "joint 'j', rx: rigidity 1.5 must be between 0 and 1"),
    "offset": (
        lambda: pw.figures.Joint(name="j", offset=(0.0, NAN, 0.0)),
        "joint 'j': offset must be three finite numbers, got [0.0, nan, 0.0]",
    ),
    "far offset": (
        lambda: pw.figures.Joint(name="j", offset=(0.0, 1e160, 0.0)),
        "joint 'j': offset must be three numbers up to 1e+100, got [0.0, 1e+160, 0.0]",
    ),
    "far rest": (lambda: pw.figures.Joint(name="j", slides=pw.figures.free_slides((0.0, 1e160, 0.0))), "rest value"),
    "centre": (
        lambda: pw.figures.Joint(name="j", centre=(0.0, INF, 0.0)),
        "joint 'j': centre must be three finite numbers, got [0.0, inf, 0.0]",
    ),
    "mass": (lambda: pw.figures.Joint(name="j", mass=-1.0), "joint 'j': mass must be a number, not negative, got -1.0"),
    "nan mass": (
        lambda: pw.figures.Joint(name="j", mass=NAN),
        "joint 'j': mass must be a number, not negative, got nan",
    ),
    "axis": (lambda: hinge(axis=(1.0, 1.0, 0.0)), "joint 'j', r0: axis [1.0, 1.0, 0.0] is not of unit length"),
    "zero axis": (
        lambda: pw.figures.Joint(name="j", slides=(pw.figures.Slide(axis=(0.0, 0.0, 0.0)),)),
        "joint 'j', t0: axis [0.0, 0.0, 0.0] is not of unit length",
    ),
    "nan axis": (
        lambda: hinge(axis=(NAN, 0.0, 0.0)),
        "joint 'j', r0: axis must be three finite numbers, got [nan, 0.0, 0.0]",
    ),
    "rest rotation of three": (
        lambda: pw.figures.Joint(name="j", rest=(1.0, 0.0, 0.0)),
        "joint 'j': rest rotation [1.0, 0.0, 0.0] is not a unit quaternion wxyz",
    ),
    "rest rotation": (
        lambda: pw.figures.Joint(name="j", rest=(1.0, 1.0, 0.0, 0.0)),
        "joint 'j': rest rotation [1.0, 1.0, 0.0, 0.0] is not a unit quaternion wxyz",
    ),
    "slides": (
        lambda: pw.figures.Joint(name="j", slides=tuple(pw.figures.Slide(axis=X, label=f"s{k}") for k in range(4))),
        "joint 'j' has 4 slides; at most 3 make sense",
    ),
    "labels": (
        lambda: pw.figures.Joint(
            name="j", rotation=(pw.figures.Hinge(axis=X, label="bend"), pw.figures.Hinge(axis=Y, label="bend"))
        ),
        "joint 'j' has two dofs with the same name: bend, bend",
    ),
    "ball box": (
        lambda: pw.figures.Joint(name="j", rotation=pw.figures.Ball(lower=(-2.0, -2.0, -2.0), upper=(2.0, 2.0, 2.0))),
        "joint 'j': the box of its rotation vector reaches 3.464 rad from zero; limits of a ball must stay within pi",
    ),
    "capsule": (
        lambda: pw.figures.Joint(name="j", shape=(Capsule(start=X, end=Y, start_radius=-1.0, end_radius=0.0),)),
        "joint 'j': capsule radii must be finite and not negative",
    ),
    "site twice": (
        lambda: figure(sites=(pw.figures.Site(name="s", joint="a"), pw.figures.Site(name="s", joint="a"))),
        "figure 'f' has two sites called 's'",
    ),
    "site joint": (
        lambda: figure(sites=(pw.figures.Site(name="s", joint="b"),)),
        "site 's': figure 'f' has no joint 'b'",
    ),
    "site name": (
        lambda: figure(A, pw.figures.Joint(name="b"), sites=(pw.figures.Site(name="b", joint="a"),)),
        "figure 'f': site 'b' has the name of a joint that it does not sit on",
    ),
    "site axes": (
        lambda: pw.figures.Site(name="s", joint="a", x_axis=X, y_axis=(2.0, 0.0, 0.0)),
        "site 's': y_axis is zero or parallel to x_axis",
    ),
    "site zero axis": (
        lambda: pw.figures.Site(name="s", joint="a", x_axis=(0.0, 0.0, 0.0)),
        "site 's': x_axis is zero",
    ),
    "site point": (
        lambda: pw.figures.Site(name="s", joint="a", point=(NAN, 0.0, 0.0)),
        "site 's': point must be three finite numbers, got [nan, 0.0, 0.0]",
    ),
    "group member": (
        lambda: figure(groups=(group(members=("a.ry",)),)),
        "group 'g': figure 'f' has no dof 'a.ry'; did you mean 'a.rx'?",
    ),
    "group driven twice": (
        lambda: figure(groups=(group(), group(name="h"))),
        "figure 'f': groups 'g' and 'h' both drive 'a.rx'",
    ),
    "group empty": (lambda: group(members=(), matrix=()), "group 'g' needs at least one coordinate and one member"),
    "group repeated": (
        lambda: group(members=("a.rx", "a.rx"), matrix=((1.0,), (1.0,))),
        "group 'g' names something twice: a.rx, a.rx",
    ),
    "group matrix": (
        lambda: group(matrix=((1.0, 2.0),)),
        "group 'g': matrix must have 1 rows (members) of 1 (coordinates)",
    ),
    "group nan": (lambda: group(matrix=((NAN,),)), "group 'g': matrix has a value that is not finite"),
    "group offset": (lambda: group(offset=(1.0, 2.0)), "group 'g': offset must be 1 finite numbers, one per member"),
    "group idle": (lambda: group(matrix=((0.0,),)), "group 'g': coordinate 'c' moves no member"),
    "constraint": (
        lambda: figure(constraints=(LinearConstraint(name="k", coefficients=(("a.rz", 1.0),)),)),
        "constraint 'k': figure 'f' has no dof 'a.rz'; did you mean 'a.rx'?",
    ),
}


@pytest.mark.parametrize(("build", "message"), PROBLEMS.values(), ids=PROBLEMS.keys())
def test_contradictions_are_refused_in_one_sentence(build: Callable[[], object], message: str) -> None:
    with pytest.raises((InvalidFigure, UnknownName)) as problem:
        build()
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)


def test_names_and_numbers_of_dofs(mixed_figure: pw.Figure) -> None:
    assert mixed_figure.dof_names[:6] == ("root.tx", "root.ty", "root.tz", "root.wx", "root.wy", "root.wz")
    assert mixed_figure.dof_names[6:8] == ("spine.rx", "spine.r1")
    assert mixed_figure.dof_slice("arm") == slice(8, 12)
    assert mixed_figure.dof_slice(2) == slice(8, 12)
    assert mixed_figure.dof_index("hand.rz") == 12
    assert mixed_figure.rest[7] == 0.1
    assert (mixed_figure.lower[6], mixed_figure.upper[6]) == (-0.8, 1.2)
    with pytest.raises(UnknownName, match=r"figure 'mixed' has no dof 'hand.rw'; did you mean 'hand\.r"):
        mixed_figure.dof_index("hand.rw")


def test_dofs_by_the_name_of_a_joint_or_their_own(mixed_figure: pw.Figure) -> None:
    assert mixed_figure.dofs_of("arm") == slice(8, 12)
    assert mixed_figure.dofs_of("hand.rz") == slice(12, 13)
    with pytest.raises(UnknownName, match=r"figure 'mixed' has no joint or dof 'hnad'; did you mean 'hand'"):
        mixed_figure.dofs_of("hnad")
    values = mixed_figure.values_by_name({"spine.r1": 3.0, "spine": 2.0}, default=1.0)
    np.testing.assert_array_equal(values[5:9], [1.0, 2.0, 3.0, 1.0], err_msg="a dof's own wins, in whatever order")


def test_a_second_turn_about_one_axis_is_numbered() -> None:
    joint = pw.figures.Joint(
        name="j", rotation=(pw.figures.Hinge(axis=X), pw.figures.Hinge(axis=Y), pw.figures.Hinge(axis=X))
    )
    assert joint.labels == ("rx", "ry", "rx2")


def test_structure(mixed_figure: pw.Figure) -> None:
    assert mixed_figure.parents == (-1, 0, 1, 2, 0)
    assert mixed_figure.children == ((1, 4), (2,), (3,), (), ())
    assert mixed_figure.ancestors("hand") == (3, 2, 1, 0)
    assert mixed_figure.subtree("spine") == (1, 2, 3)


def test_values_are_read_only_and_variations_are_new(mixed_figure: pw.Figure) -> None:
    with pytest.raises(ValueError, match="read-only"):
        mixed_figure.lower[0] = 1.0
    more = mixed_figure.with_sites(
        pw.figures.Site(name="finger", joint="hand"), pw.figures.Site(name="elbow", joint="arm")
    )
    assert more.site_names == ("foot", "finger", "elbow")
    assert more.site("finger").point == (0.0, 0.0, 0.0)
    assert mixed_figure.renamed("other").name == "other"
    assert mixed_figure == mixed_figure.renamed("mixed")


def test_offsets_along_replacing_slides_do_not_count() -> None:
    joint = pw.figures.Joint(
        name="j", offset=(1.0, 2.0, 3.0), slides=(pw.figures.Slide(axis=Y),), slides_replace_offset=True
    )
    assert pw.Figure(name="f", joints=(joint,)).tables.joints["offset"].tolist() == [[1.0, 0.0, 3.0]]


def test_rest_rotations_are_made_exactly_unit() -> None:
    joint = pw.figures.Joint(name="j", rest=(0.8 + 3e-7, 0.6, 0.0, 0.0))
    assert math.hypot(*joint.rest) == pytest.approx(1.0, abs=1e-15)
    assert pw.figures.Joint(name="j", rest=joint.rest).rest == joint.rest


def test_sites_have_unit_perpendicular_axes() -> None:
    site = pw.figures.Site(name="s", joint="a", x_axis=(0.0, 3.0, 0.0), y_axis=(1.0, 1.0, 0.0))
    np.testing.assert_allclose((site.x_axis, site.y_axis), ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0)), atol=1e-15)
