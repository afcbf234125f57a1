"""Security middleware: hosts, origins, tokens and request sizes."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI, WebSocket
from fastapi.responses import PlainTextResponse
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from tests.cases import read_table
from tests.studio.servers import application, asking, line_of
from tilewright.core.errors import InvalidRecipe
from tilewright.studio.http.api import DESCRIBED_KINDS
from tilewright.studio.http.entries import LISTS
from tilewright.studio.http.security import SecurityMiddleware
from tilewright.studio.settings import Settings

TOKEN = "correct horse"


def build_app(**settings: Any) -> FastAPI:
    """Return the API with a page and a websocket."""
    app = application(**settings)

    @app.get("/", response_class=PlainTextResponse)
    def page(word: str = "") -> str:
        return f"the page {word}".strip()

    @app.websocket("/socket")
    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.send_text("welcome")
        await websocket.close()

    return app


@pytest.fixture
def local() -> Iterator[TestClient]:
    with asking(build_app()) as client:
        yield client


@pytest.fixture
def public() -> Iterator[TestClient]:
    with asking(build_app(host="0.0.0.0", token=TOKEN), "http://studio.example:8600") as client:
        yield client


def can_connect(client: TestClient, address: str = "/socket", **headers: str) -> bool:
    try:
        with client.websocket_connect(f"ws://{client.base_url.netloc.decode()}{address}", headers=headers) as socket:
            return bool(socket.receive_text() == "welcome")
    except WebSocketDisconnect:
        return False


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8600", "localhost:1", "LOCALHOST", "[::1]:8600"])
def test_local_host_names_are_allowed(local: TestClient, host: str) -> None:
    assert local.get("/", headers={"host": host}).status_code == 200
    assert can_connect(local, host=host)


@pytest.mark.parametrize(
    "host", ["", "evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "a\tb", "8600"]
)
def test_other_host_names_are_refused(local: TestClient, host: str) -> None:
    answer = local.get("/api/techniques", headers={"host": host})
    assert answer.status_code == 403
    assert line_of(answer) == "this studio only answers on 127.0.0.1, localhost, ::1"
    assert not can_connect(local, host=host)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "http://[", ""])
def test_pages_of_other_origins_are_refused(local: TestClient, origin: str) -> None:
    answer = local.post("/api/make", json={"technique": "caves"}, headers={"origin": origin})
    assert answer.status_code == 403
    assert line_of(answer) == "requests from pages of other sites are not allowed"
    assert not can_connect(local, origin=origin)


def test_the_own_page_and_programs_are_allowed(local: TestClient) -> None:
    body = {"technique": "caves", "params": {"width": 5, "height": 5}}
    own = {"origin": "http://127.0.0.1:8600", "sec-fetch-site": "same-origin"}
    for headers in ({}, own):
        assert local.post("/api/make", json=body, headers=headers).status_code == 200
        assert can_connect(local, **headers)
    for site in ("cross-site", "same-site"):
        assert local.post("/api/make", json=body, headers={"sec-fetch-site": site}).status_code == 403
        assert not can_connect(local, **{"sec-fetch-site": site})


CROSS_SITE = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
LINK = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
FRAME = {**LINK, "sec-fetch-dest": "iframe"}
WORK = ("/api/make/caves?width=5&height=5", "/api/run/open-caves?format=txt&seed=1")


@pytest.mark.parametrize("address", WORK)
def test_pages_of_other_sites_cannot_start_work_by_get(local: TestClient, address: str) -> None:
    old_browser = {"origin": "http://evil.example"}
    for headers in (CROSS_SITE, LINK, FRAME, old_browser, {"origin": "null"}, {"origin": "http://["}):
        answer = local.get(address, headers=headers)
        assert answer.status_code == 403
        assert line_of(answer) == "requests from pages of other sites are not allowed"
    # Programs send no such header; engines in a browser may have another port of this machine.
    for site in ("none", "same-origin", "same-site"):
        assert local.get(address, headers={"sec-fetch-site": site}).status_code == 200
    for headers in ({}, {"origin": "http://127.0.0.1:3000"}):
        assert local.get(address, headers=headers).status_code == 200


def test_links_on_other_sites_open_the_page_but_images_and_frames_do_not(local: TestClient) -> None:
    assert local.get("/", headers=LINK).status_code == 200
    for headers in (CROSS_SITE, FRAME):
        assert local.get("/", headers=headers).status_code == 403


def test_a_new_route_is_protected_by_default() -> None:
    app = build_app()
    app.add_api_route("/new", lambda: "made", methods=["GET"])
    with asking(app) as client:
        assert client.get("/new").status_code == 200
        for headers in (CROSS_SITE, LINK):
            assert client.get("/new", headers=headers).status_code == 403


# -- all routes -------------------------------------------------------------------------------------------------

ASK_ALL_ROUTES = """
import json, re, sys
from fastapi.testclient import TestClient
from tilewright.studio import Settings, app

