"""Blocking until something is there: one XREAD over the streams of a space, then the question is asked again."""

from __future__ import annotations

import time

from rt_mailbox.keys import key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rt_mailbox.door import Door

_LONGEST_BLOCK_MS = 30_000  # a broken connection is noticed within this


class Watch:
    """The ends of some streams, taken before a question is asked, so that nothing that comes after it is missed."""

    def __init__(self, door: Door, space: str, *streams: str) -> None:
        self._door = door
        self._last = {key(space, *name.split(" ")): "" for name in streams}
        self.refresh()

    def refresh(self) -> None:
        """Look only at what comes from now on."""
        for name in self._last:
            found = self._door.command("XREVRANGE", name, "+", "-", "COUNT", 1)
            self._last[name] = found[0][0] if found else "0-0"

    def block(self, ms: int) -> bool:
        """Wait until one of the streams grows; False when `ms` ran out."""
        ms = max(1, min(ms, _LONGEST_BLOCK_MS))
        names = list(self._last)
        reply = self._door.command("XREAD", "BLOCK", ms, "STREAMS", *names, *self._last.values(), block_ms=ms)
        for name, found in (reply.items() if isinstance(reply, dict) else reply) or ():
            self._last[name] = found[-1][0]
        return bool(reply)


def until(watch: Watch, ready: Callable[[], bool], seconds: float) -> bool:
    """Whether `ready` became true in time; asked at once, then whenever one of the streams has grown."""
    end = time.monotonic() + seconds
    while not ready():
        left = end - time.monotonic()
        if left <= 0:
            return False
        watch.block(int(left * 1000))
    return True
