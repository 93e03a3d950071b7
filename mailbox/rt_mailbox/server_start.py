"""Starting the embedded server: one, detached, whoever races; and waiting until it has loaded its record."""

from __future__ import annotations

import errno
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rt_config.errors import BusDownError, DiskFullError
from rt_mailbox import disk, server_binary, server_files, server_process
from rt_mailbox.server_facts import Probe
from rt_mailbox.server_files import Place
from rt_mailbox.server_wire import connected, probe, shown

if TYPE_CHECKING:
    from rt_config.settings import Settings

Say = Callable[[str], None]
SILENCE_SECONDS = (
    30.0  # a server that answers nothing for so long is reported, never replaced while its process lives
)
_STEP_SECONDS = 0.01
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}
_KEPT_ENVIRONMENT = (
    "PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "TZ",
)  # no secret of the caller's goes along


class _EndedError(Exception):
    """The process just started has ended; its log says why."""


def start(settings: Settings, place: Place, say: Say, candidates: Iterable[Path] | None) -> Probe:
    """Return how the server at `place` answers; start it when there is none. Of racing callers exactly one does.

    Raises:
        NoServerError, DiskFullError, BusDownError: as `rt_mailbox.server.ensure` says.
    """
    deadline = time.monotonic() + SILENCE_SECONDS
    said = False
    while (answer := probe(place.url)).state == "down":
        try:
            lock = server_files.try_lock(place)
            if lock is not None:
                return _start_locked(settings, place, lock, candidates)
        except OSError as exc:
            raise _translated(exc, settings, place) from exc
        if time.monotonic() >= deadline:
            raise BusDownError(url=place.url, reason=f"{_holder(place)} runs but is silent ({answer.reason})")
        if not said and time.monotonic() > deadline - SILENCE_SECONDS + 1:
            said = True
            say("the bus does not answer yet; waiting")
        time.sleep(_STEP_SECONDS)
    return answer


def await_loaded(url: str, answer: Probe, say: Say, place: Place | None = None) -> None:
    """Return when the server has loaded its record; `say` a line of progress at most once a second.

    There is no limit while it goes on answering. `place` is given for the embedded server, whose death shows at once.

    Raises:
        BusDownError: it stopped answering for 30 s, or its process ended.
    """
    said_at = heard_at = time.monotonic()
    if answer.state == "loading":
        say(_progress(answer))
    while answer.state != "ready":
        time.sleep(_STEP_SECONDS * 5)
        answer = probe(url)
        now = time.monotonic()
        heard_at = heard_at if answer.state == "down" else now
        if now - heard_at > SILENCE_SECONDS or (
            answer.state == "down" and place and server_files.is_free(place)
        ):
            why = (server_files.log_since(place, 0) if place else "") or answer.reason
            raise BusDownError(url=shown(url), reason=f"it stopped while loading its record: {why}")
        if answer.state == "loading" and now - said_at >= 1:
            said_at = now
            say(_progress(answer))


def _start_locked(settings: Settings, place: Place, lock: int, candidates: Iterable[Path] | None) -> Probe:
    """Start the server and hand it the lock; our own copy is closed whatever happens."""
    alive, held_by_server = os.pipe()  # its end of file tells, at once, that the process has ended
    try:
        disk.require_free(str(place.folder), settings.min_free_bytes)
        binary = server_binary.find(candidates)
        server_files.prepare(place, settings.maxmemory_bytes)
        seen = place.log.stat().st_size if place.log.exists() else 0
        try:
            complaint = _spawn(binary.path, place, (lock, held_by_server))
        finally:
            os.close(held_by_server)
            held_by_server = -1
        try:
            answer = _first_answer(place, alive)
            _introduce(place, binary)
        except _EndedError as exc:
            disk.require_free(str(place.folder), settings.min_free_bytes)
            reason = server_files.log_since(place, seen) or complaint or "no word in its log"
            raise BusDownError(
                url=place.url, reason=f"{binary.path} ended right after its start: {reason}"
            ) from exc
        return answer
    finally:
        for descriptor in (alive, held_by_server, lock):
            if descriptor >= 0:
                os.close(descriptor)


def _spawn(binary: Path, place: Place, inherited: tuple[int, ...]) -> str:
    """Run the server, which puts itself into the background, and return what it said before that."""
    try:
        ran = subprocess.run(
            [binary, place.configuration],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd="/",
            env={name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ},
            pass_fds=inherited,
            start_new_session=True,
            timeout=SILENCE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as exc:
        raise BusDownError(url=place.url, reason=f"{binary} did not go into the background") from exc
    return " ".join(ran.stdout.decode(errors="replace").split())[:300]


def _first_answer(place: Place, alive: int) -> Probe:
    """The new server's first answer.

    Raises:
        _EndedError: its process ended instead.
        BusDownError: it lives but says nothing.
    """
    deadline = time.monotonic() + SILENCE_SECONDS
    while time.monotonic() < deadline:
        ended, _, _ = select.select([alive], [], [], _STEP_SECONDS / 2)
        if ended:
            raise _EndedError
        answer = probe(place.url)
        if answer.state != "down":
            return answer
    raise BusDownError(url=place.url, reason="it was started but does not answer")


def _introduce(place: Place, binary: server_binary.Binary) -> None:
    """Record who the new server is, and take no server that forgets.

    Raises:
        _EndedError: it has ended meanwhile; a record that it cannot read ends it while it loads.
        NoServerError: it does not keep what it is told; it is stopped again.
    """
    try:
        with connected(place.url, SILENCE_SECONDS) as wire:
            process = server_process.of_pid(int(wire.info("server").get("process_id", "0")))
            durable = wire.config("appendonly") == "yes" and wire.config("appendfsync") == "always"
    except BusDownError as exc:
        raise _EndedError from exc
    if process:
        server_process.record(place, process)
    if not durable:
        if process:
            process.send(signal.SIGKILL)
        raise server_binary.no_server([f"{binary.path}: does not keep its data on disk"])


def _translated(exc: OSError, settings: Settings, place: Place) -> BusDownError | DiskFullError:
    if exc.errno in _NO_SPACE:
        folder = str(place.folder)
        free = disk.free_bytes(folder)
        return DiskFullError(path=folder, needed_bytes=settings.min_free_bytes, free_bytes=free)
    return BusDownError(url=place.url, reason=str(exc))


def _holder(place: Place) -> str:
    process = server_process.recorded(place)
    return f"a server (pid {process.pid})" if process else "a server"


def _progress(answer: Probe) -> str:
    megabytes = int(answer.info.get("loading_total_bytes", "0")) / 1e6
    percent = float(answer.info.get("loading_loaded_perc", "0").rstrip("%"))
    return f"the bus is loading its record ({megabytes:,.0f} MB)… {percent:.0f} %"
