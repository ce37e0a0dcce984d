"""Who may speak to this server, asked before any route is looked at.

A page in a browser can send requests to this machine, but always under a name: its own as Origin, and after DNS
rebinding its own as Host too. So names are checked against a list, while an address as Host is always genuine. The
token keeps everyone else out.
"""

import hmac
from collections.abc import Iterable
from http import HTTPStatus
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

# A path that stands in neither list does not exist: a new route is unreachable until someone decides who may use it.
# Clients that look for a login page (/.well-known/..., /register) thus learn at once that there is none.
PUBLIC = frozenset({"/livez", "/readyz"})
PRIVATE = frozenset({"/mcp", "/metrics"})


class Guard:
    """Lets a request pass to `app` if its Host, Origin and token allow it.

    Args:
        token: What private paths ask for as `Authorization: Bearer`.
        allowed_hosts: Names under which this server is reached, beside localhost and addresses.
    """

    def __init__(self, app: ASGIApp, token: str, allowed_hosts: Iterable[str]) -> None:
        self._app = app
        self._token = token.encode()
        self._names = {"localhost", *(name.lower() for name in allowed_hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope["path"], Headers(scope=scope)) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, path: str, headers: Headers) -> Response | None:
        if not self._is_ours(headers.getlist("host"), scheme="http://"):
            return _text(HTTPStatus.MISDIRECTED_REQUEST, "This server is not reached under that Host.")
        if "origin" in headers and not self._is_ours(headers.getlist("origin")):
            return _text(HTTPStatus.FORBIDDEN, "Pages of that Origin may not call this server.")
        if path in PUBLIC:
            return None
        if path not in PRIVATE:
            return _text(HTTPStatus.NOT_FOUND, "Not found.")
        return None if self._has_token(headers.getlist("authorization")) else _unauthorised()

    def _is_ours(self, values: list[str], scheme: str = "") -> bool:
        """Whether there is exactly one value, and it names this server."""
        if len(values) != 1:
            return False
        try:
            host = urlsplit(scheme + values[0]).hostname or ""
        except ValueError:
            return False
        return host in self._names or _is_address(host)

    def _has_token(self, values: list[str]) -> bool:
        if len(values) != 1:
            return False
        scheme, _, token = values[0].partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode(), self._token)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _text(status: HTTPStatus, text: str) -> Response:
    return PlainTextResponse(text + "\n", status)


def _unauthorised() -> Response:
    return PlainTextResponse(
        "Send the server's token as `Authorization: Bearer TOKEN`.\n",
        HTTPStatus.UNAUTHORIZED,
        {"WWW-Authenticate": "Bearer"},
    )
