"""A person's terminal with `rt watch` in it, on a tmux server of its own; the screens that tests compare with.

`python -m tests.watched` makes those screens and the picture in the README anew.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil

from rt_config import settings as configuration
from rt_mailbox import server
from tests import showcase
from tests.helpers import BIN, Bus, changed_environment, eventually

SIZES = ((80, 24), (120, 40), (200, 60))
SCREENS = Path(__file__).parent / "cli" / "screens"
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "watch.svg"
READY = "q quit"
_MASKS = ((re.compile(r"\b\d:\d\d left"), "9:59 left"), (re.compile(r"\b\d\d:\d\d\b"), "12:00"))
_AFTER = """printf "exit %s %s\\n" $? "$(stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(icanon|echo)' | tr '\\n' ' ')"; exec cat"""


class Watched:
    """One pane. A shell runs the command and then says how it ended and what the terminal is like."""

    def __init__(
        self, base: Path, *args: str, size: tuple[int, int] = SIZES[0], env: Mapping[str, str] | None = None
    ) -> None:
        self._socket = str(base / "watched")
        line = f'"{BIN}/rt" watch "$@"; {_AFTER}'
        given = changed_environment({"TERM": None, "TMUX": None, **(env or {})})
        start = [
            "new-session",
            "-d",
            "-s",
            "w",
            "-x",
            str(size[0]),
            "-y",
            str(size[1]),
            "--",
            "sh",
            "-c",
            line,
            "sh",
        ]
        subprocess.run([*self._tmux, *start, *args], env=given, check=True)

    @property
    def _tmux(self) -> list[str]:
        return ["tmux", "-u", "-S", self._socket, "-f", "/dev/null"]

    def tmux(self, *args: str) -> str:
        """A command of tmux; what it prints."""
        return subprocess.run([*self._tmux, *args], capture_output=True, text=True, check=True).stdout

    def type(self, *keys: str, text: str = "") -> None:
        """Press keys by their names in tmux, or type a text."""
        self.tmux("send-keys", "-t", "w", *(["-l", "--", text] if text else keys))

    def screen(self) -> str:
        """The text that stands there."""
        return self.tmux("capture-pane", "-p", "-t", "w")

    def shows(self, *words: str, seconds: float = 15.0) -> str:
        """The screen, as soon as all of the words stand there."""

        def there() -> str:
            found = self.screen()
            assert all(word in found for word in words), found
            return found

        return eventually(there, seconds=seconds, what=f"a screen with {words}")

    def resized(self, columns: int, lines: int) -> str:
        """The screen at another size, when it has been drawn for that."""
        self.tmux("resize-window", "-t", "w", "-x", str(columns), "-y", str(lines))

        def drawn() -> str:
            found = self.screen().split("\n")
            rules = [
                at
                for at, line in enumerate(found)
                if line.replace("┴", "─").replace("┬", "─") == "─" * columns
            ]
            assert len(rules) == 2, found
            assert rules[1] == lines - 3, found
            assert READY in found[lines - 1], found
            return "\n".join(found)

        return eventually(drawn, what=f"a screen of {columns} × {lines}")

    def pid(self) -> int:
        """The process of `rt watch`."""
        shell = self.tmux("display-message", "-p", "-t", "w", "#{pane_pid}")
        return next(one.pid for one in psutil.Process(int(shell)).children() if "watch" in one.cmdline())

    def end(self) -> None:
        """End the terminal with everything in it."""
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False)


@contextmanager
def watching(base: Path, *args: str, **how: object) -> Iterator[Watched]:
    """A terminal, ended afterwards."""
    found = Watched(base, *args, **how)  # type: ignore[arg-type]
    try:
        yield found
    finally:
        found.end()


def masked(screen: str) -> str:
    """Without what differs from run to run, in the same columns."""
    for pattern, instead in _MASKS:
        screen = pattern.sub(instead, screen)
    return "\n".join(line.rstrip() for line in screen.rstrip("\n").split("\n")) + "\n"


def golden(columns: int, lines: int) -> Path:
    """The file with the screen of that size."""
    return SCREENS / f"watch-{columns}x{lines}.txt"


def _picture(coloured: str, columns: int) -> str:
    """A captured screen as an SVG that loads nothing."""
    import io

    from rich.console import Console
    from rich.terminal_theme import SVG_EXPORT_THEME
    from rich.text import Text

    console = Console(
        record=True, width=columns, file=io.StringIO(), force_terminal=True, color_system="standard"
    )
    console.print(Text.from_ansi(coloured), end="")
    found = console.export_svg(title="rt watch", theme=SVG_EXPORT_THEME, unique_id="watch")
    found = re.sub(r"@font-face \{.*?\}", "", found, flags=re.DOTALL).replace(
        "Fira Code", "ui-monospace, Menlo, DejaVu Sans Mono"
    )
    return "\n".join(line.rstrip() for line in found.splitlines()) + "\n"


def main() -> None:
    """Lay the table into a bus of its own, look at it, write what is seen."""
    with tempfile.TemporaryDirectory(prefix="rt-", dir="/tmp") as folder:
        base = Path(folder)
        os.environ |= {
            "RT_HOME": f"{base}/h",
            "RT_CONFIG": f"{base}/config.toml",
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
        }
        settings = configuration.load(base)
        url = server.ensure(settings, lambda _line: None)
        try:
            laid = showcase.lay(Bus(settings, url))
            with watching(base, "-t", laid.table) as terminal:
                terminal.shows(READY, "m11")
                for size in SIZES:
                    golden(*size).write_text(masked(terminal.resized(*size)), encoding="utf-8")
                terminal.resized(110, 34)
                PICTURE.write_text(
                    _picture(terminal.tmux("capture-pane", "-e", "-p", "-t", "w"), 110), encoding="utf-8"
                )
        finally:
            server.stop(settings, 5.0)


if __name__ == "__main__":
    SCREENS.mkdir(parents=True, exist_ok=True)
    main()
