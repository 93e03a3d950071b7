"""The same without a terminal: every message as it comes, and who is still answering, as lines or as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rt_mailbox import records, tables, wire
from rt_mailbox.addresses import group_of
from rt_mailbox.waiting import Watch
from rt_moderator import event_lines, status_view
from rt_moderator.watching.model import Filter
from rt_moderator.watching.taking import entry
from rt_participant.show import dumps, line
from rt_participant.show import message as message_text

if TYPE_CHECKING:
    from rt_mailbox.door import Door, Reply

_BLOCK_MS = 30_000
_LONGEST = 20_000  # characters of one message; rt show has the rest
_OVER = frozenset({"ended", "archived"})


class Follower:
    """Reads what is new of a table, messages and events in the order in which they happened."""

    def __init__(self, door: Door, table: str, shown: Filter, *, new: bool = False) -> None:
        """From the beginning, or with `new` from what comes after this moment."""
        self._door, self._table, self._filter = door, table, shown
        self._group = group_of(table)
        self._seq, self._event, self._round = 0, "-", 0
        if new:
            self._seq = records.head(door, table, self._group)
            last = door.command("XREVRANGE", f"rt:{{{table}}}:events", "+", "-", "COUNT", 1)
            self._event = last[0][0] if last else "-"

    def messages(self, head: int) -> Iterator[Reply]:
        """Those up to `head` that pass."""
        for message in records.messages(self._door, self._table, self._group, [(self._seq + 1, head)]):
            self._seq, self._round = message["seq"], max(self._round, message["round"])
            if self._filter.shows(entry(message, self._round)):
                yield message

    def events(self) -> list[Reply]:
        """Those that pass; of prompts only that there was one (rt show TURN --prompt)."""
        found = tables.events(self._door, self._table, self._event)
        if found:
            self._event = found[-1]["id"]
        passed = event_lines.of_seat(found, self._filter.seat)
        return [{name: value for name, value in event.items() if name != "prompt"} for event in passed]


def follow(
    door: Door, table: str, follower: Follower, tell: Callable[[Follower, Reply], None], *, grows: bool = True
) -> None:
    """Tell every moment of the table until it has ended; what is in a file is told once. Marks nothing read."""
    watch = Watch(door, table, f"log {group_of(table)}", "events") if grows else None
    while True:
        snapshot = tables.snapshot(door, table, 50)
        if snapshot is None:
            from rt_config.errors import UnknownTableError

            raise UnknownTableError(table=table)
        tell(follower, snapshot)
        if watch is None or snapshot["table"]["state"] in _OVER:
            return
        watch.block(_BLOCK_MS)


class Text:
    """Messages as a person reads them, and a line whenever something else is waited for."""

    def __init__(self, emit: Callable[[str], None]) -> None:
        self._emit, self._said = emit, ""

    def __call__(self, follower: Follower, snapshot: Reply) -> None:
        """One moment."""
        for message in follower.messages(int(snapshot["head"])):
            self._emit(message_text(message, _LONGEST))
        now = f"— {_now(snapshot)} —"
        if now != self._said:
            self._emit(now)
            self._said = now


class Json:
    """Messages and events as JSON, one object a line: {"message": …} as drain has them, {"event": …} as rt events."""

    def __init__(self, emit: Callable[[str], None], table: str) -> None:
        self._emit, self._table = emit, table

    def __call__(self, follower: Follower, snapshot: Reply) -> None:
        """One moment."""
        for _, _, name, value in sorted(
            self._found(follower, int(snapshot["head"])), key=lambda one: one[:2]
        ):
            self._emit(dumps({name: value}))

    def _found(self, follower: Follower, head: int) -> Iterable[tuple[int, int, str, Any]]:
        for message in follower.messages(head):
            yield message["sent_at"], 0, "message", wire.to_json(message, self._table)
        for event in follower.events():
            yield int(event["at"]), 1, "event", event_lines.to_json(event)


def _now(snapshot: Reply) -> str:
    """What the table waits for."""
    state = status_view.state_of(snapshot).replace("_", " ")
    waiting = status_view.view(snapshot)["waiting"]
    if waiting["for"] in ("seats", "gate") and waiting["reason"]:
        return line(waiting["reason"], 300)
    return state
