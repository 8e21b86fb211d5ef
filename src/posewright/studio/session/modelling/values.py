"""A motion model as JSON holds it: its file, in base 64. It comes back bit for bit."""

from __future__ import annotations

import base64
import tempfile
from dataclasses import replace
from pathlib import Path

from posewright.errors import FileProblem, InvalidSetting
from posewright.figures import Figure
from posewright.models.motion_model import MotionModel


def write_model(model: MotionModel) -> str:
    """The model as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "it.model.npz"
        model.save(path)
        return base64.b64encode(path.read_bytes()).decode("ascii")


def read_model(given: str, figure: Figure) -> MotionModel:
    """What `write_model` wrote, of a figure: files of figures round their limits in the last digit.

    Raises:
        InvalidSetting: it is something else, or of another figure.
    """
    try:
        data = base64.b64decode(given, validate=True)
    except ValueError:
        raise InvalidSetting("a motion model must be its file in base 64") from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "it.model.npz"
        path.write_bytes(data)
        try:
            model = MotionModel.load(path)
        except FileProblem:
            raise InvalidSetting("the motion model is damaged, or of another version") from None
    if model.figure.dof_names != figure.dof_names:
        raise InvalidSetting(f"the motion model is of figure {model.figure.name!r}, not of {figure.name!r}")
    return replace(model, figure=figure)
