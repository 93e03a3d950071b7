"""A server whose clock is set back, or back and right again: leases, deadlines and the host's lock go on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rt_config.errors import BusDownError
from rt_mailbox import keys, server_binary, tables, turns
from rt_mailbox.client import RedisDoor
from tests.helpers import eventually
from tests.integration.bus_fixtures import (
    Table,
    fresh_space,  # noqa: F401 (fixtures)
    lay,
)

if TYPE_CHECKING:
    from rt_mailbox.door import Door

HOUR = 3600
INBOX = "agent-deck/one"

# The server's wall clock, moved by the seconds that a file says; its monotonic clock stays as it is.
_SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static long offset(void) {
    long seconds = 0;
    FILE *file = fopen(getenv("CLOCK_OFFSET"), "r");
    if (file) { if (fscanf(file, "%ld", &seconds) != 1) seconds = 0; fclose(file); }
    return seconds;
}
int clock_gettime(clockid_t id, struct timespec *t) {
    int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(id, t);
    if (!failed && id == CLOCK_REALTIME) t->tv_sec += offset();
    return failed;
}
int gettimeofday(struct timeval *restrict t, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *t) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (t) *t = now.tv_sec;
    return now.tv_sec;
}
"""


@dataclass(frozen=True)
class Clock:
    """A server and the hands of its clock."""

    url: str
    hands: Path

    def set(self, seconds: int, door: Door) -> None:
        """Move the wall clock that many seconds away from the true one, and wait until the server goes by it."""
        before = int(door.command("TIME")[0])
        old = int(self.hands.read_text())
        self.hands.write_text(str(seconds))
        eventually(lambda: abs(int(door.command("TIME")[0]) - before - seconds + old) < 60)


def _answers(url: str) -> bool:
    try:
        return bool(RedisDoor(url).command("PING"))
    except BusDownError:
        return False


@pytest.fixture(scope="module", name="clock")
def server_with_a_clock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clock]:
    """A server whose clock can be set."""
    cc = shutil.which("cc")
    if sys.platform == "darwin" or not cc:
        pytest.skip("setting a server's clock needs cc and LD_PRELOAD")
    folder = tmp_path_factory.mktemp("c")
    (folder / "shim.c").write_text(_SHIM)
    subprocess.run([cc, "-shared", "-fPIC", "-o", folder / "shim.so", folder / "shim.c", "-ldl"], check=True)
    hands = folder / "offset"
    hands.write_text("0")
    url = f"unix://{folder}/s"
    process = subprocess.Popen(
        [
            server_binary.find().path,
            "--port",
            "0",
            "--unixsocket",
            folder / "s",
            "--save",
            "",
            "--dir",
            folder,
        ],
        env={"LD_PRELOAD": str(folder / "shim.so"), "CLOCK_OFFSET": str(hands), "PATH": os.defpath},
        stdout=subprocess.DEVNULL,
    )
    try:
        eventually(lambda: _answers(url), what="the server")
        yield Clock(url, hands)
    finally:
        process.kill()
        process.wait(10)


@pytest.fixture(name="door")
def door_to_it(clock: Clock) -> Iterator[RedisDoor]:
    """A door to that server, whose clock is right at first."""
    door = RedisDoor(clock.url)
    clock.set(0, door)
    yield door
    door.close()


@pytest.fixture(name="table")
def table_there(door: RedisDoor, space: str) -> Table:
    """A table on that server."""
    return lay(door, space)


def test_the_shim_moves_the_clock(clock: Clock, door: RedisDoor) -> None:
    """The server's time really goes back."""
    before = int(door.command("TIME")[0])
    clock.set(-HOUR, door)
    assert before - HOUR <= int(door.command("TIME")[0]) < before - HOUR + 60


def test_a_lease_does_not_grow_by_the_hour(clock: Clock, table: Table) -> None:
    """A lease of 50 ms ends, and its message is given out again, though the wall clock says an hour earlier."""
    table.box.send_mail(INBOX, "ann", "hello")
    [first] = table.box.recv(INBOX, lease_seconds=0.05)
    clock.set(-HOUR, table.door)
    again = eventually(lambda: table.box.recv(INBOX, lease_seconds=60), seconds=5)
    assert (again[0].id, again[0].deliveries) == (first.id, 2)
    assert table.box.recv(INBOX) == []


def test_mail_sent_after_the_change_is_due_at_once(clock: Clock, table: Table) -> None:
    """What comes later is not late, and nothing queued before waits an hour."""
    table.box.send_mail(INBOX, "ann", "before")
    clock.set(-HOUR, table.door)
    table.box.send_mail(INBOX, "ann", "after")
    assert [m.body for m in table.box.recv(INBOX, max_messages=9)] == ["before", "after"]


def test_a_deadline_passes_when_it_should(clock: Clock, table: Table) -> None:
    """The time left of a turn goes on from where it was; a new turn has its own whole time."""
    table.ask("a", timeout_ms=100_000)
    clock.set(-HOUR, table.door)
    shown = turns.show(table.door, table.space, "a")
    assert shown
    assert 90 <= shown["seconds_left"] <= 100
    table.ask("b", timeout_ms=100_000)
    other = turns.peek(table.door, table.space, "b")
    assert 90_000 <= other["deadline_ms"] - other["clock_ms"] <= 100_000


def test_the_hosts_lock_ends_in_its_ten_seconds(clock: Clock, table: Table) -> None:
    """Neither stuck for an hour nor lost: the second host waits as long as it would have, and then has it."""
    tables.lock(table.door, table.space, "take", "h1")
    clock.set(-HOUR, table.door)
    second = tables.lock(table.door, table.space, "take", "h2")
    assert (second["held"], 0 < second["left_ms"] <= tables.LOCK_MS) == (0, True)
    table.door.command("HINCRBY", keys.key(table.space, "host"), "until", -tables.LOCK_MS)
    assert tables.lock(table.door, table.space, "take", "h2")["held"] == 1


def test_setting_the_clock_right_again_ends_nothing(clock: Clock, table: Table) -> None:
    """An hour forward, after an hour back, takes no lock and passes no deadline."""
    tables.lock(table.door, table.space, "take", "h1")
    table.ask("a", timeout_ms=100_000)
    clock.set(-HOUR, table.door)
    kept = turns.show(table.door, table.space, "a")
    clock.set(0, table.door)
    shown = turns.show(table.door, table.space, "a")
    assert kept
    assert shown
    assert 90 <= shown["seconds_left"] <= kept["seconds_left"]
    assert tables.lock(table.door, table.space, "take", "h2")["held"] == 0


def test_the_record_goes_on(clock: Clock, table: Table) -> None:
    """Seqs stay dense, events stay in order, and a message that is sent is read."""
    table.ask("a")
    clock.set(-HOUR, table.door)
    table.reply("a", turn="m1/a")
    assert [seq for seq, _, _ in table.record()] == [1, 2]
    assert [e["type"] for e in tables.events(table.door, table.space)][-2:] == ["asked", "replied"]
