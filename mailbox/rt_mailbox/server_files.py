"""The embedded server's folder: where each file is, who holds the lock, and what is left over after a kill.

`lock` is held (flock) by whoever is starting a server and then, inherited, by the server itself until its process is
gone. So there is never a second server on the same data, whatever was killed in between.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from string import Template

import rt_config
from rt_config import env
from rt_mailbox import disk
from rt_mailbox.server_wire import unix_url

LONGEST_LOG = 1024 * 1024  # bytes; one older file of at most this size is kept


@dataclass(frozen=True)
class Place:
    """The paths of one RT_HOME's server; nothing exists yet because of it."""

    folder: Path
    socket: Path

    @property
    def url(self) -> str:
        """How clients reach the server."""
        return unix_url(str(self.socket))

    @property
    def lock(self) -> Path:
        """Held while a server runs or is being started."""
        return self.folder / "lock"

    @property
    def log(self) -> Path:
        """What the server says about itself."""
        return self.folder / "server.log"

    @property
    def pid_file(self) -> Path:
        """Line 1 the server's pid, by the server; line 2 when that process started, by the one who started it."""
        return self.folder / "server.pid"

    @property
    def configuration(self) -> Path:
        """The filled-in template."""
        return self.folder / "server.conf"


def here() -> Place:
    """The place of the current RT_HOME."""
    return Place(Path(disk.data_dir()), Path(env.socket_path("redis", "s")))


def prepare(place: Place, maxmemory_bytes: int) -> None:
    """Make the folders private, write the configuration, take away a dead server's socket and pid file.

    Raises:
        OSError: a folder belongs to somebody else, or the disk refuses.
    """
    env.private_folder(str(place.folder))
    env.private_folder(str(place.socket.parent))
    remove_leftovers(place)
    shorten_log(place)
    template = Path(rt_config.__file__).with_name("server.conf").read_text(encoding="utf-8")
    text = Template(template).substitute(
        socket=_quoted(place.socket),
        pidfile=_quoted(place.pid_file),
        dir=_quoted(place.folder),
        logfile=_quoted(place.log),
        maxmemory=maxmemory_bytes or half_of_memory(),
    )
    place.configuration.write_bytes(os.fsencode(text))


def try_lock(place: Place) -> int | None:
    """The lock's descriptor when nobody holds it, else None; closing it gives the lock back.

    Raises:
        OSError: the folder cannot be made or entered.
    """
    env.private_folder(str(place.folder))
    descriptor = os.open(place.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def is_free(place: Place) -> bool:
    """Whether no server runs or is being started here.

    Raises:
        OSError: the folder cannot be made or entered.
    """
    descriptor = try_lock(place)
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is not None


def remove_leftovers(place: Place) -> None:
    """Remove the socket and the pid file; only for the holder of the lock, when no server runs."""
    place.pid_file.unlink(missing_ok=True)
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(place.socket.lstat().st_mode):
            place.socket.unlink()


def remove_short_folder(place: Place) -> None:
    """Remove the temporary folder of a socket whose path below RT_HOME would be too long."""
    if place.socket.parent != place.folder:
        with contextlib.suppress(OSError):
            place.socket.parent.rmdir()


def shorten_log(place: Place) -> None:
    """Start a new log when this one is long; a running server follows, because it opens the file for each line."""
    with contextlib.suppress(OSError):
        if place.log.stat().st_size > LONGEST_LOG:
            place.log.replace(place.log.with_name("server.log.1"))


def log_since(place: Place, offset: int) -> str:
    """What the log complains about after `offset`, else its last line; at most two lines, without the time stamps."""
    try:
        written = place.log.read_bytes()[offset:].decode(errors="replace")
    except OSError:
        return ""
    lines = written.splitlines()
    told = [line for line in lines if " # " in line and "WARNING" not in line][-2:] or lines[-1:]
    return "; ".join(line.split(" ", 6)[-1].strip() for line in told)


def half_of_memory() -> int:
    """Half of the memory, in bytes, that this machine, or the container around it, may use."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):
        total = min(total, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return total // 2


def _quoted(path: Path) -> str:
    """A path as one word of the server's configuration language."""
    text = str(path)
    for raw, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(raw, escaped)
    return f'"{text}"'
