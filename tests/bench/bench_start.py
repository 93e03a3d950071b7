"""How long a table takes to be ready and to be answered, against five bare imports side by side in the same run."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from rt_mailbox import access, directory, tables, waiting
from tests.bench.measure import median, ms, verdict
from tests.helpers import BIN, Bus, eventually

if TYPE_CHECKING:
    from rt_mailbox.door import Door

YARDSTICK = "import redis, pydantic, click, anyio, libtmux"
SEATS = ("systems", "builder", "skeptic", "advocate", "contrarian")
ROUNDS = 7


@pytest.fixture(name="door")
def light_door(bus: Bus) -> Iterator[Door]:
    """A door to look through while rt works; the bus runs."""
    rt("bus", "status")
    rt("list")  # writes the endpoint file
    found = access.open_light()
    assert found is not None
    yield found.door
    found.door.close()


def test_a_table_is_ready_and_answered_soon(door: Door) -> None:
    """Control mail leased by all five, and five rehearsal replies drained after that."""
    rows = [one_round(door, number) for number in range(ROUNDS)]
    bare, ready, drained = (median([row[i] for row in rows]) for i in range(3))
    yardstick = f"five bare imports side by side {ms(bare)}"
    verdict("five seats ready, of five imports", ready / bare, "<=", 3, f"{ms(ready)}; {yardstick}")
    verdict("five replies drained after that", drained / bare, "<=", 6, f"{ms(drained)}; {yardstick}")


def one_round(door: Door, number: int) -> tuple[float, float, float]:
    """Seconds of (five imports; start to the last lease; last lease to drained)."""
    bare = imports()
    seats = [part for slug in SEATS for part in ("--seat", f"{slug}=rehearsal")]
    before = set(directory.entries(door, "default"))
    began = time.perf_counter()
    start = subprocess.Popen(
        [BIN / "rt", "start", f"Question {number}?", *seats, "--yes", "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    await_leases(door, before)
    ready = time.perf_counter() - began
    table = json.loads(start.communicate()[0])["table"]
    rt("wait", "-t", table, "--for", "all", "--timeout", "60")
    messages = json.loads(rt("drain", "-t", table, "--json"))["messages"]
    drained = time.perf_counter() - began - ready
    assert sum(one["kind"] == "reply" for one in messages) == len(SEATS)
    rt("end", "-t", table, "--without-synthesis")
    rt("archive", "-t", table)
    return bare, ready, drained


def imports() -> float:
    """Five interpreters at once, each importing what a runner that does not care would."""
    began = time.perf_counter()
    running = [subprocess.Popen([sys.executable, "-c", YARDSTICK]) for _ in SEATS]
    assert [one.wait() for one in running] == [0] * len(SEATS)
    return time.perf_counter() - began


def await_leases(door: Door, before: set[str]) -> None:
    """Return when the table that was not there before has five leased turns."""
    table = eventually(
        lambda: next(iter(set(directory.entries(door, "default")) - before), ""), what="a table"
    )
    watch = waiting.Watch(door, table, "events")

    def leased() -> bool:
        return [one["type"] for one in tables.events(door, table)].count("leased") >= len(SEATS)

    assert waiting.until(watch, leased, 60)


def rt(*words: str) -> str:
    """Run rt and return what it printed."""
    done = subprocess.run(
        [BIN / "rt", *words], capture_output=True, check=True, text=True, stdin=subprocess.DEVNULL
    )
    return done.stdout
