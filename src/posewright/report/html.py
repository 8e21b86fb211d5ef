"""HTML pages in one file, for light and dark screens; a page consists of sections, a section of blocks."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal

from posewright.formats.atomic import replacing
from posewright.report.image_files import as_image
from posewright.report.picture import Picture
from posewright.report.plots import Plot, plot_svg

Tone = Literal["good", "bad", "plain"]


@dataclass(frozen=True)
class ShellCommand:
    """A command for the terminal."""

    text: str

    def html(self) -> str:
        """The block as HTML."""
        return f'<pre class="command">{escape(self.text)}</pre>\n'


@dataclass(frozen=True)
class Table:
    """Rows of cells; the first column is aligned left, the others, which are numbers, right."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    tones: Sequence[Tone] = ()
    """State of each row: good and bad ones have a mark before their first cell."""
    words: Sequence[int] = ()
    """Whether columns are text, which is aligned left and may take several lines."""

    def html(self) -> str:
        """The block as HTML."""
        kinds = [' class="words"' if k in self.words else "" for k in range(len(self.header))]
        head = "".join(f"<th{kind}>{escape(cell)}</th>" for cell, kind in zip(self.header, kinds, strict=True))
        tones = [*self.tones, *["plain"] * (len(self.rows) - len(self.tones))]
        rows = "".join(
            f'<tr class="{tone}">'
            + "".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
            + "</tr>\n"
            for row, tone in zip(self.rows, tones, strict=True)
        )
        body = f"<thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody>"
        return f'<div class="scroll"><table>{body}</table></div>\n'


@dataclass(frozen=True, eq=False)
class Pictures:
    """Pictures with captions, side by side if there is room."""

    pictures: Sequence[tuple[Picture, str]]
    wide: bool = False
    """Whether each picture takes the whole width."""

    def html(self) -> str:
        """The block as HTML."""
        figures = []
        for picture, caption in self.pictures:
            data = io.BytesIO()
            as_image(picture).save(data, format="PNG", optimize=True)
            image = _image(data.getvalue(), "png", caption)
            figures.append(f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>")
        return f'<div class="{"wide " * self.wide}pictures">{"".join(figures)}</div>\n'


@dataclass(frozen=True, eq=False)
class Plots:
    """Plots in two columns, or in one on a narrow screen."""

    plots: Sequence[Plot]

    def html(self) -> str:
        """The block as HTML; each plot is a separate image, because matplotlib repeats the ids of parts."""
        drawn = [(plot_svg(plot, width=560, height=280), plot.title) for plot in self.plots]
        images = [_image(svg.encode(), "svg+xml", title, ' class="plot"') for svg, title in drawn]
        return f'<div class="plots">{"".join(images)}</div>\n'


@dataclass(frozen=True)
class Timeline:
    """Bars over time, such as contacts."""

    rows: Sequence[tuple[str, Sequence[tuple[float, float]]]]
    """Name, and the first and last moment of each bar (s)"""
    duration: float
    """s"""

    def html(self) -> str:
        """The block as HTML."""
        height, left, width = 22, 190, 1000
        across = (width - left) / max(self.duration, 1e-9)
        parts = []
        for k, (name, bars) in enumerate(self.rows):
            y = k * height
            box = f'y="{y + 3}" height="{height - 6}" rx="3"'
            parts.append(f'<text x="{left - 10}" y="{y + 15}" text-anchor="end">{escape(name)}</text>')
            parts.append(f'<rect class="lane" x="{left}" width="{width - left}" {box}/>')
            for first, last in bars:
                x, w = left + across * first, max(2.0, across * (last - first))
                parts.append(f'<rect class="bar" x="{x:.1f}" width="{w:.1f}" {box}/>')
        y = len(self.rows) * height + 14
        for share, anchor in ((0.0, "start"), (0.25, "middle"), (0.5, "middle"), (0.75, "middle"), (1.0, "end")):
            place = f'x="{left + share * (width - left):.0f}" y="{y}" text-anchor="{anchor}"'
            parts.append(f'<text class="axis" {place}>{share * self.duration:.2f} s</text>')
        return f'<svg class="timeline" viewBox="0 0 {width} {y + 6}" role="img">{"".join(parts)}</svg>\n'


Block = str | ShellCommand | Table | Pictures | Plots | Timeline
"""Part of a section; a string is a paragraph."""


@dataclass(frozen=True)
class Section:
    """A section of a page."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, kw_only=True)
class Page:
    """A report."""

    title: str
    summary: str
    """One sentence below the title."""
    sections: Sequence[Section]
    tone: Tone = "plain"
    """Colour of the summary."""

    def html(self) -> str:
        """The page as HTML."""
        sections = []
        for section in self.sections:
            blocks = (f"<p>{escape(b)}</p>\n" if isinstance(b, str) else b.html() for b in section.blocks)
            sections.append(f"<section><h2>{escape(section.title)}</h2>\n{''.join(blocks)}</section>\n")
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(self.title)}</title>\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta name="color-scheme" content="light dark">\n<style>{_STYLE}</style></head>\n<body><main>\n'
            f'<header><h1>{escape(self.title)}</h1><p class="summary {self.tone}">{escape(self.summary)}</p></header>\n'
            f"{''.join(sections)}</main></body></html>\n"
        )

    def save(self, path: str | Path) -> None:
        """Write the page as one file that needs nothing else.

        Raises:
            MissingExtra: Pillow or matplotlib is not installed (extra `render`).
        """
        text = self.html()
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")


def _image(data: bytes, kind: str, alt: str, attributes: str = "") -> str:
    inside = base64.b64encode(data).decode("ascii")
    return f'<img{attributes} alt="{escape(alt)}" src="data:image/{kind};base64,{inside}">'


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
th.words, td.words { text-align: left; white-space: normal; overflow-wrap: anywhere; }
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
