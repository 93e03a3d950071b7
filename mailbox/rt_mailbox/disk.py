# ruff: noqa: PTH118, PTH120 (pathlib costs the hot door some milliseconds)
"""Is there disk left to promise that a message is kept? Nothing heavy is imported: the hot door asks before each send."""

from __future__ import annotations

import os

from rt_config import env
from rt_config.errors import DiskFullError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rt_config.settings import Settings


def data_dir() -> str:
    """The folder that the embedded server writes to; absolute, not necessarily existing."""
    return os.path.join(env.home(), "redis")


def free_bytes(path: str) -> int:
    """Bytes that this user can still write below `path`; of its nearest existing parent when it does not exist."""
    while True:
        try:
            found = os.statvfs(path)
        except FileNotFoundError:
            parent = os.path.dirname(path)
            if parent == path:
                raise
            path = parent
        else:
            return found.f_bavail * found.f_frsize


def require_free(path: str, needed_bytes: int) -> None:
    """Return when `needed_bytes` are free below `path`; costs one statvfs, a few microseconds.

    Raises:
        DiskFullError: fewer are free.
    """
    free = free_bytes(path)
    if free < needed_bytes:
        raise DiskFullError(path=path, needed_bytes=needed_bytes, free_bytes=free)


def disk_guard(settings: Settings) -> None:
    """Refuse while a send could fill the embedded server's disk; another server's disk is its own business.

    Raises:
        DiskFullError: fewer than `settings.min_free_bytes` are free below `RT_HOME/redis`.
    """
    if not settings.redis_url:
        require_free(data_dir(), settings.min_free_bytes)
