"""Security middleware for the page, the API and the websocket: host, origin, token and request size.

On a local address, the Host header must be a local name; this prevents DNS rebinding. Requests that change something
must have the origin of the studio. Requests that change nothing are refused too if a page of another site sends them,
except for routes that are declared as `free_of_work` and for links to pages. If other machines can reach the studio,
every request needs the token. The size of request bodies is limited while they are read.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from hashlib import blake2b
from hmac import compare_digest
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...core.errors import InvalidRecipe, problem
from ..settings import LOOPBACK, Settings
from .responses import ErrorBody, json_response

F = TypeVar("F", bound=Callable[..., Any])
API = "/api"
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::\d{1,5})?", re.ASCII)
BODY_SECONDS = 10.0
MIN_RATE = 1 << 14
"""Seconds that a request may wait for its body, and bytes for which it may wait one second longer."""
CLOSE = {"Connection": "close"}
CHARSET = re.compile(r';\s*charset\s*=\s*(utf-?8|"utf-?8")\s*(?=;|$)')
REFUSED_CODE = 4403
"""Close code of a refused websocket. Browsers show it as status 403."""
POLICY = {
    "default-src": "'self'",
    # NiceGUI uses inline scripts, and Vue compiles templates in the browser.
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "media-src": "'self' data: blob:",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


def free_of_work(endpoint: F) -> F:
    """Declare that a route does no work for a request, so that pages of other sites may send one."""
    setattr(endpoint, "is_free_of_work", True)  # noqa: B010  # functions have no such attribute
    return endpoint


def find_free_paths(routes: Sequence[BaseRoute]) -> list[re.Pattern[str]]:
    """Return patterns of the paths of all routes that are declared as `free_of_work`."""
    return [
        route.path_regex
        for route in routes
        if isinstance(route, Route) and getattr(route.endpoint, "is_free_of_work", False)
    ]


class SecurityMiddleware:
    """ASGI middleware around the studio.

    Parameters
    ----------
    app : ASGIApp
        Application with the routes.
    settings : Settings
        Address, token and maximum size of requests.
    free : collection of re.Pattern, optional
        Paths that pages of other sites may request.
    pages : collection of str, optional
        Paths that links on other sites may open.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        *,
        free: Collection[re.Pattern[str]] = (),
        pages: Collection[str] = (),
    ) -> None:
        if not settings.is_local and settings.token is None:
            raise InvalidRecipe(f"must be set, because other machines can reach {settings.host}", at="token")
        self.app = app
        self.settings, self.free, self.pages = settings, free, pages
        self.cookie = "tilewright_" + _digest(settings.token or "", "name")[:8]
        """Name of the cookie. It depends on the token, because all ports share cookies and another studio may be
        running."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = self._check_request(scope, headers)
        if answer is not None and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": REFUSED_CODE, "reason": "refused"})
        elif answer is not None:
            await answer(scope, receive, _HeaderSender(send, headers))
        elif scope["type"] == "websocket":
            with suppress(ValueError):  # of Engine.IO, which then has closed the socket, for what is no packet
                await self.app(scope, receive, send)
        else:
            await self._forward(scope, receive, _HeaderSender(send, headers))

    async def _forward(self, scope: Scope, receive: Receive, send: _HeaderSender) -> None:
        counted = BodyLimiter(receive, self.settings.upload)
        try:
            await self.app(scope, counted, send)
        except HTTPException as error:  # The application does not handle this type of connection.
            if send.started or error.status_code not in (408, 413):
                raise
            await _error_response(scope, error.status_code, error.detail)(scope, receive, send)
        except ClientDisconnect:  # While the body was read; no client waits for a response.
            return

    def _check_request(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the error response for a request, or None if it is allowed."""
        name = HOST.fullmatch(headers.get("host", ""))
        if self.settings.is_local and (name is None or name["name"].strip("[]").lower() not in LOOPBACK):
            return _error_response(scope, 403, f"this studio only answers on {', '.join(LOOPBACK)}")
        costly = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if _is_cross_origin(headers) if costly else _is_cross_site(headers) and not self._is_open(scope, headers):
            return _error_response(scope, 403, "requests from pages of other sites are not allowed")
        if any("charset" in CHARSET.sub("", kind.lower()) for kind in headers.getlist("content-type")):
            # The parser of forms would use any codec of Python. Some of them take quadratic time.
            return _error_response(scope, 400, "the charset of a request must be utf-8")
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self.settings.upload:
            return _error_response(scope, 413, _size_message(self.settings.upload))
        return self._check_token(scope, headers) if self.settings.token is not None else None

    def _is_open(self, scope: Scope, headers: Headers) -> bool:
        """Return whether a page of another site may send a request: for a list, or because the user opens a link."""
        path = scope["path"]
        is_link = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        return (is_link and path in self.pages) or any(free.match(path) for free in self.free)

    def _check_token(self, scope: Scope, headers: Headers) -> Response | None:
        assert self.settings.token is not None
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _is_equal(bearer.strip(), self.settings.token):
            return None
        words = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in words if name == "token"]
        if any(_is_equal(value, self.settings.token) for value in given):
            rest = urlencode([(name, value) for name, value in words if name != "token"])
            if scope["type"] == "websocket" or scope["path"].startswith(API):
                scope["query_string"] = rest.encode("latin-1")
                return None
            return self._redirect_with_cookie(quote(scope["path"]) + (f"?{rest}" if rest else ""), headers)
        if _is_equal(_read_cookie(headers, self.cookie), _digest(self.settings.token, "value")):
            return None
        return _error_response(
            scope, 401, "a token is required: open the address that the studio printed when it started"
        )

    def _redirect_with_cookie(self, address: str, headers: Headers) -> Response:
        """Redirect to the same URL without the token, and set the cookie."""
        address = "/" + address.lstrip("/\\")
        response: Response = RedirectResponse(address, 303)
        if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            # Browsers do not send a strict cookie on a redirect that started on another site.
            response = HTMLResponse(f'<meta http-equiv="refresh" content="0;url={address.replace("&", "&amp;")}">')
        value = _digest(self.settings.token or "", "value")
        response.set_cookie(self.cookie, value, httponly=True, samesite="strict", path="/", max_age=30 * 24 * 3600)
        response.headers["Cache-Control"] = "no-store"
        return response


