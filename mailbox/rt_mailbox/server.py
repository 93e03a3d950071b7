"""The server behind the bus: RT_REDIS_URL, or an embedded one that the operator's commands start by themselves.

An embedded server is reached through a socket in a private folder, outlives the command that started it, and
acknowledges a write only when it is on disk. A server found on that socket is used as it is.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rt_config.errors import BusDownError, UsageError
from rt_mailbox import disk, server_files, server_wire
from rt_mailbox.server_facts import Probe

if TYPE_CHECKING:
    from rt_config.settings import Settings
    from rt_mailbox.server_process import Process

Say = Callable[[str], None]
_POLL_SECONDS = 0.1
_STEP_SECONDS = 0.01


def endpoint(settings: Settings) -> str:
    """RT_REDIS_URL, password and all, or the URL of the embedded server's socket. Starts nothing."""
    return settings.redis_url or server_files.here().url


def ensure(settings: Settings, say: Say, candidates: Iterable[Path] | None = None) -> str:
    """The URL of a server that answers, for an operator's command.

    Starts the embedded server when there is none, and waits, with lines through `say`, while it loads its record. Less
    than 2 ms when it is already there. `candidates` are the server programs to try, best first.

    Raises:
        NoServerError: no usable server program.
        DiskFullError: no server runs, and fewer than `settings.min_free_bytes` are free for one.
        BusDownError: RT_REDIS_URL does not answer, or the embedded server could not be started.
        BadConfigError: RT_REDIS_URL has no known form.
    """
    url = endpoint(settings)
    answer = server_wire.probe(url)
    if settings.redis_url:
        if answer.state == "down":
            raise BusDownError(url=server_wire.shown(url), reason=answer.reason)
        return _loaded(url, answer, say)
    if answer.state == "down":
        return start(settings, say, candidates)
    _loaded(url, answer, say, server_files.here())
    from rt_mailbox.server_upkeep import upkeep

    upkeep(settings, server_files.here(), answer)
    return url


def wait_for(settings: Settings, seconds: float | None = None) -> str:
    """The URL of a server that answers, for hosts and seats, which never start one.

    Waits up to `seconds` (default `settings.bus_wait_seconds`) while there is none; the time in which a server loads its
    record does not count.

    Raises:
        DiskFullError: the wait is over, and no server can be started for want of disk.
        BusDownError: the wait is over.
        BadConfigError: RT_REDIS_URL has no known form.
    """
    url = endpoint(settings)
    longest = settings.bus_wait_seconds if seconds is None else seconds
    deadline = time.monotonic() + longest
    while (answer := server_wire.probe(url)).state != "ready":
        if answer.state == "loading":
            deadline = time.monotonic() + longest
        elif time.monotonic() >= deadline:
            disk.disk_guard(settings)
            raise BusDownError(url=server_wire.shown(url), reason=f"{answer.reason}, waited {longest:g} s")
        time.sleep(min(_POLL_SECONDS, longest))
    return url


def start(settings: Settings, say: Say, candidates: Iterable[Path] | None = None) -> str:
    """Start the embedded server unless it runs, wait until it has loaded, and return its URL.

    Raises what `ensure` does, and:

    Raises:
        UsageError: RT_REDIS_URL names a server that is not ours to start.
    """
    _refuse_foreign(settings)
    from rt_mailbox import server_start

    place = server_files.here()
    answer = server_start.start(settings, place, say, candidates)
    return _loaded(place.url, answer, say, place)


def stop(settings: Settings, grace: float | None = None) -> bool:
    """Stop the embedded server and return when its process is gone; False when none ran.

    SHUTDOWN, after `grace` seconds (default `settings.kill_grace_seconds`) SIGTERM, then SIGKILL. What was acknowledged
    is on disk in each case; socket and pid file are removed.

    Raises:
        UsageError: RT_REDIS_URL names a server that is not ours to stop.
        BusDownError: it is silent and its pid is not known, it survives SIGKILL, or its folder is somebody else's.
    """
    _refuse_foreign(settings)
    place = server_files.here()
    patience = settings.kill_grace_seconds if grace is None else grace
    try:
        process = _running(place, patience)
        if process:
            _end(place, process, patience)
        _tidy(place, patience)
    except OSError as exc:
        raise BusDownError(url=place.url, reason=str(exc)) from exc
    return process is not None


def _running(place: server_files.Place, seconds: float) -> Process | None:
    """The server's process, as it says itself, else as recorded; None when there is none.

    One that is about to start or to end is given `seconds`.
    """
    from rt_mailbox import server_process

    deadline = time.monotonic() + seconds
    while True:
        try:
            with server_wire.connected(place.url, 1.0) as wire:
                process = server_process.of_pid(int(wire.info("server").get("process_id", "0")))
        except BusDownError:
            process = server_process.recorded(place)
        if process or not place.folder.exists() or server_files.is_free(place):
            return process
        if time.monotonic() >= deadline:
            raise BusDownError(
                url=place.url, reason="a server holds its folder, is silent, and its pid is not known"
            )
        time.sleep(_STEP_SECONDS)


def _tidy(place: server_files.Place, seconds: float) -> None:
    """Remove what a server leaves behind; wait up to `seconds` until the last of its threads has let go of the lock."""
    deadline = time.monotonic() + seconds
    while place.folder.exists() and time.monotonic() <= deadline:
        lock = server_files.try_lock(place)
        if lock is not None:
            server_files.remove_leftovers(place)
            server_files.remove_short_folder(place)
            os.close(lock)
            return
        if server_wire.probe(place.url).state != "down":
            return  # somebody has started the next one already
        time.sleep(_STEP_SECONDS)


def _end(place: server_files.Place, process: Process, grace: float) -> None:
    for step in ("SHUTDOWN", signal.SIGTERM, signal.SIGKILL):
        if isinstance(step, signal.Signals):
            process.send(step)
        else:
            _shut_down(place.url)
        if process.gone_within(max(grace, 0.05)):
            return
    raise BusDownError(url=place.url, reason=f"its process {process.pid} survives SIGKILL")


def _shut_down(url: str) -> None:
    """Ask for an orderly end: the append-only file is synced; there is no snapshot to save."""
    try:
        with server_wire.connected(url, 0.5) as wire:
            wire.ask("SHUTDOWN", "NOSAVE")
    except BusDownError:
        return  # success is a closed connection; whether the process ended is seen by its pid


def _loaded(url: str, answer: Probe, say: Say, place: server_files.Place | None = None) -> str:
    if answer.state != "ready":
        from rt_mailbox import server_start

        server_start.await_loaded(url, answer, say, place)
    return url


def _refuse_foreign(settings: Settings) -> None:
    if settings.redis_url:
        raise UsageError(reason="RT_REDIS_URL names the server; it is not rt's to start or stop.")
