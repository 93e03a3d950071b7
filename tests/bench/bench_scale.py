"""What must not grow: with members and subscribers, with the record, with senders, and what a table costs that does nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from rt_mailbox import addresses, keys, tables
from rt_mailbox.client import RedisDoor
from rt_mailbox.mailbox import Mailbox
from tests.bench.measure import floor, interleaved, median, seconds, us, verdict
from tests.helpers import BIN, Bus, eventually

SPACE = "scale"
BODY = "x" * 100
FEW, MANY = 1_000, 1_000_000
SEATS = ("systems", "builder", "skeptic", "advocate", "contrarian")

# What `send` leaves of so many messages that nobody has read. One by one they would take minutes.
_FILL = """
local group, first, last, body = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local now = redis.call('TIME')[1] .. '000'
for seq = first, last do
  redis.call('XADD', KEYS[1] .. ':log:' .. group, seq .. '-0', 'from', 'user', 'kind', 'note', 'round', '1', 'turn', '',
    'subject', '', 'body', body, 'at', now, 'eligible', 1)
end
redis.call('HSET', KEYS[1] .. ':group:' .. group, 'head', last)
"""

# Sends as fast as it is answered, from when it is told to until it is told to stop; says how often.
_SENDER = """
import sys, threading
from rt_mailbox.mailbox import Mailbox
url, space, group, person = sys.argv[1:]
over = threading.Event()
with Mailbox(url, space) as box:
    box.send(group, person, "x" * 100)
    print("ready", flush=True)
    sys.stdin.readline()
    threading.Thread(target=lambda: (sys.stdin.readline(), over.set()), daemon=True).start()
    count = 0
    while not over.is_set():
        box.send(group, person, "x" * 100)
        count += 1
    print(count, flush=True)
"""


def group_of(box: Mailbox, name: str, members: int = 0) -> str:
    """A group with ann, and so many others, each with a subscription."""
    group = f"group/{name}"
    box.create_group(group)
    box.add_member(group, "ann")
    for n in range(members):
        box.add_member(group, f"p{n}")
        box.add_subscriber(group, f"agent-deck/n{n}", f"p{n}", home=box.space)
    return group


def test_a_hundred_members_and_subscribers(bus: Bus, rt_home: Path) -> None:
    """A send to a group with 100 members, each with a subscriber, against one with none but the sender."""
    with Mailbox(bus.url, SPACE) as box:
        alone, crowded = group_of(box, "alone"), group_of(box, "crowded", 100)

        def send(group: str) -> Callable[[], None]:
            def some() -> None:
                for _ in range(50):
                    box.send(group, "ann", BODY)

            return some

        interleaved(2, send(alone), send(crowded))
        one, hundred = interleaved(30, send(alone), send(crowded))
    ratio = median([c / a for a, c in zip(one, hundred, strict=True)])
    detail = f"{us(median(hundred) / 50)} against {us(median(one) / 50)}, {floor(rt_home)}"
    verdict("send to 100 members and subscribers", ratio, "<=", 1.2, detail)


def table_with(bus: Bus, name: str, messages: int) -> str:
    """A table whose record is that long, all unread to the moderator."""
    door = RedisDoor(bus.url)
    tables.create(door, name, addresses.group_of(name), {"id": name, "topic": "t"}, ["moderator", "user"], [])
    door.close()
    client = redis.Redis.from_url(bus.url)
    for at in range(1, messages, 10_000):
        last = min(at + 9_999, messages - 1)
        client.eval(_FILL, 1, keys.root(name), addresses.group_of(name), at, last, BODY)
    client.close()
    with Mailbox(bus.url, name) as box:
        assert box.send(addresses.group_of(name), "user", BODY).seq == messages
    return name


@pytest.mark.timeout(600)
def test_a_million_messages(bus: Bus) -> None:
    """Unread count, status and a drain of 100 at 1,000,000 unread messages, against the same at 1,000."""
    small = table_with(bus, "rt-20260102-0304-small", FEW)
    begun = time.perf_counter()
    large = table_with(bus, "rt-20260102-0304-large", MANY)
    filled = time.perf_counter() - begun
    assert filled < 120, f"{filled:.0f} s to fill"
    with Mailbox(bus.url, small) as few, Mailbox(bus.url, large) as many:
        assert many.unread(addresses.group_of(large), "moderator") == MANY

        def count(box: Mailbox) -> None:
            box.unread(addresses.group_of(box.space), "moderator")

        def status(box: Mailbox) -> None:
            assert tables.snapshot(box.door, box.space)

        def drain(box: Mailbox) -> None:
            assert len(box.drain(addresses.group_of(box.space), "moderator").messages) == 100

        for name, what in (("unread count", count), ("status", status), ("drain of 100", drain)):

            def times(box: Mailbox, what: Callable[[Mailbox], None] = what) -> Callable[[], None]:
                def some() -> None:
                    for _ in range(20):
                        what(box)

                return some

            interleaved(2, times(few), times(many))
            a, b = interleaved(30, times(few), times(many))
            ratio = median([y / x for x, y in zip(a, b, strict=True)])
            detail = f"{us(median(b) / 20)} against {us(median(a) / 20)}; filled in {filled:.0f} s"
            verdict(f"{name} at 1,000,000 messages, of that at 1,000", ratio, "<=", 1.3, detail)


@contextmanager
def senders(bus: Bus, group: str, count: int) -> Iterator[list[subprocess.Popen[str]]]:
    """That many processes, ready to send."""
    argv = [sys.executable, "-c", _SENDER, bus.url, SPACE, group]
    running = [
        subprocess.Popen([*argv, f"p{n}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for n in range(count)
    ]
    try:
        for one in running:
            assert one.stdout
            assert one.stdout.readline() == "ready\n"
        yield running
    finally:
        for one in running:
            one.kill()
            one.communicate()


def rate(running: list[subprocess.Popen[str]], lasting: float) -> float:
    """Sends a second of all of them together."""
    begun = time.perf_counter()
    for one in running:
        assert one.stdin
        one.stdin.write("go\n")
        one.stdin.flush()
    time.sleep(lasting)
    for one in running:
        assert one.stdin
        one.stdin.write("stop\n")
        one.stdin.flush()
    total = sum(int(one.stdout.readline()) for one in running if one.stdout)
    return total / (time.perf_counter() - begun)


@pytest.mark.timeout(300)
def test_twenty_senders(bus: Bus, rt_home: Path) -> None:
    """Sends a second of twenty processes at once, against one alone: what waits for the disk waits together."""
    with Mailbox(bus.url, SPACE) as box:
        assert box.door.command("CONFIG", "GET", "appendfsync")[1] == "always"
        group = group_of(box, "busy", 20)
    ratios, alone, together = [], 0.0, 0.0
    for _ in range(3):
        with senders(bus, group, 1) as running:
            alone = rate(running, 2)
        with senders(bus, group, 20) as running:
            together = rate(running, 2)
        ratios.append(together / alone)
    slow = sync_seconds(rt_home) >= 0.001
    detail = f"{together:.0f} a second against {alone:.0f}, {floor(rt_home)}, {os.cpu_count()} cores"
    verdict("twenty senders, of one's rate", median(ratios), ">=", 3 if slow else 2, detail)


def sync_seconds(folder: Path) -> float:
    """The disk's fdatasync, in the middle of some."""
    with (folder / "sync").open("wb", buffering=0) as file:

        def one() -> None:
            file.write(b"x" * 1024)
            getattr(os, "fdatasync", os.fsync)(file.fileno())

        return median([seconds(one) for _ in range(100)])


