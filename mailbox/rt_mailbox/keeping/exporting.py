"""A table as a file, and back: `rt export` and `rt import`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from rt_config.errors import DamagedFileError, TableArchivedError, TableExistsError, UnknownTableError
from rt_mailbox import directory
from rt_mailbox.keeping import lines, schema
from rt_mailbox.keeping.moments import Moment, same
from rt_mailbox.keeping.progress import silent, told
from rt_mailbox.keeping.staging import Staging

if TYPE_CHECKING:
    from rt_mailbox.door import Door
    from rt_mailbox.keeping.lines import Contents, Line, Section
    from rt_mailbox.keeping.progress import Say

_ID = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")


@dataclass(frozen=True)
class Exported:
    """What was written: the record's messages, and the file's checksum."""

    table: str
    messages: int
    sha256: str


@dataclass(frozen=True)
class Imported:
    """What a file brought. imported is False when all of it was there already."""

    table: str
    messages: int
    imported: bool


def export(door: Door, space: str, table: str, file: BinaryIO, say: Say = silent) -> Exported:
    """Write a table into `file`, as it is at one moment, while it is in use; `space` holds the directory.

    Guarantees: the record up to that moment's head, and cursors, memberships, turns, queues and keys of the same moment.
    No token of a seat is in it.

    Raises:
        UnknownTableError: the bus has no such table. TableArchivedError: it is in a file already.
    """
    moment = Moment(door, table)
    if moment.empty:
        raise UnknownTableError(table=table)
    if "offloaded" in moment.hash("table"):
        raise TableArchivedError(table=table)
    header = moment.header(directory.entries(door, space).get(table))
    return write(file, "table", header, moment.lines(tokens=False), say)


def write(file: BinaryIO, what: str, header: Line, found: Iterator[Line], say: Say = silent) -> Exported:
    """Write one space as a whole file."""
    about = {name: header[name] for name in ("table", "group", "schema")}
    out = lines.Writer(file, what, **about)
    out.write(header)
    for line in told(found, size(header), f"writing {header['table']}", say):
        out.write(line)
    return Exported(header["table"], header["messages"], out.end())


def load(door: Door, space: str, file: BinaryIO, path: str, say: Say = silent) -> Imported:
    """Bring the table of a file (that can be read twice) into the bus, whole or not at all.

    Guarantees: seq, ids, cursors, memberships, turns and queues as they were, bodies byte for byte. Importing again changes
    nothing. Killed at any instruction, the table is there or not, and the next import completes it.

    Raises:
        DamagedFileError, SchemaNewerError: nothing was written. TableExistsError: a table of that id differs; likewise.
        BusFullError.
    """
    contents = lines.verify(file, path)
    section = only_table(contents, path)
    header = section.header
    table, moment = header["table"], Moment(door, header["table"])
    tombstone = moment.hash("table").get("offload_sha")
    if tombstone and tombstone != contents.sha256:
        raise TableExistsError(table=table)
    fresh = moment.empty or bool(tombstone)
    if fresh:
        over = "tombstone" if tombstone else "nothing"
        put(door, header, section_lines(file, path, section, say), contents.sha256, over)
    elif not same(moment, lines.of_section(file, path, section)):
        raise TableExistsError(table=table)
    if header["directory"] and table not in directory.entries(door, space):
        directory.write(door, space, table, header["directory"])
    elsewhere(door, space, header)
    schema.migrate(door, table)
    return Imported(table, header["messages"], fresh)


def put(
    door: Door, header: Line, found: Iterator[Line], sha256: str, over: str, *, bump: bool = False
) -> bool:
    """Stage a space's lines, then switch them in; False when a tombstone names another file.

    Raises:
        TableExistsError, BusFullError, DamagedFileError: nothing was changed.
    """
    staging = Staging(door, header["space"])
    staging.fill(found)
    return staging.switch(header, sha256, over, bump=bump)


def elsewhere(door: Door, space: str, header: Line) -> None:
    """Note in the directory's space which addresses have notices in this one."""
    if space != header["space"]:
        for address in header.get("subscribed", ()):
            door.script("space_of_address", space, address, header["space"], "add")


def section_lines(file: BinaryIO, path: str, section: Section, say: Say = silent) -> Iterator[Line]:
    """The lines of one space of a verified file, with progress."""
    header = section.header
    return told(lines.of_section(file, path, section), size(header), f"reading {header['space']}", say)


def only_table(contents: Contents, path: str) -> Section:
    """The one table of an export or an archive.

    Raises:
        DamagedFileError: a backup, or a table with an odd name: it becomes part of paths.
    """
    if contents.what == "backup" or len(contents.spaces) != 1:
        raise DamagedFileError(path=path, reason="it is a backup (rt bus restore), not one table")
    section = contents.spaces[0]
    header = section.header
    table: Any = header.get("table")
    if table != header["space"] or not is_id(table):
        raise DamagedFileError(path=path, reason="it names no table")
    return section


def is_id(table: Any) -> bool:
    """Whether it can be a table's id."""
    return isinstance(table, str) and 0 < len(table) <= 120 and _ID.issuperset(table) and table[0] != "-"


def size(header: Line) -> int:
    """How many lines a space has."""
    return int(header["messages"]) + int(header["events"]) + int(header["keys"])
