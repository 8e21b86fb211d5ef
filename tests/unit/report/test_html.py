from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from posewright.clips import walk
from posewright.figures.catalogue import build
from posewright.report.html import Page, Pictures, Plots, Section, Table, Timeline
from posewright.report.plots import Curve, Plot
from posewright.report.quality_page import quality_page, shown

VOID = {"meta", "img", "rect", "link", "br"}


class Balanced(HTMLParser):
    """Checks that every element that opens also closes, and collects what a page asks for from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID or self.open.pop() == tag


def checked(text: str) -> Balanced:
    parser = Balanced()
    parser.feed(text)
    assert parser.open == []
    assert all(link.startswith("data:image/") for link in parser.links), "everything is inside"
    return parser


def a_page() -> Page:
    picture = np.zeros((20, 30, 3), dtype=np.uint8)
    plot = Plot(content=[Curve(x=[0.0, 1.0], y=[1.0, 2.0], label="a")], title="height <m>")
    blocks = [
        "feet & <floor>",
        Table(header=("measure", "value"), rows=[("drift", "1 cm"), ("skate", "2")], tones=("bad",)),
        Pictures([(picture, 'a "caption"')]),
        Plots([plot]),
        Timeline(rows=[("left <foot>", [(0.0, 0.5), (0.8, 1.0)])], duration=1.0),
    ]
    return Page(title="A & B", summary="fine", tone="good", sections=[Section(title="All", blocks=blocks)])


def test_a_page_is_one_well_formed_file_with_everything_inside(tmp_path: Path) -> None:
    a_page().save(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert len(checked(text).links) == 2
    assert "prefers-color-scheme: dark" in text
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_text_from_files_is_never_markup() -> None:
    text = a_page().html()
    assert "feet &amp; &lt;floor&gt;" in text
    assert "left &lt;foot&gt;" in text
    assert "<floor>" not in text


def test_the_same_page_has_the_same_bytes() -> None:
    assert a_page().html() == a_page().html()


def test_the_quality_page_tells_and_draws_every_measure() -> None:
    source = walk(build("human40"), seed=1, fps=30.0)[:25]
    q = source.q.copy()
    q[:, 1] -= 0.05
    report = source.with_q(q).quality(source, floor=0.0)
    page = quality_page(report, report.check(), source.with_q(q), source, title="out.npz")
    assert page.tone == "bad"
    assert "limits broken: penetration" in page.summary
    assert [section.title for section in page.sections][:2] == ["Measures", "Motion"]
    text = page.html()
    links = checked(text).links
    assert sum(link.startswith("data:image/png") for link in links) >= 3
    assert sum(link.startswith("data:image/svg") for link in links) >= 4
    for measure in report.measures:
        assert measure.name in text
    assert re.search(r'class="bad"><td>penetration', text)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0123, "m", "1.23 cm"),
        (0.5, "share", "50%"),
        (np.pi / 2, "rad", "90°"),
        (1e-9, "m", "1.0e-07 cm"),
        (2.0, "", "2"),
        (12345.0, "m/s³", "12345 m/s³"),
        (0.16, "of allowed", "16% of allowed"),
    ],
)
def test_numbers_are_shown_in_the_units_of_people(value: float, unit: str, text: str) -> None:
    assert shown(value, unit) == text
