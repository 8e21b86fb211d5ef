"""The parts of a body, and the meaning of words in joint names in all naming conventions.

A part is an anatomical joint and the segment below it: the left shin begins at `left_knee`. In a figure a part is a
chain of joints: one for most parts, several for a spine, a robot's hip (pitch, roll, yaw) or an upper arm with a twist
bone. The part begins at the first joint of the chain; the last one carries its segment.

A word votes for parts of one limb (or of the trunk) with a weight from 0 to 1. The longest word in a name counts:
`forearm` rather than `arm`. Conventions contradict each other (`LeftShoulder` is the collar bone in Mixamo and the
upper arm elsewhere, `left_foot` the toes in SMPL and the ankle elsewhere), so a word never decides alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

SIDES: Final = ("left", "right")
TRUNK: Final = ("pelvis", "spine", "neck", "head")
ARM: Final = ("clavicle", "shoulder", "elbow", "wrist")
FINGERS: Final = ("thumb", "index", "middle", "ring", "little")
LEG: Final = ("hip", "knee", "ankle", "toes")

PARTS: Final = (*TRUNK, *(f"{side}_{part}" for side in SIDES for part in (*ARM, *FINGERS, *LEG)))
"""All parts, in the order of match files."""
ESSENTIAL: Final = (
    "pelvis",
    *(f"{side}_{part}" for part in ("hip", "knee", "ankle", "shoulder", "elbow") for side in SIDES),
)
"""Parts that a figure must have for its postures to be transferred."""

Votes = Mapping[str, float]
"""Weights by part; "before" and "after" stand for joints before and after the parts of a limb."""


def _votes_by_word(words_by_part: Mapping[str, str]) -> Mapping[str, Votes]:
    """The inverted table; `word=0.5` votes with that weight, a word alone with 1."""
    found: dict[str, dict[str, float]] = {}
    for part, words in words_by_part.items():
        for entry in words.split():
            word, _, weight = entry.partition("=")
            found.setdefault(word, {})[part] = float(weight or 1.0)
    return found


TRUNK_WORDS: Final = _votes_by_word(
    {
        "pelvis": "hips hip pelvis cog=0.5 centerofgravity=0.5 root=0.4 body=0.3 base=0.3",
        "spine": "spine chest thorax torso trunk abdomen belly stomach waist back rib lumbar thoracic sternum=0.7",
        "neck": "neck cervical",
        "head": "head skull cranium",
        "after": "jaw eye hair face=0.5",
    }
)
ARM_WORDS: Final = _votes_by_word(
    {
        "clavicle": "clavicle clav collar scapula sternoclav acromi=0.8 shoulder=0.8 shldr=0.2",
        "shoulder": "shldr humerus upperarm uparm bicep arm shoulder=0.8",
        "elbow": "forearm lowerarm lowarm loarm elbow radius ulna",
        "wrist": "wrist hand palm=0.8",
        "after": "carpal finger thumb index middle pinky little",
    }
)
LEG_WORDS: Final = _votes_by_word(
    {
        "before": "buttock pelvis",
        "hip": "hip thigh femur upperleg upleg leg=0.4",
        "knee": "leg lowerleg lowleg loleg foreleg knee shin calf tibia crus",
        "ankle": "ankle foot feet talus",
        "toes": "toe ball foot=0.5 feet=0.5",
        "after": "heel metatars",
    }
)
_FINGER_WORDS: Final = _votes_by_word(
    {
        "thumb": "thumb thm",
        "index": "index forefinger pointer",
        "middle": "middle mid",
        "ring": "ring",
        "little": "pinky pinkie little small",
    }
)
FOOT_ENDS: Final = {"rear": ("heel", "ankle", "foot"), "front": ("toe",)}
"""Words for the ends of a foot, for figures that are not recognised as bodies."""

LINK_WORDS: Final = {
    "leg": ("hip", "thigh", "knee", "calf", "shin", "ankle", "foot", "leg"),
    "foot": ("ankle", "foot", "sole"),
    "toe": ("toe",),
    "hand": ("wrist", "hand", "palm", "gripper"),
    "forearm": ("elbow", "forearm", "lower_arm"),
    "finger": ("thumb", "index", "middle", "ring", "pinky", "little", "finger"),
}
"""Words in the names of a robot's joints and links, from which soles and hands are made before there is a figure."""

SIDE_WORDS: Final = tuple(
    {"left": left, "right": right}
    for left, right in (
        ("l", "r"), ("左", "右"), ("lf", "rt"), ("lt", "rt"), ("sx", "dx"), ("lft", "rgt"), ("left", "right"),
        ("links", "rechts"),
    )
)  # fmt: skip
"""Words for left and right, as they are found together; short ones first: `ltoes` and `rtoes` differ by a letter."""

HELPERS: Final = frozenset(
    {"end", "nub", "tip", "top", "ik", "fk", "pole", "target", "ctrl", "control", "eff", "effector", "goal", "null"}
    | {
        "dummy",
        "helper",
        "site",
        "imu",
        "camera",
        "cam",
        "sensor",
        "lidar",
        "radar",
        "optical",
        "logo",
        "hair",
        "breast",
        "skirt",
        "cloth",
        "tail",
    }
)
"""Words in names of joints that are not body parts, whatever else the names contain."""

_LONGEST_SHORT = 4
"""Maximum number of letters of an abbreviation."""
_VERTEBRA = re.compile(r"^(?:([LT])|C)\d{1,2}$", re.IGNORECASE)
_NUMBERED_FINGER = re.compile(r"finger\D?(\d)")


def votes(words: Mapping[str, Votes], base: str, tokens: Sequence[str] = ()) -> tuple[str, Votes]:
    """The longest word of a table in a base name (lower-case letters and digits) and what it votes for; "" if none.

    Where there is none, one of the name's `tokens` may abbreviate a word by its first letters: `l_sho_pitch`, `l_el`.
    """
    letters = "".join(c for c in base if c.isalpha())
    found = max((word for word in words if word in letters), key=len, default="")
    if not found:
        short = [token for token in tokens if 2 <= len(token) <= _LONGEST_SHORT]
        found = next((word for token in short for word in words if word.startswith(token)), "")
    if not found and words is TRUNK_WORDS:
        vertebra = _VERTEBRA.match(base)
        if vertebra:
            return "vertebra", {"spine": 1.0} if vertebra.group(1) else {"neck": 1.0}
    return found, words.get(found, {})


def agreement(part: str, votes_at: Sequence[tuple[str, Votes]]) -> float:
    """The mean vote of the words of some joints for a part."""
    return sum(vote.get(part, 0.0) for _, vote in votes_at) / len(votes_at) if votes_at else 0.0


def finger_of(base: str, *, first: int = 1) -> str:
    """The finger named by a base name, or ""; `first` is the number of the thumb if fingers are numbered."""
    _, found = votes(_FINGER_WORDS, base)
    number = finger_number(base)
    if found or number is None:
        return next(iter(found), "")
    return FINGERS[number - first] if 0 <= number - first < len(FINGERS) else ""


def finger_number(base: str) -> int | None:
    """The number of the finger in `finger2-1` or `Finger21`."""
    numbered = _NUMBERED_FINGER.search(base)
    return int(numbered.group(1)) if numbered else None
