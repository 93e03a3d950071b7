"""How long a table takes to be ready and to be answered, against five bare imports side by side in the same run.

With the server up: five seats ready (control mail leased by all five) within 3 x the yardstick, five rehearsal replies drained
within twice that again. Prints ratios; never fails on a time.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rt_mailbox import access, tables, waiting
from tests.helpers import BIN

YARDSTICK = "import redis, pydantic, click, anyio, libtmux"
SEATS = ("systems", "builder", "skeptic", "advocate", "contrarian")
RUNS = 5


def main() -> None:
    """Measure and print."""
    home = Path(tempfile.mkdtemp(prefix="rt-bench-", dir="/tmp"))
    os.environ |= {"RT_HOME": str(home / "home"), "RT_CONFIG": str(home / "config.toml")}
    try:
        rt("bus", "start")
        rows = [one_run(number) for number in range(RUNS)]
    finally:
        subprocess.run([BIN / "rt", "bus", "stop", "--force"], capture_output=True, check=False)
        shutil.rmtree(home)
    bare, ready, drained = (statistics.median(row[i] for row in rows) for i in range(3))
    print(f"five bare imports side by side   {bare * 1000:6.0f} ms   1.0")
    print(f"five seats ready                 {ready * 1000:6.0f} ms   {ready / bare:.2f} x   (goal 3)")
    print(f"five replies drained after that  {drained * 1000:6.0f} ms   {drained / bare:.2f} x   (goal 6)")


def one_run(number: int) -> tuple[float, float, float]:
    """(five imports, start to the last lease, last lease to drained) in seconds."""
    bare = imports()
    seats = [part for slug in SEATS for part in ("--seat", f"{slug}=rehearsal")]
    began = time.perf_counter()
    start = subprocess.Popen(
        [BIN / "rt", "start", f"Question {number}?", *seats, "--yes", "--json"], stdout=subprocess.PIPE, text=True
    )
    ready = await_leases() - began
    found = json.loads(start.communicate()[0])
    rt("wait", "-t", found["table"], "--for", "all", "--timeout", "60")
    messages = json.loads(rt("drain", "-t", found["table"], "--json"))["messages"]
    drained = time.perf_counter() - began - ready
    if sum(one["kind"] == "reply" for one in messages) != len(SEATS):
        sys.exit(f"not five replies: {messages}")
    rt("end", "-t", found["table"], "--without-synthesis")
    rt("archive", "-t", found["table"])
    return bare, ready, drained


def imports() -> float:
    """Five interpreters at once, each importing what a naive runner would."""
    began = time.perf_counter()
    running = [subprocess.Popen([sys.executable, "-c", YARDSTICK]) for _ in SEATS]
    for one in running:
        one.wait()
    return time.perf_counter() - began


def await_leases() -> float:
    """The moment at which the newest table has five leased turns."""
    found = access.open_light()
    if found is None:
        sys.exit("no endpoint file")
    table = None
    while table is None:
        entries = found.door.command("HGETALL", "rt:{default}:directory")
        fresh = [entries[i] for i in range(0, len(entries), 2) if json.loads(entries[i + 1])["state"] in ("starting", "open")]
        table = fresh[0] if fresh else None
        time.sleep(0.002)  # the directory has no stream to block on
    watch = waiting.Watch(found.door, table, "events")
    leased = lambda: sum(one["type"] == "leased" for one in tables.events(found.door, table)) >= len(SEATS)  # noqa: E731
    waiting.until(watch, leased, 60)
    return time.perf_counter()


def rt(*words: str) -> str:
    """Run rt and return what it printed."""
    return subprocess.run([BIN / "rt", *words], capture_output=True, check=True, text=True).stdout


if __name__ == "__main__":
    main()
