"""The server's process: which one it is, and whether it is gone. A pid alone may meanwhile name somebody else."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from rt_mailbox.server_files import Place


@dataclass(frozen=True)
class Process:
    """One process, by pid and start."""

    pid: int
    started: str

    def gone(self) -> bool:
        """Whether it has ended; a zombie has."""
        return started_at(self.pid) != self.started

    def gone_within(self, seconds: float) -> bool:
        """Whether it ends within `seconds`."""
        deadline = time.monotonic() + seconds
        while not self.gone():
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.01)
        return True

    def send(self, signal: int) -> None:
        """Signal it when it still is the same process."""
        if not self.gone():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal)


def started_at(pid: int) -> str | None:
    """When `pid` started, in a form that only that process has; None when it is gone or a zombie."""
    try:
        if Path("/proc/self/stat").exists():  # ticks since boot: setting the clock does not change them
            fields = (
                Path(f"/proc/{pid}/stat")
                .read_text(encoding="utf-8", errors="replace")
                .rpartition(")")[2]
                .split()
            )
            return None if fields[0] in "ZX" else f"{_boot()}/{fields[19]}"
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else repr(process.create_time())
    except (OSError, IndexError, psutil.Error):
        return None


def of_pid(pid: int) -> Process | None:
    """The process that has `pid` now."""
    started = started_at(pid)
    return Process(pid, started) if started else None


def recorded(place: Place) -> Process | None:
    """The process in the pid file, if both of its lines are there and it still runs."""
    try:
        pid, started = place.pid_file.read_text(encoding="ascii").split()
        process = Process(int(pid), started)
    except (OSError, ValueError):
        return None
    return None if process.gone() else process


def record(place: Place, process: Process) -> None:
    """Write the pid file, whole or not at all."""
    fresh = place.pid_file.with_name("server.pid.new")
    fresh.write_text(f"{process.pid}\n{process.started}\n", encoding="ascii")
    fresh.replace(place.pid_file)


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
