"""The routes: each reads or acts through the library in a thread, and renders a template."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from rt_config.errors import BusError, RoundtableError, UnknownMessageError, UnknownTableError, UsageError
from rt_mailbox.wire import to_json
from rt_moderator import draining, listing
from rt_moderator.exporting import exported
from rt_moderator.page import markup, templating, views
from rt_moderator.page.reading import Desk, Look
from rt_moderator.shell import table_folder
from rt_moderator.web import acting, forms
from rt_moderator.web.feed import BODY_MOST
from rt_moderator.web.hub import Hub
from rt_moderator.words import span
from rt_participant import show

if TYPE_CHECKING:
    from starlette.requests import Request

    from rt_moderator.page.markup import Href
    from rt_moderator.shell import Shell
    from rt_moderator.web.guard import Secrets

_STATUS = ((UnknownTableError, 404), (UnknownMessageError, 404), (UsageError, 400), (BusError, 503))
_SAFE_NAME = re.compile(r"[A-Za-z0-9._-]{1,128}")
_KINDS = {"html": "text/html", "md": "text/markdown", "json": "application/json"}
_FOUND_MOST = 200
_ROUNDS_OPEN = 2  # of the latest that the window holds


class Site:
    """All pages over one shell, whose door must be safe for threads."""

    def __init__(self, shell: Shell, known: Secrets) -> None:
        self.shell, self.known = shell, known
        self.desk = Desk(shell)
        self.hub = Hub(self.desk, self._parts)

    def app(self) -> Starlette:
        """The application, without its guard."""
        return Starlette(
            routes=[
                Route("/", self.tables),
                Route("/t/{table}", self.table),
                Route("/t/{table}/messages", self.messages),
                Route("/t/{table}/events", self.events),
                Route("/t/{table}/search", self.search),
                Route("/t/{table}/m/{seq:int}", self.whole),
                Route("/t/{table}/transcript.{kind}", self.transcript),
                Route("/t/{table}/say", self.say, methods=["POST"]),
                Route("/t/{table}/decide", self.decide, methods=["POST"]),
                Mount("/static", StaticFiles(directory=templating.STATIC)),
            ],
            exception_handlers={RoundtableError: _refused, HTTPException: _refused, Exception: _refused},
        )

    def tables(self, request: Request) -> Response:
        """The list, searched by topic, id, format, state and seat."""
        q, archived = request.query_params.get("q", "").strip(), bool(request.query_params.get("archived"))
        found = listing.tables_of(self.shell, archived=archived)
        rows = [self._row(row) for row in reversed(found) if _matches(row, q)]
        return _html("list.html", q=q, archived=archived, rows=rows)

    def table(self, request: Request) -> Response:
        """A table's page: the end of its record, or what is around ?at=."""
        with self.desk.look(request.path_params["table"]) as look:
            first, last = look.window(_number(request, "at", 0) or None)
            href = look.href(first, last)
            return _html(
                "table.html", **self._around(look, href), rounds=_rounds(look, first, last), key=_key()
            )

    def messages(self, request: Request) -> Response:
        """Messages from= to=, at most 100, as HTML or as the JSON of rt drain."""
        with self.desk.look(request.path_params["table"]) as look:
            found = look.messages(_number(request, "from", 1), _number(request, "to", look.head))
            if _wants_json(request):
                said = [to_json(message, look.id) for message in found]
                return JSONResponse({"table": look.id, "messages": said, "head": look.head})
            return HTMLResponse(_articles(look, found))

    async def events(self, request: Request) -> Response:
        """What happens from now on, or after the message that the page says it has."""
        table = request.path_params["table"]
        after = await run_in_threadpool(self._after, request)
        given = request.headers.get("last-event-id", "")
        after = int(given) if given.isascii() and given.isdecimal() else after
        return StreamingResponse(self.hub.stream(table, after), media_type="text/event-stream")

    def _after(self, request: Request) -> int:
        with self.desk.look(request.path_params["table"]) as look:
            if look.door is not self.shell.door:
                raise UsageError(reason="nothing happens any more at a table that is in a file.")
            return _number(request, "after", look.head)

    def search(self, request: Request) -> Response:
        """The messages of a table that say ?q=."""
        q = request.query_params.get("q", "").strip()
        with self.desk.look(request.path_params["table"], 1) as look:
            found = draining.matches(self.shell.reading(look.id), look.id, q) if q else []
            rows = [one | {"who": show.person(one["from"])} for one in found[:_FOUND_MOST]]
            topic = markup.words(look.snapshot["table"].get("topic", "")) or look.id
            return _html("search.html", table=look.id, topic=topic, q=q, found=rows, count=len(found))

    def whole(self, request: Request) -> Response:
        """One message as it was written, as plain text without control characters."""
        with self.desk.look(request.path_params["table"], 1) as look:
            found = look.messages(request.path_params["seq"], request.path_params["seq"])
            if not found:
                raise UnknownMessageError(table=look.id, seq=request.path_params["seq"], head=look.head)
            return PlainTextResponse(show.plain(found[0]["body"]).encode("utf-8", "replace"))

    def transcript(self, request: Request) -> Response:
        """The whole table as a file, as rt transcript writes it."""
        kind = request.path_params["kind"]
        if kind not in _KINDS:
            raise HTTPException(404, "There are html, md and json.")
        with self.desk.look(request.path_params["table"], 1) as look:
            text = exported(look.door, look.id, table_folder(look.id), kind)
            name = look.id if _SAFE_NAME.fullmatch(look.id) else "transcript"
        headers = {"content-disposition": f'attachment; filename="{name}.{kind}"'}
        return Response(text.encode("utf-8", "replace"), media_type=_KINDS[kind], headers=headers)

    async def say(self, request: Request) -> Response:
        """Speak as the user."""
        return await self._act(request, acting.say)

    async def decide(self, request: Request) -> Response:
        """Decide at a gate."""
        return await self._act(request, acting.decide)

    async def _act(self, request: Request, act: Any) -> Response:
        table = request.path_params["table"]
        form = await forms.read(request, self.known.form, 3 * self.shell.settings.max_body_bytes + 65_536)
        found = await run_in_threadpool(act, self.shell, table, form)
        if _wants_json(request):
            return JSONResponse({**found, "key": _key()})
        where = f"?at={found['seq']}#m{found['seq']}" if "seq" in found else ""
        return RedirectResponse(f"/t/{table}{where}", 303)

    def _row(self, row: dict[str, Any]) -> dict[str, Any]:
        return row | {"topic": markup.words(row["topic"], 300), "age": span(row["age_seconds"])}

    def _parts(self, look: Look) -> str:
        return templating.render("live.html", **self._around(look, look.href()))

    def _around(self, look: Look, href: Href) -> dict[str, Any]:
        live = look.door is self.shell.door
        view = views.overview(look.snapshot, look.index, look.read(), href)
        return {"view": view, "ledger": self.desk.ledger(look, href), "live": live, "csrf": self.known.form}


