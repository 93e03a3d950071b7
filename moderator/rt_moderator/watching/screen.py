"""The shell around the core: waits for keys, news and the clock; nothing is drawn but on a change."""

from __future__ import annotations

import os
import select
import subprocess
import time
from contextlib import suppress
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from rt_moderator import seating
from rt_moderator.watching import acts, terminal
from rt_moderator.watching.doing import Doer
from rt_moderator.watching.feed import Feed
from rt_moderator.watching.frame import Drawing
from rt_moderator.watching.keys import Keys
from rt_moderator.watching.model import Filter, State
from rt_moderator.watching.pressing import press
from rt_moderator.watching.taking import Bus, Moment, Outcome, take
from rt_participant.show import line

if TYPE_CHECKING:
    from rt_moderator.shell import Shell

_ESCAPE_SECONDS = 0.05  # how long after an escape the rest of a key may come


class Screen:
    """One table on the whole terminal, until the person leaves."""

    def __init__(self, shell: Shell, table: str, shown: Filter) -> None:
        """Nothing is drawn yet.

        Raises:
            ArchiveMissingError, DamagedFileError.
        """
        self._table = table
        self._state = State(filter=shown)
        self._terminal = terminal.Terminal()
        self._drawing = Drawing(*self._terminal.size)
        self._keys = Keys()
        self._news: SimpleQueue[Moment | Bus | Outcome | Exception] = SimpleQueue()
        self._wake = os.pipe()
        for end in self._wake:
            os.set_blocking(end, False)
        shell.say = lambda text: self._publish(Outcome(text))
        self._feed = Feed(shell, table, self._publish)
        self._doer = Doer(shell, table, self._publish)

    def run(self) -> int:
        """Show it; the exit code.

        Raises:
            KeyboardInterrupt: Ctrl-C. SystemExit: told to end. Any of them with the terminal as it was before.
        """
        try:
            with terminal.told(self._resized):
                self._terminal.enter()
                self._feed.start()
                self._doer.start()
                return self._loop()
        finally:
            self._terminal.leave()
            self._feed.stop()

    def _loop(self) -> int:
        while True:
            if self._drawing.resize(*self._terminal.size):
                self._terminal.forget()
            self._terminal.draw(self._drawing.frame(self._state, time.monotonic()))
            readable, _, _ = select.select([self._terminal.keyboard, self._wake[0]], [], [], self._patience())
            if self._wake[0] in readable:
                self._hear()
            for act in self._pressed(self._terminal.keyboard in readable):
                if isinstance(act, acts.Quit):
                    if act.interrupted:
                        raise KeyboardInterrupt
                    return 0
                self._do(act)

    def _patience(self) -> float | None:
        """Seconds until something may be drawn although nothing happened; None: for ever."""
        if self._keys.waiting:
            return _ESCAPE_SECONDS
        if not self._state.ticking():
            return None
        return 1.0 - self._state.clock_ms(time.monotonic()) % 1000 / 1000 + 0.005

    def _publish(self, news: Moment | Bus | Outcome | Exception) -> None:
        """From any thread."""
        self._news.put(news)
        self._resized()

    def _resized(self) -> None:
        with suppress(BlockingIOError):  # full: it will wake up anyway
            os.write(self._wake[1], b".")

    def _hear(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._wake[0], 4096):
                pass
        with suppress(Empty):
            while True:
                news = self._news.get_nowait()
                if isinstance(news, Exception):
                    raise news
                self._state = take(self._state, news)

    def _pressed(self, readable: bool) -> list[acts.Act]:
        if not readable:
            keys = self._keys.flush() if self._keys.waiting else []
        else:
            data = os.read(self._terminal.keyboard, 65536)
            if not data:  # the terminal is gone
                return [acts.Quit()]
            keys = self._keys.feed(data)
        found: list[acts.Act] = []
        for key in keys:
            self._state, asked = press(self._state, key, self._drawing)
            found += asked
        return found

    def _do(self, act: acts.Act) -> None:
        if isinstance(act, acts.Open):
            self._open(act.seat)
        elif isinstance(act, acts.Suspend):
            self._terminal.suspend()
        elif isinstance(act, acts.Redraw):
            self._terminal.forget()
        else:
            self._doer.do(act)

    def _open(self, seat: str) -> None:
        """Lend the terminal to `rt attach`, and take it back."""
        self._terminal.leave()
        try:
            argv = seating.command("attach", seat, "-t", self._table)
            done = subprocess.run(argv, stderr=subprocess.PIPE, check=False)
        finally:
            self._terminal.enter()
        told = done.stderr.decode("utf-8", "replace").strip()
        notice = line(told, 300) if done.returncode and told else ""
        self._state = replace(self._state, notice=notice)
