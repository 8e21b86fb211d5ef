"""How figures, poses, motions and results show themselves in notebooks: a viewer to turn and play, or a picture.

The viewer where the page of the studio is built, else the picture that `report` draws, else the line that `print`
gives. Nothing is built or fetched for it.
"""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from html import escape

from posewright.errors import PosewrightError
from posewright.figures import Figure, Pose
from posewright.motions import Motion

MOST_FRAMES = 300
"""That a notebook keeps of a motion, unless asked for more."""
_HEIGHT = 480
"""Pixels."""


@dataclass(frozen=True, eq=False)
class Viewer:
    """Something to look at in a notebook: `Viewer(walk, frames=2000)` as the last line of a cell.

    Args:
        shown: a figure, a pose, a motion, or a result.
        frames: how many of a motion are kept at most; of more, every second, third, ...
    """

    shown: object
    frames: int = MOST_FRAMES

    def _repr_html_(self) -> str:
        return notebook_html(self.shown, self.frames)


def notebook_html(shown: object, frames: int = MOST_FRAMES) -> str:
    """Markup for a notebook; it never raises.

    Args:
        shown: a figure, a pose, a motion, or a result.
        frames: how many of a motion are kept at most.
    """
    try:
        seen, note = _thinned(_answer(shown), max(1, frames))
        return _with_viewer(shown, seen, note) or _with_picture(shown, seen, note)
    except (PosewrightError, ImportError, OSError):
        return f"<pre>{escape(_line(shown))}</pre>"


def _answer(shown: object) -> Figure | Pose | Motion:
    """What a result is about."""
    if isinstance(shown, Figure | Pose | Motion):
        return shown
    found: Pose | Motion = shown.motion if hasattr(shown, "motion") else shown.pose  # type: ignore[attr-defined]
    return found


def _thinned(shown: Figure | Pose | Motion, frames: int) -> tuple[Figure | Pose | Motion, str]:
    """Not more than so many frames, and how many there are."""
    if not isinstance(shown, Motion):
        return shown, ""
    step = max(1, -(-len(shown) // frames))
    if step == 1:
        return shown, f"{len(shown)} frames"
    kept = shown[::step]
    return kept, f"{len(kept)} of {len(shown)} frames, one in {step}; posewright.studio.notebook.Viewer shows more"


def _line(shown: object) -> str:
    """In one line, as `print` gives it."""
    return Motion.__repr__(shown) if isinstance(shown, Motion) else str(shown)


def _with_viewer(shown: object, seen: Figure | Pose | Motion, note: str) -> str:
    """The viewer; empty: the page is not built here."""
    from posewright.studio.page import built_page
    from posewright.studio.recording import recording
    from posewright.studio.standalone import standalone

    page = built_page()
    if page is None:
        return ""
    figure = seen if isinstance(seen, Figure) else seen.figure
    name = seen.name or figure.name if isinstance(seen, Motion) else figure.name
    text = standalone(page, recording([(name, seen)], contacts=False), name)
    size = f"{len(text) / 1e6:.1f} MB in this notebook"
    frame = (
        f'<iframe srcdoc="{escape(text)}" sandbox="allow-scripts" loading="lazy" '
        f'style="width: 100%; height: {_HEIGHT}px; border: 1px solid #8884; border-radius: 6px"></iframe>'
    )
    return f"{frame}\n{_caption(shown, note, size)}"


def _with_picture(shown: object, seen: Figure | Pose | Motion, note: str) -> str:
    from posewright.report.film import Film
    from posewright.report.image_files import as_image

    if isinstance(seen, Figure):
        seen = Pose.rest(seen)
    motion = seen if isinstance(seen, Motion) else Motion(seen.figure, seen.q[None], fps=30.0)
    film = Film(motions=(motion,), width=640, height=360)
    picture = film.strip() if len(motion) > 1 else film.picture(0.0)
    data = io.BytesIO()
    as_image(picture).save(data, format="PNG", optimize=True)
    image = base64.b64encode(data.getvalue()).decode("ascii")
    return f'<img alt="{escape(_line(shown))}" src="data:image/png;base64,{image}" />\n{_caption(shown, note)}'


def _caption(shown: object, *notes: str) -> str:
    facts = [_line(shown), *(note for note in notes if note)]
    return f'<div style="font-size: 85%; opacity: 0.75">{escape(" · ".join(facts))}</div>'
