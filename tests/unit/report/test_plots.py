import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from posewright import checks
from posewright.errors import InvalidSetting, MissingExtra
from posewright.report.plots import Curve, Plot, plot_picture, plot_svg

CURVES = Plot(
    content=[
        Curve(x=[1.0, 2.0], y=[0.5, 5.0], label="error", style="both"),
        Curve(x=[1.0, 2.0], y=[1.0, 1.0], colour="red", style="dashed"),
    ],
    title="a title",
    x_label="dofs",
    y_label="error (m)",
    log_y=True,
)
GREEN = Plot(content=[Curve(x=[0.0, 1.0], y=[1.0, 1.0], colour="#00ff00")])


def test_plots_stand_side_by_side_as_a_picture_of_the_size_asked():
    picture = plot_picture(CURVES, GREEN, width=300, height=200)
    assert picture.shape == (200, 600, 3)
    assert picture.dtype == np.uint8
    assert (picture[0, 0] == 255).all()


def test_colours_are_those_asked_for():
    picture = plot_picture(GREEN, width=300, height=200)
    assert (picture == (0, 255, 0)).all(axis=2).sum() > 100


def test_a_plot_for_a_page_keeps_its_words_as_text():
    drawn = plot_svg(CURVES)
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert "error (m)" in drawn
    assert plot_svg(CURVES) == drawn


def test_no_plot_is_refused():
    with pytest.raises(InvalidSetting, match="at least one plot"):
        plot_picture()


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(checks, "import_module", absent)
    with pytest.raises(MissingExtra, match="render"):
        plot_picture(CURVES)
