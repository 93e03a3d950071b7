"""A process that puts a table away, or brings it back, and kills itself with -9 at a step: HOW URL SPACE TABLE STEP.

A step is a call of the door or of the system that lasts (open, sync, rename). STEP n: killed before step n; n.5: right after
it; 0: never, then the number of steps is printed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rt_mailbox.client import RedisDoor
from rt_mailbox.keeping import archives


class Steps:
    """Counts what is done, and ends the process at the right one."""

    def __init__(self, last: float) -> None:
        self.last, self.count = last, 0

    def wrap(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """`call` as a step."""

        def step(*args: Any, **how: Any) -> Any:
            self.count += 1
            self._die(self.count)
            found = call(*args, **how)
            self._die(self.count + 0.5)
            return found

        return step

    def _die(self, now: float) -> None:
        if now == self.last:
            os.kill(os.getpid(), signal.SIGKILL)


def main(how: str, url: str, space: str, table: str, last: str) -> None:
    """Do it."""
    steps, door = Steps(float(last)), RedisDoor(url)
    RedisDoor.script = steps.wrap(RedisDoor.script)  # type: ignore[method-assign]
    RedisDoor.command = steps.wrap(RedisDoor.command)  # type: ignore[method-assign]
    os.fsync = steps.wrap(os.fsync)
    Path.replace = steps.wrap(Path.replace)  # type: ignore[method-assign]
    Path.open = steps.wrap(Path.open)  # type: ignore[method-assign]
    Path.unlink = steps.wrap(Path.unlink)  # type: ignore[method-assign]
    acts: dict[str, Callable[..., Any]] = {
        "offload": archives.offload,
        "back": archives.bring_back,
        "delete": archives.delete,
    }
    act = acts[how]
    act(door, space, table)
    door.close()
    print(steps.count)  # noqa: T201 (its answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
