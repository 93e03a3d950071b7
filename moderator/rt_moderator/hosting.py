"""Whether a table has its host, and starting one that is missing."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from typing import TYPE_CHECKING

from rt_config import env, processes
from rt_config.errors import DeckError, HostDownError, SessionExistsError
from rt_mailbox import waiting
from rt_mailbox.directory import OPEN

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell

_START_SECONDS = 15.0
_LOCK_SECONDS = (
    3.0  # how long a host takes to come up; one that runs without a lock for longer is stopped or stuck
)


def alive(snapshot: Reply) -> bool:
    """Whether the host's lock is fresh and, on its own machine, its process is there."""
    host = snapshot["host"]
    if not host.get("holder") or int(host.get("until", 0)) <= int(snapshot["clock_ms"]):
        return False
    return not gone(host)


def gone(host: Reply) -> bool:
    """Whether the lock's holder is known to be gone: same machine, and no process of that pid and start time."""
    if not host.get("pid") or host.get("machine") != platform.node():
        return False
    return not processes.alive(int(host["pid"]), float(host["started"]))


def ours(snapshot: Reply) -> bool:
    """Whether the live host is a process of this machine and this RT_HOME."""
    host = snapshot["host"]
    if not alive(snapshot) or not host.get("pid") or host.get("machine") != platform.node():
        return False
    return processes.variable(int(host["pid"]), "RT_HOME") == env.home()


def needed(snapshot: Reply) -> bool:
    """Whether this table should have a host and has none."""
    return snapshot["table"]["state"] in OPEN and not alive(snapshot)


def me() -> dict[str, str]:
    """This process as the lock names it."""
    pid = os.getpid()
    return {"pid": str(pid), "machine": platform.node(), "started": repr(processes.start_time(pid))}


def ensure(shell: Shell, table: str, *, seen: bool = False) -> bool:
    """Start the host of an open table when it is missing, say so, and wait until it has the lock; True when it was started.

    With `seen` a host of ours that outlived its tmux session, so that nobody sees it, is replaced as well.

    Raises:
        HostDownError: it could not be started.
    """
    from rt_deck.sessions import Deck
    from rt_moderator import seating

    snapshot = shell.snapshot(table, 1)
    if not needed(snapshot) and not (seen and _unseen(snapshot)):
        return False
    watch = waiting.Watch(shell.door, table, "events")

    def has_lock() -> bool:
        return alive(shell.snapshot(table, 1))

    try:
        deck = Deck()
        spec = seating.host_spec(snapshot)
        there = deck.resolve(spec.name)
        if there is not None and there.state == "running" and waiting.until(watch, has_lock, _LOCK_SECONDS):
            return False  # somebody else started it just now
        deck.remove(spec.name)
        with suppress(SessionExistsError):
            deck.create(spec)
    except DeckError as exc:
        raise HostDownError(table=table, reason=str(exc)) from exc
    if not waiting.until(watch, has_lock, _START_SECONDS):
        raise HostDownError(table=table, reason="it did not come up; see rt deck list and rt events")
    shell.say(f"the host of {table} was not running; started it")
    return True


def _unseen(snapshot: Reply) -> bool:
    from rt_deck.sessions import Deck
    from rt_moderator import naming

    name = naming.host_session(snapshot["table"]["id"])
    return ours(snapshot) and Deck().resolve(name) is None
