"""The protocol between page and server, declared in this one place, a file per theme.

Requests travel from the page to the server as JSON, replies as JSON back; poses travel as binary frames. The page's
types (`web/src/protocol.ts`) are written from here by `python -m posewright.studio.typescript`, and a test fails where
they differ. `docs/studio-protocol.md` says what each is for.
"""

# ruff: noqa: F403  every theme hands on all that it declares

from __future__ import annotations

from posewright.studio.protocol.catalogue import *
from posewright.studio.protocol.choices import *
from posewright.studio.protocol.clips import *
from posewright.studio.protocol.designing import *
from posewright.studio.protocol.figures import *
from posewright.studio.protocol.files import *
from posewright.studio.protocol.frames import *
from posewright.studio.protocol.modelling import *
from posewright.studio.protocol.posing import *
from posewright.studio.protocol.request import *
from posewright.studio.protocol.retargeting import *
from posewright.studio.protocol.session import *
from posewright.studio.protocol.version import *
from posewright.studio.protocol.wire import *
