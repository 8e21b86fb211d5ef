"""What a clip must know of a biped: its limbs, feet and chains, measured in its rest pose.

Any figure with the joint names and sites of the built-in bipeds is one, whatever the axes, order and limits of its
hinges.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from posewright.clips.curves import about
from posewright.clips.limbs import TurnedChain, TwoBoneLimb
from posewright.conventions import Array
from posewright.errors import InvalidFigure
from posewright.figures.figure import Figure
from posewright.figures.kinematics import JointFrames, joint_frames, site_frames
from posewright.rotations import matrix_from_axes

_PERSON = 0.86
"""m, legs of a person: times of clips are for these."""


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot at rest, flat on the floor; points (3,) are m from the middle of the sole."""

    sole: Array
    """World point of the middle of the sole at rest."""
    ankle: Array
    heel: Array
    ball: Array
    """Where the toes bend."""
    toe_tip: Array
    most_bend: float
    """rad, how far the toes bend up, a little inside their limit."""

    @property
    def side(self) -> float:
        """+1 for the left foot, -1 for the right."""
        return float(np.sign(self.sole[0]))

    @property
    def bends(self) -> bool:
        """Whether the toes bend enough to roll over."""
        return self.most_bend > 0.1

    @property
    def forepart(self) -> Array:
        """What the foot rolls over when its heel rises: the ball, or the tip of toes that cannot bend."""
        return self.ball if self.bends else self.toe_tip

    def push(self, wanted: float, rigid: float) -> float:
        """rad, not positive: a pitch at the last touch that the toes allow; `rigid` for toes that cannot bend."""
        return -min(wanted, self.most_bend) if self.bends else -min(wanted, rigid)


@dataclass(frozen=True, eq=False)
class Leg:
    """One leg."""

    limb: TwoBoneLimb
    hip_chain: TurnedChain
    foot: Foot
    ankle_chain: TurnedChain
    toe_chain: TurnedChain
    ankle: int
    toes: int
    from_pelvis: Array
    """(3,), m, from the pelvis to the hip at rest."""


@dataclass(frozen=True, eq=False)
class Arm:
    """One arm."""

    to_palm: TwoBoneLimb
    """Upper arm, and forearm with the hand at rest on it: what a relaxed hand is placed with."""
    to_wrist: TwoBoneLimb
    shoulder_base: int
    """Index of the joint that carries the shoulder chain."""
    shoulder_chain: TurnedChain
    """Clavicle and shoulder; the clavicle moves only as far as a joint group ties it to the shoulder."""
    hand_chain: TurnedChain
    wrist: int
    wrist_to_palm: Array
    """(3,), m, in the palm's frame."""
    palm_from_wrist: Array
    """(3, 3)"""
    outward: float
    """+1 for the left arm, -1 for the right: the sign of x away from the body."""


@dataclass(frozen=True, eq=False)
class Biped:
    """A figure that can walk."""

    figure: Figure
    rest: JointFrames
    """Of the rest pose."""
    pelvis: int
    chest: int
    head: int
    pelvis_chain: TurnedChain
    spine_chain: TurnedChain
    neck_chain: TurnedChain
    legs: tuple[Leg, Leg]
    """Left, right."""
    arms: tuple[Arm, Arm]
    """Left, right."""

    @property
    def pelvis_rest(self) -> Array:
        """World point (3,) of the pelvis at rest."""
        point: Array = self.rest.positions[self.pelvis]
        return point

    @property
    def leg_length(self) -> float:
        """m, from hip to ankle, straight."""
        return self.legs[0].limb.longest

    @property
    def arm_length(self) -> float:
        """m, from shoulder to palm, straight."""
        return self.arms[0].to_palm.longest

    @property
    def pace(self) -> float:
        """How many times as long as a person it takes for the same movement: legs are pendulums."""
        return float(np.sqrt(self.leg_length / _PERSON))


