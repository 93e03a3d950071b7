"""A program with a screen of its own that answers turns through `rt`, as an agent CLI does, and misbehaves as told.

    fake_tui_agent.py FOLDER [TRICK[=VALUE] …]

It draws an input line, is busy while it answers, and writes every line that was entered to FOLDER/entered. Tricks:
swallow=N (the first N Enters do nothing), slow=S (blank for S seconds first), dialog (asks first, until Enter comes),
noise (rubbish as its title), draft=TEXT (its input line is not empty), lazy=N (the first N lines lead to nothing),
mute (takes its turn and answers nothing), dies=N (the first N turns end in exit 3 after they were taken), deaf=N (hangs
the first N times once it has taken its turn), unknown (shows what nobody knows), lost (exit 1 when started to resume).
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import termios
import time
import tty
from pathlib import Path


class Agent:
    """The screen and what is typed into it."""

    def __init__(self, folder: Path, tricks: dict[str, str]) -> None:
        self.folder, self.tricks = folder, tricks
        self.typed = tricks.get("draft", "")
        self.busy = False

    def draw(self) -> None:
        """Title, a history line, the input line; dim text where nothing was typed."""
        title = "Gi=31,s=1" if "noise" in self.tricks else "* working" if self.busy else "- idle"
        hint = "\x1b[2mType here\x1b[0m" if not self.typed else self.typed
        if "unknown" in self.tricks:
            body = "WHAT IS THIS\r\n"
        elif "dialog" in self.tricks:
            body = "Do you trust this folder?\r\n[1] no, exit\r\n"
        else:
            body = f"fake agent\r\n{'working, esc to stop' if self.busy else ''}\r\n> {hint}\r\n"
        sys.stdout.write(f"\x1b]2;{title}\x1b\\\x1b[2J\x1b[H{body}")
        sys.stdout.flush()

    def count(self, name: str) -> int:
        """How often this happened before, over all lives of this agent."""
        path = self.folder / name
        before = int(path.read_text()) if path.exists() else 0
        path.write_text(str(before + 1))
        return before

    def few(self, trick: str) -> bool:
        """Whether a trick with a number is still to be played."""
        return trick in self.tricks and self.count(trick) < int(self.tricks[trick])

    def enter(self) -> None:
        """Enter was pressed."""
        if "dialog" in self.tricks:
            del self.tricks["dialog"]
            return
        if not self.typed or self.few("swallow"):
            return
        line, self.typed = self.typed, ""
        with (self.folder / "entered").open("a") as file:
            file.write(f"{line}\n")
        if self.few("lazy"):
            return
        self.busy = True
        self.draw()
        self.answer()
        self.busy = False

    def answer(self) -> None:
        """Take the turn and answer it through `rt`."""
        asked = subprocess.run(["rt", "turn"], capture_output=True, text=True, check=False).stdout
        with (self.folder / "asked").open("a") as file:
            file.write(asked)
        if self.few("dies"):
            sys.exit(3)
        if self.few("deaf"):
            time.sleep(600)
        if "mute" in self.tricks or "no turn" in asked:
            return
        number = self.count("answers") + 1
        subprocess.run(
            ["rt", "reply", "-m", f"## Position\nscreen answer {number}"], capture_output=True, check=False
        )


def main() -> None:
    """Run until stdin ends."""
    folder, *given = sys.argv[1:]
    tricks = dict(one.partition("=")[::2] for one in given)
    agent = Agent(Path(folder), tricks)
    (agent.folder / "started").open("a").write(f"{os.environ['RT_SEAT']} {' '.join(given)}\n")
    if "lost" in tricks and tricks.get("resume"):
        sys.exit(1)
    tty.setraw(sys.stdin.fileno(), termios.TCSANOW)
    time.sleep(float(tricks.get("slow", "0")))
    agent.draw()
    while select.select([sys.stdin], [], [], 60)[0]:
        data = os.read(sys.stdin.fileno(), 4096)
        if not data:
            return
        for byte in data.decode("utf-8", "replace"):
            if byte == "\r":
                agent.enter()
            elif byte == "\x7f":
                agent.typed = agent.typed[:-1]
            elif byte.isprintable() and "dialog" not in tricks:
                agent.typed += byte
        agent.draw()


if __name__ == "__main__":
    main()
