"""A terminal of a person: a pane of a real tmux on a socket of its own, typed into and read as a person reads it."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.world import World
from tests.helpers import eventually


class Terminal:
    """One pane of `columns` × `lines` with a shell in the world's working folder."""

    def __init__(self, world: World, columns: int, lines: int) -> None:
        self._socket = str(world.base / "person")
        shell = f"cd {shlex.quote(str(world.work))} && PS1='$ ' exec sh"
        self.tmux("new-session", "-d", "-s", "me", "-x", str(columns), "-y", str(lines), shell)

    def tmux(self, *args: str) -> str:
        """What tmux prints."""
        argv = ["tmux", "-S", self._socket, "-f", "/dev/null", *args]
        return subprocess.run(argv, capture_output=True, text=True, check=True, env=dict(os.environ)).stdout

    def type(self, line: str) -> None:
        """Type a line and Enter."""
        self.tmux("send-keys", "-t", "me", "-l", line)
        self.tmux("send-keys", "-t", "me", "Enter")

    def screen(self, *, colours: bool = False) -> str:
        """What the pane shows now."""
        return self.tmux("capture-pane", "-p", "-t", "me", *(["-e"] if colours else [])).rstrip()

    def shows(self, *texts: str, seconds: float = 20.0) -> str:
        """Wait until all of `texts` stand on the screen; returns it."""

        def found() -> str | None:
            screen = self.screen()
            assert all(text in screen for text in texts), screen
            return screen

        return eventually(found, seconds=seconds, what=f"{texts} on the screen")

    def end(self) -> None:
        """Take the whole terminal away."""
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], check=False, capture_output=True)
        Path(self._socket).unlink(missing_ok=True)


@contextmanager
def terminal(world: World, columns: int = 100, lines: int = 40) -> Iterator[Terminal]:
    """A terminal, taken away afterwards."""
    found = Terminal(world, columns, lines)
    try:
        yield found
    finally:
        found.end()
