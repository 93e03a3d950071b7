"""A lock between processes, freed by the kernel when its holder dies."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rt_config.errors import TmuxTimeoutError

_POLL_SECONDS = 0.01


@contextmanager
def locked(path: Path, seconds: float = 15.0) -> Iterator[None]:
    """Hold `path` (made if missing, never removed) against other processes and threads.

    Raises:
        TmuxTimeoutError: another holder kept it for `seconds`; nothing was done.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _acquire(handle, path, seconds)
        yield
    finally:
        os.close(handle)


def _acquire(handle: int, path: Path, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            if time.monotonic() > deadline:
                raise TmuxTimeoutError(seconds=seconds, command=f"lock {path}") from exc
            time.sleep(_POLL_SECONDS)
