"""Posewright: pose, retarget and edit highly articulated figures."""
