"""One sink of one table: what is due, in order, one try at a time. Never the same post twice, as far as the receiver allows."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rt_config import sinks as configured
from rt_mailbox import journal, records, tables
from rt_moderator.engine.results import LINE as CONCLUDED
from rt_moderator.sinks import planning, receivers, rendering
from rt_moderator.sinks.ledger import Ledger
from rt_moderator.transcript import ALL_TURNS

if TYPE_CHECKING:
    from rt_config.sinks import Sink
    from rt_mailbox.door import Door
    from rt_moderator.sinks.planning import Post
    from rt_moderator.sinks.receivers import Answer

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 300.0
_ANOTHER_IS_AT_IT = 2.0  # seconds until we look again
_LATEST = 500  # turns: those of messages that came since the last look
_TOLD_AFTER = 3  # failed tries in a row


class Poster:
    """Call `look` when the table changed, and `step` until it returns None.

    Guarantees: a post that was begun and of which nobody knows what came is repeated only where the receiver drops a second
    one with the same token; else it is settled as uncertain, with an event. Posts go out in the order of the record.
    """

    def __init__(
        self, door: Door, table: str, sink: Sink, epoch: str = "", say: Callable[[str], None] = lambda _: None
    ) -> None:
        """Nothing is sent yet.

        Raises:
            BadConfigError: the sink's template cannot be used.
        """
        self._door, self._table, self._sink, self._epoch, self._say = door, table, sink, epoch, say
        self._template = configured.template(sink)
        self._renderer = rendering.Renderer(self._template)
        self._ledger = Ledger(door, table, sink.name, epoch)
        self._queue: deque[Post] = deque()
        self._known: set[str] = set()
        self._seen = 0  # the last message that was planned
        self._texts: tuple[str, list[str]] = ("", [])
        self._not_before = 0.0
        self._failures = 0
        self.off = ""  # why nothing more is sent
        self.why = ""  # what came of the latest try that failed

    @property
    def due(self) -> int:
        """How many posts are left."""
        return len(self._queue)

    def look(self) -> bool:
        """See what is new at the table; False when it is gone."""
        snapshot = tables.snapshot(self._door, self._table, _LATEST if self._seen else ALL_TURNS)
        if snapshot is None:
            return False
        head = int(snapshot["head"])
        said = records.messages(self._door, self._table, snapshot["table"]["group"], [(self._seen + 1, head)])
        concluded = None
        if snapshot["table"].get("concluded_at"):
            concluded = journal.get(self._door, self._table, CONCLUDED)
        for post in planning.wanted(planning.planned(snapshot, said, concluded), self._sink):
            if post.key not in self._known and self._ledger.whole(post.key) is None:
                self._queue.append(post)
            self._known.add(post.key)
        if snapshot["table"].get("state") != "starting":
            self._seen = head
        return True

    def step(self) -> float | None:
        """Do the next thing there is; seconds until the one after it, None when nothing is due or the sink is off.

        Raises:
            BadConfigError: template or URL cannot be used. StaleHostError, BusError.
        """
        while self._queue and self._ledger.whole(self._queue[0].key):
            self._queue.popleft()
        if not self._queue or self.off:
            return None
        left = self._not_before - time.monotonic()
        if left > 0:
            return left
        post = self._queue[0]
        texts = self._parts(post)
        part = next((n for n in range(len(texts)) if self._ledger.part(post.key, n) is None), None)
        if part is None:
            return self._settled(post, len(texts))
        return self._part(post, part, texts)

    def _parts(self, post: Post) -> list[str]:
        if self._texts[0] != post.key:
            self._texts = (post.key, self._renderer.texts(post))
        return self._texts[1]

    def _settled(self, post: Post, parts: int) -> float:
        states = [(self._ledger.part(post.key, n) or {}).get("state") for n in range(parts)]
        if "uncertain" in states:
            why = "it was interrupted while it went out; it is not sent again, so that it is not there twice"
            self._ledger.settle(post.key, "uncertain", why)
            self._say(f"sink {self._sink.name}: nobody knows whether {post.key} arrived; {why}")
        else:
            self._ledger.settle(post.key, "sent")
        return 0.0

    def _part(self, post: Post, part: int, texts: list[str]) -> float:
        doubt = self._ledger.doubt(post.key, part)
        if doubt is not None and not self._ledger.ours(doubt):
            return self._look_again()
        if doubt is not None and not self._remembered(doubt):
            self._ledger.settle_part(post.key, part, "uncertain")
            return 0.0
        token = rendering.token(self._table, self._sink.name, post.key, part)
        request = self._renderer.request(post, texts[part], token, self._thread())
        if doubt is None and not self._ledger.begin(post.key, part):
            return self._look_again()
        return self._came(post, part, receivers.deliver(self._sink, request))

    def _look_again(self) -> float:
        """Somebody else posts for this table just now."""
        self._ledger.refresh()
        self._not_before = time.monotonic() + _ANOTHER_IS_AT_IT
        return _ANOTHER_IS_AT_IT

    def _remembered(self, doubt: dict[str, Any]) -> bool:
        """Whether the receiver would drop a second post with the same token."""
        if self._sink.type == "file":
            return True
        known = self._sink.remembers_seconds
        known = self._template.remembers_seconds if known is None else known
        return time.time() - int(doubt["at"]) / 1000 < known

    def _thread(self) -> str | None:
        if self._template.thread is None or not self._sink.thread:
            return ""
        return self._ledger.thread

    def _came(self, post: Post, part: int, answer: Answer) -> float:
        if answer.how == "sent":
            self._sent(post, part, answer)
            return 0.0
        self.why = answer.why
        if answer.how == "unsure":
            return self._pause(answer)  # the try stays open: the next look decides whether it may be repeated
        self._ledger.not_taken(post.key, part, answer.why)
        if answer.how == "later":
            return self._pause(answer)
        thread = self._template.thread
        if thread and self._thread() is None and answer.status in thread.refused:
            self._ledger.threaded("")
            self._say(f"sink {self._sink.name}: no thread there, posting without one ({answer.why})")
        elif answer.how == "refused":
            self._ledger.settle(post.key, "failed", answer.why)
            self._say(f"sink {self._sink.name}: {post.key} was refused: {answer.why}")
        else:
            self._stands(f"off: {answer.why}", "post_off")
            self.off = answer.why
        return 0.0

    def _sent(self, post: Post, part: int, answer: Answer) -> None:
        if self._thread() is None and self._template.thread:
            self._ledger.threaded(_found(answer.told, self._template.thread.id))
        self._ledger.settle_part(post.key, part, "sent")
        if self._failures >= _TOLD_AFTER:
            self._stands("", "")
        self._failures = 0

    def _pause(self, answer: Answer) -> float:
        self._failures += 1
        if self._failures == _TOLD_AFTER:
            self._stands(f"does not answer, trying again: {answer.why}", "post_waiting")
        pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (self._failures - 1))
        pause = pause if answer.after is None else max(answer.after, 0.05)
        self._not_before = time.monotonic() + pause
        return pause

    def _stands(self, how: str, event: str) -> None:
        """Say at the table how the sink is; '' when all is well."""
        name = self._sink.name
        tables.set_table(self._door, self._table, {f"sink/{name}": how}, epoch=self._epoch)
        if event:
            tables.note(self._door, self._table, event, {"sink": name, "reason": how}, epoch=self._epoch)
            self._say(f"sink {name}: {how}")

    def well(self) -> None:
        """Take back what an earlier poster said of this sink."""
        if self._door.command("HGET", *_field(self._table, self._sink.name)):
            self._stands("", "")


def _field(table: str, sink: str) -> tuple[str, str]:
    from rt_mailbox.keys import key

    return key(table, "table"), f"sink/{sink}"


def _found(told: dict[str, Any], path: str) -> str:
    """The value at a dotted path of the answer; '' when there is none."""
    found: Any = told
    for name in path.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return str(found) if found is not None else ""
