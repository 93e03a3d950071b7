"""What was posted, in the table's own journal, so that whoever goes on after a crash knows what is done and what is in doubt.

    post/<sink>/thread            {id}: the table's thread there; '' when there are none
    post/<sink>/<key>.<part>/<n>  {by, at, pid, machine, started}: the n-th try has begun
    post/<sink>/<key>.<part>/<n>/not   {why}: it was not taken, for sure
    post/<sink>/<key>.<part>      {state, at}: this part is settled: sent or uncertain
    post/<sink>/<key>             {state, at}: the whole post is: sent, uncertain or failed

A try that has begun and has neither of the others is in doubt.
"""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Any

from rt_mailbox import journal
from rt_moderator import hosting

if TYPE_CHECKING:
    from rt_mailbox.door import Door

    Line = dict[str, Any]

_ME = uuid.uuid4().hex[:12]  # this process: one thread a sink, and a new one only when the old one is gone
_EVENTS = {"sent": "posted", "uncertain": "post_uncertain", "failed": "post_failed"}


class Ledger:
    """The lines of one sink. Every write is refused for a host that another has replaced (`epoch`)."""

    def __init__(self, door: Door, table: str, sink: str, epoch: str = "") -> None:
        """Reads what is there."""
        self._door, self._table, self._sink, self._epoch = door, table, sink, epoch
        self._lines: dict[str, Line] = {}
        self.refresh()

    def refresh(self) -> None:
        """See what others have written since."""
        prefix = f"post/{self._sink}/"
        found = journal.read(self._door, self._table)
        self._lines = {name: line for name, line in found.items() if name.startswith(prefix)}

    @property
    def thread(self) -> str | None:
        """The id of the table's thread; '' for none, None when nobody tried to open one."""
        line = self._lines.get(f"post/{self._sink}/thread")
        return None if line is None else str(line["id"])

    def threaded(self, found: str) -> None:
        """Keep the thread that was opened, or '' when there are none."""
        self._put("thread", {"id": found})

    def whole(self, key: str) -> Line | None:
        """How a post ended; None while it did not."""
        return self._lines.get(f"post/{self._sink}/{key}")

    def part(self, key: str, part: int) -> Line | None:
        """How a part ended; None while it did not."""
        return self._lines.get(f"post/{self._sink}/{key}.{part}")

    def doubt(self, key: str, part: int) -> Line | None:
        """The try that has begun and of which nothing more is known."""
        line = self._lines.get(self._try(key, part, self._tries(key, part)))
        if line is None or f"{self._try(key, part, self._tries(key, part))}/not" in self._lines:
            return None
        return line

    def ours(self, line: Line) -> bool:
        """Whether it was this process, or one that is gone: nobody is at it now."""
        old = time.time() * 1000 - int(line["at"]) > 600_000
        return bool(line["by"] == _ME or hosting.gone(line) or old)

    def begin(self, key: str, part: int) -> bool:
        """Say that a try begins; False when somebody else was faster."""
        line = {"by": _ME, "at": _now(), **hosting.me()}
        name = self._try(key, part, self._tries(key, part) + 1)
        return bool(self._put(name.partition(f"post/{self._sink}/")[2], line)["by"] == _ME)

    def not_taken(self, key: str, part: int, why: str) -> None:
        """The latest try was not taken."""
        name = self._try(key, part, self._tries(key, part))
        self._put(name.partition(f"post/{self._sink}/")[2] + "/not", {"why": why})

    def settle_part(self, key: str, part: int, state: str) -> None:
        """A part is sent, or uncertain."""
        self._put(f"{key}.{part}", {"state": state, "at": _now()})

    def settle(self, key: str, state: str, why: str = "") -> None:
        """The whole post is settled; with its event."""
        shown = {"sink": self._sink, "what": key, "reason": why}
        self._put(key, {"state": state, "at": _now(), "why": why}, _EVENTS[state], shown)

    def _tries(self, key: str, part: int) -> int:
        number = 0
        while self._try(key, part, number + 1) in self._lines:
            number += 1
        return number

    def _try(self, key: str, part: int, number: int) -> str:
        return f"post/{self._sink}/{key}.{part}/{number}"

    def _put(self, name: str, line: Line, event: str = "", shown: dict[str, str] | None = None) -> Line:
        whole = f"post/{self._sink}/{name}"
        fields = {key: value for key, value in (shown or {}).items() if value}
        stood: Line = journal.put(
            self._door, self._table, whole, line, event=event, fields=fields, epoch=self._epoch
        )
        self._lines[whole] = stood
        return stood


def _now() -> int:
    return int(time.time() * 1000)
