"""What the page must know of a record as a whole: where rounds begin, the syntheses, what replies mark as disputed. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rt_mailbox import records
from rt_moderator.partings import Parting, partings

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

_MARK = "challenge"  # what `partings` looks for, in any case


@dataclass(frozen=True, slots=True)
class Section:
    """A round as the page shows it: its messages from `first` to `last`, in the order in which they were said."""

    number: int
    first: int
    last: int


class Index:
    """Grows with the record: give it every message once, in order.

    A message belongs to the section of the highest round so far, so that what came late stands where it came.
    """

    def __init__(self) -> None:
        self.last = 0
        self.mark = ""
        self.syntheses: list[Reply] = []
        self._starts: list[tuple[int, int]] = []  # (seq, round), both rising
        self._marked: list[Reply] = []
        self._partings: list[Parting] | None = []

    def add(self, messages: Iterable[Reply]) -> None:
        """Take what the record has after `last`."""
        for message in messages:
            seq, kind = message["seq"], message["kind"]
            if not self._starts or message["round"] > self._starts[-1][1]:
                self._starts.append((seq, message["round"]))
            if kind == "synthesis":
                self.syntheses.append(message)
            elif kind == "reply" and _MARK in message["body"].casefold():
                self._marked.append(message)
                self._partings = None
            self.last = seq
            self.mark = records.mark(seq, message["sent_at"], message["body"], message["from"])

    def round_of(self, seq: int) -> int:
        """The section in which a message stands; 0 before the first."""
        at = bisect_right(self._starts, (seq, 1 << 62)) - 1
        return self._starts[at][1] if at >= 0 else 0

    def sections(self) -> list[Section]:
        """All rounds, oldest first."""
        ends = [*(seq - 1 for seq, _ in self._starts[1:]), self.last][: len(self._starts)]
        return [Section(number, seq, end) for (seq, number), end in zip(self._starts, ends, strict=True)]

    def partings(self) -> list[Parting]:
        """Where the seats themselves say that they part."""
        if self._partings is None:
            self._partings = partings(self._marked)
        return self._partings
