"""Processes that a test started and did not stop: found by the test's private folder, ended, named."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import psutil

from tests.helpers import eventually


def end(base: Path, before: set[int], *, grace: float = 2.0) -> list[str]:
    """Kill what still runs for this test after `grace` seconds to end by itself, and name it."""
    if not of_test(base, before):
        return []
    with contextlib.suppress(AssertionError):
        eventually(lambda: not of_test(base, before), seconds=grace)
    left = of_test(base, before)
    names = [f"{process.pid} {_command(process)}" for process in left]
    for process in left:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(left, timeout=5)
    return names


def of_test(base: Path, before: set[int]) -> list[psutil.Process]:
    """Processes younger than `before` that carry RT_HOME below `base`, or name `base` on their command line."""
    found = []
    for pid in set(psutil.pids()) - before - {os.getpid()}:
        try:
            process = psutil.Process(pid)
            if process.status() != psutil.STATUS_ZOMBIE and _mentions(process, str(base)):
                found.append(process)
        except psutil.Error:
            continue
    return found


def _mentions(process: psutil.Process, base: str) -> bool:
    """Whether its environment or its command line (a server may have overwritten its environment) names `base`."""
    if any(base in word for word in process.cmdline()):
        return True
    return process.environ().get("RT_HOME", "").startswith(base)


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())[:200]
    except psutil.Error:
        return "(gone)"
