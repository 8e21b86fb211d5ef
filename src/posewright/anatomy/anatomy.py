"""The anatomy of a figure: which joints are which part of a body, its sides, limbs, feet and how it stands.

Every figure has one (`figure.anatomy`), found when it is first asked for and kept with the figure. Sides, limbs and
feet are known of any figure; parts, segments and soles of those that are recognised as a body with two legs and two
arms.
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
"""Share of the figure's longest chain from which on a chain is long."""


class Anatomy:
    """What the joints of a figure are."""

    def __init__(
        self,
        figure: Figure,
        parts: Mapping[str, Sequence[str]] | None = None,
        confidence: Mapping[str, float] | None = None,
    ) -> None:
        """The anatomy that is found, or one with `parts` as given: joint names from the trunk outwards."""
        self.figure = figure
        if parts is not None:
            self._recognised = _checked(figure, parts), dict(confidence or {})

    def __repr__(self) -> str:
        return f"<Anatomy of figure {self.figure.name}: {len(self.parts)} parts>"

    # Parts.

    @property
    def parts(self) -> Mapping[str, tuple[str, ...]]:
        """Joint names by part, in the order of `PARTS`, each a chain from the trunk outwards; only parts it has."""
        return self._recognised[0]

    @property
    def confidence(self) -> Mapping[str, float]:
        """0 to 1 by part: 1 given by a person, above 0.8 names and shape agree, about 0.6 shape alone."""
        return {part: float(self._recognised[1].get(part, 1.0)) for part in self.parts}

    @cached_property
    def _recognised(self) -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, float]]:
        parts, confidence = recognise(self.figure)
        try:
            return _checked(self.figure, parts), confidence
        except InvalidFigure:  # one joint as two parts: the body is not understood, which is no mistake of its file
            return {}, {}

    @property
    def missing(self) -> tuple[str, ...]:
        """Essential parts without a joint."""
        return tuple(part for part in ESSENTIAL if part not in self.parts)

    @property
    def unmatched(self) -> tuple[str, ...]:
        """Joints that belong to no part."""
        taken = {name for names in self.parts.values() for name in names}
        return tuple(name for name in self.figure.joint_names if name not in taken)

    def require(self) -> Anatomy:
        """The anatomy itself, or an error that says which essential parts are missing and what to do."""
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
        """Whether arms and legs are guesses, and all four stand on the ground below a level trunk."""
        limbs = [part for part in ESSENTIAL if part != "pelvis"]
        return any(self.confidence[part] < 1.0 for part in limbs) and on_all_fours(self)

    @cached_property
    def captured(self) -> tuple[int, ...]:
        """Indices of the joints that recordings capture: of all parts but fingers, and above; of unknown bodies all."""
        if self.missing:
            return tuple(range(len(self.figure.joints)))
        named = [names for part, names in self.parts.items() if not part.endswith(FINGERS)]
        found = {self.figure.joint_index(name) for names in named for name in names}
        above = self.figure.ancestors(self.first("pelvis"))
        return tuple(sorted(found.union(k for k in above if self.figure.joints[k].n_dofs)))

    def first(self, part: str) -> int:
        """Index of the joint where a part begins."""
        return self.figure.joint_index(self.parts[part][0])

    def last(self, part: str) -> int:
        """Index of the joint that carries a part's segment."""
        return self.figure.joint_index(self.parts[part][-1])

    def with_parts(self, parts: Mapping[str, Sequence[str]]) -> Anatomy:
        """The anatomy with some parts as given (an empty list leaves one out); they take their joints from others."""
        taken = {name for names in parts.values() for name in names}
        kept = {p: tuple(n for n in names if n not in taken) for p, names in self.parts.items() if p not in parts}
        confidence = {part: value for part, value in self.confidence.items() if part not in parts}
        return Anatomy(self.figure, {**kept, **parts}, confidence)

    def on(self, figure: Figure) -> Anatomy:
        """The same parts of a figure with the same joints, such as this one with another rest pose or more sites."""
        return self if figure is self.figure else Anatomy(figure, self.parts, self.confidence)

    # Sides.

    @cached_property
    def sides(self) -> tuple[str, ...]:
        """For each joint "left", "right" or "" for the middle: as its name says, else its part, else its parent."""
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
        """For each joint the index of its partner on the other side, its own for those in the middle.

        Raises:
            InvalidFigure: a joint of one side has no partner.
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
        """Horizontal unit vector (3,) that the figure faces, from joint positions (..., joints, 3).

        It is across the line from the joints on the right to those on the left; forward for a figure without sides.
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
        """Indices of the joints from which two or more long chains branch, and of those above them.

        By the tree alone. Long is a fifth of the figure's longest chain: fingers do not make a trunk of the hand.
        Offsets above the first joint that branches are places, not bones: some files park a body far from its root.
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
        """Indices of the joints between a site and the trunk: an arm with its clavicle, a leg, neck and head.

        With the spine: the whole trunk besides, without the root; for a leg, both legs. A site on the root has only
        the root.
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

        Heels or ankles, and the joints or tips of the toes, by parts or else by names.
        """
        return feet.foot_points(self)

    @property
    def contact_sites(self) -> tuple[str, ...]:
        """Names of the sites or joints that touch the floor: those of the feet, else the lowest tips at rest."""
        return tuple(dict.fromkeys(self.feet.values())) or feet.lowest_ends(self.figure)

    @cached_property
    def soles(self) -> Mapping[str, Site]:
        """Sites under the feet by name, `left_sole`, `left_heel`, `left_toe_tip` and those of the right.

        The figure's own, or estimated from a rest pose that stands; empty if the body is not recognised.
        """
        if not self.stands:
            return {}
        return {site.name: site for site in feet.sole_sites(self.segments)}

    def with_soles(self) -> Figure:
        """The figure with the sites under its feet that it lacks; its rest pose should be a standing one."""
        known = (*self.figure.site_names, *self.figure.joint_names)
        lacking = [site for site in feet.sole_sites(self.segments) if site.name not in known]
        return self.figure.with_sites(*lacking) if lacking else self.figure

    # Shape.

    @cached_property
    def segments(self) -> Segments:
        """Where the parts are at rest and where they point.

        Raises:
            InvalidFigure: essential parts are missing or have no length.
        """
        return Segments(self.require())

    @cached_property
    def stands(self) -> bool:
        """Whether the rest pose of a recognised body is a standing one."""
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
