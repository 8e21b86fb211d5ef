"""The space that a clip is edited in, and motion models fitted from clips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from posewright.studio.protocol.choices import ChoiceInfo
from posewright.studio.protocol.request import Request
from posewright.studio.session.commands.goals import Name


@dataclass(frozen=True, kw_only=True)
class FitModel(Request):
    """Fit a motion model from clips, beside the line of requests; the clip is then edited in it."""

    kind: Literal["fit_model"] = "fit_model"
    clips: Annotated[tuple[Name, ...], Field(max_length=1000)]
    explained_variance: Annotated[float, Field(gt=0.0, le=1.0)]
    """Share of the variance of the clips that its modes explain."""


@dataclass(frozen=True, kw_only=True)
class StopFitting(Request):
    """Fit no more."""

    kind: Literal["stop_fitting"] = "stop_fitting"


@dataclass(frozen=True, kw_only=True)
class ModelInfo:
    """A motion model."""

    name: str
    """Of its file; empty: it was fitted here."""
    clips: tuple[str, ...]
    """That it was fitted from."""
    frames: int
    modes: int
    explained: float
    """Share of the variance of the clips that all its modes explain."""
    shares: tuple[float, ...]
    """By mode, the largest first."""
    warnings: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Modelling:
    """What the clip is edited in; sent when something of it changes."""

    kind: Literal["modelling"] = "modelling"
    clips: tuple[ChoiceInfo, ...]
    """That a model can be fitted from."""
    model: ModelInfo | None
    in_model: bool
    """Whether edits stay in it."""
    hold_contacts: Literal["usual", "on", "off"]
    keep_detail: bool
    limits: bool
    max_deviation: float
    """Standard deviations; 0: any"""
    fitting: bool
    done: int
    total: int
    """Clips, and the fit itself."""
    why_not: str
    """Why there is no model; empty: there is one, or none was asked for."""
