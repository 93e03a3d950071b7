"""Files that a table leaves on disk: whole or not at all, for this user alone, derivable from the record at any time."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path

from rt_config.errors import BadConfigError


def put(table: str, name: str, text: str) -> Path:
    """Write RT_HOME/tables/<id>/<name>.

    Raises:
        OSError: the disk is full, or the folder belongs to somebody else.
    """
    from rt_config import env
    from rt_moderator.shell import table_folder

    return write(Path(env.private_folder(str(table_folder(table)))) / name, text)


def write(target: Path, text: str) -> Path:
    """Write `target` whole, or leave it as it was.

    Raises:
        OSError.
    """
    fresh = target.with_name(f".{target.stem}.{os.getpid()}")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)
    return target


def copy_out(folder: Path, table: str, texts: Mapping[str, str]) -> None:
    """Put copies into a working tree.

    Raises:
        BadConfigError: the folder holds another table's results; nothing was written. OSError.
    """
    check_out(folder, table)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write(folder / name, text)


def check_out(folder: Path, table: str = "") -> None:
    """Refuse a folder with results of another table.

    Raises:
        BadConfigError.
    """
    found = folder / "result.json"
    if not found.exists():
        return
    try:
        owner = json.loads(found.read_text(encoding="utf-8")).get("table", "")
    except (OSError, ValueError, AttributeError):
        owner = "something else"
    if owner != table:
        raise BadConfigError(where=f"--out {folder}", reason=f"it holds the results of {owner}")


def append_once(path: Path, mark: str, line: str) -> bool:
    """Append `line` unless some line holds `mark`; False when one does. One writer at a time.

    Raises:
        OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        if any(mark in known for known in file):
            return False
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())
    return True
