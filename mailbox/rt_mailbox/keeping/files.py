"""Writing a file whole or not at all, for this user alone; the system's errors as ours."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from rt_config.errors import DiskFullError, FileFailedError
from rt_mailbox import disk


@contextmanager
def written(target: Path) -> Iterator[BinaryIO]:
    """A file that becomes `target` when the block ends well: synced, renamed, its folder synced, mode 0600.

    Guarantees: killed at any instruction, `target` is what it was or the whole new file. What a killed writer left beside
    it is removed by the next one.

    Raises:
        DiskFullError, FileFailedError: `target` is what it was.
    """
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    with translated(target):
        _clear(target)
        try:
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(target)
            sync_folder(target.parent)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise


@contextmanager
def translated(path: Path | str) -> Iterator[None]:
    """The system's errors about `path` as DiskFullError or FileFailedError."""
    try:
        yield
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT):
            folder = Path(path).parent
            free = disk.free_bytes(str(folder))
            raise DiskFullError(path=folder, needed_bytes="more", free_bytes=free) from exc
        raise FileFailedError(path=path, reason=(exc.strerror or str(exc)).lower()) from exc


def sync_folder(folder: Path) -> None:
    """Make a rename or a removal in `folder` last."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _clear(target: Path) -> None:
    """Remove what writers of `target` left that are no more."""
    for left in target.parent.glob(f".{target.name}.*"):
        pid = left.name.rpartition(".")[2]
        if pid.isdecimal() and (int(pid) == os.getpid() or not _alive(int(pid))):
            with suppress(FileNotFoundError):
                left.unlink()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
