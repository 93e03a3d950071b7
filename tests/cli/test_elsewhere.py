"""One bus, two homes: a table goes on where its discussion is, not where it was started."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from rt_config import processes
from tests.helpers import Bus, eventually, rt


class Home:
    """A second RT_HOME on the bus of the first, as another machine would have it."""

    def __init__(self, folder: Path, url: str) -> None:
        """Nothing is made yet."""
        self.path = folder
        self.env: dict[str, str | None] = {
            "RT_HOME": str(folder),
            "RT_REDIS_URL": url,
            "RT_CONFIG": str(folder) + ".toml",
        }

    def rt(self, *words: str) -> dict[str, object]:
        """Run rt --json in this home and return its object."""
        done = rt(*words, "--json", env=self.env)
        assert done.returncode == 0, done.stderr
        found: dict[str, object] = json.loads(done.stdout)
        return found

    def kill(self) -> None:
        """End every process of this home with SIGKILL, as a power cut does; the bus is elsewhere."""
        processes.kill_tree(self._alive(), 0)
        eventually(lambda: not self._alive(), what="an empty home")

    def _alive(self) -> list[processes.Process]:
        """What was started here, and the tmux server, whose environment does not name the home."""
        servers = [
            one.pid for one in psutil.process_iter() if f"{self.path}/deck/tmux" in " ".join(_words(one))
        ]
        return processes.marked("RT_HOME", str(self.path)) + processes.tree(*servers)


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@pytest.fixture(name="homes")
def two_homes(bus: Bus, rt_home: Path) -> Iterator[tuple[Home, Home]]:
    """Two homes on one bus; whatever they leave is ended."""
    homes = Home(rt_home.parent / "a", bus.url), Home(rt_home.parent / "b", bus.url)
    yield homes
    for home in homes:
        home.kill()


@pytest.mark.full
def test_a_table_goes_on_in_another_home_with_seats_and_cursors(homes: tuple[Home, Home]) -> None:
    """S4.27: over a shared RT_REDIS_URL the same seats, unread positions and numbers, and open questions go on."""
    first, second = homes
    table = first.rt("start", "Which cache?", "--seat", "a=rehearsal", "--seat", "b=rehearsal")["table"]
    assert first.rt("wait", "--for", "all", "--timeout", "30")["ready"] is True
    read = first.rt("drain", "--max", "1")
    first.kill()
    resumed = second.rt("resume", str(table))
    assert resumed["record"] == 3
    assert resumed["seats"] == dict.fromkeys(("a", "b"), "rebuilt from the record")
    left = second.rt("drain")
    numbers = [one["seq"] for found in (read, left) for one in found["messages"]]  # type: ignore[attr-defined]
    assert numbers == [2, 3]
    second.rt("say", "And now?")
    assert second.rt("wait", "--for", "all", "--timeout", "30")["ready"] is True
    assert [one["kind"] for one in second.rt("drain")["messages"]] == ["reply", "reply"]  # type: ignore[attr-defined]


def test_a_table_that_lives_elsewhere_is_left_there(homes: tuple[Home, Home]) -> None:
    """Two decks never seat the same seats: resume in a second home says where the table runs and starts nothing."""
    first, second = homes
    first.rt("start", "Which cache?", "--seat", "a=rehearsal")
    resumed = second.rt("resume")
    assert resumed["host_started"] is False
    assert resumed["seats"] == {"a": f"running on {os.uname().nodename}, in another home"}
    assert second.rt("deck", "list") == {"sessions": []}