@lru_cache(maxsize=32)
def measure(figure: Figure) -> Biped:
    """The figure as a biped; an `UnknownName` says which joint or site it lacks."""
    rest = joint_frames(figure, figure.rest)
    pelvis, head, neck = (figure.joint_index(name) for name in ("pelvis", "head", "neck"))
    chest = figure.parents[neck]
    if figure.parents[pelvis] != -1 or len(figure.joints[pelvis].slides) != 3:
        raise InvalidFigure(f"figure {figure.name!r}: 'pelvis' must be a root with three slides to walk")

    def below(joint: int, last: int) -> list[int]:
        """Indices of the joints after one down to the last."""
        chain = figure.ancestors(last)
        return list(reversed(chain[: chain.index(joint)]))

    return Biped(
        figure=figure,
        rest=rest,
        pelvis=pelvis,
        chest=chest,
        head=head,
        pelvis_chain=TurnedChain.of(figure, [pelvis]),
        spine_chain=TurnedChain.of(figure, below(pelvis, chest), shared=True),
        neck_chain=TurnedChain.of(figure, below(chest, head), shared=True),
        legs=(_leg(figure, rest, pelvis, "left"), _leg(figure, rest, pelvis, "right")),
        arms=(_arm(figure, "left"), _arm(figure, "right")),
    )


def _leg(figure: Figure, rest: JointFrames, pelvis: int, side: str) -> Leg:
    hip, knee, ankle, toes = (figure.joint_index(f"{side}_{part}") for part in ("hip", "knee", "ankle", "toes"))
    sites = [f"{side}_{part}" for part in ("sole", "heel", "toe_tip")]
    sole, heel, toe_tip = site_frames(figure, figure.rest, sites).points
    toe_chain = TurnedChain.of(figure, [toes])
    most_bend = _most_bend(figure, rest, toes, toe_chain)
    return Leg(
        limb=TwoBoneLimb.of(figure, hip, knee, ankle, np.zeros(3)),
        hip_chain=TurnedChain.of(figure, [hip]),
        foot=Foot(
            sole, rest.positions[ankle] - sole, heel - sole, rest.positions[toes] - sole, toe_tip - sole, most_bend
        ),
        ankle_chain=TurnedChain.of(figure, [knee, ankle], skip={knee: 1}),
        toe_chain=toe_chain,
        ankle=ankle,
        toes=toes,
        from_pelvis=rest.positions[hip] - rest.positions[pelvis],
    )


def _most_bend(figure: Figure, rest: JointFrames, toes: int, chain: TurnedChain) -> float:
    """Ask the toes for a right angle upwards and see how far they get (rad)."""
    upwards = about((1.0, 0.0, 0.0), -np.pi / 2) @ rest.rotations[toes]
    missing = chain.fit(rest.rotations[None, figure.parents[toes]], upwards[None], np.zeros((1, figure.n_dofs)))
    return 0.97 * float(np.pi / 2 - np.linalg.norm(missing[0])) if chain.indices.size else 0.0


def _arm(figure: Figure, side: str) -> Arm:
    shoulder, elbow, wrist = (figure.joint_index(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist"))
    site = figure.site(f"{side}_hand")
    palm = np.array(site.point)
    palm_from_wrist = matrix_from_axes(np.array(site.x_axis), np.array(site.y_axis)).T
    above = figure.parents[shoulder]
    upper = [above, shoulder] if figure.joint_names[above] == f"{side}_clavicle" else [shoulder]
    return Arm(
        to_palm=TwoBoneLimb.of(figure, shoulder, elbow, wrist, palm),
        to_wrist=TwoBoneLimb.of(figure, shoulder, elbow, wrist, np.zeros(3)),
        shoulder_base=figure.parents[upper[0]],
        shoulder_chain=TurnedChain.of(figure, upper, still=[above]),
        hand_chain=TurnedChain.of(figure, [elbow, wrist], skip={elbow: 1}),
        wrist=wrist,
        wrist_to_palm=palm_from_wrist @ palm,
        palm_from_wrist=palm_from_wrist,
        outward=1.0 if side == "left" else -1.0,
    )
