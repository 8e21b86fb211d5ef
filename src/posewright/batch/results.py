"""Reads the results of a batch, with the layout and robot from its record."""

from __future__ import annotations

from pathlib import Path

from posewright.batch.job import Job
from posewright.batch.jobs import Retarget, Writes
from posewright.batch.record import read_clip
from posewright.errors import FileProblem
from posewright.formats import ReadOptions, load_motion
from posewright.motions import Motion

REFUSED = "refused"
"""Folder of the output for clips that the selection refuses."""


def result_of(out: Path, name: str) -> Motion:
    """The motion that a batch wrote for a clip, kept or refused; the clip itself if the job writes none.

    Raises:
        UnknownName: the record has no such clip.
        FileProblem: there is no record, or the file cannot be read.
    """
    entry, last = read_clip(out, name)
    job = Job.from_json(last.job)
    if entry.state != "done":
        raise FileProblem(out, f"there is no result for {name}: {entry.error}")
    source = Path(entry.source)
    if not isinstance(job, Writes):
        return load_motion(source, job.read)
    written = (out / REFUSED if entry.refused else out) / f"{name}{job.suffix}"
    robot: Path | None = None
    if job.suffix == ".csv" or job.layout not in (None, "amass"):
        robot = Path(job.to) if isinstance(job, Retarget) else job.read.skeleton or source
    return load_motion(written, ReadOptions(layout=job.layout, skeleton=robot))
