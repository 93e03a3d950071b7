"""A door that waits while the bus is away. Only for scripts that are safe to repeat, as a runner's are."""

from __future__ import annotations

import time

from rt_config.errors import BusError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rt_mailbox.door import Door, Reply

_LONGEST_PAUSE = 1.0


class PatientDoor:
    """The same as `door`, except that what fails for want of a server is tried again for `seconds`."""

    def __init__(self, door: Door, seconds: float, say: Callable[[str], None]) -> None:
        self.door = door
        self.url = door.url
        self._seconds = seconds
        self._say = say

    def script(self, name: str, space: str, *args: str | int) -> Reply:
        """Run one script.

        Raises:
            BusError: for `seconds` on end, or what the script itself refused.
        """
        found: Reply = self._again(lambda: self.door.script(name, space, *args))
        return found

    def command(self, *args: str | int, block_ms: int = 0) -> Any:
        """One plain command; raises as `script` does."""
        return self._again(lambda: self.door.command(*args, block_ms=block_ms))

    def close(self) -> None:
        """Give the connection up."""
        self.door.close()

    def _again(self, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except BusError as exc:
            self._say(f"the bus does not answer; waiting up to {self._seconds:g} s ({exc})")
        end, pause = time.monotonic() + self._seconds, 0.05
        while True:
            time.sleep(min(pause, max(0.0, end - time.monotonic())))
            pause = min(pause * 2, _LONGEST_PAUSE)
            try:
                found = act()
            except BusError:
                if time.monotonic() >= end:
                    raise
            else:
                self._say("the bus is back")
                return found
