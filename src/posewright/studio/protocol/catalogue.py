"""All requests and replies, from every theme."""

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

REQUESTS: tuple[type[Request], ...] = (
    *session.REQUESTS,
    *posing.REQUESTS,
    *clips.REQUESTS,
    *modelling.REQUESTS,
    *files.REQUESTS,
    *retargeting.REQUESTS,
    *designing.REQUESTS,
)
INFOS: tuple[type[Any], ...] = (
    *figures.INFOS,
    *posing.INFOS,
    *clips.INFOS,
    *modelling.INFOS,
    *files.INFOS,
    *choices.INFOS,
    *retargeting.INFOS,
    *designing.INFOS,
)
"""What replies are made of."""
REPLIES: tuple[type[Any], ...] = (
    *figures.REPLIES,
    *session.REPLIES,
    *posing.REPLIES,
    *clips.REPLIES,
    *modelling.REPLIES,
    *files.REPLIES,
    *retargeting.REPLIES,
    *designing.REPLIES,
)
