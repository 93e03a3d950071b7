"""What stands before every page: which name we are called by, who may look, where a form may come from."""

from __future__ import annotations

import hmac
import ipaddress
import platform
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from starlette.datastructures import URL, Headers, MutableHeaders, QueryParams
from starlette.responses import HTMLResponse, JSONResponse, Response

from rt_moderator.page import templating

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _CSP,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # no-referrer would make the Origin of our own forms null
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Secrets:
    """Made anew by every start: what the first link, the cookie and each form prove themselves with."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    form: str = field(default_factory=lambda: secrets.token_urlsafe(24))


def same(given: str, wanted: str) -> bool:
    """Whether they are equal, in a time that does not tell how nearly."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def loopback(address: str) -> bool:
    """Whether only this machine can reach `address`."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def ours(host: str, listen: str, port: int) -> bool:
    """Whether `host`, a Host header, names this server. A name that somebody lets point here (DNS rebinding) does not."""
    name, colon, given = host.rpartition(":")
    if not colon or given != str(port):
        return False
    name = name.removeprefix("[").removesuffix("]").lower()
    if loopback(listen):
        return name in _LOOPBACK
    if name in (*_LOOPBACK, listen.lower(), platform.node().lower()):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True  # an address is what it says; only names can be made to lie


class Guard:
    """Refuses other names (421), strangers (401) and forms from elsewhere (403); adds the headers that keep pages tame."""

    def __init__(self, app: ASGIApp, known: Secrets, listen: str, port: int) -> None:
        self._app, self._known, self._listen, self._port = app, known, listen, port
        self._cookie = f"rt_{port}"  # cookies do not tell ports apart

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def tame(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, tame)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not ours(host, self._listen, self._port):
            return _page(headers, 421, "Not here", "This is not the name of this server.")
        if scope["path"].startswith("/static/"):
            return None
        if scope["method"] not in ("GET", "HEAD") and headers.get("origin") != f"http://{host}":
            return _page(headers, 403, "Refused", "This did not come from one of our pages.")
        if self._knows(headers):
            return self._welcome(scope) if "token" in QueryParams(scope["query_string"]) else None
        if scope["method"] == "GET" and same(
            QueryParams(scope["query_string"]).get("token", ""), self._known.token
        ):
            return self._welcome(scope)
        return _page(headers, 401, "Who are you?", "Open the link that rt web printed when it started.")

    def _knows(self, headers: Headers) -> bool:
        try:
            jar = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        return self._cookie in jar and same(jar[self._cookie].value, self._known.cookie)

    def _welcome(self, scope: Scope) -> Response:
        """A page that goes on by itself: after a redirect from another site a strict cookie would stay at home."""
        url = URL(scope=scope).remove_query_params("token")
        target = "/" + url.path.lstrip("/") + (f"?{url.query}" if url.query else "")
        answer = HTMLResponse(templating.render("welcome.html", target=target))
        answer.set_cookie(self._cookie, self._known.cookie, httponly=True, samesite="strict", path="/")
        return answer


def _page(headers: Headers, status: int, title: str, message: str) -> Response:
    if "application/json" in headers.get("accept", ""):
        return JSONResponse({"error_code": "refused", "message": message, "hint": ""}, status)
    return HTMLResponse(templating.render("error.html", title=title, message=message, hint=""), status)
