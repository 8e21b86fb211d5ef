"""Task files (YAML) read into problems."""

from posewright.tasks.task import Task, load_task

__all__ = ["Task", "load_task"]
