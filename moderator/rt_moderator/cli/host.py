"""host: the moderator process of one table. Started by the other commands, inside the deck."""

from __future__ import annotations

import sys
import time
from contextlib import suppress

import click


@click.command("host", hidden=True)
@click.argument("table")
def host(table: str) -> int:
    """Run the host of TABLE until it ends. It never starts a server: it waits 30 s for one."""
    from rt_deck.sessions import Deck
    from rt_mailbox import access
    from rt_mailbox.patience import PatientDoor
    from rt_moderator.host import Host

    def say(text: str) -> None:
        from rt_participant.show import plain

        with suppress(OSError):  # a pane that is gone is no reason to leave the table alone
            sys.stdout.write(f"{time.strftime('%H:%M:%S')} {plain(text)}\n")
            sys.stdout.flush()

    door = access.open_any().door
    return Host(PatientDoor(door, say=say), table, Deck(), door.url, say).run()
