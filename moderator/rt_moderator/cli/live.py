"""What a person sees while a format runs: rounds and seats on a terminal, plain lines otherwise, events on request."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from rt_moderator import following, status_view
from rt_moderator.cli.base import progress
from rt_moderator.words import clock
from rt_participant.show import plain

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell


class Shown:
    """Lines as things happen; on a terminal also one line below them that says who is at it."""

    def __init__(self, *, quiet: bool, events: bool, status: Any = None) -> None:
        """`status` is rich's, on a terminal."""
        self._quiet, self._events, self._status = quiet, events, status
        self._started = time.monotonic()

    def tell(self, event: Reply) -> None:
        """One event."""
        if self._events:
            shown = {key: value for key, value in event.items() if key != "prompt"}
            click.echo(json.dumps(shown), err=True)
        if self._quiet:
            return
        for line in following.lines(event):
            progress(f"  {clock(time.monotonic() - self._started):>6}  {plain(line)}")

    def look(self, snapshot: Reply) -> None:
        """How things stand."""
        if self._status is None:
            return
        waiting = status_view.view(snapshot)["waiting"]
        state = status_view.state_of(snapshot).replace("_", " ")
        self._status.update(
            plain(f"round {snapshot['table'].get('round', '?')} · {state} · {waiting['reason'] or ''}")
        )

    def decide(self, shell: Shell, snapshot: Reply) -> None:
        """Ask at the terminal what the gate asks."""
        from rt_moderator import deciding

        about = snapshot["table"]
        if self._status is not None:
            self._status.stop()
        options = json.loads(about.get("gate_options") or "[]")
        progress("\n" + plain(about.get("gate_details") or about.get("gate_reason") or ""))
        choice = click.prompt("What now?", type=click.Choice(options), default=options[0], err=True)
        text = (
            click.prompt("Say to everybody", default="", show_default=False, err=True)
            if choice in ("steer", "continue")
            else ""
        )
        if choice == "steer" and not text.strip():
            choice = "continue"
        deciding.decide(shell, about["id"], choice, text, person="user")
        if self._status is not None:
            self._status.start()


@contextmanager
def progress_of(table: str, *, quiet: bool, events: bool) -> Iterator[Shown]:
    """What to tell of a run while it runs."""
    if quiet or not sys.stderr.isatty():
        yield Shown(quiet=quiet, events=events)
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    with console.status(f"{table}") as status:
        yield Shown(quiet=quiet, events=events, status=status)
