"""The page read-only: a recording of what there is to see, and nothing that could be asked for more."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from posewright.studio.server.app import Guarded, page_file
from posewright.studio.server.guard import Guard

_MARK = b'<meta name="recording" content="recording" />\n  </head>'
"""Where the page finds what it shows, instead of a server to ask."""


def viewer(recording: bytes, guard: Guard, page_files: Mapping[str, bytes]) -> ASGIApp:
    """The page of a recording.

    Args:
        recording: what it shows.
        guard: who may come in.
        page_files: the built page by file name; nothing else is ever read from the disk.
    """
    files = {**page_files, "index.html": page_files["index.html"].replace(b"</head>", _MARK), "recording": recording}

    async def page(request: Request) -> Response:
        return await page_file(request, guard, files)

    return Guarded(Starlette(routes=[Route("/", page), Route("/{name}", page)]), guard)
