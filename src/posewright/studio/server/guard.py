"""Who may come in: those with the token, from this very page, under a name that this server has.

The token is in the address that the terminal shows; the first answer turns it into a cookie that scripts cannot read
and that other sites' requests do not carry. The name in `Host` is checked because a foreign page could have its own
name resolve to this machine; `Origin` is checked because websockets know no same-origin rule.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
COOKIE = "posewright_"
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Of every answer."""


class Guard:
    """Checks each request."""

    def __init__(self, host: str, port: int, token: str | None = None) -> None:
        self.token = token or secrets.token_urlsafe(32)
        self._tokens = {self.token}
        self.cookie = f"{COOKIE}{port}"
        """Browsers share cookies between ports, so that each server has its own."""
        names = LOOPBACK if host in LOOPBACK else (*LOOPBACK, host)
        self._hosts = {f"{name}:{port}" for name in names} | (set(names) if port == 80 else set())

    def knows_host(self, headers: Mapping[str, str]) -> bool:
        """Whether the request is for a name of this server."""
        return headers.get("host", "") in self._hosts

    def knows_origin(self, headers: Mapping[str, str]) -> bool:
        """Whether the request comes from a page of this server."""
        origin = urlsplit(headers.get("origin", ""))
        return origin.scheme == "http" and origin.netloc in self._hosts and origin.netloc == headers.get("host", "")

    def accept(self, tokens: Iterable[str]) -> None:
        """More tokens: of a studio that was killed, whose pages may go on."""
        self._tokens.update(tokens)

    def knows_token(self, given: str | None) -> bool:
        """Whether this is a token; compared in constant time."""
        return given is not None and any(hmac.compare_digest(given.encode(), own.encode()) for own in self._tokens)
