"""Plots of measures: curves in the colours of Posewright, as pictures or as SVG."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Literal

import numpy as np

from posewright.checks import require_extra
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.report.picture import Picture
from posewright.report.scene import PALETTE

_DPI = 100
_INK, _FAINT = "#3a4450", "#dfe3e8"
_STYLES = {"line": ("", "-"), "points": ("o", ""), "both": ("o", "-"), "dashed": ("", "--")}  # marker, line


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A curve."""

    x: Sequence[float] | Array
    y: Sequence[float] | Array
    label: str = ""
    colour: str = ""
    """A palette name or "#rrggbb"; default: the next colour of the palette."""
    style: Literal["line", "points", "both", "dashed"] = "line"


@dataclass(frozen=True, kw_only=True)
class Plot:
    """One pair of axes; labels include the unit: "time (s)"."""

    content: Sequence[Curve]
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    log_x: bool = False
    log_y: bool = False
    equal_axes: bool = False
    """Whether both axes have the same scale, for paths in space."""


def plot_picture(*plots: Plot, width: int = 640, height: int = 400) -> Picture:
    """Plots side by side, each `width` x `height` pixels.

    Raises:
        MissingExtra: matplotlib is not installed (extra `render`).
    """
    canvas = _matplotlib("backends.backend_agg").FigureCanvasAgg(_drawn(plots, width, height))
    canvas.draw()
    picture: Picture = np.ascontiguousarray(np.asarray(canvas.buffer_rgba())[:, :, :3])
    return picture


def plot_svg(*plots: Plot, width: int = 640, height: int = 400) -> str:
    """The same as an `<svg>` element, sharp at any size."""
    figure, text = _drawn(plots, width, height), io.StringIO()
    with _matplotlib("").rc_context({"svg.fonttype": "none", "svg.hashsalt": "posewright"}):
        _matplotlib("backends.backend_svg").FigureCanvasSVG(figure).print_svg(text, metadata={"Date": None})
    drawn = text.getvalue()
    return drawn[drawn.index("<svg") :]


def _drawn(plots: Sequence[Plot], width: int, height: int) -> Any:
    if not plots:
        raise InvalidSetting("a picture needs at least one plot")
    figure = _matplotlib("figure").Figure(
        figsize=(len(plots) * width / _DPI, height / _DPI), dpi=_DPI, layout="constrained", facecolor="white"
    )
    for axes, plot in zip(figure.subplots(1, len(plots), squeeze=False)[0], plots, strict=True):
        _fill(axes, plot)
    return figure


def _fill(axes: Any, plot: Plot) -> None:
    colours = cycle(PALETTE.values())
    for curve in plot.content:
        colour = PALETTE.get(curve.colour, curve.colour) or next(colours)
        marker, line = _STYLES[curve.style]
        axes.plot(
            curve.x, curve.y, marker=marker, linestyle=line, markersize=4, linewidth=1.8, color=colour,
            label=curve.label,
        )  # fmt: skip
    axes.set_title(plot.title, loc="left", fontsize=11, color=_INK, fontweight="bold")
    axes.set_xlabel(plot.x_label, color=_INK)
    axes.set_ylabel(plot.y_label, color=_INK)
    axes.set_xscale("log" if plot.log_x else "linear")
    axes.set_yscale("log" if plot.log_y else "linear")
    if plot.equal_axes:
        axes.set_aspect("equal", adjustable="datalim")
    axes.grid(visible=True, color=_FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=_INK, labelsize=9)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(_FAINT)
    if any(curve.label for curve in plot.content):
        axes.legend(frameon=False, fontsize=9, labelcolor=_INK)


def _matplotlib(module: str) -> Any:
    return require_extra(f"matplotlib.{module}".rstrip("."), "drawing a plot", "matplotlib", "render")
