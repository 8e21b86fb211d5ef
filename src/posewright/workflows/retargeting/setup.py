"""What retargeting needs before the first frame: two figures, their matching joints, and the scale of positions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real

import numpy as np

from posewright.checks import require, require_number
from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.joint_coordinates import slide_values
from posewright.figures.transforms.balls import with_balls
from posewright.matching import JointMatch, Scaling
from posewright.matching.transfer_tables import root_joint
from posewright.motions import Motion
from posewright.motions.floor import Floor
from posewright.problem import Imitation
from posewright.workflows.retargeting.hands import with_palms

IMITATION = Imitation(
    example=1e-3, track_velocity=0.0, track_acceleration=0.0, example_velocity=0.0, example_acceleration=0.0, leap=None
)
"""Stay near the example; goals decide the rest. Velocities need no weights, because goals are smooth."""
_ROOT_WEIGHT = 100.0
"""Factor of the example's weight for the slides of the root, so that feet in the air do not move the body."""
_WEIGHTS = {
    **dict.fromkeys(("pelvis", "spine", "neck", "head", "clavicle"), 30.0),
    "knee": 5.0,
}
"""The same for rotations of some parts, so that goals out of reach neither bend the trunk nor snap a knee straight."""
_LARGEST_SCALE, _HIGHEST_FLOOR = 1e3, 1e6
"""Largest scale, and largest height in m: more is a typing error and would overflow."""


@dataclass(frozen=True, eq=False)
class FigurePair:
    """Two prepared figures: what all clips from one to the other share."""

    source: Figure
    """With sites for its soles."""
    target: Figure
    """With sites for its soles."""
    figure: Figure
    """The target with balls where it has three free hinges: what is solved."""
    match: JointMatch
    """Of the source and the figure that is solved."""

    @classmethod
    def of(cls, match: JointMatch, source: Figure, target: Figure, *, palms: bool) -> FigurePair:
        """The pair of two figures with the joints of a match; the last one is kept with the match's source.

        Args:
            match: which joints are which.
            source: the source's figure, resting as it stands.
            target: the target.
            palms: whether the target gets sites in its hands.
        """
        asked = (source, target, match.target, palms)
        kept: tuple[tuple[object, ...], FigurePair] | None = vars(match.source).get(_KEPT)
        if kept is not None and all(a is b for a, b in zip(kept[0], asked, strict=True)):
            return kept[1]
        target = match.target.on(target).with_soles()
        if palms:
            target = with_palms(match.target.on(target))
        source = match.source.on(source).with_soles()
        figure = with_balls(target)
        made = cls(source, target, figure, JointMatch(match.source.on(source), match.target.on(figure)))
        vars(match.source)[_KEPT] = (asked, made)
        return made


_KEPT = "retargeting.pair"


@dataclass(frozen=True, eq=False)
class RetargetSetup:
    """A prepared source and target; the same for every frame."""

    source: Motion
    """Resting as it stands, with sites for its soles."""
    target: Figure
    """With sites for its soles."""
    figure: Figure
    """The target with balls where it has three free hinges: what is solved."""
    match: JointMatch
    """Of the source's figure and the one that is solved."""
    scaling: Scaling

    @classmethod
    def between(
        cls,
        source: Motion,
        target: Figure,
        match: JointMatch | None,
        *,
        floor: Floor | float | None,
        scale: float | None,
        palms: bool = False,
    ) -> RetargetSetup:
        """Prepare both; `palms`: the target gets sites in its hands."""
        require(target, Figure, "the target", "a Figure, such as pw.figure('human40')")
        if match is not None:
            require(match, JointMatch, "the match", "a JointMatch, such as JointMatch.load(path, source, target)")
        if scale is not None:
            accepted = f"a positive number such as 1, at most {_LARGEST_SCALE:g}"
            require_number(scale, "scale", accepted, above=0.0, at_most=_LARGEST_SCALE)
        if floor is not None:
            require(floor, Floor | Real, "floor", "a height in m, or a Floor")
        if floor is not None and not isinstance(floor, Floor):
            accepted = f"a height in m, at most {_HIGHEST_FLOOR:g}"
            require_number(floor, "floor", accepted, at_least=-_HIGHEST_FLOOR, at_most=_HIGHEST_FLOOR)
        match = match or JointMatch.between(source.figure, target)
        standing = source.with_standing_rest(match.source).figure
        pair = FigurePair.of(match, standing, target, palms=palms)
        source = replace(source, figure=pair.source)
        scaling = Scaling.between(source, pair.match, floor=floor, scale=scale)
        return cls(source, pair.target, pair.figure, pair.match, scaling)

    @cached_property
    def root(self) -> int:
        """Index of the target's joint whose slides move it about."""
        return root_joint(self.match.target)

    @property
    def imitation(self) -> Imitation:
        """The default weights."""
        first = self.figure.dof_slice(self.root).start
        weights = dict.fromkeys(self.figure.dof_names[first : first + 3], _ROOT_WEIGHT)
        for part, names in self.match.target.parts.items():
            weight = _WEIGHTS.get(part.rpartition("_")[2], 1.0)
            for name in names if weight != 1.0 else ():
                joint = self.figure.joint_index(name)
                where = self.figure.dof_slice(joint)
                turning = range(where.start + len(self.figure.joints[joint].slides), where.stop)
                weights |= {self.figure.dof_names[d]: weight for d in turning}
        return Imitation(**{**vars(IMITATION), "weights": weights})

    def weights(self, given: Imitation | float | None) -> Imitation:
        """The given weights; a number is the share of the example in the default ones."""
        if given is None or isinstance(given, Imitation):
            return given or self.imitation
        share = Imitation.share(given)
        return replace(self.imitation, tracks=share.tracks, example=share.example)

    def frozen(self, *, free_translations: bool) -> tuple[str, ...]:
        """Dofs that do not change: slides below the root unless free, and all above the joint that moves the target."""
        above = set(self.figure.ancestors(self.root)) - {self.root}
        kept: list[str] = []
        for index, joint in enumerate(self.figure.joints):
            where = self.figure.dof_slice(index)
            n = where.stop - where.start if index in above else 0 if free_translations else len(joint.slides)
            if index != self.root:
                kept += self.figure.dof_names[where.start : where.start + n]
        return tuple(kept)

    @property
    def ends(self) -> tuple[int, ...]:
        """Joints of wrists and head, as far as both figures have them."""
        parts = ("left_wrist", "right_wrist", "head")
        return tuple(self.match.target.first(part) for part in parts if part in self.match.parts)

    def lowered(self, q: Array, drop: Array) -> Array:
        """Frames (frames, dofs) of the target with its root lower by `drop` (frames,), m."""
        first, lowered = self.figure.dof_slice(self.root).start, q.copy()
        lowered[:, first : first + 3] += drop[:, None] * self._down
        return lowered

    @cached_property
    def _down(self) -> Array:
        """Change of the slides of the root, (3,), for 1 m down."""
        joint, above = self.figure.joints[self.root], self.figure.parents[self.root]
        down = np.array([0.0, -1.0, 0.0])
        if above >= 0:
            down = down @ self.match.target.segments.rotations[above]
        moved: Array = slide_values(joint, down) - slide_values(joint, np.zeros(3))
        return moved
