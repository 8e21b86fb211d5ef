"""All requests and replies: what the files of the themes declare."""

from __future__ import annotations

from typing import Any

from posewright.studio.protocol import (
    choices,
    clips,
    designing,
    figures,
    files,
    modelling,
    posing,
    retargeting,
    session,
)
from posewright.studio.protocol.request import Request
from posewright.studio.session.command import declared_in

_DECLARED = declared_in(figures, session, posing, clips, modelling, files, choices, retargeting, designing)

REQUESTS: tuple[type[Request], ...] = tuple(
    kind for kind in _DECLARED if issubclass(kind, Request) and hasattr(kind, "kind")
)
REPLIES: tuple[type[Any], ...] = tuple(
    kind for kind in _DECLARED if not issubclass(kind, Request) and hasattr(kind, "kind")
)
INFOS: tuple[type[Any], ...] = tuple(
    kind for kind in _DECLARED if not issubclass(kind, Request) and not hasattr(kind, "kind")
)
"""What replies are made of."""
