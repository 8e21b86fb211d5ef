"""Pages: one HTML file with everything inside, for light and dark screens; a page is sections, a section is blocks."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from posewright.formats.atomic import replacing
from posewright.report.image_files import as_image
from posewright.report.picture import Picture
from posewright.report.plots import Plot, plot_svg

Tone = Literal["good", "bad", "plain"]


@dataclass(frozen=True, kw_only=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Command:
    """What to type in a terminal."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows of cells; the first column is read from the left, the others are numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    tones: Sequence[Tone] = ()
    """Of each row: good and bad ones carry a mark before their first cell."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Pictures:
    """Pictures with captions, side by side as far as there is room."""

    pictures: Sequence[tuple[Picture, str]]
    wide: bool = False
    """Whether each takes the whole width."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Plots:
    """Plots in two columns, or one on a narrow screen."""

    plots: Sequence[Plot]
    width: int = 560
    height: int = 280


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """Bars over time: when each of some things was the case."""

    rows: Sequence[tuple[str, Sequence[tuple[float, float]]]]
    """Name, and first and last moment of each bar (s)"""
    duration: float
    """s"""


Block = Text | Command | Table | Pictures | Plots | Timeline


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a page."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, kw_only=True)
class Page:
    """A whole report."""

    title: str
    summary: str
    """One sentence under the title."""
    sections: Sequence[Section]
    tone: Tone = "plain"
    """Colour of the summary."""


