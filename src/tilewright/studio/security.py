"""The guard at the door, before page, API and websocket alike: who may come in, from where, and with how much.

On this machine's own address a browser must have asked for that very address (a foreign name that leads here is how web
pages of others reach into a machine), and what changes or costs something must come from our own page. Where others can
reach the studio, everybody must know its token. Bodies are counted while they are read.
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from hmac import compare_digest
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..core.errors import InvalidRecipe, problem
from .settings import LOOPBACK, Settings

API = "/api"
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::\d{1,5})?", re.ASCII)
REFUSED_CODE = 4403
"""The code with which a websocket is closed before it is open; browsers see a 403."""
POLICY = {
    "default-src": "'self'",
    # NiceGUI's page starts with scripts of its own, and Vue compiles its templates.
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


class SecurityMiddleware:
    """ASGI middleware around the whole studio."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        if not settings.is_local and settings.token is None:
            raise InvalidRecipe(f"others can reach {settings.host}, so there must be one", at="token")
        self.app = app
        self.settings = settings
        self.cookie = "tilewright_" + _digest(settings.token or "", "name")[:8]
        """Called by the token, for cookies know no ports, and another studio may run beside this one."""

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
            await self.app(scope, receive, send)
        else:
            await self._forward(scope, receive, _HeaderSender(send, headers))

    async def _forward(self, scope: Scope, receive: Receive, send: _HeaderSender) -> None:
        counted = _BodyLimiter(receive, self.settings.upload)
        try:
            await self.app(scope, counted, send)
        except HTTPException as error:  # where nobody inside answers for it
            if send.started or error.status_code != 413:
                raise
            await _error_response(scope, 413, error.detail)(scope, receive, send)

    def _check_request(self, scope: Scope, headers: Headers) -> Response | None:
        """What is answered instead of letting it pass; None lets it."""
        name = HOST.fullmatch(headers.get("host", ""))
        if self.settings.is_local and (name is None or name["name"].strip("[]").lower() not in LOOPBACK):
            return _error_response(scope, 403, f"this studio answers on {', '.join(LOOPBACK)} alone")
        costly = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if costly and _is_cross_origin(headers):
            return _error_response(scope, 403, "a page of another site asks; only the studio's own may")
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self.settings.upload:
            return _error_response(scope, 413, _size_message(self.settings.upload))
        return self._check_token(scope, headers) if self.settings.token is not None else None

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
        return _error_response(scope, 401, "a token is needed: open the address that the studio printed at its start")

    def _redirect_with_cookie(self, address: str, headers: Headers) -> Response:
        """On to the same address without the token, which nobody needs to see any more."""
        address = "/" + address.lstrip("/\\")
        response: Response = RedirectResponse(address, 303)
        if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            # A cookie that is strict does not travel along with a redirection that began on another site.
            response = HTMLResponse(f'<meta http-equiv="refresh" content="0;url={address.replace("&", "&amp;")}">')
        value = _digest(self.settings.token or "", "value")
        response.set_cookie(self.cookie, value, httponly=True, samesite="strict", path="/", max_age=30 * 24 * 3600)
        response.headers["Cache-Control"] = "no-store"
        return response


class _HeaderSender:
    """Puts the headers of the house on every answer."""

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


class _BodyLimiter:
    """Hands a body on until it is too much."""

    def __init__(self, receive: Receive, max_bytes: int) -> None:
        self.receive = receive
        self.max_bytes = self.remaining = max_bytes

    async def __call__(self) -> Message:
        message = await self.receive()
        self.remaining -= len(message.get("body", b""))
        if self.remaining < 0:
            raise HTTPException(413, _size_message(self.max_bytes))
        return message


def _size_message(max_bytes: int) -> str:
    return f"a request of more than {max_bytes:,} bytes is not taken"


def _is_cross_origin(headers: Headers) -> bool:
    """Whether a page of another origin asks; what is no browser does not tell, and is believed."""
    origin = headers.get("origin")
    if origin is None:
        return headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
    try:
        return urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
    except ValueError:
        return True


def _error_response(scope: Scope, status: int, line: str) -> Response:
    """One line: as JSON where programs ask, as text where people do."""
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    if scope["path"].startswith(API):
        return JSONResponse({"error": line, "problems": [problem(line, rule="refused").as_data()]}, status, headers)
    return PlainTextResponse(line + "\n", status, headers)


def _read_cookie(headers: Headers, name: str) -> str:
    return next((found[name] for text in headers.getlist("cookie") if name in (found := cookie_parser(text))), "")


def _digest(token: str, purpose: str) -> str:
    return blake2b(json.dumps([purpose, token]).encode(), digest_size=24).hexdigest()


def _is_equal(one: str, other: str) -> bool:
    """Compared in a time that tells nothing."""
    return compare_digest(one.encode("utf-8", "surrogateescape"), other.encode())
