"""The commands of every turn as installed, against an interpreter that does nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rt_mailbox import addresses, directory, endpoint, tables
from rt_mailbox.client import RedisDoor
from rt_mailbox.mailbox import Mailbox
from tests.bench.measure import floor, interleaved, median, ms, verdict
from tests.helpers import BIN, Bus

TABLE = "rt-20260102-0304-bench"
GROUP = addresses.group_of(TABLE)


@pytest.fixture(name="table")
def open_table(bus: Bus) -> str:
    """A running bus with one open table, and the endpoint file that slow commands write."""
    door = RedisDoor(bus.url)
    tables.create(door, TABLE, GROUP, {"id": TABLE, "topic": "speed"}, ["moderator", "user"], [])
    directory.write(door, bus.settings.space, TABLE, {"topic": "speed", "state": "open", "created_at": 1})
    endpoint.write_endpoint(bus.settings, bus.url)
    door.close()
    return TABLE


def _run(*argv: str | Path) -> Callable[[], None]:
    def once() -> None:
        subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    return once


@pytest.mark.parametrize("command", ["post", "read"])
def test_command(command: str, table: str, bus: Bus, rt_home: Path) -> None:
    """`rt post` of a paragraph, and `rt read` of one message, whole processes."""
    bare = _run(sys.executable, "-c", "pass")
    with Mailbox(bus.url, TABLE) as box:
        words = {
            "post": ("post", "--as", "user", "-m", "a paragraph of text"),
            "read": ("read", "--as", "user", "--peek"),
        }[command]
        box.send(GROUP, "moderator", "a paragraph of text")
        ours = _run(BIN / "rt", *words, "-t", table)
        interleaved(3, bare, ours)
        nothing, full = interleaved(40, bare, ours)
    detail = f"rt {command} {ms(median(full))}, python -c pass {ms(median(nothing))}, {floor(rt_home)}"
    verdict(f"rt {command}, of python -c pass", median(full) / median(nothing), "<=", 3, detail)
