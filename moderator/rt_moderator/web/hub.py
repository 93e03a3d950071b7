"""Who looks at which table: many pages, one feed a table. Lives on the event loop; feeds call in from their threads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from rt_config.errors import RoundtableError
from rt_moderator.web import events
from rt_moderator.web.feed import Feed, rendered

if TYPE_CHECKING:
    from rt_moderator.page.reading import Desk, Look

_QUEUE = 500  # events; a page that is further behind reads the record again

Queue = asyncio.Queue["events.Event | None"]


class _Room:
    def __init__(self) -> None:
        self.pages: set[Queue] = set()
        self.ready = False
        self.parts: events.Event | None = None
        self.feed: Feed | None = None


class Hub:
    """Streams of events, each resumable by the number of the last message that its page has."""

    def __init__(self, desk: Desk, parts: Callable[[Look], str]) -> None:
        self._desk, self._parts = desk, parts
        self._rooms: dict[str, _Room] = {}
        self._closed = False

    async def stream(self, table: str, after: int) -> AsyncIterator[bytes]:
        """What happens at a table after message `after`, as it happens, until the hub closes or the page goes away.

        Guarantees: every message once and in order, over restarts of the bus too; at most the latest 100 of those
        that were missed (a page loads older ones by range).
        """
        room = self._enter(table)
        queue: Queue = asyncio.Queue(_QUEUE)
        room.pages.add(queue)
        if room.ready:
            queue.put_nowait(events.READY)
        try:
            yield events.HELLO
            while not self._closed:
                event = await queue.get()
                if event is None:
                    return
                if event is events.READY:
                    for missed in await asyncio.to_thread(self._missed, table, after):
                        after = max(after, missed.seq)
                        yield missed.data
                    yield (room.parts or events.HEARTBEAT).data
                elif not event.seq or event.seq > after:
                    after = max(after, event.seq)
                    yield event.data
        finally:
            room.pages.discard(queue)

    def close(self) -> None:
        """End every stream and every feed."""
        self._closed = True
        for room in self._rooms.values():
            for queue in room.pages:
                _put(queue, None)
            if room.feed is not None:
                room.feed.stop()

    def _enter(self, table: str) -> _Room:
        room = self._rooms.get(table)
        if room is None:
            room = self._rooms[table] = _Room()
            loop = asyncio.get_running_loop()
            room.feed = Feed(
                self._desk,
                table,
                lambda event: _from_thread(loop, self._publish, table, event),
                self._parts,
                lambda: _from_thread(loop, self._leave_empty, table),
            )
            room.feed.start()
        return room

    def _publish(self, table: str, event: events.Event) -> None:
        room = self._rooms.get(table)
        if room is None:
            return
        room.ready = room.ready or event is events.READY
        if event.data.startswith(b"event: parts"):
            room.parts = event
        for queue in room.pages:
            _put(queue, event)

    def _leave_empty(self, table: str) -> None:
        room = self._rooms.get(table)
        if room is not None and not room.pages and room.feed is not None:
            room.feed.stop()
            del self._rooms[table]

    def _missed(self, table: str, after: int) -> list[events.Event]:
        try:
            with self._desk.look(table) as look:
                if look.head < after:
                    return [events.AGAIN]
                found = look.messages(max(after + 1, look.window(None)[0]), look.head)
                return [events.message(one["seq"], rendered(one, look, look.head)) for one in found]
        except RoundtableError as exc:
            return [events.notice(str(exc))]


def _put(queue: Queue, event: events.Event | None) -> None:
    if queue.full() or event is None:  # it ends; the page comes back and says how far it got
        while not queue.empty():
            queue.get_nowait()
        event = None
    queue.put_nowait(event)


def _from_thread(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *args: object) -> None:
    try:
        loop.call_soon_threadsafe(call, *args)
    except RuntimeError:  # the loop is closed: the process ends
        return
