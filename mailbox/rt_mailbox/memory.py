"""What a client remembers of a record, to notice that a failover or a restore took some of it away.

A server that was promoted knows nothing of what it never got: cursors and record have lost the same tail. So whoever was told
of a message (a host, an open Mailbox) keeps its mark, and the record is held against it. Imports next to nothing.
"""

from __future__ import annotations

from rt_mailbox import records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rt_mailbox.door import Door, Reply

KEEP = 256  # marks a group: a longer tail is known to be lost from the oldest of them on


class Memory:
    """The latest marks of some groups of one space. Safe for threads: a mark that is missed costs nothing."""

    def __init__(self) -> None:
        self._groups: dict[str, _Marks] = {}

    def newest(self, group: str) -> str:
        """The mark of the latest message known; '' when none is."""
        known = self._groups.get(group)
        return known.marks.get(known.newest, "") if known else ""

    def sent(self, group: str, seq: int, at: int, body: str, sender: str) -> bool:
        """Remember an acknowledged send; True when its seq was another message's before: look."""
        known = self._of(group)
        mark = records.mark(seq, at, body, sender)
        before = known.marks.get(seq)
        if before not in (None, mark) or known.newest - seq > KEEP // 4:
            return True
        known.add(seq, mark)
        return False

    def took(self, group: str, rows: Sequence[records.Row], epoch: str) -> None:
        """Remember messages that were read under `epoch`."""
        known = self._of(group)
        known.epoch = epoch
        for row in rows[-KEEP:]:
            known.add(row[0], records.mark(row[0], row[7], row[6], row[1]))

    def look(self, door: Door, space: str, group: str, *, wanted: int = 0) -> str:
        """Hold the record against what is remembered: the range that is lost, such as 118-120, else ''.

        Guarantees: when something is lost every person of the group is told by their next read, a table is degraded with
        an event `history_lost`, and receipts from before are void; once, however many clients look. With `wanted` the
        newest messages up to that many are remembered from now on.

        Raises:
            UnknownGroupError.
        """
        known = self._of(group)
        lost, newest = "", self.newest(group)
        found = door.script("history", space, group, known.epoch, wanted, 0, *([newest] if newest else []))
        if found["lost"]:
            marks = [known.marks[seq] for seq in sorted(known.marks)]
            found = door.script("history", space, group, known.epoch, wanted, 1, *marks)
            lost = found["lost"]
            known.forget_after(int(found["shared"]))
        known.epoch = found["epoch"]
        for mark in filter(None, found["marks"]):
            known.add(int(mark.partition(":")[0]), mark)
        return str(lost)

    def checked(self, door: Door, space: str, group: str, take: Callable[[str], Reply]) -> Reply:
        """What `take` (with the newest mark) gives, taken again when the record does not hold that; remembers it."""
        found = take(self.newest(group))
        if not found["fits"]:
            self.look(door, space, group)
            found = take("")
        self.took(group, found["messages"], found["epoch"])
        return found

    def _of(self, group: str) -> _Marks:
        return self._groups.setdefault(group, _Marks())


class _Marks:
    """One group's."""

    __slots__ = ("epoch", "marks", "newest")

    def __init__(self) -> None:
        self.marks: dict[int, str] = {}
        self.newest = 0
        self.epoch = ""

    def add(self, seq: int, mark: str) -> None:
        self.marks[seq] = mark
        self.newest = max(self.newest, seq)
        if len(self.marks) > 2 * KEEP:
            self.marks = {seq: self.marks[seq] for seq in sorted(self.marks)[-KEEP:]}

    def forget_after(self, seq: int) -> None:
        self.marks = {n: mark for n, mark in self.marks.items() if n <= seq}
        self.newest = max(self.marks, default=0)
