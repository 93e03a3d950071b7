"""The one reader of the table: a thread that blocks on its streams and tells what is new; nothing happens in between."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rt_config.errors import BusError, RoundtableError, UnknownTableError
from rt_mailbox import records, tables
from rt_mailbox.access import door_to
from rt_mailbox.addresses import group_of
from rt_mailbox.waiting import Watch
from rt_moderator.watching.taking import Bus, Moment

if TYPE_CHECKING:
    from rt_mailbox.door import Door
    from rt_moderator.shell import Shell

TURNS = 200  # of the latest: whom they asked, what became of them
_BLOCK_MS = 30_000
_BETWEEN = 0.1  # seconds: a busy table is drawn ten times a second at most
_LONGEST_PAUSE = 5.0

Publish = Callable[["Moment | Bus | Exception"], None]


class Feed(threading.Thread):
    """Publishes moments until it is stopped; survives the bus going away, which it says.

    A table that lies in a file is read once. An error that is none of ours is published too, for the screen to raise.
    """

    def __init__(self, shell: Shell, table: str, publish: Publish) -> None:
        super().__init__(name=f"feed {table}", daemon=True)
        self._table, self._publish = table, publish
        read = shell.reading(table)
        self._door: Door = door_to(shell.url) if read is shell else read.door
        self._grows = read is shell
        self._stopped = threading.Event()
        self._sent, self._mark, self._pause = 0, "", 0.0

    def stop(self) -> None:
        """End soon; the thread may be blocked in a read, and ends with the process then."""
        self._stopped.set()

    def run(self) -> None:
        """Follow; begin anew whenever the bus comes back."""
        while not self._stopped.is_set():
            try:
                self._follow()
            except RoundtableError as exc:
                away = isinstance(exc, BusError)
                self._publish(Bus(f"waiting for the bus: {exc}" if away else str(exc)))
                self._pause = min(max(0.2, self._pause * 2), _LONGEST_PAUSE)
                self._stopped.wait(self._pause)
            except Exception as exc:  # raised again where the terminal can be put back first
                self._publish(exc)
                return
            else:
                return

    def _follow(self) -> None:
        watch = (
            Watch(self._door, self._table, f"log {group_of(self._table)}", "events") if self._grows else None
        )
        again = not self._known()
        while not self._stopped.is_set():
            read = time.monotonic()
            again = self._tell(again=again)
            if watch is None:
                return
            if watch.block(_BLOCK_MS):
                self._stopped.wait(max(0.0, read + _BETWEEN - time.monotonic()))

    def _tell(self, *, again: bool) -> bool:
        snapshot = tables.snapshot(self._door, self._table, TURNS)
        if snapshot is None:
            raise UnknownTableError(table=self._table)
        head, group = int(snapshot["head"]), group_of(self._table)
        again = again or head < self._sent
        if again:
            self._sent = 0
        found = list(records.messages(self._door, self._table, group, [(self._sent + 1, head)]))
        if found:
            last = found[-1]
            self._mark = records.mark(last["seq"], last["sent_at"], last["body"], last["from"])
        self._sent, self._pause = head, 0.0
        self._publish(Moment(snapshot, found, time.monotonic(), again))
        return False

    def _known(self) -> bool:
        """Whether the record still goes on from what was told: a restore or failover may have put another there."""
        last = records.one(self._door, self._table, group_of(self._table), self._sent) if self._sent else None
        return last is not None and self._mark == records.mark(
            last["seq"], last["sent_at"], last["body"], last["from"]
        )
