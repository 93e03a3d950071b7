"""Blocking until something is there: one XREAD over the streams of a space, then the question is asked again."""

from __future__ import annotations

import time

from rt_mailbox.keys import key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rt_mailbox.door import Door, Reply

_LONGEST_BLOCK_MS = 30_000  # a broken connection is noticed within this
_FORGETS_AFTER_MS = 10_000


class Watch:
    """The ends of some streams, taken before a question is asked, so that nothing that comes after it is missed."""

    def __init__(self, door: Door, space: str, *streams: str) -> None:
        self._door, self._space = door, space
        self._last = {key(space, *name.split(" ")): "" for name in streams}
        self.refresh()

    def refresh(self) -> None:
        """Look only at what comes from now on."""
        for name in self._last:
            found = self._door.command("XREVRANGE", name, "+", "-", "COUNT", 1)
            self._last[name] = found[0][0] if found else "0-0"

    def block(self, ms: int) -> bool:
        """Wait until one of the streams grows; False when `ms` ran out."""
        ms = _within(ms)
        began = time.monotonic()
        if self._noted(self._door.command(*self._read(ms), block_ms=ms)):
            return True
        if ms >= _FORGETS_AFTER_MS or time.monotonic() - began < ms / 2000:
            self.refresh()  # a record that lost its tail has ends that come before those known here
        return False

    def block_then(self, ms: int, name: str, *args: str) -> Reply:
        """Wait like `block`, and then run a script, in one round trip when the door can do that."""
        ms = _within(ms)
        together = getattr(self._door, "script_after", None)
        if together is None:
            self.block(ms)
            return self._door.script(name, self._space, *args)
        woken, found = together(self._read(ms), ms, name, self._space, *args)
        if not self._noted(woken) and ms >= _FORGETS_AFTER_MS:
            self.refresh()
            return self._door.script(name, self._space, *args)
        reply: Reply = found
        return reply

    def _read(self, ms: int) -> tuple[str | int, ...]:
        return ("XREAD", "BLOCK", ms, "STREAMS", *self._last, *self._last.values())

    def _noted(self, reply: Any) -> bool:
        for name, found in (reply.items() if isinstance(reply, dict) else reply) or ():
            self._last[name] = found[-1][0]
        return bool(reply)


def _within(ms: int) -> int:
    return max(1, min(ms, _LONGEST_BLOCK_MS))


def until(watch: Watch, ready: Callable[[], bool], seconds: float) -> bool:
    """Whether `ready` became true in time; asked at once, then whenever one of the streams has grown."""
    end = time.monotonic() + seconds
    while not ready():
        left = end - time.monotonic()
        if left <= 0:
            return False
        watch.block(int(left * 1000))
    return True


def until_script(
    watch: Watch, ask: tuple[str, ...], ready: Callable[[Reply], bool], found: Reply, seconds: float
) -> bool:
    """`until`, when the question is one script: its name and arguments are `ask`, its answer so far is `found`."""
    end = time.monotonic() + seconds
    while not ready(found):
        left = end - time.monotonic()
        if left <= 0:
            return False
        found = watch.block_then(int(left * 1000), *ask)
    return True
