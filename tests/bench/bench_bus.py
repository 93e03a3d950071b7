"""The library against bare redis-py on the same server: sending, draining, and how soon a wait returns."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from rt_mailbox import keys, lua
from rt_mailbox.mailbox import Mailbox
from tests.bench.measure import floor, interleaved, median, ms, p, us, verdict
from tests.helpers import Bus, eventually

GROUP = "group/bench"
SPACE = "bench"
BODY = "x" * 1024
MANY = 100_000

# Blocks until something comes, says when, marks it as read; by the library and by redis-py alone.
_WAITER = """
import sys, time
from rt_mailbox.mailbox import Mailbox
url, space, group = sys.argv[1:]
with Mailbox(url, space) as box:
    box.drain(group, "bob", max_messages=0).commit()
    print("ready", flush=True)
    while True:
        assert box.wait(group, "bob", 30)
        print(time.monotonic_ns(), flush=True)
        box.drain(group, "bob", max_messages=0).commit()
"""
_READER = """
import sys, time
import redis
url, stream = sys.argv[1:]
client = redis.Redis.from_url(url)
last = "$"
print("ready", flush=True)
while True:
    found = client.xread({stream: last}, block=30_000)
    print(time.monotonic_ns(), flush=True)
    last = found[0][1][-1][0]
"""


@pytest.fixture(name="box")
def group_of_two(bus: Bus) -> Mailbox:
    """A group with ann and bob on a server with appendfsync always."""
    box = Mailbox(bus.url, SPACE)
    assert box.door.command("CONFIG", "GET", "appendfsync")[1] == "always"
    box.create_group(GROUP)
    for person in ("ann", "bob"):
        box.add_member(GROUP, person)
    return box


def bare(bus: Bus) -> redis.Redis:
    """redis-py as it comes."""
    return redis.Redis.from_url(bus.url)


def test_send(bus: Bus, box: Mailbox, rt_home: Path) -> None:
    """Sends a second through the library, of those that a bare XADD of the same body does."""
    client = bare(bus)

    def xadd() -> None:
        for _ in range(50):
            client.xadd("bare", {"from": "ann", "body": BODY})

    def send() -> None:
        for _ in range(50):
            box.send(GROUP, "ann", BODY)

    interleaved(2, xadd, send)
    added, sent = interleaved(30, xadd, send)
    detail = f"send {us(median(sent) / 50)}, XADD {us(median(added) / 50)}, {floor(rt_home)}"
    verdict(
        "library send, of bare XADD's rate",
        median([a / s for a, s in zip(added, sent, strict=True)]),
        ">=",
        0.6,
        detail,
    )
    box.close()


def test_drain(bus: Bus, box: Mailbox) -> None:
    """Draining 100,000 messages, pages of 1,000, committed at the end, against XRANGE of the same entries."""
    client = bare(bus)
    sha = client.script_load(lua.text("send"))
    for _ in range(MANY // 1000):
        pipe = client.pipeline(transaction=False)
        for _ in range(1000):
            pipe.evalsha(sha, 1, keys.root(SPACE), GROUP, "ann", "note", "0", "", BODY, "", "", "")
        pipe.execute()
    log = keys.key(SPACE, "log", GROUP)
    box.drain(GROUP, "ann").commit()

    def ranged() -> None:
        at, count = b"-", 0
        while found := client.xrange(log, at, "+", count=1000):
            at, count = b"(" + found[-1][0], count + len(found)  # type: ignore[operator]
        assert count == MANY

    def drained() -> None:
        box.door.command("HSET", keys.key(SPACE, "cursors", GROUP), "bob", 0)
        found = box.drain(GROUP, "bob", page=1000, max_messages=0, max_chars=0)
        assert (len(found.messages), found.unread_left, found.commit()) == (MANY, 0, True)

    interleaved(1, ranged, drained)
    bare_ones, ours = interleaved(7, ranged, drained)
    ratio = median([o / b for b, o in zip(bare_ones, ours, strict=True)])
    verdict("drain of 100,000", ratio, "<=", 2.5, f"drain {ms(median(ours))}, XRANGE {ms(median(bare_ones))}")
    box.close()


@contextmanager
def blocked(code: str, *argv: str) -> Iterator[subprocess.Popen[str]]:
    """A process that waits, says when it went on, and waits again."""
    process = subprocess.Popen([sys.executable, "-c", code, *argv], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_wake(bus: Bus, box: Mailbox, rt_home: Path) -> None:
    """From a send to `wait` returning in another process, against XADD and XREAD BLOCK, in turns."""
    client = bare(bus)

    def latency(process: subprocess.Popen[str], send: Callable[[], object]) -> float:
        assert process.stdout
        eventually(lambda: client.info("clients")["blocked_clients"] == 2)
        time.sleep(0.002)  # everybody sleeps now, the server too
        begun = time.monotonic_ns()
        send()
        return (int(process.stdout.readline()) - begun) / 1e9

    ours, theirs = [], []
    with blocked(_WAITER, bus.url, SPACE, GROUP) as waiter, blocked(_READER, bus.url, "bare") as reader:
        for _ in range(500):
            theirs.append(latency(reader, lambda: client.xadd("bare", {"from": "ann", "body": BODY})))
            ours.append(latency(waiter, lambda: box.send(GROUP, "ann", BODY)))
    detail = (
        f"wait p50 {us(p(ours, 0.5))} p99 {us(p(ours, 0.99))}, "
        f"XREAD BLOCK p50 {us(p(theirs, 0.5))} p99 {us(p(theirs, 0.99))}, {floor(rt_home)}"
    )
    verdict("send to wait returning, p50", p(ours, 0.5) / p(theirs, 0.5), "<=", 2, detail)
    box.close()
