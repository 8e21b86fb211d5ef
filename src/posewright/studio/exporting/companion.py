"""Figures and clips that no file has as they are here: written beside the script or task that needs them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.formats import load_motion, save
from posewright.motions import Motion
from posewright.studio.exporting.figure_words import FigureWords, figure_words
from posewright.studio.files.folder import Folder
from posewright.studio.session.clips.opening import BUILT_IN, built_in_clip
from posewright.studio.session.state import State

_BESIDE = "export to the folder, where it is written beside"


@dataclass(frozen=True, eq=False)
class Names:
    """How a script or task calls figure and clip."""

    figure: FigureWords
    clip: Path | str | None
    """A file, or a clip made by code; None: there is none."""
    model: Path | None = None
    """The file of the motion model that the clip is edited in; None: it is not."""


def names_for(state: State, path: Path, folder: Path | None, *, with_clip: bool) -> Names:
    """Where figure and clip of a state are: in the files they came from, or in one written beside a path.

    Args:
        state: the state.
        path: of the script or task that is written.
        folder: where that will be; None: unknown, so that nothing can be written beside it.
        with_clip: whether the clip is needed, too.

    Raises:
        InvalidSetting: no file has them, and none can be written.
    """
    model = _model(state, path, folder) if with_clip else None
    try:
        return Names(figure_words(state), _clip(state) if with_clip else None, model)
    except InvalidSetting as error:
        if folder is None:
            raise InvalidSetting(f"{error}; {_BESIDE}") from None
    beside = Folder(folder).free(f"{_stem(path)}.source", ".npz")
    clip = state.clip
    motion = Motion(state.figure, state.q[np.newaxis], 30.0) if clip is None else clip.source_motion(state.figure)
    save(motion, beside)
    return Names(FigureWords(None, beside, (), {}, ()), beside if with_clip else None, model)


def _stem(path: Path) -> str:
    return path.name.partition(".")[0]


def _model(state: State, path: Path, folder: Path | None) -> Path | None:
    """The file of the model that the clip is edited in; one that was fitted here is written beside."""
    if state.editing_model is None or state.clip is None or not state.clip.asks:
        return None
    source = state.source("model")
    if source is not None and source.path is not None and source.is_at(source.path):
        return source.path
    if folder is None:
        raise InvalidSetting(f"the motion model is in no file; {_BESIDE}")
    beside = Folder(folder).free(_stem(path), ".model.npz")
    state.editing_model.save(beside)
    return beside


def _clip(state: State) -> Path | str | None:
    """The file or the word for the clip as it was opened.

    Raises:
        InvalidSetting: there is none that gives the same numbers.
    """
    clip, source = state.clip, state.source("clip")
    if clip is None:
        return None
    found: Array | None = None
    if source is not None and source.path is None:
        made = source.name in BUILT_IN and source.name != "reach"  # which has a target of its own
        found = built_in_clip(state.figure, source.name).source if made else None
    elif source is not None and source.path is not None and source.is_at(source.path):
        found = load_motion(source.path).q
    if source is not None and found is not None and np.array_equal(found, clip.source):
        return source.path or source.name
    raise InvalidSetting(f"clip {clip.name!r} is in no file as it is here")