@pytest.mark.timeout(300)
def test_a_table_that_does_nothing(bus: Bus) -> None:
    """The server's memory for a table of five seats that have answered, and whose hints to waiters have gone.

    Apart from the messages: the record, the control mail, and the prompt of each attempt in its event, which are as
    long as what was asked and said.
    """
    seats = [part for slug in SEATS for part in ("--seat", f"{slug}=rehearsal")]
    table = json.loads(rt("start", "Tabs or spaces?", *seats, "--yes", "--json"))["table"]
    rt("wait", "-t", table, "--for", "all", "--timeout", "60")
    door = RedisDoor(bus.url)
    eventually(lambda: not door.command("EXISTS", keys.key(table, "wake")), seconds=90, what="the hints' end")
    kinds: Counter[str] = Counter()
    for name in set(door.names("*" + table + "}:*")):
        kind = name.removeprefix(keys.root(table) + ":").partition(":")[0]
        kinds[kind] += door.command("MEMORY", "USAGE", name, "SAMPLES", 0)
    prompts = sum(len(event.get("prompt", "")) for event in tables.events(door, table))
    door.close()
    rt("end", "-t", table, "--without-synthesis")
    rt("archive", "-t", table)
    messages = kinds["log"] + kinds["mail"] + prompts
    cost = kinds.total() - messages
    rows = ", ".join(f"{kind} {size}" for kind, size in kinds.most_common())
    detail = f"{cost} bytes; log {kinds['log']}, mail {kinds['mail']}, prompts {prompts}; {rows}"
    verdict("an idle table of five seats above its messages, of 16 KiB", cost / 16384, "<=", 1, detail)


def rt(*words: str) -> str:
    """Run rt and return what it printed."""
    done = subprocess.run(
        [BIN / "rt", *words], capture_output=True, check=True, text=True, stdin=subprocess.DEVNULL
    )
    return done.stdout