class _HeaderSender:
    """ASGI `send` that adds the security headers to every response."""

    def __init__(self, send: Send, headers: Headers) -> None:
        self.send = send
        self.started = False
        host = headers.get("host", "")
        sockets = f" ws://{host} wss://{host}" if HOST.fullmatch(host) else ""
        policy = {**POLICY, "connect-src": f"'self'{sockets}"}
        self.policy = "; ".join(f"{name} {value}" for name, value in policy.items())

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            headers["Content-Security-Policy"] = self.policy
            for name, value in HEADERS.items():
                headers[name] = value
        await self.send(message)


class BodyLimiter:
    """ASGI `receive` that raises an error if the body is too large, or arrives too slowly."""

    def __init__(self, receive: Receive, max_bytes: int) -> None:
        self.receive = receive
        self.max_bytes = max_bytes
        self.received = 0
        self.waited = 0.0
        """Seconds that the application has waited for the body."""
        self.is_complete = False

    async def __call__(self) -> Message:
        message = await self.receive() if self.is_complete else await self._receive_part()
        self.received += len(message.get("body", b""))
        if self.received > self.max_bytes:
            raise HTTPException(413, _size_message(self.max_bytes))
        self.is_complete = self.is_complete or not message.get("more_body", False)
        return message

    async def _receive_part(self) -> Message:
        start = time.monotonic()
        try:
            async with asyncio.timeout(BODY_SECONDS + self.received / MIN_RATE - self.waited):
                return await self.receive()
        except TimeoutError:
            text = f"the body of a request must arrive within {BODY_SECONDS:g} s, and {MIN_RATE:,} bytes per second"
            raise HTTPException(408, text, CLOSE) from None
        finally:
            self.waited += time.monotonic() - start


def _size_message(max_bytes: int) -> str:
    return f"a request must have at most {max_bytes:,} bytes"


def _is_cross_origin(headers: Headers) -> bool:
    """Return whether a page of another origin sent the request. Clients without origin headers are not browsers."""
    origin = headers.get("origin")
    if origin is None:
        return headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
    try:
        return urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
    except ValueError:
        return True


def _is_cross_site(headers: Headers) -> bool:
    """Return whether a page of another site sent the request. Other ports of the same host are the same site."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None or origin is None:
        return site == "cross-site"
    host = HOST.fullmatch(headers.get("host", ""))
    try:
        return host is None or urlsplit(origin).hostname != host["name"].strip("[]").lower()
    except ValueError:
        return True


def _error_response(scope: Scope, status: int, line: str) -> Response:
    """Return an error as one line: JSON under /api, else plain text."""
    headers = {401: {"WWW-Authenticate": "Bearer"}, 408: CLOSE}.get(status)
    if scope["path"].startswith(API):
        return json_response(ErrorBody.of(InvalidRecipe(problem(line, rule="refused"))), status, headers)
    return PlainTextResponse(line + "\n", status, headers)


def _read_cookie(headers: Headers, name: str) -> str:
    return next((found[name] for text in headers.getlist("cookie") if name in (found := cookie_parser(text))), "")


def _digest(token: str, purpose: str) -> str:
    return blake2b(json.dumps([purpose, token]).encode(), digest_size=24).hexdigest()


def _is_equal(one: str, other: str) -> bool:
    """Return whether two strings are equal, compared in constant time."""
    return compare_digest(one.encode("utf-8", "surrogateescape"), other.encode())
