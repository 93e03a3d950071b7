"""A door to an offloaded table: reads its file as if it were the bus, so that the reading commands need not know.

Messages and events stay on disk; what is remembered is where each begins. Everything that would change something is
`table_archived`.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left, bisect_right
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_config.errors import ArchiveMissingError, TableArchivedError, UnknownTableError
from rt_mailbox.keeping import archives, files, lines
from rt_mailbox.keeping.moments import without_token
from rt_mailbox.keys import root

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rt_mailbox.door import Door, Reply

Entry = tuple[str, list[str]]


class _Stream:
    """A stream's ids in order, and where the line of each begins."""

    def __init__(self) -> None:
        self.ids: list[tuple[int, int]] = []
        self.offsets = array("Q")

    def between(self, first: str, last: str) -> range:
        """The indices from `first` to `last`, which read as XRANGE's."""
        low = 0 if first == "-" else _edge(self.ids, first, bisect_left, bisect_right)
        high = len(self.ids) if last == "+" else _edge(self.ids, last, bisect_right, bisect_left)
        return range(low, high)


def _edge(ids: list[tuple[int, int]], given: str, included: Any, excluded: Any) -> int:
    """Where an id of XRANGE stands; `(` before it leaves it out."""
    number, _, rest = given.removeprefix("(").partition("-")
    side: Callable[..., int] = excluded if given.startswith("(") else included
    return side(ids, (int(number), int(rest or 0)))


class FileDoor:
    """The door. Knows the plain reads and the snapshot that reading commands use.

    Raises:
        FileFailedError, DamagedFileError, SchemaNewerError: the file cannot be used.
    """

    def __init__(self, path: Path, table: str) -> None:
        self.url, self._path, self._table = f"file://{path}", path, table
        self._keys: dict[str, Any] = {}
        self._streams: dict[str, _Stream] = {}
        with files.translated(path):
            self._file = path.open("rb")
        lines.verify(self._file, str(path))
        self._file.seek(0)
        self.header: lines.Line = {}
        for offset, _, line in lines.read(self._file, str(path)):
            self._remember(offset, line)

    def script(self, name: str, space: str, *args: str | int) -> Reply:
        """The snapshot; anything else is for a table that is in the bus."""
        if name != "snapshot" or space != self._table:
            raise TableArchivedError(table=self._table)
        return self._snapshot(int(args[0]))

    def command(self, *args: str | int, block_ms: int = 0) -> Any:
        """A plain read."""
        reads: dict[str, Callable[..., Any]] = {"XRANGE": self._range, "XREVRANGE": self._backwards, "HGET": self._field, "HGETALL": self._hash,
                 "EXISTS": self._exists}  # fmt: skip
        read = reads.get(str(args[0]))
        if read is None or not str(args[1]).startswith(root(self._table) + ":"):
            raise TableArchivedError(table=self._table)
        return read(str(args[1]).removeprefix(root(self._table) + ":"), *args[2:])

    def without_tokens(self) -> Iterator[lines.Line]:
        """Every line of the table after its header, without the seats' tokens."""
        self._file.seek(0)
        for _, _, line in lines.read(self._file, str(self._path)):
            if "space" not in line:
                yield without_token(line)

    def close(self) -> None:
        """Give the file up."""
        self._file.close()

    def _remember(self, offset: int, line: lines.Line) -> None:
        if "space" in line:
            self.header = line
        elif "message" in line:
            self._append(f"log:{line['group']}", (line["message"], 0), offset)
        elif "event" in line:
            ms, _, n = line["event"].partition("-")
            self._append("events", (int(ms), int(n)), offset)
        else:
            kind = next(iter(line))
            self._keys[line[kind]] = line.get("fields") or line.get("scores") or line.get("members")

    def _append(self, name: str, id_: tuple[int, int], offset: int) -> None:
        stream = self._streams.setdefault(name, _Stream())
        stream.ids.append(id_)
        stream.offsets.append(offset)

    def _range(self, name: str, first: str, last: str, *count: str | int) -> list[Entry]:
        stream = self._streams.get(name) or _Stream()
        found = stream.between(first, last)
        return [self._entry(stream, i) for i in (found[: int(count[1])] if count else found)]

    def _backwards(self, name: str, last: str, first: str, *count: str | int) -> list[Entry]:
        stream = self._streams.get(name) or _Stream()
        found = stream.between(first, last)[::-1]
        return [self._entry(stream, i) for i in (found[: int(count[1])] if count else found)]

    def _entry(self, stream: _Stream, index: int) -> Entry:
        self._file.seek(stream.offsets[index])
        fields: dict[str, str] = json.loads(self._file.readline())["fields"]
        ms, n = stream.ids[index]
        return f"{ms}-{n}", _flat(fields)

    def _field(self, name: str, field: str) -> str | None:
        held: dict[str, str] = self._keys.get(name, {})
        return held.get(field)

    def _hash(self, name: str) -> list[str]:
        return _flat(self._keys.get(name, {}))

    def _exists(self, name: str) -> int:
        return int(name in self._keys or name in self._streams)

    def _snapshot(self, latest: int) -> Reply:
        """As the script gives it; nothing is open in an archived table, and nothing unread is counted."""
        group = self.header["group"]
        head = int(self._field(f"group:{group}", "head") or 0)
        last = self._backwards("events", "+", "-", "COUNT", 1)
        wanted = self._ordered("turns")[-latest:]
        return {
            "table": self._hash("table"), "seats": [self._hash(f"seat:{slug}") for slug in self._ordered("seats")],
            "turns": [self._hash(f"turn:{turn}") for turn in wanted], "host": [], "clock_ms": int(self.header["clock"]),
            "head": head, "cursor": int(self._field(f"cursors:{group}", "moderator") or 0), "unread": 0,
            "last_event": last[0][0] if last else "0-0",
        }  # fmt: skip

    def _ordered(self, name: str) -> list[str]:
        scores: dict[str, str] = self._keys.get(name, {})
        return sorted(scores, key=lambda one: float(scores[one]))


def _flat(fields: dict[str, str]) -> list[str]:
    return [part for pair in fields.items() for part in pair]


def open_archive(door: Door, table: str) -> FileDoor:
    """A door to the file of an offloaded table, or of one that only this RT_HOME has, in a file.

    Raises:
        UnknownTableError: neither. ArchiveMissingError: the file is elsewhere.
        FileFailedError, DamagedFileError, SchemaNewerError: it cannot be used.
    """
    path, left = archives.path_of(table), archives.tombstone(door, table)
    if not path.exists():
        if left is None:
            raise UnknownTableError(table=table)
        raise ArchiveMissingError(table=table, machine=left["machine"], path=path)
    return FileDoor(path, table)
