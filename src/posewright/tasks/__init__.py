"""Read task files and edit files (YAML) as problems and goals."""

from posewright.tasks.edit_file import load_edit
from posewright.tasks.task import Task, load_task

__all__ = ["Task", "load_edit", "load_task"]
