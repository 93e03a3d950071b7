"""The terminal: keys one by one, a screen of its own, and everything back as it was, whatever happens."""

from __future__ import annotations

import os
import signal
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from rt_moderator.watching.frame import Frame
from rt_moderator.watching.styles import Line, painted, takes_colour

if TYPE_CHECKING:
    from types import FrameType

# The other screen, cleared; no cursor; lines never run over into the next; pastes are marked as such.
_ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[H\x1b[2J"
_LEAVE = "\x1b[0m\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l"
_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"  # terminals that know it show the changes at once


class Terminal:
    """The terminal of stdin and stdout. `enter` and `leave` may be called in turns; `leave` never fails."""

    def __init__(self) -> None:
        self.keyboard, self._screen = sys.stdin.fileno(), sys.stdout.fileno()
        self._before: list[Any] | None = None
        self._shown: list[str] = []
        self._lines: list[Line] = []
        self._colour = takes_colour()

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        try:
            found = os.get_terminal_size(self._screen)
        except OSError:
            return 80, 24
        return found.columns or 80, found.lines or 24

    def enter(self) -> None:
        """Take it over."""
        self._before = termios.tcgetattr(self.keyboard)
        tty.setraw(self.keyboard)
        self._shown = []
        self._write(_ENTER)

    def leave(self) -> None:
        """Give it back."""
        before, self._before = self._before, None
        if before is None:
            return
        with suppress(OSError):
            self._write(_LEAVE)
        with suppress(OSError, termios.error):
            termios.tcsetattr(self.keyboard, termios.TCSADRAIN, before)

    def forget(self) -> None:
        """Whatever stands there now is unknown: the next drawing writes every line."""
        self._shown = []

    def draw(self, frame: Frame) -> None:
        """Write the lines that have changed."""
        lines = self._painted(frame.lines)
        out = ["" if self._shown else "\x1b[H\x1b[2J"]
        known = self._shown if len(self._shown) == len(lines) else [""] * len(lines)
        for row, (line, old) in enumerate(zip(lines, known, strict=True), start=1):
            if line != old or not self._shown:
                out.append(
                    f"\x1b[{row};1H\x1b[K{line}\x1b[0m"
                )  # cleared first: afterwards it would take the last column
        if frame.cursor is not None:
            out.append(f"\x1b[{frame.cursor[0] + 1};{frame.cursor[1] + 1}H\x1b[?25h")
        if len(out) > 1 or out[0]:
            hide = "\x1b[?25l" if frame.cursor is None else ""
            self._write(f"{_BEGIN}{hide}{''.join(out)}{_END}")
        self._shown = lines

    def _painted(self, lines: list[Line]) -> list[str]:
        """As text; a line that is the very one drawn before is known."""
        known = self._shown if len(self._shown) == len(self._lines) == len(lines) else []
        old = self._lines if known else []
        self._lines = lines
        return [
            known[at] if known and line is old[at] else painted(line, colour=self._colour)
            for at, line in enumerate(lines)
        ]

    def suspend(self) -> None:
        """Back to the shell; returns when it lets us go on."""
        self.leave()
        os.kill(os.getpid(), signal.SIGSTOP)
        self.enter()

    def _write(self, text: str) -> None:
        rest = text.encode("utf-8", "replace")
        while rest:
            rest = rest[os.write(self._screen, rest) :]


@contextmanager
def told(resized: Callable[[], None]) -> Iterator[None]:
    """While this lasts, another size calls `resized`, and being told to end raises SystemExit, so that the terminal is put back."""

    def end(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    new = {signal.SIGTERM: end, signal.SIGHUP: end, signal.SIGWINCH: lambda *_: resized()}
    old = {number: signal.signal(number, handler) for number, handler in new.items()}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
