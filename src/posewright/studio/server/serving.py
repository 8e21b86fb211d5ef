"""Serving: a port, the address with its token, and uvicorn until Ctrl-C."""

from __future__ import annotations

import gc
import socket
import webbrowser
from collections.abc import Callable, Mapping
from threading import Thread
from typing import TYPE_CHECKING

from posewright.errors import InvalidSetting, MissingExtra
from posewright.studio.files.files import Files
from posewright.studio.files.standing import Address, Standing
from posewright.studio.session.editor import Editor

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from posewright.studio.server.guard import Guard

_LARGEST_FRAME = 16 * 1024 * 1024
"""Bytes; a longer websocket message ends the connection before it is read."""
_COLLECTED = 700, 10, 10
"""Python's own thresholds, which commands raise: a server lasts, and collects little at a time."""
_PATIENCE = 3
"""s that pages have to say goodbye when the server is told to end."""


def serve(
    editor: Editor,
    page_files: Mapping[str, bytes],
    files: Callable[[str, Standing], Files],
    standing: Standing,
    *,
    host: str,
    port: int,
    say: Callable[[str], None],
    open_browser: bool,
) -> None:
    """Serve the studio until Ctrl-C.

    Args:
        editor: what pages edit.
        page_files: the built page.
        files: makes what the session has to do with files, from the token of its pages and what keeps its address.
        standing: knows the address of one like this that was killed: where that can be had, its pages go on.
        host: name or address to listen at.
        port: 0: any that is free.
        say: told the address, which has the token.
        open_browser: whether to open it.
    """

    def studio(guard: Guard) -> ASGIApp:
        from posewright.studio.server.app import application

        return application(editor, guard, page_files, files(guard.token, standing))

    _run(studio, standing, host=host, port=port, say=say, open_browser=open_browser)


def serve_view(
    recording: bytes,
    page_files: Mapping[str, bytes],
    *,
    host: str,
    port: int,
    say: Callable[[str], None],
    open_browser: bool,
) -> None:
    """Serve a recording, to look at, until Ctrl-C; arguments as of `serve`."""

    def look(guard: Guard) -> ASGIApp:
        from posewright.studio.server.viewing import viewer

        return viewer(recording, guard, page_files)

    _run(look, None, host=host, port=port, say=say, open_browser=open_browser)


def _run(
    make: Callable[[Guard], ASGIApp],
    standing: Standing | None,
    *,
    host: str,
    port: int,
    say: Callable[[str], None],
    open_browser: bool,
) -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn

        from posewright.studio.server.guard import Guard
    except ImportError as error:
        raise MissingExtra("the studio", error.name or "starlette", "studio") from None
    left = None if standing is None else standing.left(host, port)
    try:
        listener = _listener(host, port if left is None else left.port)
    except InvalidSetting:
        if left is None:
            raise
        left, listener = None, _listener(host, port)  # somebody else is there now
    port = listener.getsockname()[1]
    guard = Guard(host, port)
    known = () if left is None else left.tokens
    guard.accept(known)
    if standing is not None:
        standing.keep(Address(host, port, (guard.token, *known)))
    settings = uvicorn.Config(
        make(guard),
        ws="websockets-sansio",
        ws_max_size=_LARGEST_FRAME,
        ws_per_message_deflate=False,  # numbers hardly shrink, and the page is usually on the same machine
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_PATIENCE,
    )
    address = f"http://{host}:{port}/?token={guard.token}"
    say(address)
    if open_browser:
        Thread(target=webbrowser.open, args=[address], daemon=True).start()  # some browsers keep their caller waiting
    gc.collect()
    gc.freeze()  # all that is loaded stays: drags do not wait until it is looked through
    gc.set_threshold(*_COLLECTED)
    uvicorn.Server(settings).run(sockets=[listener])


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # of others asyncio delays small answers
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host.strip("[]"), port))
        listener.listen()  # whoever connects from now on waits until the server is up, and is not turned away
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidSetting(f"the studio cannot listen at {host}:{port}: {reason.lower()}") from None
    return listener
