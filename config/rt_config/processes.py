"""Processes by identity: a pid together with its start time, because pids are reused.

Finding a tree, finding what carries a mark in its environment, and ending both; psutil is imported only when needed.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

_POLL_SECONDS = 0.02
_KILL_SECONDS = 2.0  # how long a SIGKILLed process may take to disappear
_LOOKS = 4  # at a young process whose environment reads as empty
_EXEC_SECONDS = 0.005  # between them
_LINUX = sys.platform.startswith("linux")


@dataclass(frozen=True, slots=True)
class Process:
    """One process; equal only to itself, never to a later one with the same pid."""

    pid: int
    started: float


def start_time(pid: int) -> float | None:
    """When `pid` started, for comparing identities on this machine only; None when it is gone or a zombie.

    On Linux this is seconds since boot, which no change of the clock touches; elsewhere seconds since the epoch.
    """
    return _start_time_linux(pid) if _LINUX else _start_time_psutil(pid)


def alive(pid: int, started: float) -> bool:
    """Whether the process that had `pid` and this `start_time` still runs; a zombie does not."""
    return start_time(pid) == started


def tree(*pids: int) -> list[Process]:
    """These processes and all their descendants now, parents first, in one pass; what is gone is left out."""
    import psutil

    children: dict[int, list[int]] = {}
    for one in psutil.process_iter():
        with suppress(psutil.Error):
            children.setdefault(one.ppid(), []).append(one.pid)
    found = dict.fromkeys(pids)
    waiting = list(found)
    while waiting:
        new = [pid for pid in children.get(waiting.pop(0), []) if pid not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return [Process(pid, started) for pid in found if (started := start_time(pid)) is not None]


def marked(env_name: str, *values: str) -> list[Process]:
    """This user's processes started with `env_name` set to one of `values`, wherever their parents went."""
    found = [pid for pid, value in _carried(env_name).items() if value in values]
    return [Process(pid, started) for pid in found if (started := start_time(pid)) is not None]


def carrying(env_name: str, prefix: str) -> dict[Process, str]:
    """This user's processes started with `env_name` set to something that begins with `prefix`, and what it is."""
    return {
        Process(pid, started): value
        for pid, value in _carried(env_name).items()
        if value.startswith(prefix) and (started := start_time(pid)) is not None
    }


def variable(pid: int, name: str) -> str | None:
    """What a process of this user was started with in its environment; None when it has no such variable, or is gone."""
    import psutil

    try:
        return _environ(psutil.Process(pid)).get(name)
    except psutil.Error:
        return None


def kill_tree(processes: Iterable[Process], grace_seconds: float) -> list[Process]:
    """SIGTERM, then SIGKILL to what is left after `grace_seconds` and to what it forked meanwhile.

    Returns as soon as all are gone; never signals the caller itself.

    Returns:
        What is still there 2 s after SIGKILL (normally nothing).
    """
    own = os.getpid()
    left = _send([one for one in processes if one.pid != own], signal.SIGTERM)
    left = _await_end(left, grace_seconds)
    if not left:
        return []
    grown = {child for child in tree(*(one.pid for one in left)) if child.pid != own}
    return _await_end(_send(grown.union(left), signal.SIGKILL), _KILL_SECONDS)


def _send(processes: Iterable[Process], number: signal.Signals) -> list[Process]:
    """Signal those that are alive, and return them."""
    there = [one for one in processes if alive(one.pid, one.started)]
    for one in there:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(one.pid, number)
    return there


def _await_end(processes: list[Process], seconds: float) -> list[Process]:
    deadline = time.monotonic() + seconds
    while (left := [one for one in processes if alive(one.pid, one.started)]) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    return left


def _start_time_linux(pid: int) -> float | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 (a seventh of pathlib's time)
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if fields[0] in {b"Z", b"X"} else int(fields[19]) / os.sysconf("SC_CLK_TCK")


def _start_time_psutil(pid: int) -> float | None:
    import psutil

    try:
        found = psutil.Process(pid)
        return None if found.status() == psutil.STATUS_ZOMBIE else found.create_time()
    except psutil.Error:
        return None


def _carried(env_name: str) -> dict[int, str]:
    """What each process of this user was started with under that name, by pid; '' where it has none.

    In the middle of an exec the environment reads as empty for a moment, so young processes are looked at again: a child that
    a CLI leaves behind as it ends is just at that point.
    """
    import psutil

    found: dict[int, str] = {}
    unread = list(psutil.process_iter())
    for _ in range(_LOOKS):
        again = []
        for one in unread:
            if environment := _environ(one):
                found[one.pid] = environment.get(env_name, "")
            elif _is_young(one):
                again.append(one)
        if not (unread := again):
            break
        time.sleep(_EXEC_SECONDS)
    return found


def _is_young(one: psutil.Process) -> bool:
    import psutil

    try:
        return time.time() - one.create_time() < 1 and one.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _environ(one: psutil.Process) -> dict[str, str]:
    import psutil

    try:
        return one.environ()
    except (psutil.Error, OSError):
        return {}
