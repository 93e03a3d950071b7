"""The hot door: a minimal RESP connection (socket and hiredis's parser) for the commands an agent calls every turn.

Importing redis-py and pydantic costs fifteen bare interpreter starts; a turn's command must not pay that. The scripts are
the same as behind the other door. TLS, sentinel and cluster URLs are not for this door (`serves` says so).
"""

from __future__ import annotations

import _socket  # the socket module itself costs half an interpreter start

import hiredis

from rt_config.errors import BusDownError, BusError
from rt_mailbox import lua
from rt_mailbox.door import read_reply, server_error, shown, unquoted
from rt_mailbox.keys import root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rt_mailbox.door import Reply

CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 10.0
_CLOSED = "the server closed the connection"


def serves(url: str) -> bool:
    """Whether this door can open `url`."""
    return url.startswith(("unix://", "redis://"))


class HotDoor:
    """One connection, opened at the first use. Not for threads."""

    def __init__(self, url: str, *, shebang: bool = True) -> None:
        self.url = url
        self._shebang = shebang
        self._socket: Any = None
        self._reader: Any = None

    def script(self, name: str, space: str, *args: str | int) -> Reply:
        """Run one script. EVAL with the whole text: a process that runs one script gains nothing from EVALSHA."""
        try:
            return read_reply(
                self.command("EVAL", lua.text(name, shebang=self._shebang), 1, root(space), *args)
            )
        except BusError as exc:
            if not (self._shebang and "compiling script" in str(exc)):
                raise
            self._shebang = False  # the server is older than 7, and has run nothing
            return self.script(name, space, *args)

    def command(self, *args: str | int, block_ms: int = 0) -> Any:
        """One command and its reply; never sent twice.

        Raises:
            BusDownError: no connection, or no answer in time (then `sent` is True and the outcome unknown).
        """
        sent = False
        try:
            if self._socket is None:
                self._connect()
            sent = True
            self._socket.settimeout(ANSWER_SECONDS + block_ms / 1000)
            self._send(args)
            reply = self._receive()
        except OSError as exc:
            self.close()
            raise BusDownError(url=shown(self.url), reason=str(exc) or type(exc).__name__, sent=sent) from exc
        except BaseException:
            self.close()  # an answer may still be under way; the next command must not read it
            raise
        if isinstance(reply, hiredis.ReplyError):
            raise server_error(str(reply), shown(self.url))
        return reply

    def close(self) -> None:
        """Give the connection up."""
        if self._socket is not None:
            self._socket.close()
        self._socket = self._reader = None

    def _connect(self) -> None:
        self._reader = hiredis.Reader(encoding="utf-8", errors="surrogateescape")
        if self.url.startswith("unix://"):
            self._socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
            self._socket.settimeout(CONNECT_SECONDS)
            self._socket.connect(unquoted(self.url.removeprefix("unix://")))
            return
        user, password, host, port, db = _parse(self.url)
        family, kind, proto, _, address = _socket.getaddrinfo(host, port, 0, _socket.SOCK_STREAM)[0]
        self._socket = _socket.socket(family, kind, proto)
        self._socket.settimeout(CONNECT_SECONDS)
        self._socket.connect(address)
        if password:
            self._setup("AUTH", *([user] if user else []), password)
        if db:
            self._setup("SELECT", db)

    def _setup(self, *args: str) -> None:
        self._send(args)
        reply = self._receive()
        if isinstance(reply, hiredis.ReplyError):
            raise BusDownError(url=shown(self.url), reason=str(reply))

    def _send(self, args: tuple[str | int, ...]) -> None:
        parts = [b"*%d\r\n" % len(args)]
        for arg in args:
            raw = str(arg).encode("utf-8", "surrogateescape")
            parts.append(b"$%d\r\n%b\r\n" % (len(raw), raw))
        self._socket.sendall(b"".join(parts))

    def _receive(self) -> Any:
        reply = self._reader.gets()
        while reply is False:
            data = self._socket.recv(65536)
            if not data:
                raise ConnectionResetError(_CLOSED)
            self._reader.feed(data)
            reply = self._reader.gets()
        return reply


def _parse(url: str) -> tuple[str, str, str, int, str]:
    """redis://[user[:password]@]host[:port][/db] → its parts."""
    rest, _, db = url.removeprefix("redis://").partition("/")
    login, _, place = rest.rpartition("@")
    user, _, password = login.partition(":")
    host, _, port = place.rpartition(":") if place.rpartition("]")[2].count(":") else (place, "", "")
    user, password = unquoted(user), unquoted(password)
    return user, password, host.strip("[]") or "127.0.0.1", int(port or 6379), db.partition("?")[0]
