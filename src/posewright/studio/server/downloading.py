"""Exports that pages download: `GET /export/pose.bvh`."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from starlette.responses import PlainTextResponse, Response

from posewright.errors import PosewrightError
from posewright.studio.server.desk import Desk


async def download(what: str, desk: Desk) -> Response:
    """An export as a file; what it is called is the page's choice."""
    try:
        with tempfile.TemporaryDirectory(prefix="posewright-") as place:
            name = await desk.exported(what, Path(place))
            data = await asyncio.to_thread(Path(place, name).read_bytes)
    except PosewrightError as error:
        return PlainTextResponse(str(error), status_code=422)
    attached = {"Content-Disposition": "attachment"}
    return Response(data, media_type="application/octet-stream", headers=attached)
