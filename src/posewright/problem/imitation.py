"""How an example guides a motion: the weights of the objective of one frame (Tak & Ko, section 4).

    G(q) = tracks · Σ weight ‖site - track‖² + example · L² ‖q - example‖² + stiffness · L² ‖q - last‖²

The first two terms also have velocity and acceleration terms. These are differences *per frame*, so their weights do
not depend on the frame rate. L is the reach of the longest tracked chain: one full turn moves its tip by 2πL. Slides
are lengths already and are not multiplied by L, so the answer does not depend on the unit of length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from posewright.checks import require_number
from posewright.errors import InvalidSetting

_OTHERS = ("weights", "stiffnesses", "leap", "exact")
"""Fields that are not weights."""


@dataclass(frozen=True, kw_only=True)
class Imitation:
    """Weights that balance imitating the example against meeting goals, and smoothness between frames."""

    tracks: float = 1.0
    """Weight α of all tracks and goals that are not strict."""
    example: float = 1e-5
    """Weight β of the squared distance to the example's joint values."""
    track_velocity: float = 0.01
    """Weight of the velocities of sites, relative to `tracks`; for positions only."""
    track_acceleration: float = 0.001
    """Weight of the accelerations of sites, relative to `tracks`; for positions only."""
    example_velocity: float = 0.01
    """Weight of the velocities of joint values, relative to `example`."""
    example_acceleration: float = 0.001
    """Weight of the accelerations of joint values, relative to `example`."""
    stiffness: float = 1e-6
    """Weight of the squared change between frames; for each dof it is divided by (1 - rigidity)²."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """Factors of `example`, by joint or dof name; default: 1. With 0 a dof follows the tracks alone."""
    stiffnesses: Mapping[str, float] = field(default_factory=dict)
    """Factors of `stiffness`, by joint or dof name; default: 1."""
    leap: float | None = 1.5
    """Threshold of leaps, as a multiple of the example's fastest joint rotation. If a joint of a clip turns faster, the
    clip is solved again near a smoother motion, so that limbs do not snap at the end of their reach. None: never;
    streams and exact tracks ignore it."""
    exact: bool = False
    """Whether to take the limit of a vanishing `example`: tracks are met first, and the example is followed with the
    remaining freedom."""

    def __post_init__(self) -> None:
        numbers = {name: value for name, value in vars(self).items() if name not in _OTHERS}
        named = {
            f"{what}[{name!r}]": value
            for what in ("weights", "stiffnesses")
            for name, value in vars(self)[what].items()
        }
        for name, value in (numbers | named).items():
            require_number(value, f"{name} of an imitation", "finite and not negative", at_least=0.0)
        if self.leap is not None:
            require_number(self.leap, "leap of an imitation", "finite and positive", above=0.0)
        if self.tracks + self.example == 0.0:
            raise InvalidSetting("an imitation needs a positive weight of tracks or example; both are 0")

    @classmethod
    def share(cls, imitation: float) -> Imitation:
        """Weights α = 1 - imitation and β = imitation, from 0 (tracks only) to 1 (a copy of the example)."""
        if not 0.0 <= imitation <= 1.0:
            raise InvalidSetting(f"imitation is {imitation}; it must be from 0 (tracks only) to 1 (example only)")
        return cls(tracks=1.0 - imitation, example=imitation)

    @classmethod
    def static(cls, *, tracks: float = 1.0, example: float, weights: Mapping[str, float] | None = None) -> Imitation:
        """Tracks and example only, without velocities, accelerations or stiffness, so frames are independent."""
        return cls(
            tracks=tracks, example=example, weights=weights or {}, leap=None,
            track_velocity=0.0, track_acceleration=0.0, example_velocity=0.0, example_acceleration=0.0, stiffness=0.0,
        )  # fmt: skip
