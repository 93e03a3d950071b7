"""What the inspecting commands share: a host for the table, the width of the terminal, hints that name the table."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell


def keep_host(shell: Shell, table: str) -> None:
    """Start the missing host of an open table and say so; a host that cannot be started is said and hides nothing."""
    from rt_config.errors import HostDownError
    from rt_moderator import hosting

    found = shell.snapshot(table, 1)
    if found["table"]["state"] != "open" or not hosting.needed(found):
        return  # a table that is just being started gets its host from its start
    try:
        hosting.ensure(shell, table)
    except HostDownError as exc:
        shell.say(f"{exc}  [{exc.error_code}]")


def flag_for(given: str | None) -> str:
    """What suggested commands must add to mean the same table: nothing, unless it was named."""
    return f" -t {given}" if given else ""


def width() -> int | None:
    """The columns of the terminal that stdout is; None when it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def quiet_seconds(seats: Sequence[Reply]) -> dict[str, float]:
    """Seconds since the last output of the seats whose sessions run on this deck."""
    import time

    from rt_config.errors import DeckError
    from rt_deck.sessions import Deck

    try:
        sessions = {one.name: one for one in Deck().list() if one.state == "running"}
    except DeckError:
        return {}
    now = time.time()
    return {
        seat["slug"]: max(0.0, now - sessions[seat["tmux"]].activity)
        for seat in seats
        if seat.get("tmux") in sessions
    }


def painted(text: str) -> str:
    """The first words of warnings in colour, on a terminal that takes it."""
    import click

    from rt_moderator.cli.base import colour

    if not colour():
        return text
    for word, tone in (("DEGRADED:", "red"), ("WARNING:", "yellow"), ("LATE", "yellow"), ("FAILED", "red")):
        text = text.replace(word, click.style(word, fg=tone, bold=True))
    return text
