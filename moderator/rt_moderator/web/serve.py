"""Serving the pages on one socket until Ctrl-C."""

from __future__ import annotations

import copy
import socket
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import uvicorn

from rt_config.errors import BadConfigError
from rt_mailbox.client import RedisDoor
from rt_moderator.web.app import Site
from rt_moderator.web.guard import Guard, Secrets, loopback

if TYPE_CHECKING:
    from types import FrameType

    from rt_moderator.shell import Shell

Ready = Callable[[Callable[[], None]], None]

PORT = 7420
_END_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Place:
    """A bound socket, and the link that lets its first visitor in."""

    socket: socket.socket
    listen: str
    port: int
    known: Secrets = field(default_factory=Secrets)

    def url(self, path: str = "/") -> str:
        """The first link."""
        named = "127.0.0.1" if self.listen in ("0.0.0.0", "::") else self.listen  # noqa: S104 (compared, not bound)
        host = f"[{named}]" if ":" in named else named
        return f"http://{host}:{self.port}{path}?token={self.known.token}"

    @property
    def exposes(self) -> str:
        """What others can do; empty when only this machine gets here."""
        if loopback(self.listen):
            return ""
        return (
            f"listening on {self.listen}:{self.port}: whoever can reach it and has the link reads every table of this "
            "space and speaks as user; nothing is encrypted on the way"
        )


def bind(listen: str, port: int | None) -> Place:
    """A place to serve from: the port asked for, or else 7420 when it is free and any other when it is not.

    Raises:
        BadConfigError: the address is not ours, or the port is taken.
    """
    try:
        family = socket.getaddrinfo(listen, 0, type=socket.SOCK_STREAM)[0][0]
        found = _bound(family, listen, PORT if port is None else port, again=port is None)
    except OSError as exc:
        raise BadConfigError(where=f"{listen}:{PORT if port is None else port}", reason=exc.strerror) from exc
    return Place(found, listen, found.getsockname()[1])


def _bound(family: int, listen: str, port: int, *, again: bool) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((listen, port))
    except OSError:
        made.close()
        if not again:
            raise
        return _bound(family, listen, 0, again=False)
    made.listen(128)
    return made


class _Server(uvicorn.Server):
    """Ends its streams first, because it waits for what is open."""

    def __init__(self, config: uvicorn.Config, site: Site, ready: Ready) -> None:
        super().__init__(config)
        self._site, self._ready = site, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say so."""
        await super().startup(sockets)
        if self.started:
            self._ready(self._stop)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then what uvicorn ends."""
        self._site.hub.close()
        await super().shutdown(sockets)

    def _stop(self) -> None:
        self.should_exit = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Remember no signal: to be stopped is how this command ends."""
        super().handle_exit(sig, frame)
        self._captured_signals.clear()


def serve(shell: Shell, place: Place, ready: Ready) -> None:
    """Serve until SIGINT or SIGTERM. When requests are answered `ready` is called, with what ends it from any thread."""
    threaded = copy.copy(shell)
    threaded.door = RedisDoor(shell.url)  # the shell's own may be one for a single thread
    site = Site(threaded, place.known)
    guarded: Any = Guard(site.app(), place.known, place.listen, place.port)
    config = uvicorn.Config(
        guarded, log_level="error", access_log=False, server_header=False, proxy_headers=False, ws="none",
        lifespan="off", timeout_graceful_shutdown=_END_SECONDS,
    )  # fmt: skip
    with closing(threaded.door), closing(place.socket):
        _Server(config, site, ready).run(sockets=[place.socket])
