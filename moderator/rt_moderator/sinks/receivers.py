"""The receivers themselves: a file, a command, a URL. One try each; what came of it is an `Answer`, and never holds the URL."""

from __future__ import annotations

import email.utils
import http.client
import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from rt_moderator import files
from rt_participant import show

if TYPE_CHECKING:
    from rt_config.sinks import Sink
    from rt_moderator.sinks.rendering import Request

_GONE = (401, 403, 404, 410)
_NOT_NOW = (408, 425, 429)
_MOST = 64 * 1024  # of an answer
_LONGEST_PAUSE = 3600.0
_TEMPORARY = 75  # EX_TEMPFAIL


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one try.

    sent; later: not taken, try again after `after` seconds when that is known; refused: this post is not taken; off: none
    will be; unsure: it went out and nobody said what came of it.
    """

    how: Literal["sent", "later", "refused", "off", "unsure"]
    why: str = ""
    after: float | None = None
    status: int = 0
    told: dict[str, Any] = field(default_factory=dict)


def deliver(sink: Sink, request: Request) -> Answer:
    """Try once, for at most about `sink.timeout_seconds`.

    Raises:
        BadConfigError: the sink's URL cannot be had.
    """
    return {"file": _to_file, "command": _to_command, "webhook": _to_url}[sink.type](sink, request)


def place(sink: Sink) -> str:
    """Where a sink leads, without anything secret.

    Raises:
        BadConfigError: as `Sink.address`.
    """
    if sink.type == "file":
        return sink.path
    if sink.type == "command":
        return sink.argv[0]
    url = urllib.parse.urlsplit(sink.address())
    return f"{url.scheme}://{url.hostname or '?'}/…"


def hidden(text: str, address: str) -> str:
    """`text` as one short line without the address or a telling part of it."""
    url = urllib.parse.urlsplit(address)
    parts = [address, url.netloc + url.path, url.path, url.query, url.password or "", *url.path.split("/")]
    parts += [value for _, value in urllib.parse.parse_qsl(url.query)]
    for part in sorted({one for one in parts if len(one) >= 4}, key=len, reverse=True):
        text = text.replace(part, "…").replace(urllib.parse.unquote(part), "…")
    return show.line(text, 160)


def _to_file(sink: Sink, request: Request) -> Answer:
    """Append, once: the mark before the text tells whether it is there."""
    path = Path(sink.path.replace("{table}", request.table)).expanduser()
    mark = f"<!-- rt {request.token} -->"
    text = request.content.replace("<!-- rt ", "<!-- rt\u200b ")
    try:
        files.append_once(path, mark, f"{mark}\n{text}")
    except OSError as exc:
        return Answer("later", f"{sink.path}: {exc.strerror or type(exc).__name__}")
    return Answer("sent")


def _to_command(sink: Sink, request: Request) -> Answer:
    """Run argv with the text on stdin; 0 is done, 75 is later, anything else a refusal."""
    told = {
        "RT_SINK": sink.name,
        "RT_SINK_EVENT": request.event,
        "RT_SINK_TABLE": request.table,
        "RT_SINK_TOKEN": request.token,
    }
    try:
        process = subprocess.Popen(
            sink.argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **told},
            start_new_session=True,
        )  # fmt: skip
    except OSError as exc:
        return Answer("off", f"{sink.argv[0]}: {exc.strerror or type(exc).__name__}")
    try:
        _, said = process.communicate(request.content.encode("utf-8", "replace"), sink.timeout_seconds)
    except subprocess.TimeoutExpired:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Answer("unsure", f"it took longer than {sink.timeout_seconds:g} s and was killed")
    if process.returncode == 0:
        return Answer("sent")
    last = show.line(said.decode("utf-8", "replace").strip().rpartition("\n")[2], 120)
    why = f"exit {process.returncode}{': ' + last if last else ''}"
    return Answer("later" if process.returncode == _TEMPORARY else "refused", why)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is a refusal: a post must not become a GET, nor go where nobody sent it."""

    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        """Follow nothing."""


def _to_url(sink: Sink, request: Request) -> Answer:
    address = sink.address()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "roundtable",
        "Idempotency-Key": request.token,
    }
    headers |= request.headers
    if request.body is None:
        headers["Content-Type"] = "text/plain; charset=utf-8"
    data = request.content.encode("utf-8", "replace")
    asked = urllib.request.Request(_with(address, request), data, headers, method="POST")  # noqa: S310 (http only, see address)
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(asked, timeout=sink.timeout_seconds) as answer:
            told = _told(answer)
    except urllib.error.HTTPError as exc:
        with exc:
            return _refusal(exc, address)
    except urllib.error.URLError as exc:  # it never got there, or not whole
        return Answer("later", hidden(getattr(exc.reason, "strerror", None) or str(exc.reason), address))
    except http.client.InvalidURL:
        return Answer("off", "its url is none")
    except (OSError, http.client.HTTPException) as exc:
        return Answer("unsure", hidden(f"no answer: {str(exc) or type(exc).__name__}", address))
    except ValueError as exc:  # a URL that is none
        return Answer("off", hidden(f"its url: {type(exc).__name__}", address))
    return Answer("sent", told=told)


def _with(address: str, request: Request) -> str:
    if not request.query:
        return address
    url = urllib.parse.urlsplit(address)
    query = "&".join(filter(None, (url.query, urllib.parse.urlencode(request.query))))
    return urllib.parse.urlunsplit(url._replace(query=query))


def _told(answer: IO[bytes]) -> dict[str, Any]:
    """The object in an answer's body; empty when there is none, which is no failure."""
    try:
        found = json.loads(answer.read(_MOST))
    except (OSError, http.client.HTTPException, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _refusal(found: urllib.error.HTTPError, address: str) -> Answer:
    status = found.code
    body = _body(found)
    why = hidden(f"HTTP {status} {_message(body)}".strip(), address)
    if status in _NOT_NOW:
        return Answer("later", why, _pause(found.headers.get("Retry-After"), body), status)
    if status >= 500:
        # A gateway that lost its patience does not know what came of the post.
        return Answer(
            "unsure" if status == 504 else "later", why, _pause(found.headers.get("Retry-After"), ""), status
        )
    return Answer("off" if status in _GONE or status < 400 else "refused", why, status=status)


def _body(found: urllib.error.HTTPError) -> str:
    try:
        return found.read(_MOST).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        return ""


def _message(body: str) -> str:
    """What a refusal says, where it is JSON with a message; else all of it."""
    with suppress(ValueError, TypeError, KeyError):
        return str(json.loads(body)["message"])
    return body


def _pause(header: str | None, body: str) -> float | None:
    """Seconds to wait, as the header (seconds or a date) or the JSON says; an hour at most."""
    with suppress(ValueError, TypeError, AttributeError):
        return min(_LONGEST_PAUSE, max(0.0, float(header or json.loads(body)["retry_after"])))
    with suppress(ValueError, TypeError):
        moment = email.utils.parsedate_to_datetime(header or "")
        return min(_LONGEST_PAUSE, max(0.0, moment.timestamp() - time.time()))
    return None
