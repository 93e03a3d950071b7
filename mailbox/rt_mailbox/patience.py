"""A door for hosts and seats: when the bus goes away it waits for it to come back, and then says bus_down.

They only run scripts that are safe to repeat (closed once, counted once, the same key), so a command whose answer was lost
is sent again.
"""

from __future__ import annotations

import time

from rt_config.errors import BusDownError, BusFullError, DiskFullError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rt_mailbox.door import Door, Reply

WAIT_SECONDS = 30.0
_FIRST_PAUSE = 0.05


class PatientDoor:
    """`door`, with up to `seconds` of patience for a server that does not answer.

    A full server counts as one that does not answer: somebody may make room.

    `outages` counts how often it came back: what was there before may be gone (a failover). A blocking read that met an
    outage ends with nothing, so that its caller looks again.

    Raises:
        BusDownError, BusFullError, DiskFullError: from every method, when it lasted longer.
    """

    def __init__(
        self, door: Door, seconds: float = WAIT_SECONDS, say: Callable[[str], None] = lambda _: None
    ) -> None:
        self.url = door.url
        self._door, self._seconds, self._say = door, seconds, say
        self.outages = 0

    def script(self, name: str, space: str, *args: str | int) -> Reply:
        """As the door's own."""
        found: Reply = self._patiently(lambda: self._door.script(name, space, *args))
        return found

    def command(self, *args: str | int, block_ms: int = 0) -> Any:
        """As the door's own."""
        tries = iter(range(1_000_000))

        def ask() -> Any:
            if block_ms and next(tries):  # what it waited for may have come and gone meanwhile
                return self._door.command("XREAD", "BLOCK", 1, *args[3:], block_ms=1)
            return self._door.command(*args, block_ms=block_ms)

        return self._patiently(ask)

    def close(self) -> None:
        """Give the connection up."""
        self._door.close()

    def _patiently(self, call: Callable[[], Any]) -> Any:
        end, pause, told = 0.0, _FIRST_PAUSE, False
        while True:
            try:
                found = call()
            except (BusDownError, BusFullError, DiskFullError) as exc:
                now = time.monotonic()
                end = end or now + self._seconds
                if now >= end:
                    raise
                if not told:
                    self._say(f"the bus does not answer, waiting up to {self._seconds:.0f} s: {exc}")
                    told = True
                time.sleep(pause)  # nothing tells when a server comes back
                pause = min(pause * 1.5, 1.0)
            else:
                if told:
                    self.outages += 1
                    self._say("the bus is back")
                return found