def _rounds(look: Look, first: int, last: int) -> list[dict[str, Any]]:
    """Every round; of those that the window touches the messages, and which are missing before and after them."""
    found = look.messages(first, last)
    href = look.href(first, last)
    sections = look.index.sections()
    shown = [one for one in sections if one.first <= last and one.last >= first]
    opened = {
        one.number for one in shown if len(shown) <= _ROUNDS_OPEN or first > 1 or one in shown[-_ROUNDS_OPEN:]
    }
    return [
        {
            "section": one,
            "open": one.number in opened,
            "messages": _views(look, [m for m in found if one.first <= m["seq"] <= one.last], href),
            "before": (one.first, min(one.last, first - 1)) if one.first < first else None,
            "after": (max(one.first, last + 1), one.last) if one.last > last and one.first >= first else None,
        }
        for one in sections
    ]


def _articles(look: Look, messages: list[Any]) -> bytes:
    made = (
        templating.part("article", view, f"/t/{look.id}/m")
        for view in _views(look, messages, look.href(1, look.head))
    )
    return "".join(made).encode("utf-8", "replace")


def _views(look: Look, messages: list[Any], href: Href) -> list[views.View]:
    around = views.Around.of(look.snapshot, look.index)
    return [views.article(one, around, href, BODY_MOST) for one in messages]


def _refused(request: Request, exc: Exception) -> Response:
    if isinstance(exc, RoundtableError):
        status = next((code for cls, code in _STATUS if isinstance(exc, cls)), 409)
        found = {"error_code": exc.error_code, "message": str(exc), "hint": exc.advice}
    else:
        status = exc.status_code if isinstance(exc, HTTPException) else 500
        detail = exc.detail if isinstance(exc, HTTPException) else "That went wrong."
        found = {"error_code": "refused", "message": detail, "hint": ""}
    if _wants_json(request):
        return JSONResponse(found, status)
    title = "Not found" if status == 404 else "That did not work"
    return _html("error.html", status, title=title, message=found["message"], hint=found["hint"])


def _html(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    return HTMLResponse(templating.render(template, **values).encode("utf-8", "replace"), status)


def _matches(row: dict[str, Any], q: str) -> bool:
    text = " ".join([row["table"], row["topic"], row["format"], row["state"], *row["seats"]]).casefold()
    return all(word in text for word in q.casefold().split())


def _number(request: Request, name: str, otherwise: int) -> int:
    given = request.query_params.get(name, "").removeprefix("m")
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 18 else otherwise


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def _key() -> str:
    return f"web-{secrets.token_hex(8)}"
