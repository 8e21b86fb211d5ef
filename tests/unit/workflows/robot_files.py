"""A small humanoid robot as URDF and as MJCF: one hinge per joint, a waist and grippers whose joints follow others."""

from dataclasses import dataclass

SPEED = 9.0
Z_UP = (("roll", "1 0 0"), ("pitch", "0 1 0"), ("yaw", "0 0 1"))


@dataclass(frozen=True)
class Link:
    """A joint and its link: `follows` is leader, ratio and offset."""

    name: str
    parent: str
    place: tuple[float, float, float]
    axis: str
    low: float = -2.5
    high: float = 2.5
    follows: tuple[str, float, float] | None = None


def links() -> list[Link]:
    """Joints in an order that is not that of the tree."""
    found = [
        Link("waist_lower", "pelvis", (0.0, 0.0, 0.1), "0 1 0", -0.5, 0.5),
        Link("waist_upper", "waist_lower", (0.0, 0.0, 0.1), "0 1 0", -0.5, 0.5, ("waist_lower", 0.5, 0.0)),
        Link("waist_yaw", "waist_upper", (0.0, 0.0, 0.1), "0 0 1"),
        Link("head", "waist_yaw", (0.0, 0.0, 0.3), "0 0 1", -1.0, 1.0),
    ]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        above = "pelvis"
        for k, (turn, axis) in enumerate(reversed(Z_UP)):
            found.append(Link(f"{side}_hip_{turn}", above, (0.0, 0.1 * sign * (k == 0), 0.0), axis))
            above = f"{side}_hip_{turn}"
        found.append(Link(f"{side}_knee", above, (0.0, 0.0, -0.4), "0 1 0", 0.0, 2.4))
        found.append(Link(f"{side}_ankle_pitch", f"{side}_knee", (0.0, 0.0, -0.4), "0 1 0", -1.0, 1.0))
        found.append(Link(f"{side}_ankle_roll", f"{side}_ankle_pitch", (0.0, 0.0, 0.0), "1 0 0", -0.6, 0.6))
        above = "waist_yaw"
        for k, (turn, axis) in enumerate((Z_UP[1], Z_UP[0], Z_UP[2])):
            found.append(Link(f"{side}_shoulder_{turn}", above, (0.0, 0.2 * sign * (k == 0), 0.2 * (k == 0)), axis))
            above = f"{side}_shoulder_{turn}"
        found.append(Link(f"{side}_elbow", above, (0.0, 0.0, -0.28), "0 1 0", -2.2, 0.5))
        found.append(Link(f"{side}_wrist", f"{side}_elbow", (0.0, 0.0, -0.25), "0 0 1"))
        found.append(Link(f"{side}_thumb", f"{side}_wrist", (0.02, 0.0, -0.06), "0 1 0", -0.8, 0.8))
        found.append(
            Link(
                f"{side}_finger",
                f"{side}_wrist",
                (-0.02, 0.0, -0.06),
                "0 1 0",
                -0.8,
                0.8,
                (f"{side}_thumb", -1.0, 0.1),
            )
        )
    return found


def urdf() -> str:
    """The robot as URDF; the waist stands last in the file, so that file order is not tree order."""
    rows = links()
    parts = ['<robot name="small">', _link("pelvis"), *(_link(row.name) for row in rows)]
    for row in [*rows[4:], *rows[:4]]:
        x, y, z = row.place
        tie = ""
        if row.follows is not None:
            leader, ratio, offset = row.follows
            tie = f'<mimic joint="{leader}_joint" multiplier="{ratio}" offset="{offset}"/>'
        parts.append(
            f'<joint name="{row.name}_joint" type="revolute"><origin xyz="{x} {y} {z}"/>'
            f'<parent link="{row.parent}"/><child link="{row.name}"/><axis xyz="{row.axis}"/>'
            f'<limit lower="{row.low}" upper="{row.high}" velocity="{SPEED}" effort="1"/>{tie}</joint>'
        )
    return "\n".join([*parts, "</robot>"])


def mjcf() -> str:
    """The robot as MJCF, joints tied by equalities."""
    children: dict[str, list[Link]] = {}
    for row in links():
        children.setdefault(row.parent, []).append(row)

    def body(row: Link) -> str:
        x, y, z = row.place
        inside = "".join(body(child) for child in children.get(row.name, ()))
        return (
            f'<body name="{row.name}" pos="{x} {y} {z}"><joint name="{row.name}_joint" axis="{row.axis}" '
            f'range="{row.low} {row.high}" limited="true"/>{_geom(row.name)}{inside}</body>'
        )

    ties = "".join(
        f'<joint joint1="{row.name}_joint" joint2="{row.follows[0]}_joint" '
        f'polycoef="{row.follows[2]} {row.follows[1]} 0 0 0"/>'
        for row in links()
        if row.follows is not None
    )
    inside = "".join(body(child) for child in children["pelvis"])
    return (
        '<mujoco model="small"><compiler angle="radian"/><worldbody>'
        f'<body name="pelvis" pos="0 0 0.84"><freejoint/>{_geom("pelvis")}{inside}</body></worldbody>'
        f"<equality>{ties}</equality></mujoco>"
    )


def _box(name: str) -> tuple[str, str]:
    """Place and half sizes."""
    if name.endswith("ankle_roll"):
        return "0.04 0 -0.03", "0.11 0.04 0.01"
    if "thumb" in name or "finger" in name:
        return "0 0 -0.03", "0.008 0.008 0.03"
    return "0 0 0", "0.02 0.02 0.02"


def _link(name: str) -> str:
    place, half = _box(name)
    size = " ".join(str(2.0 * float(number)) for number in half.split())
    return (
        f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>'
        f'<collision><origin xyz="{place}"/><geometry><box size="{size}"/></geometry></collision></link>'
    )


def _geom(name: str) -> str:
    place, half = _box(name)
    return f'<geom type="box" pos="{place}" size="{half}" mass="1"/>'
