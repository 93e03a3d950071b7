"""Asking a server how it is: one short bounded connection per question, for the modules that start and watch it.

The library's own traffic goes through redis-py and the hot door; this speaks `unix://` and `redis://` only, without
importing either.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urlsplit

import hiredis

from rt_config.errors import BusDownError
from rt_mailbox.server_facts import Probe

_ANSWERS_ALL_THE_SAME = ("BUSY", "NOPERM", "MISCONF", "MASTERDOWN")  # refused, but by a server that lives


def speaks(url: str) -> bool:
    """Whether this module can talk to `url` (not TLS, sentinel or cluster)."""
    return urlsplit(url).scheme in {"unix", "redis"}


def unix_url(path: str) -> str:
    """The URL of a socket; what a URL reserves is percent-encoded, as redis-py decodes it."""
    return "unix://" + quote(path)


def shown(url: str) -> str:
    """The URL without its password and options, for messages and screens."""
    parts = urlsplit(url)
    url = url if parts.scheme == "unix" else url.partition("?")[0]
    if not parts.password:
        return url
    return url.replace(f":{parts.password}@", ":***@", 1)


class Wire:
    """One open connection. Every method raises OSError when the server does not answer within the timeout."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._reader = hiredis.Reader(encoding="utf-8", errors="replace")

    def ask(self, *words: str) -> Any:
        """The reply to one command. An error reply is returned as hiredis.ReplyError, not raised."""
        parts = [word.encode() for word in words]
        command = b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
        self._socket.sendall(b"*%d\r\n%s" % (len(parts), command))
        while (reply := self._reader.gets()) is False:
            received = self._socket.recv(65536)
            if not received:
                raise ConnectionResetError(errno.ECONNRESET, "the server closed the connection")
            self._reader.feed(received)
        return reply

    def info(self, *sections: str) -> dict[str, str]:
        """INFO as a mapping; empty when the server refuses it.

        Raises:
            BusDownError: a server that wants another user or password.
        """
        reply = self.ask("INFO", *sections)
        if isinstance(reply, hiredis.ReplyError):
            _refuse_strangers(reply)
            return {}
        return dict(line.split(":", 1) for line in str(reply).splitlines() if ":" in line)

    def config(self, name: str) -> str | None:
        """One value of the server's configuration; None when it does not show it."""
        reply = self.ask("CONFIG", "GET", name)
        return str(reply[1]) if isinstance(reply, list) and len(reply) == 2 else None


@contextmanager
def connected(url: str, timeout: float = 2.0) -> Iterator[Wire]:
    """An authenticated connection to `url`; no call on it waits longer than `timeout` seconds.

    Raises:
        BusDownError: nothing answers there, or not in time, also inside the block.
    """
    try:
        with _open(urlsplit(url), timeout) as sock:
            wire = Wire(sock)
            _authenticate(wire, urlsplit(url))
            yield wire
    except (OSError, ValueError, hiredis.ProtocolError) as exc:
        raise BusDownError(url=shown(url), reason=_plain(exc)) from exc
    except hiredis.ReplyError as exc:
        raise BusDownError(url=shown(url), reason=str(exc)) from exc


def probe(url: str, timeout: float = 1.0) -> Probe:
    """How the server at `url` is, within about `timeout` seconds; a TLS, sentinel or cluster URL goes through the library.

    Raises:
        BadConfigError: a URL of no known form; anything else is an answer.
    """
    if not speaks(url):
        from rt_mailbox import remote

        return remote.probe(url)
    try:
        with connected(url, timeout) as wire:
            info = wire.info("persistence")
    except BusDownError as exc:
        return Probe("down", reason=str(exc.fields["reason"]))
    return Probe("loading" if info.get("loading") == "1" else "ready", info)


def _open(parts: SplitResult, timeout: float) -> socket.socket:
    if parts.scheme == "redis":
        return socket.create_connection((parts.hostname or "localhost", parts.port or 6379), timeout)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.settimeout(timeout)
        sock.connect(unquote(parts.path))
    except BaseException:
        sock.close()
        raise
    return sock


def _authenticate(wire: Wire, parts: SplitResult) -> None:
    if parts.password is None:
        return
    user = (unquote(parts.username),) if parts.username else ()
    reply = wire.ask("AUTH", *user, unquote(parts.password))
    if isinstance(reply, hiredis.ReplyError):
        raise reply


def _refuse_strangers(reply: hiredis.ReplyError) -> None:
    if not str(reply).startswith(_ANSWERS_ALL_THE_SAME):
        raise reply


def _plain(exc: Exception) -> str:
    """The reason in words, without the errno."""
    return (exc.strerror if isinstance(exc, OSError) else None) or str(exc) or type(exc).__name__
