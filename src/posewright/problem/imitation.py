"""How an example guides a motion: the weights of the objective of one frame (Tak & Ko, section 4).

    G(q) = tracks · Σ weight ‖site - track‖² + example · L² ‖q - example‖² + stiffness · L² ‖q - last‖²

Both distances have velocity and acceleration terms besides, which are differences *per frame*, so that their weights do
not depend on the frame rate. L is the reach of the longest chain that is tracked: turning it once moves its root by 2π
and its tip by 2πL. Slides are lengths already and do without L, so the answer does not depend on the unit of length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from posewright.checks import require_number
from posewright.errors import InvalidSetting

_OTHERS = ("weights", "stiffnesses", "leap", "exact")
"""Fields that are no weights."""


@dataclass(frozen=True, kw_only=True)
class Imitation:
    """How much a motion imitates its example against meeting its goals, and how smooth it is from frame to frame."""

    tracks: float = 1.0
    """α, of all tracks and goals that are not served strictly first."""
    example: float = 1e-5
    """β, of the distance to the example's joint values."""
    track_velocity: float = 0.01
    """Of the sites' velocities, relative to their places; positions only."""
    track_acceleration: float = 0.001
    """Of their accelerations, likewise."""
    example_velocity: float = 0.01
    """Of the velocities of joint values, relative to the values themselves."""
    example_acceleration: float = 0.001
    """Of their accelerations, likewise."""
    stiffness: float = 1e-6
    """Of the change from frame to frame; a dof's is divided by its (1 - rigidity)²."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """Factors of `example`, by joint or dof name; those not named count 1. Zero leaves a dof to the tracks."""
    stiffnesses: Mapping[str, float] = field(default_factory=dict)
    """Factors of `stiffness`, by joint or dof name."""
    leap: float | None = 1.5
    """Times the example's fastest turn of a joint: where something turns faster, a clip is solved again near a smoother
    motion, so that nothing jumps where a limb comes to the end of its reach. None: as the objective has it, as streams
    and exact tracks do."""
    exact: bool = False
    """The limit of a vanishing example: tracks are met first, the example is followed in the freedom they leave."""

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
            raise InvalidSetting(
                "an imitation has no weight on the tracks and none on the example; one of them is needed"
            )

    @classmethod
    def share(cls, imitation: float) -> Imitation:
        """One number from 0 (only the tracks count) to 1 (a copy of the example): α = 1 - imitation, β = imitation."""
        if not 0.0 <= imitation <= 1.0:
            raise InvalidSetting(f"imitation is {imitation}; it must be from 0 (the tracks) to 1 (the example)")
        return cls(tracks=1.0 - imitation, example=imitation)

    @classmethod
    def static(cls, *, tracks: float = 1.0, example: float, weights: Mapping[str, float] | None = None) -> Imitation:
        """Tracks and example alone: no velocities, accelerations or stiffness; every frame is a problem of its own."""
        return cls(
            tracks=tracks, example=example, weights=weights or {}, leap=None,
            track_velocity=0.0, track_acceleration=0.0, example_velocity=0.0, example_acceleration=0.0, stiffness=0.0,
        )  # fmt: skip
