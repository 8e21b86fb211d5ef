"""Workflows over whole libraries of clips, on all cores or a Dask cluster, with record, selection and report."""

from posewright.batch.job import Job
from posewright.batch.jobs import Check, Convert, Edit, Retarget
from posewright.batch.postures import CollectPostures, collect
from posewright.batch.record import Entry, read_record
from posewright.batch.run import BatchResult, Progress, run

__all__ = [
    "BatchResult",
    "Check",
    "CollectPostures",
    "Convert",
    "Edit",
    "Entry",
    "Job",
    "Progress",
    "Retarget",
    "collect",
    "read_record",
    "run",
]