def walk(routes, prefix=""):
    for route in routes:
        inner = getattr(route, "original_router", route)
        below = prefix + (getattr(route, "path", None) or "")
        if getattr(inner, "routes", None):
            yield from walk(inner.routes, below)
        else:
            yield below, getattr(route, "methods", None)

studio = app(Settings())
found = []
with TestClient(studio, base_url="http://127.0.0.1:8600", follow_redirects=False) as client:
    for path, methods in walk(studio.routes):
        address = re.sub(r"\\{[^}]*\\}", "caves", path) or "/"
        for method in ("GET", "HEAD", "OPTIONS", *sorted(set(methods or ()) - {"GET", "HEAD", "OPTIONS"})):
            asked = [client.request(method, address, headers=headers) for headers in json.loads(sys.argv[1])]
            found.append((path, method, [answer.status_code for answer in asked]))
print(json.dumps(found))
"""


def test_every_route_of_the_studio_is_protected_unless_it_is_declared_to_be_free() -> None:
    """API, page, documentation, static files and the socket of the page, with all methods."""
    command = [sys.executable, "-c", ASK_ALL_ROUTES, json.dumps([CROSS_SITE, LINK, FRAME])]
    answers = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    paths = {path for path, _, _ in answers}
    assert len(paths) > 30
    assert {"/", "/api/docs", "/openapi.json", "/api/run/{recipe}", "/_nicegui_ws", "/api/{rest:path}"} <= paths
    assert any("thumbnails" in path for path in paths)
    free = {"/api"} | {f"/api/{kind}" for kind in LISTS} | {f"/api/{kind}/{{name}}" for kind in DESCRIBED_KINDS}
    for path, method, (image, link, frame) in answers:
        reads = method in ("GET", "HEAD", "OPTIONS")
        assert (image != 403) == (frame != 403) == (reads and path in free), (path, method)
        assert (link != 403) == (reads and path in {*free, "/", "/api/docs"}), (path, method)


def test_responses_have_security_headers(local: TestClient) -> None:
    for address in ("/", "/api/techniques", "/api/nowhere", "/nowhere"):
        headers = local.get(address).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert policy["connect-src"] == "'self' ws://127.0.0.1:8600 wss://127.0.0.1:8600"
        assert "http:" not in headers["content-security-policy"]


def test_another_host_without_a_token_is_refused_at_the_start() -> None:
    with pytest.raises(InvalidRecipe, match=r"token: must be set, because other machines can reach 0\.0\.0\.0"):
        SecurityMiddleware(build_app(), Settings(host="0.0.0.0"))


def test_requests_without_the_token_are_refused(public: TestClient) -> None:
    for address in ("/", "/api/techniques", "/openapi.json", "/nowhere", "/?token=wrong", f"/?tokens={TOKEN}"):
        answer = public.get(address)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "a token is required" in answer.text
        assert TOKEN not in answer.text
    assert not can_connect(public)
    assert not can_connect(public, "/socket?token=wrong")
    assert public.get("/", headers={"authorization": "Bearer wrong"}).status_code == 401
    assert public.get("/", headers={"authorization": f"Basic {TOKEN}"}).status_code == 401
    assert public.get("/?token=%ff%fe").status_code == 401


def test_programs_send_the_token(public: TestClient) -> None:
    bearer = {"authorization": f"Bearer {TOKEN}"}
    assert public.get("/", headers=bearer).text == "the page"
    assert can_connect(public, **bearer)
    assert can_connect(public, "/socket?token=correct+horse")
    # An image element or an engine has only a URL; the token must not reach the technique's parameters.
    picture = public.get("/api/make/caves?width=5&height=5&format=png&token=correct+horse")
    assert picture.status_code == 200
    assert "set-cookie" not in picture.headers


def test_the_address_with_the_token_sets_a_cookie(public: TestClient) -> None:
    answer = public.get("/?token=correct+horse&word=a%26b", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?word=a%26b"
    assert answer.headers["cache-control"] == "no-store"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "horse" not in cookie
    assert public.get("/?word=a%26b").text == "the page a&b"
    assert can_connect(public)
    assert public.post("/api/make", json={}, headers={"origin": "http://evil.example"}).status_code == 403


def test_the_cookie_is_found_among_odd_ones(public: TestClient) -> None:
    answer = public.get("/?token=correct+horse", follow_redirects=False)
    cookie = answer.headers["set-cookie"].partition(";")[0]
    public.cookies.clear()
    assert public.get("/", headers={"cookie": f'odd="[{{; other=a b; {cookie}; last'}).status_code == 200
    assert public.get("/", headers={"cookie": f"{cookie}x"}).status_code == 401


def test_a_link_on_another_site_works_with_a_strict_cookie(public: TestClient) -> None:
    """Browsers do not send strict cookies on redirects from another site; a refresh by our own page is not one."""
    answer = public.get("/?token=correct+horse&word=x", headers=LINK)
    assert answer.status_code == 200
    assert answer.text == '<meta http-equiv="refresh" content="0;url=/?word=x">'
    assert "samesite=strict" in answer.headers["set-cookie"].lower()


def test_redirects_stay_on_this_host(public: TestClient) -> None:
    for address in ("//evil.example/", "/%2F/evil.example/", "/\\evil.example"):
        answer = public.get(f"http://studio.example:8600{address}?token=correct+horse", follow_redirects=False)
        assert answer.headers["location"].startswith("/")
        assert not answer.headers["location"].startswith(("//", "/\\"))


def test_a_token_is_also_required_on_a_local_host() -> None:
    with asking(build_app(token=TOKEN)) as client:
        assert client.get("/").status_code == 401
        assert client.get("/", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200


# -- charset ----------------------------------------------------------------------------------------------------

FORM = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n##\n..\r\n--x--\r\n'


@pytest.mark.parametrize("charset", read_table(__file__, "a body in another charset is refused"))
def test_a_body_in_another_charset_is_refused(local: TestClient, charset: str) -> None:
    """Python has codecs that take quadratic time."""
    for kind in ("multipart/form-data; boundary=x", "application/json", ""):
        answer = local.post("/api/measure/file", content=FORM, headers={"content-type": f"{kind}; {charset}"})
        assert answer.status_code == 400
        assert line_of(answer) == "the charset of a request must be utf-8"


@pytest.mark.parametrize("charset", ["", "; charset=utf-8", ' ;CHARSET = "UTF-8" ', "; charset=utf8"])
def test_a_body_in_utf8_is_read(local: TestClient, charset: str) -> None:
    headers = {"content-type": f"multipart/form-data; boundary=x{charset}"}
    assert local.post("/api/measure/file", content=FORM, headers=headers).status_code == 200


# -- size -------------------------------------------------------------------------------------------------------


def test_a_body_with_a_large_content_length_is_not_read() -> None:
    with asking(build_app(upload=1000)) as client:
        answer = client.post("/api/make", content=b"x" * 1001)
        assert answer.status_code == 413
        assert line_of(answer) == "a request must have at most 1,000 bytes"
        digits = {"content-length": "9" * 5000}
        assert client.post("/api/make", content=b"x", headers=digits).status_code == 413


@pytest.mark.parametrize("address", ["/api/make", "/api/measure/file"])
def test_a_body_without_content_length_is_limited_while_it_is_read(address: str) -> None:
    """Nothing is read after the limit."""
    sent = 0
    kinds = {"/api/make": b"application/json", "/api/measure/file": b"multipart/form-data; boundary=x"}
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n' if "file" in address else b""

    async def receive() -> dict[str, Any]:
        nonlocal sent
        sent += 1
        return {"type": "http.request", "body": head + b"#" * 500 if sent == 1 else b"#" * 500, "more_body": True}

    answers: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        answers.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": address,
        "raw_path": address.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "server": ("127.0.0.1", 8600),
        "client": ("127.0.0.1", 1),
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", kinds[address]), (b"transfer-encoding", b"chunked")],
    }
    asyncio.run(build_app(upload=5000)(scope, receive, send))
    assert answers[0]["status"] == 413
    assert b"a request must have at most 5,000 bytes" in answers[1]["body"]
    assert sent <= 11