def write_page(page: Page, path: str | Path) -> None:
    """Write a page as one file that needs nothing else.

    Raises:
        MissingExtra: Pillow or matplotlib is not installed (extra `render`).
    """
    text = page_html(page)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def page_html(page: Page) -> str:
    """The page as text."""
    sections = "\n".join(
        f"<section><h2>{_safe(section.title)}</h2>\n{''.join(map(_block, section.blocks))}</section>"
        for section in page.sections
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{_safe(page.title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<style>{_STYLE}</style></head>\n<body><main>\n'
        f'<header><h1>{_safe(page.title)}</h1><p class="summary {page.tone}">{_safe(page.summary)}</p></header>\n'
        f"{sections}\n</main></body></html>\n"
    )


def _block(block: Block) -> str:
    if isinstance(block, Text):
        return f"<p>{_safe(block.text)}</p>\n"
    if isinstance(block, Command):
        return f'<pre class="command">{_safe(block.text)}</pre>\n'
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Timeline):
        return _timeline(block)
    if isinstance(block, Plots):
        drawn = (_svg(plot_svg(plot, width=block.width, height=block.height), plot.title) for plot in block.plots)
        return f'<div class="plots">{"".join(drawn)}</div>\n'
    kind = "wide pictures" if block.wide else "pictures"
    return f'<div class="{kind}">{"".join(_figure(*one) for one in block.pictures)}</div>\n'


def _table(table: Table) -> str:
    head = "".join(f"<th>{_safe(cell)}</th>" for cell in table.header)
    tones = [*table.tones, *["plain"] * (len(table.rows) - len(table.tones))]
    rows = "".join(
        f'<tr class="{tone}">{"".join(f"<td>{_safe(cell)}</td>" for cell in row)}</tr>\n'
        for row, tone in zip(table.rows, tones, strict=True)
    )
    body = f"<thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody>"
    return f'<div class="scroll"><table>{body}</table></div>\n'


def _figure(picture: Picture, caption: str) -> str:
    data = io.BytesIO()
    as_image(picture).save(data, format="PNG", optimize=True)
    image = f'<img alt="{_safe(caption)}" src="data:image/png;base64,{_base64(data.getvalue())}">'
    return f"<figure>{image}<figcaption>{_safe(caption)}</figcaption></figure>"


def _svg(drawing: str, title: str) -> str:
    # As an image of its own: the names that matplotlib gives to parts repeat from plot to plot.
    return f'<img class="plot" alt="{_safe(title)}" src="data:image/svg+xml;base64,{_base64(drawing.encode())}">'


def _timeline(timeline: Timeline) -> str:
    height, left, width = 22, 190, 1000
    across = (width - left) / max(timeline.duration, 1e-9)
    parts = []
    for k, (name, bars) in enumerate(timeline.rows):
        y = k * height
        parts.append(f'<text x="{left - 10}" y="{y + 15}" text-anchor="end">{_safe(name)}</text>')
        parts.append(f'<rect class="lane" x="{left}" y="{y + 3}" width="{width - left}" height="{height - 6}" rx="3"/>')
        for first, last in bars:
            x, w = left + across * first, max(2.0, across * (last - first))
            parts.append(f'<rect class="bar" x="{x:.1f}" y="{y + 3}" width="{w:.1f}" height="{height - 6}" rx="3"/>')
    y = len(timeline.rows) * height + 14
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        anchor = "end" if share == 1.0 else "start" if share == 0.0 else "middle"
        x = left + share * (width - left)
        moment = f"{share * timeline.duration:.2f} s"
        parts.append(f'<text class="axis" x="{x:.0f}" y="{y}" text-anchor="{anchor}">{moment}</text>')
    return f'<svg class="timeline" viewBox="0 0 {width} {y + 6}" role="img">{"".join(parts)}</svg>\n'


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _safe(text: str) -> str:
    return html.escape(text)


_STYLE = """
:root { --ink: #2d3540; --soft: #66727f; --paper: #ffffff; --ground: #f2f4f7; --line: #e1e6ec; --good: #2c8a57;
  --bad: #c6303b; --bar: #1f9e94; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ef; --soft: #98a5b3; --paper: #1d232b; --ground: #14181e;
  --line: #313a45; --good: #5fc98d; --bad: #ff7a80; --bar: #35bdb1; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", sans-serif; }
main { max-width: 1160px; margin: 0 auto; padding: 2.2rem 1.2rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.08rem; margin: 0 0 .8rem; }
p { margin: 0 0 .8rem; max-width: 75ch; }
.summary { font-size: 1.05rem; color: var(--soft); }
.summary.good { color: var(--good); } .summary.bad { color: var(--bad); }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 12px; padding: 1.2rem 1.3rem;
  margin-top: 1.1rem; }
.scroll { overflow-x: auto; margin-bottom: .8rem; }
.command { background: var(--ground); border-radius: 8px; padding: .6rem .9rem; margin: .9rem 0 0; overflow-x: auto;
  font: 13.5px/1.5 ui-monospace, Menlo, Consolas, monospace; }
.command::before { content: "$ "; color: var(--soft); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .34rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; font-size: .86rem; }
th:first-child, td:first-child { text-align: left; padding-left: 1.5rem; position: relative; }
tbody tr:last-child td { border-bottom: 0; }
tr.good td:first-child::before, tr.bad td:first-child::before { position: absolute; left: .1rem; font-weight: 700; }
tr.good td:first-child::before { content: "\\2713"; color: var(--good); }
tr.bad td:first-child::before { content: "\\2717"; color: var(--bad); }
tr.bad td { color: var(--bad); font-weight: 600; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 1rem; }
.plot { width: 100%; height: auto; }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 250px), 1fr)); gap: 1rem; }
.wide.pictures { grid-template-columns: 1fr; } .pictures { margin-bottom: .8rem; }
figure { margin: 0; } figure img { width: 100%; border-radius: 8px; display: block; }
figcaption { color: var(--soft); font-size: .88rem; margin-top: .35rem; }
.timeline { width: 100%; height: auto; display: block; font-size: 13px; fill: var(--ink); }
.timeline .lane { fill: var(--ground); } .timeline .bar { fill: var(--bar); } .timeline .axis { fill: var(--soft); }
@media (prefers-color-scheme: dark) { .plot { filter: invert(.89) hue-rotate(180deg);
  mix-blend-mode: lighten; } figure img { opacity: .92; } }
@media print { body { background: none; } section { break-inside: avoid; } }
"""
