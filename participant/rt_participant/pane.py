"""What a seat's pane shows: calm lines of the runner, and the CLI's own output without control characters."""

from __future__ import annotations

import sys

from rt_participant import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

_LONGEST = 4096  # characters of a line without an end
_MOST_LINES = 500  # of one piece of output; a piece has at most 64 KiB
_MANY_LINES = 5000  # shown of one call; after that a piece shows its last few only
_FEW_LINES = 20


class Pane:
    """One writer. A pane that is gone is no failure of the seat."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._rest = ""
        self._shown = 0

    def status(self, text: str) -> None:
        """One line of the runner's own."""
        self.end()
        self._shown = 0
        self._write(f"· {show.line(text)}\n")

    def show(self, text: str) -> None:
        """Some of the CLI's output, whole lines at a time."""
        *lines, self._rest = (self._rest + text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
        if len(self._rest) > _LONGEST:
            lines, self._rest = [*lines, self._rest], ""
        most = _MOST_LINES if self._shown < _MANY_LINES else _FEW_LINES
        if len(lines) > most:  # a flood must not be slowed down by its own display
            self._write(f"  … {len(lines) - most} lines\n")
            lines = lines[-most:]
        if lines:
            self._shown += len(lines)
            self._write("".join(f"  {_visible(line)}\n" for line in lines))

    def end(self) -> None:
        """Show the last line, though its end never came."""
        if self._rest:
            self._write(f"  {_visible(self._rest)}\n")
            self._rest = ""

    def _write(self, text: str) -> None:
        try:
            self._out.write(text)
            self._out.flush()
        except (OSError, ValueError):
            self._rest = ""


def _visible(line: str) -> str:
    from rt_participant import cleaning

    return show.plain(cleaning.plain(line))[:_LONGEST]
