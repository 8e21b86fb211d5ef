"""Version and sizes of the protocol."""

from __future__ import annotations

from posewright.studio.files.uploads import LARGEST

VERSION = 1
"""Goes up with every change that an older page would not understand."""
LARGEST_REQUEST = 256 * 1024
"""Bytes; a longer one gets an error."""
LARGEST_UPLOAD = LARGEST
"""Bytes of a file that a page brings."""
