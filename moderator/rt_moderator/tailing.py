"""The record as it grows, for the first window of a view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rt_mailbox import records, tables
from rt_mailbox.waiting import Watch
from rt_moderator import status_view
from rt_moderator.words import still_answering
from rt_participant.show import message as message_text
from rt_participant.show import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from rt_mailbox.door import Door

_BLOCK_MS = 30_000
_LONGEST = 4_000  # characters of one message; rt show has the rest


def follow(door: Door, table: str, show: Callable[[str], None]) -> None:
    """Show every message from the first on, then each as it comes, and who is still answering; never returns by itself.

    Marks nothing read.
    """
    watch = Watch(door, table, f"log group/roundtable-{table}", "events")
    shown, said = 0, ""
    while True:
        snapshot = tables.snapshot(door, table)
        if snapshot is None:
            show(f"— {plain(table)} is not in the bus —")
            watch.block(_BLOCK_MS)
            continue
        group, head = snapshot["table"]["group"], int(snapshot["head"])
        for message in records.messages(door, table, group, [(shown + 1, head)]):
            show(message_text(message, _LONGEST))
        shown = max(shown, head)
        busy = status_view.answering(snapshot)
        now = f"— {still_answering(busy) if busy else status_view.state_of(snapshot).replace('_', ' ')} —"
        if now != said:
            show(now)
            said = now
        watch.block(_BLOCK_MS)
