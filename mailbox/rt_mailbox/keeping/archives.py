"""Taking a table out of the bus into a file, and back: `archive --offload`, `resume`, `archive --delete-record`.

The order makes it safe to kill: group closed, file written, synced and read back, then one script that deletes the table only
when nothing has changed since. Coming back is an import of that file; the file stays until the next offload or a deletion.
"""

from __future__ import annotations

import json
import platform
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rt_config import env
from rt_config.errors import (
    ArchiveMissingError,
    BusError,
    DamagedFileError,
    FileFailedError,
    TableBusyError,
    UnknownTableError,
)
from rt_mailbox import directory
from rt_mailbox.keeping import exporting, files, lines
from rt_mailbox.keeping.moments import Moment
from rt_mailbox.keeping.progress import silent
from rt_mailbox.keys import key

if TYPE_CHECKING:
    from rt_mailbox.door import Door
    from rt_mailbox.keeping.lines import Line
    from rt_mailbox.keeping.progress import Say

_TRIES = 5


@dataclass(frozen=True)
class Offloaded:
    """A table that is in a file. again is True when it was there before."""

    table: str
    path: Path
    messages: int
    again: bool = False


def path_of(table: str) -> Path:
    """Where an offloaded table's file is: RT_HOME/archive/<id>.jsonl.

    Raises:
        UnknownTableError: that cannot be a table's id.
    """
    if not exporting.is_id(table):
        raise UnknownTableError(table=table)
    return Path(env.home()) / "archive" / f"{table}.jsonl"


def tombstone(door: Door, table: str) -> dict[str, str] | None:
    """What is left in the bus of an offloaded table: {sha256, machine, head}; None when it is whole, or unknown."""
    names = ("offload_sha", "offload_machine", "head")
    sha, machine, head = door.command("HMGET", key(table, "table"), *names)
    return {"sha256": sha, "machine": machine or "?", "head": head or "0"} if sha else None


def offload(door: Door, space: str, table: str, say: Say = silent) -> Offloaded:
    """Put an archived table into its file and take it out of the bus; `space` holds the directory. Safe to repeat.

    Guarantees: at every instant the bus or the file has all of it. The file is synced and was read back before the bus
    lets go.

    Raises:
        UnknownTableError. TableBusyError: it is not archived, or changed again and again; it stays as it was.
        DiskFullError, FileFailedError: likewise.
    """
    path = path_of(table)
    begun = door.script("offload_begin", table)
    if begun["offloaded"]:
        left = tombstone(door, table) or {}
        return Offloaded(table, path, int(left.get("head", 0)), again=True)
    if not begun["begun"]:
        raise TableBusyError(table=table, reason=f"it is {begun['state']}, not archived")
    try:
        return _move_out(door, space, table, path, say)
    except BaseException:
        with suppress(BusError):  # what went wrong first is what is told
            door.script("offload_undo", table)
        raise


def _move_out(door: Door, space: str, table: str, path: Path, say: Say) -> Offloaded:
    with files.translated(path):
        env.private_folder(str(path.parent))
    for _ in range(_TRIES):
        moment = Moment(door, table)
        if drop(door, moment, write(door, space, moment, path, say), path):
            return Offloaded(table, path, int(moment.header(None)["messages"]))
    raise TableBusyError(table=table, reason="it changed while it was written")


def write(door: Door, space: str, moment: Moment, path: Path, say: Say = silent) -> exporting.Exported:
    """Write the moment of a table into `path` and read it back."""
    header = moment.header(directory.entries(door, space).get(moment.space))
    with files.written(path) as file:
        found = exporting.write(file, "archive", header, moment.lines(), say)
    with files.translated(path), path.open("rb") as back:
        if lines.verify(back, str(path)).sha256 != found.sha256:
            raise DamagedFileError(path=path, reason="the disk gave back something else")
    return found


def drop(door: Door, moment: Moment, written: exporting.Exported, path: Path) -> bool:
    """Delete from the bus what is in the file; False when something has changed since that moment, and nothing was done."""
    found = door.script("offload_drop", written.table, moment.print, path.name, written.sha256, platform.node(),
                        written.messages)  # fmt: skip
    return bool(found["dropped"])


def bring_back(door: Door, space: str, table: str, say: Say = silent) -> bool:
    """Bring an offloaded table back into the bus, its group as it was before; True when it came from its file.

    A table that the bus does not know at all comes from its file in this RT_HOME, if there is one. Safe to repeat.

    Raises:
        ArchiveMissingError, DamagedFileError, SchemaNewerError, BusFullError: the file stays all there is.
    """
    left, known = tombstone(door, table), door.command("EXISTS", key(table, "table"))
    came = bool(left or not known) and _load(door, space, table, say)
    if came or known:
        door.script("offload_undo", table)
    return came


def _load(door: Door, space: str, table: str, say: Say) -> bool:
    path = path_of(table)
    try:
        with files.translated(path), path.open("rb") as file:
            return exporting.load(door, space, file, str(path), say).imported
    except FileFailedError as exc:
        if path.exists():
            raise
        left = tombstone(door, table)
        if left is None:
            return False
        raise ArchiveMissingError(table=table, machine=left["machine"], path=path) from exc


def delete(door: Door, space: str, table: str) -> bool:
    """Delete a table's record for good, its file too; False when there was nothing. Safe to repeat.

    The directory's entry goes last: killed half way, the same call completes it.

    Raises:
        FileFailedError.
    """
    path = path_of(table)
    found = bool(door.command("EXISTS", key(table, "table"))) or path.exists()
    door.script("delete_space", table, table)
    with files.translated(path):
        if path.exists():
            path.unlink()
            files.sync_folder(path.parent)
    directory.remove(door, space, table)
    return found


def known_files() -> list[str]:
    """The tables whose files are in this RT_HOME, by id."""
    folder = Path(env.home()) / "archive"
    return sorted(path.stem for path in folder.glob("*.jsonl") if path.name[0] != ".")


def header(table: str) -> Line | None:
    """What the beginning of a table's file says; None when there is no file, or it does not begin as one. Not verified."""
    try:
        with path_of(table).open("rb") as file:
            found = json.loads((file.readline(), file.readline())[1])
    except (OSError, ValueError, UnknownTableError):
        return None
    return found if isinstance(found, dict) and found.get("table") == table else None
