"""Bipeds generated in the naming conventions of the field: only names and topology, on one body in a T-pose."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from posewright.figures import Ball, Figure, Hinge, Joint, Site, free_slides

# m; of the left side where there are two
PLACES = {
    "pelvis": (0.0, 1.0, 0.0), "spine": (0.0, 1.08, -0.02), "neck": (0.0, 1.50, -0.02), "head": (0.0, 1.60, 0.0),
    "clavicle": (0.03, 1.45, 0.0), "shoulder": (0.18, 1.45, -0.02), "elbow": (0.46, 1.45, -0.02),
    "wrist": (0.71, 1.45, -0.01),
    "hip": (0.09, 0.93, 0.0), "knee": (0.09, 0.51, 0.01), "ankle": (0.09, 0.09, -0.02), "toes": (0.09, 0.02, 0.11),
    "thumb": (0.74, 1.44, 0.03), "index": (0.80, 1.45, 0.03), "middle": (0.81, 1.45, 0.01),
    "ring": (0.80, 1.45, -0.01), "little": (0.79, 1.45, -0.03),
}  # fmt: skip
ENDS = {
    "spine": (0.0, 1.42, -0.03), "neck": (0.0, 1.57, 0.0), "head": (0.0, 1.80, 0.0), "wrist": (0.80, 1.45, 0.0),
    "clavicle": (0.10, 1.45, 0.0), "hip": (0.09, 0.75, 0.0), "shoulder": (0.35, 1.45, -0.02),
    "ankle": (0.09, 0.07, -0.02),
    "elbow": (0.58, 1.45, -0.02), "knee": (0.09, 0.3, 0.0), "toes": (0.09, 0.01, 0.19),
    "thumb": (0.80, 1.43, 0.06), "index": (0.89, 1.45, 0.03), "middle": (0.90, 1.45, 0.01), "ring": (0.89, 1.45, -0.01),
    "little": (0.85, 1.45, -0.03),
}  # fmt: skip
ABOVE = {
    "spine": "pelvis", "neck": "spine", "head": "neck", "clavicle": "spine", "shoulder": "clavicle",
    "elbow": "shoulder",
    "wrist": "elbow", "hip": "pelvis", "knee": "hip", "ankle": "knee", "toes": "ankle", "thumb": "wrist",
    "index": "wrist", "middle": "wrist", "ring": "wrist", "little": "wrist",
}  # fmt: skip
TIPS = ("head", "toes", "thumb", "index", "middle", "ring", "little")


@dataclass(frozen=True)
class Convention:
    """Names by part, without a side for the left and right ones (`{s}` stands for the side's spelling)."""

    parts: dict[str, list[str]]
    sides: tuple[str, str] = ("", "")
    extras: dict[str, str] = field(default_factory=dict)
    """Joints that are no part: name to its parent; a name listed as the value of `between` comes in front of a part."""
    between: dict[str, str] = field(default_factory=dict)
    """A helper right above the first joint of a part, at the place of that part's parent: part to name."""
    root: str = ""
    above: dict[str, str] = field(default_factory=dict)
    """Part to the joint on which it hangs, where that is not the usual one."""

    def expected(self) -> dict[str, list[str]]:
        """Names by part, as `Anatomy.parts`."""
        found = {}
        for part, names in self.parts.items():
            if any("{s}" in name for name in names):
                for side, spelled in zip(("left", "right"), self.sides, strict=True):
                    found[f"{side}_{part}"] = [name.format(s=spelled) for name in names]
            else:
                found[part] = names
        return found


FINGERS = ("thumb", "index", "middle", "ring", "little")
CONVENTIONS = {
    "mixamo": Convention(
        {
            "pelvis": ["mixamorig:Hips"], "spine": ["mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2"],
            "neck": ["mixamorig:Neck"], "head": ["mixamorig:Head"], "clavicle": ["mixamorig:{s}Shoulder"],
            "shoulder": ["mixamorig:{s}Arm"], "elbow": ["mixamorig:{s}ForeArm"], "wrist": ["mixamorig:{s}Hand"],
            **{f: [f"mixamorig:{{s}}Hand{n}{k}" for k in (1, 2, 3)]
               for f, n in zip(FINGERS, ("Thumb", "Index", "Middle", "Ring", "Pinky"), strict=True)},
            "hip": ["mixamorig:{s}UpLeg"], "knee": ["mixamorig:{s}Leg"], "ankle": ["mixamorig:{s}Foot"],
            "toes": ["mixamorig:{s}ToeBase"],
        },
        ("Left", "Right"),
        extras={"mixamorig:HeadTop_End": "mixamorig:Head", "mixamorig:{s}Toe_End": "mixamorig:{s}ToeBase"},
    ),
    "unreal": Convention(
        {
            "pelvis": ["pelvis"], "spine": [f"spine_0{k}" for k in range(1, 6)], "neck": ["neck_01", "neck_02"],
            "head": ["head"],
            "clavicle": ["clavicle_{s}"], "shoulder": ["upperarm_{s}"], "elbow": ["lowerarm_{s}"],
            "wrist": ["hand_{s}"],
            **{f: [f"{n}_0{k}_{{s}}" for k in (1, 2, 3)]
               for f, n in zip(FINGERS, ("thumb", "index", "middle", "ring", "pinky"), strict=True)},
            "hip": ["thigh_{s}"], "knee": ["calf_{s}"], "ankle": ["foot_{s}"], "toes": ["ball_{s}"],
        },
        ("l", "r"),
        extras={
            "upperarm_twist_01_{s}": "upperarm_{s}", "thigh_twist_01_{s}": "thigh_{s}", "calf_twist_01_{s}": "calf_{s}",
            "ik_foot_root": "root", "ik_foot_{s}": "ik_foot_root", "ik_hand_root": "root",
            "ik_hand_gun": "ik_hand_root",
            "ik_hand_{s}": "ik_hand_gun",
        },
        between={"index": "index_metacarpal_{s}"},
        root="root",
    ),
    "vrm": Convention(
        {
            "pelvis": ["J_Bip_C_Hips"], "spine": ["J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_UpperChest"],
            "neck": ["J_Bip_C_Neck"], "head": ["J_Bip_C_Head"], "clavicle": ["J_Bip_{s}_Shoulder"],
            "shoulder": ["J_Bip_{s}_UpperArm"], "elbow": ["J_Bip_{s}_LowerArm"], "wrist": ["J_Bip_{s}_Hand"],
            **{f: [f"J_Bip_{{s}}_{n}{k}" for k in (1, 2, 3)]
               for f, n in zip(FINGERS, ("Thumb", "Index", "Middle", "Ring", "Little"), strict=True)},
            "hip": ["J_Bip_{s}_UpperLeg"], "knee": ["J_Bip_{s}_LowerLeg"], "ankle": ["J_Bip_{s}_Foot"],
            "toes": ["J_Bip_{s}_ToeBase"],
        },
        ("L", "R"),
        extras={"J_Sec_Hair1_01": "J_Bip_C_Head", "J_Sec_{s}_Bust1": "J_Bip_C_UpperChest"},
        root="Root",
    ),
    "vrm humanoid": Convention(
        {
            "pelvis": ["hips"], "spine": ["spine", "chest", "upperChest"], "neck": ["neck"], "head": ["head"],
            "clavicle": ["{s}Shoulder"], "shoulder": ["{s}UpperArm"], "elbow": ["{s}LowerArm"], "wrist": ["{s}Hand"],
            "hip": ["{s}UpperLeg"], "knee": ["{s}LowerLeg"], "ankle": ["{s}Foot"], "toes": ["{s}Toes"],
        },
        ("left", "right"),
    ),
    "smpl": Convention(
        {
            "pelvis": ["pelvis"], "spine": ["spine1", "spine2", "spine3"], "neck": ["neck"], "head": ["head"],
            "clavicle": ["{s}_collar"], "shoulder": ["{s}_shoulder"], "elbow": ["{s}_elbow"],
            "wrist": ["{s}_wrist", "{s}_hand"], "hip": ["{s}_hip"], "knee": ["{s}_knee"], "ankle": ["{s}_ankle"],
            "toes": ["{s}_foot"],
        },
        ("left", "right"),
    ),
    "bandai-namco": Convention(
        {
            "pelvis": ["Hips"], "spine": ["Spine", "Chest"], "neck": ["Neck"], "head": ["Head"],
            "clavicle": ["Shoulder_{s}"],
            "shoulder": ["UpperArm_{s}"], "elbow": ["LowerArm_{s}"], "wrist": ["Hand_{s}"], "hip": ["UpperLeg_{s}"],
            "knee": ["LowerLeg_{s}"], "ankle": ["Foot_{s}"], "toes": ["Toes_{s}"],
        },
        ("L", "R"),
        root="joint_Root",
    ),
    "makehuman": Convention(
        {
            "pelvis": ["root"], "spine": ["spine05", "spine04", "spine03", "spine02", "spine01"],
            "neck": ["neck01", "neck02", "neck03"], "head": ["head"], "clavicle": ["clavicle.{s}", "shoulder01.{s}"],
            "shoulder": ["upperarm01.{s}", "upperarm02.{s}"], "elbow": ["lowerarm01.{s}", "lowerarm02.{s}"],
            "wrist": ["wrist.{s}"],
            **{f: [f"finger{n}-{k}.{{s}}" for k in (1, 2, 3)] for n, f in enumerate(FINGERS, start=1)},
            "hip": ["upperleg01.{s}", "upperleg02.{s}"], "knee": ["lowerleg01.{s}", "lowerleg02.{s}"],
            "ankle": ["foot.{s}"],
            "toes": ["toe1-1.{s}"],
        },
        ("L", "R"),
        extras={"breast.{s}": "spine02", "jaw": "head", "eye.{s}": "head"},
        between={"hip": "pelvis.{s}", "middle": "metacarpal2.{s}"},
    ),
    "daz": Convention(
        {
            "pelvis": ["hip"], "spine": ["abdomen", "chest"], "neck": ["neck"], "head": ["head"],
            "clavicle": ["{s}Collar"],
            "shoulder": ["{s}Shldr"], "elbow": ["{s}ForeArm"], "wrist": ["{s}Hand"],
            **{f: [f"{{s}}{n}{k}" for k in (1, 2, 3)]
               for f, n in zip(FINGERS, ("Thumb", "Index", "Mid", "Ring", "Pinky"), strict=True)},
            "hip": ["{s}Thigh"], "knee": ["{s}Shin"], "ankle": ["{s}Foot"], "toes": ["{s}Toe"],
        },
        ("l", "r"),
        extras={"{s}Eye": "head"},
        between={"hip": "{s}Buttock"},
    ),
    "daz genesis": Convention(
        {
            "pelvis": ["hip"], "spine": ["abdomenLower", "abdomenUpper", "chestLower", "chestUpper"],
            "neck": ["neckLower", "neckUpper"], "head": ["head"], "clavicle": ["{s}Collar"],
            "shoulder": ["{s}ShldrBend", "{s}ShldrTwist"],
            "elbow": ["{s}ForearmBend", "{s}ForearmTwist"], "wrist": ["{s}Hand"], "hip": ["{s}ThighBend",
            "{s}ThighTwist"],
            "knee": ["{s}Shin"], "ankle": ["{s}Foot"], "toes": ["{s}Toe"],
        },
        ("l", "r"),
        extras={"{s}Metatarsals": "{s}Foot", "{s}Pectoral": "chestLower"},
    ),
    "biped": Convention(
        {
            "pelvis": ["Bip01 Pelvis"], "spine": ["Bip01 Spine", "Bip01 Spine1", "Bip01 Spine2"],
            "neck": ["Bip01 Neck"],
            "head": ["Bip01 Head"], "clavicle": ["Bip01 {s} Clavicle"], "shoulder": ["Bip01 {s} UpperArm"],
            "elbow": ["Bip01 {s} Forearm"], "wrist": ["Bip01 {s} Hand"],
            **{f: [f"Bip01 {{s}} Finger{n}{k}" for k in ("", "1", "2")] for n, f in enumerate(FINGERS)},
            "hip": ["Bip01 {s} Thigh"], "knee": ["Bip01 {s} Calf"], "ankle": ["Bip01 {s} Foot"],
            "toes": ["Bip01 {s} Toe0"],
        },
        ("L", "R"),
        extras={"Bip01 HeadNub": "Bip01 Head", "Bip01 {s} Toe0Nub": "Bip01 {s} Toe0"},
        root="Bip01",
        above={"clavicle": "Bip01 Neck", "hip": "Bip01 Spine"},
    ),
    "plain english": Convention(
        {
            "pelvis": ["Pelvis"], "spine": ["Lower Back", "Upper Back"], "neck": ["Neck"], "head": ["Skull"],
            "clavicle": ["Collar Bone {s}"], "shoulder": ["Upper Arm {s}"], "elbow": ["Forearm {s}"],
            "wrist": ["Hand {s}"],
            "hip": ["Thigh {s}"], "knee": ["Shin {s}"], "ankle": ["Foot {s}"], "toes": ["Toes {s}"],
        },
        ("(left)", "(right)"),
    ),
    "rigify": Convention(
        {
            "pelvis": ["DEF-hips"], "spine": ["DEF-spine", "DEF-chest"], "neck": ["DEF-neck"], "head": ["DEF-head"],
            "clavicle": ["DEF-shoulder.{s}"], "shoulder": ["DEF-upper_arm.{s}", "DEF-upper_arm.{s}.001"],
            "elbow": ["DEF-forearm.{s}", "DEF-forearm.{s}.001"], "wrist": ["DEF-hand.{s}"],
            "hip": ["DEF-thigh.{s}", "DEF-thigh.{s}.001"], "knee": ["DEF-shin.{s}", "DEF-shin.{s}.001"],
            "ankle": ["DEF-foot.{s}"],
            "toes": ["DEF-toe.{s}"],
        },
        ("L", "R"),
        root="root",
    ),
    "maya": Convention(
        {
            "pelvis": ["rig|char:COG_jnt"], "spine": ["rig|char:spine1_jnt", "rig|char:spine2_jnt"],
            "head": ["rig|char:head_jnt"],
            "shoulder": ["rig|char:{s}_arm_jnt"], "elbow": ["rig|char:{s}_elbow_jnt"],
            "wrist": ["rig|char:{s}_wrist_jnt"],
            "hip": ["rig|char:{s}_leg_jnt"], "knee": ["rig|char:{s}_knee_jnt"], "ankle": ["rig|char:{s}_ankle_jnt"],
        },
        ("Lf", "Rt"),
    ),
    "humanoid robot": Convention(
        {
            "pelvis": ["pelvis"], "spine": ["waist_yaw_joint", "waist_roll_joint", "waist_pitch_joint"],
            "head": ["head_joint"],
            "shoulder": ["{s}_shoulder_pitch_joint", "{s}_shoulder_roll_joint", "{s}_shoulder_yaw_joint"],
            "elbow": ["{s}_elbow_joint"], "wrist": ["{s}_wrist_roll_joint", "{s}_wrist_pitch_joint",
            "{s}_wrist_yaw_joint"],
            "hip": ["{s}_hip_pitch_joint", "{s}_hip_roll_joint", "{s}_hip_yaw_joint"], "knee": ["{s}_knee_joint"],
            "ankle": ["{s}_ankle_pitch_joint", "{s}_ankle_roll_joint"],
        },
        ("left", "right"),
        extras={"imu_in_torso_joint": "waist_pitch_joint"},
    ),
    "abbreviating robot": Convention(
        {
            "pelvis": ["body"], "head": ["head_pan"],
            "shoulder": ["{s}_sho_pitch", "{s}_sho_roll"], "elbow": ["{s}_el"],
            "hip": ["{s}_hip_yaw", "{s}_hip_roll", "{s}_hip_pitch"], "knee": ["{s}_knee"],
            "ankle": ["{s}_ank_pitch", "{s}_ank_roll"],
        },
        ("l", "r"),
        extras={"cam_joint": "head_pan"},
        above={"shoulder": "body", "head": "body"},
    ),
}  # fmt: skip
NUMBERED = Convention(
    {
        "pelvis": ["torso_1"], "spine": ["torso_2", "torso_3"], "neck": ["neck_1", "neck_2"],
        "shoulder": ["arm_{s}_1"], "elbow": ["arm_{s}_2"], "wrist": ["arm_{s}_3"],
        "hip": ["leg_{s}_1"], "knee": ["leg_{s}_2"], "ankle": ["leg_{s}_3"], "toes": ["leg_{s}_5"],
    },
    ("L", "R"),
)  # fmt: skip
"""Names that say which limb, and number its joints."""


def biped(convention: Convention, *, scale: float = 1.0, facing: float = 0.0, robot: bool = False) -> Figure:
    """A body with these names, in metres times `scale`, turned by `facing` (rad); balls, or hinges if a robot."""
    return _Builder(convention, scale, facing, robot).figure()


class _Builder:
    def __init__(self, convention: Convention, scale: float, facing: float, robot: bool) -> None:
        c, s = np.cos(facing), np.sin(facing)
        self.turn = scale * np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        self.convention, self.robot = convention, robot
        self.joints: dict[str, Joint] = {}
        self.places: dict[str, np.ndarray] = {}
        self.sites: list[Site] = []

    def figure(self) -> Figure:
        c = self.convention
        if c.root:
            self.add(c.root, None, np.zeros(3))
        for part in PLACES:
            for side in (0, 1) if any("{s}" in n for n in c.parts.get(part, ())) else (None,):
                self.add_part(part, side)
        for name, parent in c.extras.items():
            for side in (0, 1) if "{s}" in name else (None,):
                own, above = self.spelled(name, side), self.spelled(parent, side)
                direction = np.array([0.0, 0.05, 0.0]) if side is None else np.array([0.02 - 0.04 * side, 0.0, 0.03])
                self.add(own, above, self.places[above] + self.turn @ direction)
        return Figure(name="biped", joints=tuple(self.joints.values()), sites=tuple(self.sites))

    def spelled(self, name: str, side: int | None) -> str:
        return name if side is None else name.format(s=self.convention.sides[side])

    def add_part(self, part: str, side: int | None) -> None:
        names = self.convention.parts.get(part, [])
        if not names:
            return
        mirror = np.array([-1.0 if side else 1.0, 1.0, 1.0])
        start = np.array(PLACES[part]) * mirror
        end = np.array(ENDS.get(part, PLACES[part])) * mirror
        above = self.hang_on(part, side)
        helper = self.convention.between.get(part)
        if helper:
            own = self.spelled(helper, side)
            self.add(own, above, self.places[above])
            above = own
        for k, name in enumerate(names):
            own = self.spelled(name, side)
            self.add(own, above, self.turn @ (start + (end - start) * k / max(len(names), 1)), hinge=k)
            above = own
        if (
            part in TIPS
            or (part == "wrist" and "index" not in self.convention.parts)
            or (part == "ankle" and "toes" not in self.convention.parts)
        ):
            tip = np.array(ENDS["toes" if part == "ankle" else part]) * mirror
            self.sites.append(
                Site(name=f"{above}_end", joint=above, point=tuple(self.turn @ tip - self.places[above]), tip=True)
            )

    def hang_on(self, part: str, side: int | None) -> str | None:
        c = self.convention
        if part in c.above:
            return self.spelled(c.above[part], side)
        above = ABOVE.get(part)
        while above and not c.parts.get(above):
            above = ABOVE.get(above)
        return self.spelled(c.parts[above][-1], side) if above else (c.root or None)

    def add(self, name: str, parent: str | None, place: np.ndarray, hinge: int = 0) -> None:
        offset = place - (self.places[parent] if parent else 0.0)
        free = parent is None or name == self.convention.parts["pelvis"][0]
        rotation = Ball()
        if self.robot and not free:
            axis = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0))[hinge % 3]
            rotation = (Hinge(axis=axis, lower=-2.5, upper=2.5),)
        self.places[name] = place
        self.joints[name] = Joint(
            name=name, parent=parent, offset=tuple(offset), slides=free_slides() if free else (), rotation=rotation
        )
