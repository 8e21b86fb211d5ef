"""The report on a motion: verdict, measures next to those of the source, pictures, contacts, and measures over time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from posewright.figures import Pose
from posewright.figures.capsules import capsule_pairs
from posewright.figures.kinematics import joint_frames, joint_positions
from posewright.motions import Motion
from posewright.motions.contacts import Contacts
from posewright.motions.quality import (
    Likeness,
    QualityLimits,
    QualityReport,
    Rule,
    Series,
    Stretch,
    Verdict,
    verdict_sentence,
)
from posewright.report.camera import DIRECTIONS, Direction
from posewright.report.film import Film
from posewright.report.html import Page, Pictures, Plots, Section, Table, Timeline, Tone
from posewright.report.image_files import labelled
from posewright.report.picture import Picture, render
from posewright.report.plots import Curve, Plot

_WORST = ("penetration", "contact drift", "self-contact", "limit violation", "fastest turn", "imbalance")
"""Measures whose worst frame is shown as a picture."""
_MOST_PICTURES = 4
_MOST_STRETCHES = 3
_LIMITED_MEAN = ("foot skate", "jerk", "site error", "floating")
"""Measures whose limit applies to the mean over time, not to single frames."""
_ASIDE = math.radians(68.0)
"""Angle from the direction of the motion to the camera."""
_COLOUR, _SOURCE_COLOUR = "coral", "teal"
_DEGREES = 180.0 / math.pi
_UNITS = {"m": (100.0, "cm"), "m/s": (100.0, "cm/s"), "rad": (_DEGREES, "°"), "rad/s": (_DEGREES, "°/s"),
          "deg": (1.0, "°"), "share": (100.0, "%"), "of allowed": (100.0, "% of allowed")}  # fmt: skip


def quality_page(
    report: QualityReport,
    verdicts: Sequence[Verdict],
    motion: Motion,
    source: Motion | None,
    *,
    limits: QualityLimits | None = None,
    title: str,
) -> Page:
    """The page; `limits` are those of the verdicts."""
    about = [about_motion(motion), *motion.notes]
    films = [(strip(motion), "The motion: the last pose solid, those before it fading.")]
    if source is not None:
        about = [about[0], f"Beside its source: {about_motion(source)}", *motion.notes, *source.notes]
        films.append((strip(source, colour=_SOURCE_COLOUR), "Its source."))
    sections = [
        Section("Measures", [quality_table(verdicts)]),
        Section("Motion", [*about, Pictures(films, wide=True)]),
    ]
    if source is not None and report.likeness is not None:
        sections.append(_likeness(report, report.likeness, motion, source, limits))
    if worst := list(_worst_pictures(verdicts, motion, source)):
        sections.append(Section("Where it is worst", [Pictures(worst)]))
    if report.contacts is not None:
        sections.append(Section("Contacts", [_contacts(report, report.contacts)]))
    if plots := [_plot(series, verdicts, motion) for series in report.series if _is_worth_a_plot(series)]:
        sections.append(Section("Over time", [Plots(plots)]))
    tone: Tone = "bad" if any(verdict.passed is False for verdict in verdicts) else "good"
    return Page(title=title, summary=verdict_sentence(verdicts), tone=tone, sections=sections)


def quality_table(verdicts: Sequence[Verdict]) -> Table:
    """Measures with the value of the source, the limit and the worst frame."""
    tones: dict[bool | None, Tone] = {True: "good", False: "bad", None: "plain"}
    return Table(
        header=("measure", "value", "reference", "limit", "how it is set", "worst frame"),
        rows=[verdict_cells(verdict) for verdict in verdicts],
        tones=[tones[verdict.passed] for verdict in verdicts],
    )


def verdict_cells(verdict: Verdict) -> tuple[str, str, str, str, str, str]:
    """A row of the table: name, value, value of the source, limit, rule, worst frame."""
    m = verdict.measure
    source = "" if m.source is None else shown(m.source, m.unit)
    limit = "" if verdict.bound is None else shown(verdict.bound, m.unit)
    frame = "" if m.frame is None else str(m.frame_number)
    return m.name, shown(m.value, m.unit), source, limit, _rule(verdict), frame


def _rule(verdict: Verdict) -> str:
    """How the limit follows from the source, in readable units; empty if it does not."""
    if verdict.limit is None or verdict.measure.rule is Rule.AT_MOST:
        return ""
    plain = verdict.measure.rule is Rule.TIMES
    limit = f"{verdict.limit:g}" if plain else shown(verdict.limit, verdict.measure.unit)
    return verdict.measure.rule.said(limit)


def shown(value: float, unit: str) -> str:
    """A number in a readable unit: centimetres, degrees, per cent."""
    factor, word = _UNITS.get(unit, (1.0, unit))
    scaled = factor * value
    digits = f"{scaled:.0f}" if abs(scaled) >= 1000.0 else f"{scaled:.3g}"
    if 0.0 < abs(scaled) < 0.001:
        digits = f"{scaled:.1e}"
    space = "" if word.startswith(("°", "%")) or not word else " "
    return f"{digits}{space}{word}"


def about_motion(motion: Motion) -> str:
    """The meaning of a measure in one sentence."""
    figure = motion.figure
    return (
        f"{motion.name or figure.name}: {len(motion)} frames at {motion.fps:g} per second ({motion.duration:.2f} s) of "
        f"figure {figure.name!r}, {len(figure.joints)} joints and {figure.n_dofs} dofs."
    )


def strip(motion: Motion, *, colour: str = _COLOUR) -> Picture:
    """Moments of a motion in one wide picture, with its path running across."""
    film = Film(motions=(motion,), direction=_across(motion), width=1100, height=340, colours=(colour,))
    return film.strip(8)


def _across(motion: Motion) -> Direction:
    """The direction from which the path of the root runs across the picture; three-quarter if it hardly moves."""
    root = joint_positions(motion.figure, motion.q[[0, -1]])[:, 0]
    x, _, z = (root[1] - root[0]).tolist()
    if math.hypot(x, z) < 0.5 * motion.figure.height:
        return DIRECTIONS["three-quarter"]
    return Direction(azimuth=math.atan2(x, z) + _ASIDE)


def _worst_pictures(
    verdicts: Sequence[Verdict], motion: Motion, source: Motion | None
) -> Iterator[tuple[Picture, str]]:
    """The worst frame of each measure that has one, broken limits first, with the source as a ghost."""
    rank = {name: k for k, name in enumerate(_WORST)}
    chosen = [v for v in verdicts if v.measure.name in rank and v.measure.frame is not None and v.measure.value > 0.0]
    chosen.sort(key=lambda v: (v.passed is not False, rank[v.measure.name]))
    film = Film(motions=(motion,), width=400, height=320, colours=(_COLOUR,))
    for verdict in chosen[:_MOST_PICTURES]:
        frame = verdict.measure.frame or 0
        scene = film.scene(frame / motion.fps)
        if source is not None:
            scene = scene.with_ghosts([source.pose(frame)], colour=_SOURCE_COLOUR)
        picture = render(scene, film.width, film.height, camera=film.direction)
        caption = f"{verdict.measure.name}: {shown(verdict.measure.value, verdict.measure.unit)}"
        if verdict.measure.name == "self-contact":
            caption += f", {_touching_parts(motion.pose(frame))}"
        yield labelled(picture, f"frame {verdict.measure.frame_number}"), caption


def _likeness(
    report: QualityReport, found: Likeness, motion: Motion, source: Motion, limits: QualityLimits | None
) -> Section:
    """How far bones are from the source, with the worst frames side by side."""
    unlike = report.unlike(limits)
    worst = found.lasting.max(axis=0)
    order = np.argsort(-worst)
    rows = [(found.bones[k], f"{found.angles[:, k].mean():.1f}°", f"{worst[k]:.1f}°") for k in order]
    shown = [(str(stretch), _peak(found, stretch)) for stretch in unlike[:_MOST_STRETCHES]]
    if not shown:
        bone = int(order[0])
        shown = [(f"{found.bones[bone]}, which is off most", int(np.argmax(found.angles[:, bone])))]
    pictures: list[tuple[Picture, str]] = []
    for sentence, frame in shown:
        pictures += [
            (_still(motion, frame, _COLOUR), f"frame {motion.first_frame + frame}: {sentence}"),
            (_still(source, frame, _SOURCE_COLOUR), f"frame {source.first_frame + frame} of the source"),
        ]
    blocks: list[str | Table | Pictures] = [str(stretch) for stretch in unlike[_MOST_STRETCHES:]]
    table = Table(header=("bone", "mean angle to the source's", "most for 0.1 s on end"), rows=rows)
    return Section("Likeness to the source", [Pictures(pictures), *blocks, table])


def _peak(found: Likeness, stretch: Stretch) -> int:
    """The frame of a stretch in which its bone is furthest off."""
    angles = found.angles[stretch.first : stretch.last + 1, found.bones.index(stretch.bone)]
    return stretch.first + int(np.argmax(angles))


def _still(motion: Motion, frame: int, colour: str) -> Picture:
    film = Film(motions=(motion,), width=400, height=320, colours=(colour,))
    return labelled(render(film.scene(frame / motion.fps), film.width, film.height, camera=film.direction), f"{frame}")


def _touching_parts(pose: Pose) -> str:
    pairs = capsule_pairs(pose.figure)
    worst = pairs.nearest(joint_frames(pose.figure, pose.q)).pair
    return " in ".join(pairs.joints(int(worst)))


def _contacts(report: QualityReport, found: Contacts) -> Timeline:
    rows = []
    for mine, theirs in report.feet.items():
        times = found.times(theirs if theirs in found.sites else mine)
        rows.append((mine, [(float(first), float(last)) for first, last in times]))
    return Timeline(rows, duration=max(len(found.touching) - 1, 1) / found.fps)


def _is_worth_a_plot(series: Series) -> bool:
    both = np.concatenate([series.values, series.values if series.source is None else series.source])
    seen = both[np.isfinite(both)]
    return len(series.values) > 1 and len(seen) > 1 and float(np.abs(seen).max()) > 1e-9


def _plot(series: Series, verdicts: Sequence[Verdict], motion: Motion) -> Plot:
    factor, unit = _UNITS.get(series.unit, (1.0, series.unit))
    times = motion.times
    content = [Curve(x=times, y=factor * series.values, label="motion", colour=_COLOUR)]
    if series.source is not None:
        content.insert(0, Curve(x=times, y=factor * series.source, label=series.beside, colour=_SOURCE_COLOUR))
    bound = next((v.bound for v in verdicts if v.measure.name == series.name), None)
    if bound is not None and series.name not in _LIMITED_MEAN:
        content.append(Curve(x=times[[0, -1]], y=[factor * bound] * 2, label="limit", colour="red", style="dashed"))
    return Plot(content=content, title=series.name, x_label="time (s)", y_label=unit)
