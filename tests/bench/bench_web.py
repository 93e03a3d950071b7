"""How soon a message is on twenty open pages, against a bare XREAD BLOCK waking up, and what the pages cost the bus."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import redis

from rt_mailbox import keys
from tests import showcase
from tests.bench.bench_bus import _READER, blocked
from tests.bench.measure import floor, p, us, verdict
from tests.helpers import Bus, eventually
from tests.web_visitor import Visitor, serving

PAGES = 20
ROUNDS = 100
BODY = "I still hold **m2**, and m3 does not change that.\n\n- one reason\n- another reason\n"

# Twenty pages that follow a table; says when the last of them has a message.
_PAGES = """
import selectors, socket, sys, time
host, port, path, cookie, count = sys.argv[1:]
pages, chosen = {}, selectors.DefaultSelector()
for _ in range(int(count)):
    one = socket.create_connection((host, int(port)))
    one.sendall(f"GET {path} HTTP/1.1\\r\\nHost: {host}:{port}\\r\\nCookie: {cookie}\\r\\n\\r\\n".encode())
    chosen.register(one, selectors.EVENT_READ)
    pages[one] = b""
def until(wanted):
    missing = set(pages)
    while missing:
        for found, _ in chosen.select(30):
            one = found.fileobj
            pages[one] += one.recv(1 << 16)
            if wanted in pages[one]:
                pages[one] = pages[one].rpartition(wanted)[2]
                missing.discard(one)
    return time.monotonic_ns()
until(b"event: parts")
print("ready", flush=True)
for line in sys.stdin:
    wanted = f"id: {line.strip()}\\n".encode()
    print("waiting", flush=True)
    print(until(wanted), flush=True)
"""


def waiting(client: redis.Redis) -> int:
    """How many clients wait for streams."""
    return sum(str(one["cmd"]) == "xread" for one in client.client_list())


def test_pages(bus: Bus, rt_home: Path) -> None:
    """From a post in one process to the last of 20 pages having it, and one reader of the bus for all of them."""
    laid = showcase.lay(bus)
    client = redis.Redis.from_url(bus.url)
    ours, theirs = [], []
    with serving() as (_, url), blocked(_READER, bus.url, "bare") as reader:
        visitor = Visitor(url)
        where = (visitor.url.hostname, visitor.url.port, f"/t/{laid.table}/events", visitor.cookie, PAGES)
        pages = subprocess.Popen(
            [sys.executable, "-c", _PAGES, *map(str, where)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert pages.stdin
            assert pages.stdout
            assert pages.stdout.readline() == "ready\n"
            seq = int(laid.post("user", BODY))

            def latency(process: subprocess.Popen[str], send: Callable[[], object]) -> float:
                assert process.stdout
                eventually(lambda: client.info("clients")["blocked_clients"] == 2)
                time.sleep(0.002)  # everybody sleeps now, the server too
                begun = time.monotonic_ns()
                send()
                return (int(process.stdout.readline()) - begun) / 1e9

            for _ in range(ROUNDS):
                theirs.append(latency(reader, lambda: client.xadd("bare", {"from": "ann", "body": BODY})))
                seq += 1
                pages.stdin.write(f"{seq}\n")
                pages.stdin.flush()
                assert pages.stdout.readline() == "waiting\n"
                time.sleep(0.25)  # the parts of the page are drawn by then
                ours.append(latency(pages, lambda: laid.post("user", BODY)))
            eventually(lambda: waiting(client) > 1)
            readers = waiting(client) - 1
        finally:
            pages.kill()
            pages.communicate()
    detail = (
        f"last of {PAGES} pages p50 {us(p(ours, 0.5))} p99 {us(p(ours, 0.99))}, "
        f"XREAD BLOCK p50 {us(p(theirs, 0.5))} p99 {us(p(theirs, 0.99))}, {floor(rt_home)}"
    )
    verdict("post to the last of 20 pages, p50", p(ours, 0.5) / p(theirs, 0.5), "<=", 20, detail)
    verdict(
        "stream readers of the bus for 20 pages", readers, "<=", 1, keys.key(laid.table, "log", laid.group)
    )
