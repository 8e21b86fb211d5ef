"""What is asked of the clip of a session, as an edit file."""

from __future__ import annotations

from typing import Any

from posewright.errors import InvalidSetting
from posewright.studio.exporting.task_text import goal_words, site_words, written
from posewright.studio.session.clips.clip import Clip
from posewright.studio.session.clips.editing import edit_arguments
from posewright.studio.session.clips.span import Span
from posewright.studio.session.state import State


def edit_text(state: State) -> str:
    """Keys, paths and contacts as an edit file.

    Raises:
        InvalidSetting: nothing is asked.
    """
    clip = state.clip
    if clip is None or not clip.asks:
        raise InvalidSetting("there is nothing to export; set a key, a path or a contact in a clip first")
    used = {key.site for key in clip.keys} | {site for span in clip.spans for site in span.sites(state.figure)}
    sites = tuple(site for site in state.figure.sites if site.name in used & state.made_sites)
    keys = [
        {
            "frame": clip.first_frame + key.frame,
            **({} if key.ease is None else {"ease_in": key.ease[0], "ease_out": key.ease[1]}),
            "goal": {"kind": "position", "site": key.site, "target": list(key.target)},
        }
        for key in clip.keys
    ]
    arguments = edit_arguments(state)
    edit: dict[str, Any] = {"sites": site_words(sites)} if sites else {}
    edit |= {name: value for name, value in arguments.items() if name not in ("space", "events", "contacts")}
    if clip.bars is not None:
        edit["contacts"] = {
            foot: [[clip.first_frame + start, clip.first_frame + end] for start, end in bars]
            for foot, bars in clip.bars.items()
        }
    edit["keys"] = [*keys, *(_span(span, clip) for span in clip.spans)]
    with_model = "" if "space" not in arguments else " --model MODEL"
    return f"# Make the edit: posewright edit CLIP THIS_FILE{with_model} -o edited.bvh\n" + written(edit)


def _span(span: Span, clip: Clip) -> dict[str, Any]:
    first = clip.first_frame
    goal = goal_words(span.goal)
    if not span.knots and span.start == span.end:
        return {"frame": first + span.start, "goal": goal}
    found: dict[str, Any] = {"start": first + span.start, "end": first + span.end}
    found |= {name: getattr(span, name) for name in ("ease_in", "ease_out") if getattr(span, name)}
    found["goal"] = goal
    if span.knots:
        shape = {name: getattr(span, name) for name in ("tension", "continuity", "bias") if getattr(span, name)}
        knots = [{"frame": first + knot.frame, "point": list(knot.point)} for knot in span.knots]
        found["path"] = shape | {"knots": knots}
    return found
