"""What `rt watch` costs while nothing happens, and how soon a message stands on the screen."""

from __future__ import annotations

import time
from pathlib import Path

import psutil

from tests import showcase
from tests.bench.measure import p, seconds, us, verdict
from tests.cli.laid import Laid
from tests.helpers import Bus, eventually
from tests.watched import READY, Watched, watching

SECONDS = 60
ROUNDS = 20


def spent(process: psutil.Process) -> float:
    """CPU seconds so far, of all its threads."""
    times = process.cpu_times()
    return float(times.user + times.system)


def over(process: psutil.Process, span: float) -> float:
    """CPU seconds that it spends in that time."""
    before = spent(process)
    time.sleep(span)
    return spent(process) - before


def latency(terminal: Watched, laid: Laid, number: int) -> float:
    """From a post to its words on the screen, as tmux has it, a capture's own time included."""
    begun = time.perf_counter()
    laid.post("user", f"word {number:03d}")
    eventually(lambda: f"word {number:03d}" in terminal.screen(), what="on the screen")
    return time.perf_counter() - begun


def test_idle(bus: Bus, rt_home: Path) -> None:
    """An idle one spends at most 0.1 CPU seconds a minute; with a turn open, whose clock ticks, that is said too."""
    laid = showcase.lay(bus)
    with watching(rt_home.parent, "-t", laid.table, size=(200, 60)) as terminal:
        terminal.shows(READY, "m11")
        process = psutil.Process(terminal.pid())
        time.sleep(2)
        ticking = over(process, SECONDS)
        laid.reply("m8/systems", "Nothing more.")
        terminal.shows("m12")
        taken = [latency(terminal, laid, number) for number in range(ROUNDS)]
        captured = [seconds(terminal.screen) for _ in range(ROUNDS)]
        time.sleep(2)
        idle = over(process, SECONDS)
    detail = (
        f"with an open turn's clock {ticking:.2f} s; post to screen p50 {us(p(taken, 0.5))}, "
        f"of that a capture p50 {us(p(captured, 0.5))}"
    )
    verdict(f"idle rt watch at 200 x 60, CPU seconds in {SECONDS} s", idle, "<=", 0.1, detail)
