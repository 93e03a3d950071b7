"""The one reader of a table: a thread that blocks on its streams and says what is new, however many pages look on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rt_config.errors import BusError, RoundtableError
from rt_mailbox import records
from rt_mailbox.addresses import group_of
from rt_mailbox.waiting import Watch
from rt_moderator.page import templating, views
from rt_moderator.web import events

if TYPE_CHECKING:
    from rt_moderator.page.reading import Desk, Look

BLOCK_MS = 10_000
BODY_MOST = 20_000
"""Characters of a body on the live page; the rest is one link away."""
_BETWEEN_PARTS = 0.2  # seconds: a busy table is drawn five times a second at most
_RETRY = 0.5


class Feed(threading.Thread):
    """Publishes a table's events until it is stopped; survives the bus going away, which it says."""

    def __init__(
        self,
        desk: Desk,
        table: str,
        publish: Callable[[events.Event], None],
        parts: Callable[[Look], str],
        idle: Callable[[], None],
    ) -> None:
        super().__init__(name=f"feed {table}", daemon=True)
        self._desk, self._table, self._publish, self._parts, self._idle = desk, table, publish, parts, idle
        self._stopped = threading.Event()
        self._last_parts = ""

    def stop(self) -> None:
        """End soon; at once when nothing is being waited for."""
        self._stopped.set()

    def run(self) -> None:
        """Follow the table; begins anew whenever the bus comes back."""
        told = False
        while not self._stopped.is_set():
            try:
                self._follow()
            except BusError as exc:
                if not told:
                    self._publish(events.notice(f"The bus does not answer; waiting for it. ({exc})"))
                told = True
                self._pause()
            except RoundtableError as exc:  # deleted, or taken into a file
                self._publish(events.notice(str(exc)))
                self._pause()
            else:
                told = False
            self._stopped.wait(_RETRY)

    def _follow(self) -> None:
        door = self._desk.shell.door
        watch = Watch(door, self._table, f"log {group_of(self._table)}", "events")
        look = self._look()
        sent = look.head
        self._publish(events.notice(""))
        self._publish(events.READY)
        self._draw(look, anew=True)
        due, drawn = False, time.monotonic()
        while not self._stopped.is_set():
            left = drawn + _BETWEEN_PARTS - time.monotonic()
            if due and left <= 0:
                look, due, drawn = self._look(), False, time.monotonic()
                if look.head < sent:
                    self._publish(events.AGAIN)
                sent = self._messages(look, min(sent, look.head))
                self._draw(look)
                continue
            if watch.block(int(left * 1000) + 1 if due else BLOCK_MS):
                sent = self._messages(look, sent)
            elif not due:
                self._pause()
            due = True

    def _pause(self) -> None:
        self._publish(events.HEARTBEAT)
        self._idle()

    def _look(self) -> Look:
        return self._desk.look_through(self._desk.shell.door, self._table)

    def _messages(self, look: Look, sent: int) -> int:
        """Publish what the record has after `sent`; the new end."""
        group = group_of(self._table)
        for message in records.messages(self._desk.shell.door, self._table, group, [(sent + 1, 1 << 53)]):
            if message["kind"] == "intent":
                look = self._look()  # only a fresh one knows whom it asks
            sent = message["seq"]
            self._publish(events.message(sent, rendered(message, look, sent)))
        return sent

    def _draw(self, look: Look, *, anew: bool = False) -> None:
        html = self._parts(look)
        if anew or html != self._last_parts:
            self._publish(events.parts(html))
        self._last_parts = html


def rendered(message: dict[str, object], look: Look, head: int) -> str:
    """A message as the live page has it; one that it cites is linked when it is not after `head`."""
    around = views.Around.of(look.snapshot, look.index)
    view = views.article(message, around, lambda seq: f"#m{seq}" if 1 <= seq <= head else None, BODY_MOST)
    return templating.part("article", view, f"/t/{look.id}/m")
