"""kill -9 at random moments of a running table: a resume finishes it, every turn answered once, nothing acknowledged lost."""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import psutil
import pytest

from rt_config.errors import BusError
from rt_mailbox import groups, tables
from rt_mailbox.addresses import group_of
from rt_mailbox.hot import HotDoor
from tests.cli.world import World, world_of_its_own  # noqa: F401
from tests.helpers import eventually

SEED = os.environ.get("RT_TEST_SEED")  # read now: a test's environment is private
SEATS = ("a", "b", "c")
VICTIMS = ("bus", "tmux", "host", "runner", "cli")
LONGEST_PAUSE = 0.9  # seconds between two kills; a CLI takes about as long to answer
TO_APPEAR = 2.0
Find = Callable[[World], list[psutil.Process]]


@pytest.mark.parametrize(
    "rounds",
    [
        pytest.param(2, marks=pytest.mark.timeout(240)),
        pytest.param(50, marks=[pytest.mark.full, pytest.mark.timeout(3000)]),
    ],
)
def test_whatever_is_killed_the_table_is_finished(world: World, rounds: int) -> None:
    """S4.27: bus, tmux, host, a runner and a CLI die in any order in a two-round table; RT_TEST_SEED repeats an order."""
    seed = int(SEED or random.SystemRandom().randrange(10**6))
    agent = world.program("agent", 'cat >/dev/null; sleep 0.6; echo "## Position"; echo "$RT_SEAT says yes."')
    for n in range(rounds):
        print(f"RT_TEST_SEED={seed + n}")  # noqa: T201 (shown when it fails)
        killed_and_finished(world, agent, random.Random(seed + n))


def killed_and_finished(world: World, agent: str, chance: random.Random) -> None:
    """One table of two rounds, and all five victims somewhere in it."""
    args = [word for slug in SEATS for word in ("--seat", f"{slug}={agent}")]
    table = world.start(*args, "--new")
    order = chance.sample(VICTIMS, len(VICTIMS))
    cut = chance.randint(0, len(order))
    with Poster(world.door().url, table) as poster:
        for round_, part in enumerate((order[:cut], order[cut:]), start=1):
            for victim in part:
                time.sleep(chance.uniform(0, LONGEST_PAUSE))
                kill(world, victim, chance)
            finish(world, table)
            if round_ == 1:
                world.json("synthesis", "-m", "m2 and m3 agree.")
                world.json("say", "Does it hold?")
    finish(world, table)
    check(world, table, poster.acknowledged)
    world.json("archive", "--without-synthesis")


def finish(world: World, table: str) -> None:
    """What a person does after a crash."""
    resumed = world.json("resume", table)
    done = world.run("wait", "--for", "all", "--timeout", "25", "--json")
    if done.returncode:
        snapshot = world.snapshot(table)
        seats = [{k: v for k, v in seat.items() if k != "spec"} for seat in snapshot["seats"]]
        events = [(e["type"], e.get("seat"), e.get("reason")) for e in tables.events(world.door(), table)]
        pytest.fail(f"{done.stderr}\n{resumed}\n{snapshot['host']}\n{seats}\n{events}\n{world.sessions()}")


def check(world: World, table: str, acknowledged: dict[int, str]) -> None:
    """Each turn answered once, and every acknowledged note where it was acknowledged."""
    record = world.record(table)
    assert [m["seq"] for m in record] == list(range(1, len(record) + 1))
    turns = world.turns(table)
    assert len(turns) == 2 * len(SEATS)
    assert set(turns.values()) == {"answered"}
    assert Counter(m["turn"] for m in record if m["kind"] == "reply") == dict.fromkeys(turns, 1)
    kinds = Counter(m["kind"] for m in record if m["kind"] != "note")
    assert kinds == {"intent": 2, "reply": 6, "synthesis": 1}
    notes = {m["seq"]: m["body"] for m in record if m["kind"] == "note"}
    assert acknowledged
    assert acknowledged.items() <= notes.items()
    assert len(set(notes.values())) == len(notes)
    assert {seat["state"] for seat in world.snapshot(table)["seats"]} <= {"idle", "busy"}
    assert world.json("status")["degraded"] == []


def kill(world: World, victim: str, chance: random.Random) -> None:
    """SIGKILL to one process of that kind, which may need a moment to appear; none is fine, it may be dead already."""
    with suppress(AssertionError, psutil.NoSuchProcess):
        found = eventually(lambda: FIND[victim](world), seconds=TO_APPEAR, what=victim)
        one = chance.choice(sorted(found, key=lambda process: process.pid))
        one.kill()
        print(f"killed {victim}: {one.pid}")  # noqa: T201 (shown when it fails)


def _ends_with(*words: str) -> Find:
    return lambda world: [one for one in world.processes() if one.cmdline()[-len(words) :] == list(words)]


FIND: dict[str, Find] = {
    "bus": lambda world: world.processes("-server", "unixsocket:"),
    "tmux": lambda world: [one for one in world.processes("tmux", "-S") if one.ppid() == 1],
    "host": lambda world: [one for one in world.processes("rt", "host") if one.cmdline()[-2] == "host"],
    "runner": _ends_with("seat", "run"),
    "cli": lambda world: world.processes("/bin/sh", f"{world.work}/agent"),
}


class Poster:
    """A thread that posts notes, each with a key and again until it was acknowledged: seq → body."""

    def __init__(self, url: str, table: str) -> None:
        self.acknowledged: dict[int, str] = {}
        self._url, self._table = url, table
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Poster:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(10)

    def _run(self) -> None:
        door, n = HotDoor(self._url), 0
        while not self._over.wait(0.02):
            body = f"note {n}"
            with suppress(BusError):
                found = groups.send(door, self._table, group_of(self._table), "user", body, key=body)
                self.acknowledged[found["seq"]] = body
                n += 1
        door.close()
