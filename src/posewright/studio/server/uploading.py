"""Files that pages bring: `POST /upload?name=walk.bvh` with the bytes as the body."""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from posewright.errors import PosewrightError
from posewright.studio.files.uploads import LARGEST
from posewright.studio.server.desk import Desk

_REFUSED, _TOO_LARGE = 422, 413


async def upload(request: Request, desk: Desk) -> Response:
    """Keep a file that comes, if it is not too large; the answer says what it is called until it is opened."""
    name = request.query_params.get("name", "")
    path = desk.uploads.place()
    try:
        if "/" in name:
            return PlainTextResponse(f"The name of a file is {name!r}; it must be a name without folders.", _REFUSED)
        if not await _written(request, path):
            return PlainTextResponse(
                f"{name!r} is larger than {LARGEST // 2**20} MB, the most that is opened.", _TOO_LARGE
            )
        return JSONResponse({"upload": await desk.brought(name, path)})
    except PosewrightError as error:
        path.unlink(missing_ok=True)
        return PlainTextResponse(str(error), _REFUSED)
    except ClientDisconnect:
        path.unlink(missing_ok=True)
        return Response(status_code=_REFUSED)


async def _written(request: Request, path: Path) -> bool:
    """Whether all of it was small enough; what was not is removed."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > LARGEST:
        return False
    size = 0
    with open(path, "xb") as file:
        async for chunk in request.stream():
            size += len(chunk)
            if size > LARGEST:
                break
            await asyncio.to_thread(file.write, chunk)
    if size > LARGEST:
        path.unlink()
    return size <= LARGEST
