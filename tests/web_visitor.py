"""A visitor of `rt web`: a real process, real HTTP on loopback, a cookie; and its stream of events."""

from __future__ import annotations

import http.client
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from queue import Queue
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.helpers import BIN, Bus


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.text)


class Visitor:
    """Somebody who opened the first link of `rt web`."""

    def __init__(self, url: str) -> None:
        self.url = urlsplit(url)
        self.host = self.url.netloc
        self.origin = f"http://{self.host}"
        self.cookie = self.get(f"/?{self.url.query}", anonymous=True).headers["set-cookie"].partition(";")[0]

    def request(
        self, method: str, path: str, body: str | None = None, *, anonymous: bool = False, **headers: str
    ) -> Answer:
        """One request; `_` in a header's name is a dash."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if not anonymous:
            given.setdefault("cookie", self.cookie)
        with closing(
            http.client.HTTPConnection(self.url.hostname or "", self.url.port, timeout=20)
        ) as connection:
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, found, answer.read().decode())

    def get(self, path: str, *, anonymous: bool = False, **headers: str) -> Answer:
        """Read a page."""
        return self.request("GET", path, anonymous=anonymous, **headers)

    def post(self, path: str, fields: dict[str, str], **headers: str) -> Answer:
        """Send a form as our own page would."""
        given: dict[str, Any] = {
            "content_type": "application/x-www-form-urlencoded",
            "origin": self.origin,
            "accept": "application/json",
        }
        return self.request("POST", path, urlencode(fields), **{**given, **headers})

    @contextmanager
    def stream(self, path: str, **headers: str) -> Iterator[Stream]:
        """The events of a table."""
        connection = http.client.HTTPConnection(self.url.hostname or "", self.url.port, timeout=20)
        with closing(connection):
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request("GET", path, headers={"cookie": self.cookie, **given})
            answer = connection.getresponse()
            assert (answer.status, answer.headers["content-type"]) == (
                200,
                "text/event-stream; charset=utf-8",
            )
            yield Stream(answer)


class Stream:
    """Server-sent events, one at a time."""

    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self._answer = answer

    def next(self, *kinds: str) -> tuple[str, str, str]:
        """The next event of these kinds: (kind, id, data).

        Raises:
            EOFError: the server ended the stream.
        """
        while True:
            kind, number, data = "", "", []
            while line := self._answer.readline().decode():
                name, _, value = line.rstrip("\n").partition(": ")
                if line == "\n":
                    break
                if name == "event":
                    kind = value
                elif name == "id":
                    number = value
                elif name.startswith("data"):
                    data.append(value)
            else:
                raise EOFError
            if kind in kinds:
                return kind, number, "\n".join(data)


@contextmanager
def serving(*args: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`rt web` on a free port: the process and its first link."""
    command: list[str] = [str(BIN / "rt"), "web", "--no-open", "--port", "0", "--json", *args]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()
        yield process, json.loads(line)["url"]
    finally:
        process.kill()
        process.communicate()


@contextmanager
def serving_here(bus: Bus) -> Iterator[str]:
    """The pages from a thread of this process, which takes a tenth of the time: the first link."""
    from rt_moderator.shell import Shell
    from rt_moderator.web import serve

    place = serve.bind("127.0.0.1", 0)
    ended: Queue[Callable[[], None]] = Queue()
    shell = Shell(bus.settings, lambda _line: None)
    thread = threading.Thread(target=serve.serve, args=(shell, place, ended.put))
    thread.start()
    try:
        stop = ended.get(timeout=10)
        yield place.url()
        stop()
    finally:
        thread.join(10)
        shell.door.close()
