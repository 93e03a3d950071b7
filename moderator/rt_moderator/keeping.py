"""Tables and the whole bus as files: export, import, offload, deletion, backup, restore. The work is `rt_mailbox.keeping`."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from rt_mailbox import tables
from rt_mailbox.client import RedisDoor
from rt_mailbox.keeping import archives, backups, exporting, files
from rt_moderator.shell import table_folder

if TYPE_CHECKING:
    from rt_moderator.shell import Shell

STD = "-"


def export(shell: Shell, table: str, target: str) -> dict[str, Any]:
    """Write a table into the file `target` (- is stdout), from the bus or from its archive: {table, file, messages, sha256}.

    Guarantees: one moment of the table, taken while it is in use; the file is written whole, or is what it was.

    Raises:
        UnknownTableError, ArchiveMissingError, DamagedFileError, DiskFullError, FileFailedError.
    """
    with _to(target) as file:
        if archives.tombstone(shell.door, table) or tables.snapshot(shell.door, table, 1) is None:
            found = _again(shell, table, file)
        else:
            found = exporting.export(shell.door, shell.space, table, file, shell.say)
    return {"table": table, "file": target, "messages": found.messages, "sha256": found.sha256}


def _again(shell: Shell, table: str, file: BinaryIO) -> exporting.Exported:
    from rt_mailbox.keeping.file_door import open_archive

    with closing(open_archive(shell.door, table)) as door:
        return exporting.write(file, "table", door.header, door.without_tokens(), shell.say)


def load(shell: Shell, source: str) -> dict[str, Any]:
    """Bring the table of a file (- is stdin) into the bus: {table, messages, imported}; imported is False when it was there.

    Raises:
        DamagedFileError, SchemaNewerError, TableExistsError, FileFailedError, BusFullError: nothing was changed.
    """
    shell.guard_disk()
    with _from(source) as file:
        found = exporting.load(shell.door, shell.space, file, source, shell.say)
    return {"table": found.table, "messages": found.messages, "imported": found.imported}


def offload(shell: Shell, table: str) -> dict[str, Any]:
    """Take an archived table out of the bus into its file: {file, messages}. Safe to repeat.

    Raises:
        TableBusyError, DiskFullError, FileFailedError: it stays in the bus.
    """
    found = archives.offload(shell.door, shell.space, table, shell.say)
    return {"file": str(found.path), "messages": found.messages}


def delete(shell: Shell, table: str) -> None:
    """Delete a table's record for good, with its files. Safe to repeat.

    Raises:
        FileFailedError.
    """
    folder = table_folder(table)
    with files.translated(folder):
        if folder.exists():
            shutil.rmtree(folder)
    archives.delete(shell.door, shell.space, table)


def backup(shell: Shell, target: str) -> dict[str, Any]:
    """Write the whole bus into the file `target` while it is in use: {file, spaces, messages, sha256, archived}.

    Guarantees: consistent within a space, not between spaces; the file is written whole, or is what it was. `archived`
    are the tables whose records are in files of this RT_HOME: these are not in it.

    Raises:
        DiskFullError, FileFailedError.
    """
    with closing(RedisDoor(shell.url)) as door, _to(target) as file:
        found = backups.backup(door, backups.spaces_of(door), file, shell.say)
    return {"file": target, "spaces": found.spaces, "messages": found.messages, "sha256": found.sha256,
            "archived": archives.known_files()}  # fmt: skip


def restore(shell: Shell, source: str, *, force: bool = False) -> dict[str, Any]:
    """Bring a backup back into the bus: {file, restored, unchanged, messages}; what else is there stays.

    Raises:
        DamagedFileError, SchemaNewerError, TableExistsError (without `force`), FileFailedError: nothing was changed.
        BusFullError: the same restore goes on where it was.
    """
    shell.guard_disk()
    with _from(source) as file:
        found = backups.restore(shell.door, shell.space, file, source, force=force, say=shell.say)
    return {"file": source, "restored": found.spaces, "unchanged": found.same, "messages": found.messages}


@contextmanager
def _to(target: str) -> Iterator[BinaryIO]:
    if target == STD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with files.written(Path(target).absolute()) as file:
        yield file


@contextmanager
def _from(source: str) -> Iterator[BinaryIO]:
    """A file that can be read twice; stdin is copied first."""
    if source != STD:
        with files.translated(source), Path(source).open("rb") as file:
            yield file
        return
    with files.translated(tempfile.gettempdir()), tempfile.TemporaryFile() as copied:
        shutil.copyfileobj(sys.stdin.buffer, copied)
        copied.seek(0)
        yield copied
