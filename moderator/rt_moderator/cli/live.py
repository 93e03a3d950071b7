"""What a person sees while a format runs: a block that redraws on a terminal, plain lines otherwise, events on request."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from rt_moderator import following, run_block
from rt_moderator.cli.base import progress
from rt_moderator.words import clock
from rt_participant.show import plain

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell

_SHOWN = ("asked ", "answered ", "working ")  # the block says these
_ATTEMPT = re.compile(r"! \S+ (attempt \d+ failed|did not answer)")  # the row shows it, or the step's line
_PER_SECOND = 2.0  # the clocks in the block tick; nothing else moves by itself


class Shown:
    """What happens, as lines; `quiet` says nothing but the events that were asked for."""

    def __init__(self, *, quiet: bool, events: bool) -> None:
        """Nothing has happened yet."""
        self._quiet, self._events = quiet, events
        self._began_ms = 0

    def tell(self, event: Reply) -> None:
        """One event."""
        if self._events:
            shown = {key: value for key, value in event.items() if key != "prompt"}
            click.echo(json.dumps(shown), err=True)
        if self._quiet:
            return
        at = _ms(event)
        self._began_ms = self._began_ms or at
        for line in following.lines(event):
            self._line(f"  {clock((at - self._began_ms) / 1000):>6}  {plain(line)}")

    def look(self, snapshot: Reply) -> None:
        """How things stand."""

    def _line(self, text: str) -> None:
        progress(text)

    def decide(self, shell: Shell, snapshot: Reply) -> bool:
        """Ask at the terminal what the gate asks; False when the person would rather not now."""
        from rt_moderator.cli import gate_prompt

        return gate_prompt.decided(shell, snapshot)


class Drawn(Shown):
    """On a terminal: one block at the bottom, and above it only what stays worth reading."""

    def __init__(self, *, events: bool) -> None:
        """Draws nothing yet."""
        super().__init__(quiet=False, events=events)
        self._live: Live | None = None
        self._working: dict[str, tuple[str, int]] = {}
        self._closed: set[str] = set()
        self._seen: Reply | None = None
        self._at = 0.0
        self._silent: dict[str, float] = {}

    def tell(self, event: Reply) -> None:
        """One event."""
        if event["type"] == "jobs":
            self._working[event["name"]] = (following.jobs(event), _ms(event))
        elif event["type"] == "jobs_done":
            self._working.pop(event["name"].removesuffix(".done"), None)
        super().tell(event)

    def look(self, snapshot: Reply) -> None:
        """Lines for the steps that have ended, then the block as things stand."""
        from rt_moderator.cli import common

        self._seen, self._at = snapshot, time.monotonic()
        self._silent = common.quiet_seconds(snapshot["seats"])
        for step, said in run_block.closed(snapshot):
            if step not in self._closed:
                self._closed.add(step)
                super()._line(f"  {plain(said)}")
        if self._live is not None:
            self._live.refresh()

    def start(self) -> None:
        """Draw from here on, below what stands on the screen."""
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True, highlight=False)
        self._live = Live(
            get_renderable=self.text, console=console, refresh_per_second=_PER_SECOND, transient=True
        )
        self._live.start()

    def stop(self) -> None:
        """Take the block away."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def text(self) -> Text:
        """The block now."""
        from rich.text import Text

        found = Text(no_wrap=True, overflow="ellipsis")
        if self._seen is None:
            return found
        since = time.monotonic() - self._at
        now = int(self._seen["clock_ms"]) + int(since * 1000)
        quiet = {slug: seconds + since for slug, seconds in self._silent.items()}
        for line, style in run_block.paint(run_block.block(self._seen, self._working, now, quiet)):
            found.append(plain(line) + "\n", style)
        return found.append("  Ctrl-C leaves it at work.", "dim")

    def _line(self, text: str) -> None:
        if not text[10:].startswith(_SHOWN) and not _ATTEMPT.match(text[10:]):
            super()._line(text)

    def decide(self, shell: Shell, snapshot: Reply) -> bool:
        """Without the block while the person thinks."""
        self.stop()
        try:
            return super().decide(shell, snapshot)
        finally:
            self.start()


def _ms(event: Reply) -> int:
    """When it happened, by the server's clock."""
    return int(str(event["id"]).partition("-")[0])


@contextmanager
def progress_of(*, quiet: bool, events: bool) -> Iterator[Shown]:
    """What to tell of a run while it runs."""
    if quiet or not sys.stderr.isatty():
        yield Shown(quiet=quiet, events=events)
        return
    drawn = Drawn(events=events)
    drawn.start()
    try:
        yield drawn
    finally:
        drawn.stop()
