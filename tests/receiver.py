"""A receiver of webhooks on loopback, which answers as it is told to, and keeps what it got."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

SECRET = "4711-0123456789abcdef"  # noqa: S105 (of nothing)


@dataclass(frozen=True, slots=True)
class Got:
    """One request."""

    token: str
    query: dict[str, str]
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Say:
    """An answer: a status with headers and a JSON body; `first` runs before it, `never` keeps it back."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    first: Callable[[], object] | None = None
    never: bool = False


class Receiver:
    """`got` is what came, in order; `answers` are given in turn, and then `usual`."""

    def __init__(self) -> None:
        self.got: list[Got] = []
        self.answers: list[Say] = []
        self.usual = Say(body={"id": "1", "channel_id": "777"})
        self.rule: Callable[[Got], Say | None] = lambda _got: None
        self.url = ""
        self.closing = threading.Event()

    @property
    def tokens(self) -> list[str]:
        """The tokens of what came."""
        return [one.token for one in self.got]

    def answer(self, got: Got) -> Say:
        """Keep it, and say what to answer."""
        self.got.append(got)
        return self.rule(got) or (self.answers.pop(0) if self.answers else self.usual)


@contextmanager
def listening() -> Iterator[Receiver]:
    """A receiver on a free port."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
            say = receiver.answer(Got(self.headers["Idempotency-Key"], query, body))
            if say.first:
                say.first()
            if say.never:
                receiver.closing.wait(20)
                return
            text = json.dumps(say.body).encode()
            try:
                self.send_response(say.status)
                for name, value in {**say.headers, "Content-Length": str(len(text))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text)
            except OSError:
                pass  # the sender is gone

        def log_message(self, *_args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}/api/webhooks/4711/{SECRET}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield receiver
    finally:
        receiver.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
