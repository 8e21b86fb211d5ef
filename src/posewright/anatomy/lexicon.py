"""What the words in joint names mean, over all naming conventions.

Each table maps a word to the parts of one limb (or of the trunk) that it may mean, with a weight from 0 to 1. The
longest word that occurs in a name counts: `forearm` before `arm`. Conventions contradict each other (`LeftShoulder`
is the collar bone of Mixamo and the upper arm of others, `left_foot` the toes of SMPL and the ankle elsewhere), so a
word is a vote and never decides alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from posewright.anatomy.parts import FINGERS

Votes = Mapping[str, float]

SIDE_WORDS: Final = tuple(
    {"left": left, "right": right}
    for left, right in (
        ("l", "r"), ("左", "右"), ("lf", "rt"), ("lt", "rt"), ("sx", "dx"), ("lft", "rgt"), ("left", "right"),
        ("links", "rechts"),
    )
)  # fmt: skip
"""Words for left and right, as they are found together; short ones first: `ltoes` and `rtoes` differ by a letter."""

TRUNK_WORDS: Final[Mapping[str, Votes]] = {
    "hips": {"pelvis": 1.0},
    "hip": {"pelvis": 1.0},
    "pelvis": {"pelvis": 1.0},
    "root": {"pelvis": 0.4},
    "cog": {"pelvis": 0.5},
    "centerofgravity": {"pelvis": 0.5},
    "body": {"pelvis": 0.3},
    "base": {"pelvis": 0.3},
    "spine": {"spine": 1.0},
    "chest": {"spine": 1.0},
    "thorax": {"spine": 1.0},
    "torso": {"spine": 1.0},
    "trunk": {"spine": 1.0},
    "abdomen": {"spine": 1.0},
    "belly": {"spine": 1.0},
    "stomach": {"spine": 1.0},
    "waist": {"spine": 1.0},
    "back": {"spine": 1.0},
    "rib": {"spine": 1.0},
    "lumbar": {"spine": 1.0},
    "thoracic": {"spine": 1.0},
    "sternum": {"spine": 0.7},
    "neck": {"neck": 1.0},
    "cervical": {"neck": 1.0},
    "head": {"head": 1.0},
    "skull": {"head": 1.0},
    "cranium": {"head": 1.0},
    "jaw": {"after": 1.0},
    "eye": {"after": 1.0},
    "face": {"after": 0.5},
    "hair": {"after": 1.0},
}
ARM_WORDS: Final[Mapping[str, Votes]] = {
    "clavicle": {"clavicle": 1.0},
    "clav": {"clavicle": 1.0},
    "collar": {"clavicle": 1.0},
    "scapula": {"clavicle": 1.0},
    "sternoclav": {"clavicle": 1.0},
    "acromi": {"clavicle": 0.8},
    "shoulder": {"clavicle": 0.8, "shoulder": 0.8},
    "shldr": {"shoulder": 1.0, "clavicle": 0.2},
    "humerus": {"shoulder": 1.0},
    "upperarm": {"shoulder": 1.0},
    "uparm": {"shoulder": 1.0},
    "bicep": {"shoulder": 1.0},
    "arm": {"shoulder": 1.0},
    "forearm": {"elbow": 1.0},
    "lowerarm": {"elbow": 1.0},
    "lowarm": {"elbow": 1.0},
    "loarm": {"elbow": 1.0},
    "elbow": {"elbow": 1.0},
    "radius": {"elbow": 1.0},
    "ulna": {"elbow": 1.0},
    "wrist": {"wrist": 1.0},
    "hand": {"wrist": 1.0},
    "palm": {"wrist": 0.8},
    "carpal": {"after": 1.0},
    "finger": {"after": 1.0},
    "thumb": {"after": 1.0},
    "index": {"after": 1.0},
    "middle": {"after": 1.0},
    "pinky": {"after": 1.0},
    "little": {"after": 1.0},
}
LEG_WORDS: Final[Mapping[str, Votes]] = {
    "buttock": {"before": 1.0},
    "pelvis": {"before": 1.0},
    "hip": {"hip": 1.0},
    "thigh": {"hip": 1.0},
    "femur": {"hip": 1.0},
    "upperleg": {"hip": 1.0},
    "upleg": {"hip": 1.0},
    "leg": {"knee": 1.0, "hip": 0.4},
    "lowerleg": {"knee": 1.0},
    "lowleg": {"knee": 1.0},
    "loleg": {"knee": 1.0},
    "foreleg": {"knee": 1.0},
    "knee": {"knee": 1.0},
    "shin": {"knee": 1.0},
    "calf": {"knee": 1.0},
    "tibia": {"knee": 1.0},
    "crus": {"knee": 1.0},
    "ankle": {"ankle": 1.0},
    "foot": {"ankle": 1.0, "toes": 0.5},
    "feet": {"ankle": 1.0, "toes": 0.5},
    "talus": {"ankle": 1.0},
    "heel": {"after": 1.0},
    "toe": {"toes": 1.0},
    "ball": {"toes": 1.0},
    "metatars": {"after": 1.0},
}
FINGER_WORDS: Final[Mapping[str, str]] = {
    "thumb": "thumb",
    "thm": "thumb",
    "index": "index",
    "forefinger": "index",
    "pointer": "index",
    "middle": "middle",
    "mid": "middle",
    "ring": "ring",
    "pinky": "little",
    "pinkie": "little",
    "little": "little",
    "small": "little",
}

HELPERS: Final = frozenset(
    {"end", "nub", "tip", "top", "ik", "fk", "pole", "target", "ctrl", "control", "eff", "effector", "goal", "null"}
    | {"dummy", "helper", "site", "imu", "camera", "sensor", "logo", "hair", "breast", "skirt", "cloth", "tail"}
)
"""Words of joints that are no body part, whatever else their names say."""

_VERTEBRA = re.compile(r"^(?:([LT])|C)\d{1,2}$", re.IGNORECASE)
_NUMBERED_FINGER = re.compile(r"finger\D?(\d)")


def votes(words: Mapping[str, Votes], base: str) -> tuple[str, Votes]:
    """The longest word of a table in a base name (lower-case letters and digits) and what it votes for; "" if none."""
    letters = "".join(c for c in base if c.isalpha())
    found = max((word for word in words if word in letters), key=len, default="")
    if not found and words is TRUNK_WORDS:
        vertebra = _VERTEBRA.match(base)
        if vertebra:
            return "vertebra", {"spine": 1.0} if vertebra.group(1) else {"neck": 1.0}
    return found, words.get(found, {})


def agreement(part: str, votes_at: Sequence[tuple[str, Votes]]) -> float:
    """How much, on the mean, the words of some joints vote for a part."""
    return sum(vote.get(part, 0.0) for _, vote in votes_at) / len(votes_at) if votes_at else 0.0


def finger_of(base: str, *, first: int = 1) -> str:
    """The finger that a base name speaks of, or ""; `first` is the number of the thumb where fingers are numbered."""
    letters = "".join(c for c in base if c.isalpha())
    found = max((word for word in FINGER_WORDS if word in letters), key=len, default="")
    if found:
        return FINGER_WORDS[found]
    number = finger_number(base)
    return FINGERS[number - first] if number is not None and 0 <= number - first < len(FINGERS) else ""


def finger_number(base: str) -> int | None:
    """The number in `finger2-1` or `Finger21` that tells the finger."""
    numbered = _NUMBERED_FINGER.search(base)
    return int(numbered.group(1)) if numbered else None
