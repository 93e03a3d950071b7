"""What the orchestration of a format costs: from the last reply of a step to the first control message of the next."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rt_mailbox import access, groups, tables
from rt_mailbox.addresses import group_of
from tests.bench.measure import median, ms, seconds, verdict
from tests.helpers import BIN, Bus, rt

EIGHT = ("ann", "bob", "cy", "dee", "eve", "flo", "gus", "hal")
ROUNDS = 5
LONG = 20_000


@pytest.fixture(autouse=True)
def put_away(bus: Bus) -> Iterator[None]:
    """Afterwards the sessions go, whatever became of the tables."""
    yield
    rt("bus", "stop", "--force", timeout=60)


def bare() -> float:
    """Median seconds of `python -c pass`."""
    return median(
        [seconds(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True)) for _ in range(15)]
    )


def debate(topic: str, *more: str, seats: tuple[str, ...] = EIGHT) -> str:
    """Start one, detached; its table."""
    given = [
        word
        for slug in seats
        for word in ("--seat", f"{slug}=rehearsal", "--role", f"{slug}={slug} looks on")
    ]
    done = rt(
        "run",
        topic,
        "--format",
        "debate",
        *given,
        "--moderator",
        "rehearsal",
        "--rounds",
        "3",
        "--detach",
        *more,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def gap(table: str) -> float:
    """Seconds from the last reply of the second step to the first control message of the third.

    Opening a step reads what was said since the one before it, for the words of people; the record before that is not touched.
    """
    found = access.open_light()
    assert found is not None
    try:
        events = over(found.door, table)
    finally:
        found.door.close()
    replied = [at(e) for e in events if e["type"] == "replied" and e["turn"].startswith("r2/")]
    asked = [at(e) for e in events if e["type"] == "asked" and e["turn"].startswith("r3/")]
    return (asked[0] - replied[-1]) / 1000


def over(door: Any, table: str) -> list[dict[str, Any]]:
    """The events, once the format has concluded."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        events = tables.events(door, table)
        if any(e["type"] == "concluded" for e in events):
            return events
        time.sleep(0.05)
    msg = f"{table} does not end"
    raise AssertionError(msg)


def at(event: dict[str, Any]) -> int:
    """When it was written, in ms of the server's clock."""
    return int(event["id"].partition("-")[0])


def test_the_next_step_follows_soon_whatever_the_length_of_the_record(bus: Bus) -> None:
    """Eight seats; once with an empty record, once with twenty thousand messages in it."""
    yardstick = bare()
    short = [gap(debate(f"Question {n}?")) for n in range(ROUNDS)]
    long = [crowded(n) for n in range(3)]
    verdict(
        "the next step, of python -c pass",
        median(short) / yardstick,
        "<=",
        10,
        f"{ms(median(short))}; pass {ms(yardstick)}",
    )
    verdict(f"the same with {LONG} messages", median(long) / yardstick, "<=", 10, f"{ms(median(long))}")


def crowded(number: int) -> float:
    """A debate whose record is long before its first step is answered."""
    rt("bus", "status")
    folder = Path(tempfile.mkdtemp(prefix="rtb-", dir="/tmp"))
    slow = slow_seat(folder)
    table = debate(f"Long {number}?", "--seat", f"ivy=!{slow}", "--role", "ivy=slow")
    found = access.open_light()
    assert found is not None
    try:
        for n in range(LONG):
            groups.send(found.door, table, group_of(table), "participant/ann", f"A thought, number {n}.")
        (folder / "go").touch()
        return gap(table)
    finally:
        shutil.rmtree(folder)
        found.door.close()


def slow_seat(folder: Path) -> Path:
    """A program that answers once a file `go` is there."""
    path = folder / "slow.sh"
    path.write_text(
        f"#!/bin/sh\ncat >/dev/null\nwhile [ ! -e {folder}/go ]; do sleep 0.05; done\necho '## Position'; echo 'Slowly.'\n"
    )
    path.chmod(0o700)
    return path


def test_a_step_takes_as_long_as_its_slowest_seat(bus: Bus, tmp_path: Path) -> None:
    """Four seats that take a second each: a step of about one second, never four."""
    path = tmp_path / "second.sh"
    path.write_text("#!/bin/sh\ncat >/dev/null\nsleep 1\necho '## Position'; echo 'Here.'\n")
    path.chmod(0o700)
    words = [w for s in EIGHT[:4] for w in ("--seat", f"{s}=!{path}", "--role", f"{s}={s} looks on")]
    done = subprocess.run(
        [BIN / "rt", "run", "How slow?", "--format", "debate", *words, "--moderator", "rehearsal", "--rounds", "1", "--json"],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    table = json.loads(done.stdout)["table"]
    found = access.open_light()
    assert found is not None
    events = tables.events(found.door, table)
    found.door.close()
    replied = [int(e["ms"]) for e in events if e["type"] == "replied"]
    asked = min(at(e) for e in events if e["type"] == "asked")
    step = max(at(e) for e in events if e["type"] == "replied") - asked
    verdict(
        "a step, of its slowest seat", step / max(replied), "<=", 1.5, f"{step} ms; slowest {max(replied)} ms"
    )


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-s"]))
