"""A start as one call, whoever asks for it: the table of this topic that is there, or a new one, laid and seated."""

from __future__ import annotations

import platform
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rt_config import processes
from rt_mailbox import directory
from rt_moderator import hosting, starting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rt_deck.sessions import Deck
    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell
    from rt_moderator.starting import Request, Started

_OTHER_SECONDS = 30.0  # for another start of the same topic that is at work
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Launched:
    """A table that runs."""

    table: str
    duplicate: bool
    snapshot: Reply


def launch(
    shell: Shell,
    deck: Deck,
    request: Request,
    *,
    new: bool = False,
    prepare: Callable[[Request], Request] = lambda request: request,
) -> Launched:
    """The table of `request`: an open one of its topic, mode and format that goes on, else one that was laid and seated now.

    However many start one topic at the same moment, there is one table. Killed anywhere, the next start completes it.

    Args:
        shell: the bus.
        deck: the sessions.
        request: what was asked for.
        new: a table of its own, even when one is open.
        prepare: called once, before anything is written, unless there is a table to go on with: `checking.request` checks
            the seats there.

    Raises:
        WorkdirMissingError, BadConfigError, DiskFullError, ChecksFailedError: nothing was made.
        DeckError, CliMissingError: the table is there, its seats are not; the next start completes it.
    """
    found = None if new else starting.find(shell, request)
    if found is None or not found.duplicate:
        request = prepare(request)
        found = _placed(shell, request, new=new)
    if found.duplicate:
        starting.reuse(shell, found.table)
        hosting.ensure(shell, found.table)
        return Launched(found.table, True, shell.snapshot(found.table))
    try:
        snapshot = starting.lay(shell, found.table, request)
        starting.seat_all(shell, deck, snapshot)
    except BaseException:
        _let_go(shell, found.table)
        raise
    return Launched(found.table, False, snapshot)


def _placed(shell: Shell, request: Request, *, new: bool) -> Started:
    """A new table's id, that of an unfinished one, or (duplicate) the one that another start has laid meanwhile."""
    while True:
        seen = directory.claims(shell.door, shell.space)
        found = None if new else starting.find(shell, request)
        if found is None:
            table = starting.claim(shell, request, "" if new else seen)
            if table:
                return starting.Started(table, duplicate=False)
        elif found.duplicate:
            return found
        elif not _finished_by_its_starter(shell, found):
            shell.say(f"completing {found.table}, which was not started to the end")
            return found


def _finished_by_its_starter(shell: Shell, found: Started) -> bool:
    """Wait for a start that is at work; False when it was killed, or takes too long."""
    if not _at_work(found.starter):
        return False
    shell.say(f"another start of this topic is at work on {found.table}; waiting for it")
    end = time.monotonic() + _OTHER_SECONDS
    while time.monotonic() < end:
        entry = directory.entries(shell.door, shell.space).get(found.table, {})
        if entry.get("state") != "starting":
            return True
        if not _at_work(entry.get("starter") or {}):
            return False
        time.sleep(_POLL_SECONDS)
    return False


def _at_work(starter: Mapping[str, str]) -> bool:
    """Whether the process that claimed a table is there; on another machine that cannot be seen, so it is believed."""
    if not starter:
        return False
    if starter["machine"] != platform.node():
        return True
    return processes.alive(int(starter["pid"]), float(starter["started"]))


def _let_go(shell: Shell, table: str) -> None:
    """This process is not at work on `table` any more, though it goes on: nobody need wait for it."""
    entry = directory.entries(shell.door, shell.space).get(table)
    if entry and entry.pop("starter", None):
        directory.write(shell.door, shell.space, table, entry)
