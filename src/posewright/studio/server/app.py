"""The web application: the page and its parts, and the websocket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from posewright.studio import protocol
from posewright.studio.files.files import Files
from posewright.studio.server.desk import Desk
from posewright.studio.server.downloading import download
from posewright.studio.server.guard import COOKIE, HEADERS, Guard
from posewright.studio.server.pages import Page
from posewright.studio.server.uploading import upload
from posewright.studio.session.editor import Editor

_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}
_REFUSED = 1008
"""A websocket's "policy violation"."""


def application(editor: Editor, guard: Guard, page_files: Mapping[str, bytes], files: Files | None = None) -> ASGIApp:
    """The studio of an editor.

    Args:
        editor: what pages edit.
        guard: who may come in.
        page_files: the built page by file name.
        files: what its session has to do with files (default: nothing).
    """
    desk: Desk | None = None

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        nonlocal desk
        desk = Desk(editor, files)
        work = asyncio.create_task(desk.work_forever())
        yield
        work.cancel()
        if files is not None:
            files.end()

    async def welcome(request: HTTPConnection) -> None:
        """Pages of a session that was killed go on here, if this is its successor and nothing was done here yet."""
        assert desk is not None
        tokens = {value for name, value in request.cookies.items() if name.startswith(COOKIE)}
        if tokens:
            guard.accept(await desk.welcome(tokens))

    async def page(request: Request) -> Response:
        return await page_file(request, guard, page_files, welcome)

    async def mesh(request: Request) -> Response:
        """What the page shows of a character: parsed and checked by our own reader."""
        if not guard.knows_token(request.cookies.get(guard.cookie)):
            return PlainTextResponse("Open the address that the terminal shows: it has a token.\n", status_code=403)
        assert desk is not None
        found = await run_in_threadpool(desk.meshes.file, request.path_params["number"])
        if found is None:
            return PlainTextResponse("There is no such mesh.\n", status_code=404)
        return Response(found, media_type="application/octet-stream")

    async def socket(websocket: WebSocket) -> None:
        if not guard.knows_origin(websocket.headers):
            await websocket.close(_REFUSED)
            return
        await welcome(websocket)
        if not guard.knows_token(websocket.cookies.get(guard.cookie)):
            await websocket.close(_REFUSED)
            return
        assert desk is not None
        await websocket.accept()
        await _serve(websocket, desk)

    async def bring(request: Request) -> Response:
        if not (guard.knows_origin(request.headers) and guard.knows_token(request.cookies.get(guard.cookie))):
            return PlainTextResponse("Files come from a page of this studio only.\n", status_code=403)
        assert desk is not None
        return await upload(request, desk)

    async def take_away(request: Request) -> Response:
        if not guard.knows_token(request.cookies.get(guard.cookie)):
            return PlainTextResponse("Open the address that the terminal shows: it has a token.\n", status_code=403)
        assert desk is not None
        return await download(request.path_params["what"], desk)

    routes = [
        Route("/export/{what}", take_away),
        Route("/upload", bring, methods=["POST"]),
        Route("/", page),
        Route("/{name}", page),
        Route("/mesh/{number:int}", mesh),
        WebSocketRoute("/socket", socket),
    ]
    return Guarded(Starlette(routes=routes, lifespan=lifespan), guard)


async def page_file(
    request: Request,
    guard: Guard,
    files: Mapping[str, bytes],
    welcome: Callable[[HTTPConnection], Awaitable[None]] | None = None,
) -> Response:
    """A file of the page, for those who come with the token or its cookie; the first of them are welcomed."""
    name = request.path_params.get("name", "index.html")
    token = request.query_params.get("token")
    if not guard.knows_token(request.cookies.get(guard.cookie) if token is None else token):
        return PlainTextResponse("Open the address that the terminal shows: it has a token.\n", status_code=403)
    if name not in files:
        return PlainTextResponse(f"There is no {name!r} here.\n", status_code=404)
    if token is not None and welcome is not None:
        await welcome(request)
    response = Response(files[name], media_type=_TYPES.get(name.rpartition(".")[2], "application/octet-stream"))
    if token is not None:
        response.set_cookie(guard.cookie, guard.token, httponly=True, samesite="strict", path="/")
    return response


async def _serve(websocket: WebSocket, desk: Desk) -> None:
    """One page, until it goes."""
    one = Page(websocket)
    sending = asyncio.create_task(one.send_forever())
    try:
        await desk.enter(one)
        while True:
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                break
            text = message.get("text")
            if text is None:
                one.reply(protocol.write_reply(protocol.Failed(id=None, message="requests are text, not bytes")))
            else:
                desk.ask(one, text)
    except WebSocketDisconnect:
        pass
    finally:
        desk.leave(one)
        sending.cancel()


class Guarded:
    """Refuses names that are not this server's, and adds the headers of every answer."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app, self._guard = app, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        if scope["type"] in ("http", "websocket") and not self._guard.knows_host(_headers(scope)):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": _REFUSED})
            else:
                refusal = PlainTextResponse("This server is not known by that name.\n", status_code=421)
                await refusal(scope, receive, send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)


def _headers(scope: Scope) -> dict[str, Any]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
