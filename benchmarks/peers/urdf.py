"""A body as URDF: one revolute joint and link per axis; the link after the last axis has the bone's name."""

from __future__ import annotations

from tasks import Body

_INERTIAL = (
    '<inertial><origin xyz="0 0 0"/><mass value="0.5"/>'
    '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
)
_AXIS = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def tip_name(name: str) -> str:
    """The link of a tip."""
    return f"tip_{name}"


def urdf(body: Body) -> str:
    """The whole file. The root link is `pelvis` of a floating body (its first bone), else `root`."""
    lines = [f'<?xml version="1.0"?><robot name="{body.name}">']

    def link(name: str) -> None:
        lines.append(f'<link name="{name}">{_INERTIAL}</link>')

    def joint(name: str, kind: str, parent: str, child: str, offset: tuple[float, float, float], more: str) -> None:
        place = " ".join(map(repr, offset))
        lines.append(
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{place}" rpy="0 0 0"/>{more}</joint>'
        )

    root = body.bones[0].name if body.floating else "root"
    link(root)
    ends: dict[int, str] = {0: root} if body.floating else {}
    for index, bone in enumerate(body.bones):
        if index in ends:
            continue
        parent, offset = ends.get(bone.parent, root), bone.offset
        for k, (axis, (lower, upper)) in enumerate(zip(bone.axes, bone.limits, strict=True)):
            child = bone.name if k == len(bone.axes) - 1 else f"{bone.name}_{k}"
            link(child)
            limit = f'<limit lower="{lower!r}" upper="{upper!r}" effort="100" velocity="1000"/>'
            joint(f"{bone.name}_{axis}", "revolute", parent, child, offset, f'<axis xyz="{_AXIS[axis]}"/>{limit}')
            parent, offset = child, (0.0, 0.0, 0.0)
        ends[index] = bone.name
    for tip in body.tips:
        link(tip_name(tip.name))
        joint(f"to_{tip.name}", "fixed", ends[tip.bone], tip_name(tip.name), tip.offset, "")
    return "\n".join([*lines, "</robot>"])
