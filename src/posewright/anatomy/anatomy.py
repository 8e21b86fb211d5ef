"""The anatomy of a figure: which joints form which part of the body, its sides, limbs and feet, and how it stands.

Every figure has one (`figure.anatomy`), which is computed on first use and kept with the figure. Sides, limbs and feet
are known for any figure. Parts, segments and soles are known only for bodies with two legs and two arms.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from posewright.anatomy import feet
from posewright.anatomy.lexicon import ESSENTIAL, FINGERS, PARTS, SIDES
from posewright.anatomy.names import partners, sides_and_partners
from posewright.anatomy.recognition import recognise
from posewright.anatomy.segments import Segments
from posewright.anatomy.standing import DOUBTFUL, on_all_fours, standing_errors
from posewright.conventions import FORWARD, UP, Array
from posewright.errors import InvalidFigure, UnknownName
from posewright.figures.figure import Figure
from posewright.figures.site import Site

_OTHER_SIDE = {"left": "right", "right": "left"}
_LONG = 0.2
"""A chain at least this share of the figure's longest chain is long."""


class Anatomy:
    """Parts, sides, limbs and feet of a figure."""

    def __init__(
        self,
        figure: Figure,
        parts: Mapping[str, Sequence[str]] | None = None,
        confidence: Mapping[str, float] | None = None,
    ) -> None:
        """Recognise the parts, or use the given `parts`: joint names by part, from the trunk outwards."""
        self.figure = figure
        if parts is not None:
            self._recognised = _checked(figure, parts), dict(confidence or {})

    def __repr__(self) -> str:
        return f"<Anatomy of figure {self.figure.name}: {len(self.parts)} parts>"

    # Parts.

    @property
    def parts(self) -> Mapping[str, tuple[str, ...]]:
        """Joint names by part, in the order of `PARTS`, each from the trunk outwards; missing parts are left out."""
        return self._recognised[0]

    @property
    def confidence(self) -> Mapping[str, float]:
        """Confidence by part: 1 if given by a person, above 0.8 if names and shape agree, about 0.6 for shape alone."""
        return {part: float(self._recognised[1].get(part, 1.0)) for part in self.parts}

    @cached_property
    def _recognised(self) -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, float]]:
        parts, confidence = recognise(self.figure)
        try:
            return _checked(self.figure, parts), confidence
        except InvalidFigure:  # one joint in two parts: the body was not understood, but its file is not to blame
            return {}, {}

    @property
    def missing(self) -> tuple[str, ...]:
        """Essential parts without a joint."""
        return tuple(part for part in ESSENTIAL if part not in self.parts)

    @property
    def unmatched(self) -> tuple[str, ...]:
        """Names of the joints that belong to no part."""
        taken = {name for names in self.parts.values() for name in names}
        return tuple(name for name in self.figure.joint_names if name not in taken)

    def require(self) -> Anatomy:
        """Return the anatomy itself if no essential part is missing.

        Raises:
            InvalidFigure: essential parts are missing, or the figure stands on four legs.
        """
        if not self.missing and not self._is_guessed_quadruped:
            return self
        if not self.missing:
            raise InvalidFigure(
                f"figure {self.figure.name!r} stands on four legs, so its parts are not guessed: "
                "name them in a match file (--save-map writes one to correct, --map reads it)"
            )
        words = ", ".join(part.replace("_", " ") for part in self.missing)
        raise InvalidFigure(
            f"no joints of figure {self.figure.name!r} could be recognised as {words}; "
            "name them in a match file (--save-map writes one to fill in), "
            "or use a figure with two legs and two arms"
        )

    @cached_property
    def _is_guessed_quadruped(self) -> bool:
        """Whether arms and legs were guessed, and all four stand on the ground below a horizontal trunk."""
        limbs = [part for part in ESSENTIAL if part != "pelvis"]
        return any(self.confidence[part] < 1.0 for part in limbs) and on_all_fours(self)

    @cached_property
    def captured(self) -> tuple[int, ...]:
        """Indices of the joints that motion capture records: all parts except fingers, and the joints above them.

        For a body that is not recognised: all joints.
        """
        if self.missing:
            return tuple(range(len(self.figure.joints)))
        named = [names for part, names in self.parts.items() if not part.endswith(FINGERS)]
        found = {self.figure.joint_index(name) for names in named for name in names}
        above = self.figure.ancestors(self.first("pelvis"))
        return tuple(sorted(found.union(k for k in above if self.figure.joints[k].n_dofs)))

    def first(self, part: str) -> int:
        """Index of the first joint of a part."""
        return self.figure.joint_index(self.parts[part][0])

    def last(self, part: str) -> int:
        """Index of the last joint of a part, which carries its segment."""
        return self.figure.joint_index(self.parts[part][-1])

    def with_parts(self, parts: Mapping[str, Sequence[str]]) -> Anatomy:
        """The anatomy with some parts replaced; joints given here are removed from other parts.

        An empty list removes a part.
        """
        taken = {name for names in parts.values() for name in names}
        kept = {p: tuple(n for n in names if n not in taken) for p, names in self.parts.items() if p not in parts}
        confidence = {part: value for part, value in self.confidence.items() if part not in parts}
        return Anatomy(self.figure, {**kept, **parts}, confidence)

    def on(self, figure: Figure) -> Anatomy:
        """The same parts on a figure with the same joints, for example with another rest pose or more sites."""
        return self if figure is self.figure else Anatomy(figure, self.parts, self.confidence)

    # Sides.

    @cached_property
    def sides(self) -> tuple[str, ...]:
        """For each joint "left", "right" or "" (middle): from its name, otherwise from its part or its parent."""
        found = list(sides_and_partners(self.figure.joint_names)[0])
        if not any(found):
            for part, names in self.parts.items():
                for name in names if part.startswith(SIDES) else ():
                    found[self.figure.joint_index(name)] = part.partition("_")[0]
        for index, parent in enumerate(self.figure.parents):
            if not found[index] and parent >= 0:
                found[index] = found[parent]
        return tuple(found)

    @cached_property
    def partners(self) -> tuple[int, ...]:
        """For each joint the index of its partner on the other side; a joint in the middle is its own partner.

        Raises:
            InvalidFigure: a joint on one side has no partner.
        """
        found = partners(self.figure.joint_names)
        if any(partner != index for index, partner in enumerate(found)):
            return found
        by_part = list(found)
        for part, names in self.parts.items():
            side, _, rest = part.partition("_")
            others = self.parts.get(f"{_OTHER_SIDE[side]}_{rest}", ()) if side in SIDES else ()
            for name, other in zip(names, others, strict=False):
                by_part[self.figure.joint_index(name)] = self.figure.joint_index(other)
        return tuple(by_part)

    def facing(self, positions: Array) -> Array:
        """Horizontal unit vector (3,) in which the figure faces, from joint positions (..., joints, 3).

        It is perpendicular to the line from the right joints to the left ones. A figure without sides faces forward.
        """
        left, right = (np.array([side == which for side in self.sides]) for which in SIDES)
        if left.any() and right.any():
            points = positions.reshape(-1, len(left), 3)
            across = (points[:, left].mean(axis=1) - points[:, right].mean(axis=1)).sum(axis=0)
            front = np.cross(across, UP)
            if np.linalg.norm(front) > 1e-6 * np.ptp(points.reshape(-1, 3), axis=0).max():
                return np.asarray(front / np.linalg.norm(front))
        return np.array(FORWARD)

    # Limbs.

    @cached_property
    def trunk(self) -> frozenset[int]:
        """Indices of the joints at which two or more long chains branch, and of all joints above them.

        Only the tree is used. A chain is long if it has a fifth of the length of the figure's longest chain, so fingers
        do not make the hand part of the trunk. Offsets above the first branching joint are not bones: some files place
        the body far from its root.
        """
        figure = self.figure
        bones = np.linalg.norm([joint.offset for joint in figure.joints], axis=1)
        reach = np.zeros(len(figure.joints))  # m: the longest chain below a joint
        for site in figure.sites:
            index = figure.joint_index(site.joint)
            reach[index] = max(reach[index], float(np.linalg.norm(site.point)))
        for index in range(len(figure.joints) - 1, -1, -1):
            parent = figure.parents[index]
            if parent >= 0:
                reach[parent] = max(reach[parent], reach[index] + bones[index])
        branching = [index for index, children in enumerate(figure.children) if len(children) > 1]
        long = reach + bones >= _LONG * reach[branching].max(initial=0.0)
        forks = [index for index in branching if long[list(figure.children[index])].sum() >= 2]
        return frozenset(joint for fork in forks for joint in figure.ancestors(fork))

    def limb_of(self, site: str, *, with_spine: bool = False) -> frozenset[int]:
        """Indices of the joints between a site and the trunk: an arm with its clavicle, a leg, or neck and head.

        With the spine: also the whole trunk except the root; for a leg, both legs. A site on the root has only the
        root.
        """
        figure = self.figure
        chain = figure.ancestors(figure.site(site).joint)
        limb = frozenset(chain) - self.trunk
        roots = {index for index, parent in enumerate(figure.parents) if parent < 0}
        if chain[0] in roots:
            return frozenset(chain[:1])
        if not with_spine:
            return limb or frozenset(chain) - roots
        above = [index for index in chain if index in self.trunk]
        if above and above[0] in roots:
            legs = [child for child in figure.children[above[0]] if child not in self.trunk]
            return frozenset(index for leg in legs for index in figure.subtree(leg))
        return limb | (self.trunk - roots)

    # Feet.

    @cached_property
    def feet(self) -> Mapping[tuple[str, str], str]:
        """Names of the sites or joints that touch the floor, by side and end ("rear" or "front").

        These are heels or ankles and joints or tips of toes, found by parts or, if there are none, by names.
        """
        return feet.foot_points(self)

    @property
    def contact_sites(self) -> tuple[str, ...]:
        """Names of the sites or joints that touch the floor: those of the feet, or the lowest tips at rest."""
        return tuple(dict.fromkeys(self.feet.values())) or feet.lowest_ends(self.figure)

    @cached_property
    def soles(self) -> Mapping[str, Site]:
        """Sites under the feet by name: `left_sole`, `left_heel`, `left_toe_tip` and the same on the right.

        They are the figure's own, or are estimated from a standing rest pose. Empty if the body is not recognised.
        """
        if not self.stands:
            return {}
        return {site.name: site for site in feet.sole_sites(self.segments)}

    def with_soles(self) -> Figure:
        """The figure with any missing sites under its feet added; it should stand in its rest pose."""
        known = (*self.figure.site_names, *self.figure.joint_names)
        lacking = [site for site in feet.sole_sites(self.segments) if site.name not in known]
        return self.figure.with_sites(*lacking) if lacking else self.figure

    # Shape.

    @cached_property
    def segments(self) -> Segments:
        """Positions and directions of the parts at rest.

        Raises:
            InvalidFigure: essential parts are missing or have no length.
        """
        return Segments(self.require())

    @cached_property
    def stands(self) -> bool:
        """Whether the body is recognised and stands in its rest pose."""
        return not self.missing and bool(standing_errors(self, self.figure.rest[None])[0] <= DOUBTFUL)


def _checked(figure: Figure, parts: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Parts in the order of `PARTS`, without empty ones."""
    for part in parts:
        if part not in PARTS:
            raise UnknownName("body part", part, PARTS)
    ordered = {part: tuple(parts[part]) for part in PARTS if parts.get(part)}
    owner: dict[str, str] = {}
    for part, names in ordered.items():
        for name in names:
            figure.joint_index(name)
            if name in owner:
                raise InvalidFigure(
                    f"joint {name!r} of figure {figure.name!r} is both {owner[name]} and {part}; "
                    "it can be one part only"
                )
            owner[name] = part
        for above, below in itertools.pairwise(names):
            if figure.joint_index(above) not in figure.ancestors(below):
                raise InvalidFigure(
                    f"{part} of figure {figure.name!r}: joint {below!r} is not below {above!r}; "
                    "list the joints of a part from the trunk outwards"
                )
    return ordered
