"""What a page reads of a table, wherever it is; marks nothing read. Blocking: a web server calls it from threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rt_config.errors import UnknownTableError
from rt_mailbox import records, tables
from rt_moderator.page.index import Index
from rt_moderator.page.scores import Kept, Ledger, of_table, view
from rt_moderator.shell import table_folder

if TYPE_CHECKING:
    from rt_mailbox.door import Door, Reply
    from rt_moderator.page.markup import Href
    from rt_moderator.page.views import Read
    from rt_moderator.shell import Shell

TURNS = 200  # of the latest: whom they asked, how long they took
RANGE = 100
"""Messages that one answer has at most."""


@dataclass(frozen=True, slots=True)
class Look:
    """One moment of a table, with what is known of its whole record."""

    door: Door
    snapshot: Reply
    index: Index

    @property
    def id(self) -> str:
        """The table's id."""
        return str(self.snapshot["table"]["id"])

    @property
    def head(self) -> int:
        """The last number of the record."""
        return int(self.snapshot["head"])

    def messages(self, first: int, last: int) -> list[Reply]:
        """Those from `first` to `last`, at most RANGE: the first ones."""
        low, high = max(1, first), min(last, self.head, max(1, first) + RANGE - 1)
        if low > high:
            return []
        return list(records.messages(self.door, self.id, self._group, [(low, high)]))

    def window(self, at: int | None) -> tuple[int, int]:
        """The range that a page shows at first: the end of the record, or what is around `at`."""
        if at is None or not 1 <= at <= self.head:
            return max(1, self.head - RANGE + 1), self.head
        first = max(1, min(at - 10, self.head - RANGE + 1))
        return first, min(self.head, first + RANGE - 1)

    def read(self) -> Read:
        """A message by number, each fetched once."""
        known: dict[int, Reply | None] = {}

        def one(seq: int) -> Reply | None:
            if seq not in known:
                known[seq] = records.one(self.door, self.id, self._group, seq)
            return known[seq]

        return one

    def href(self, first: int = 1, last: int = 1 << 62) -> Href:
        """Where a message is: on this page when it is between `first` and `last`, else on one that begins near it."""

        def target(seq: int) -> str | None:
            if not 1 <= seq <= self.head:
                return None
            return f"#m{seq}" if first <= seq <= last else f"?at={seq}#m{seq}"

        return target

    @property
    def _group(self) -> str:
        return str(self.snapshot["table"]["group"])


class Desk:
    """Looks at tables; keeps of each what its whole record says, so that a look reads only what is new."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[threading.Lock, Index]] = {}
        self._scores: dict[str, tuple[threading.Lock, Kept]] = {}

    @contextmanager
    def look(self, table: str, turns: int = TURNS) -> Iterator[Look]:
        """A table now, in the bus or in its archive.

        Raises:
            UnknownTableError, ArchiveMissingError, DamagedFileError, BusDownError.
        """
        name = self.shell.resolve(table)
        door = self.shell.reading(name).door
        try:
            yield self.look_through(door, name, turns)
        finally:
            if door is not self.shell.door:
                door.close()

    def look_through(self, door: Door, table: str, turns: int = TURNS) -> Look:
        """As `look`, through a door that is open already.

        Raises:
            UnknownTableError, BusDownError.
        """
        snapshot = tables.snapshot(door, table, turns)
        if snapshot is None:
            raise UnknownTableError(table=table)
        return Look(door, snapshot, self._index(door, snapshot))

    def ledger(self, look: Look, href: Href) -> Ledger:
        """The scores and points that its format left."""
        with self._lock:
            kept = self._scores.setdefault(look.id, (threading.Lock(), Kept()))
        with kept[0]:
            format_ = look.snapshot["table"].get("format", "")
            return view(of_table(look.door, look.id, format_, table_folder(look.id), kept[1]), href)

    def _index(self, door: Door, snapshot: Reply) -> Index:
        table, group, head = snapshot["table"]["id"], snapshot["table"]["group"], int(snapshot["head"])
        with self._lock:
            lock, _ = self._kept.setdefault(table, (threading.Lock(), Index()))
        with lock:
            index = self._kept[table][1]
            if not _same(door, table, group, index, head):
                index = Index()
            if index.last < head:
                index.add(records.messages(door, table, group, [(index.last + 1, head)]))
            self._kept[table] = (lock, index)
            return index


def _same(door: Door, table: str, group: str, index: Index, head: int) -> bool:
    """Whether the record still goes on from what the index knows: a restore or failover may have put another there."""
    if not index.last:
        return True
    found = records.one(door, table, group, index.last) if index.last <= head else None
    if found is None:
        return False
    return records.mark(found["seq"], found["sent_at"], found["body"], found["from"]) == index.mark
