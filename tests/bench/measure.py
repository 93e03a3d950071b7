"""Measuring: interleaved rounds, ratios of one run, and the disk's own floor beside what waits for the disk."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path


def seconds(call: Callable[[], object]) -> float:
    """How long one call took."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def interleaved(rounds: int, *calls: Callable[[], object]) -> list[list[float]]:
    """Seconds of each call, `rounds` times, one after the other in every round: a busy moment hits all alike."""
    taken: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for row, call in zip(taken, calls, strict=True):
            row.append(seconds(call))
    return taken


def p(values: list[float], part: float) -> float:
    """A percentile, as 0.5 or 0.99."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def floor(folder: Path, rounds: int = 200) -> str:
    """The disk's fdatasync of an appended KiB in `folder`, as text: what no durable write can be faster than."""
    path = folder / "floor"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    sync = getattr(os, "fdatasync", os.fsync)
    try:
        taken = [
            seconds(lambda: (os.write(descriptor, b"x" * 1024), sync(descriptor))) for _ in range(rounds)
        ]
    finally:
        os.close(descriptor)
        path.unlink()
    return f"fdatasync p50 {us(p(taken, 0.5))}, p99 {us(p(taken, 0.99))}"


def us(value: float) -> str:
    """Seconds as microseconds."""
    return f"{value * 1e6:.0f} us"


def ms(value: float) -> str:
    """Seconds as milliseconds."""
    return f"{value * 1e3:.1f} ms"


def median(values: list[float]) -> float:
    """The middle one."""
    return statistics.median(values)


def verdict(name: str, ratio: float, sign: str, target: float, detail: str) -> None:
    """Print one line, and fail when the ratio misses its target; times alone never fail."""
    holds = ratio <= target if sign == "<=" else ratio >= target
    print(f"\n{name}: {ratio:.2f} x (target {sign} {target}) {'ok' if holds else 'MISSED'}; {detail}")
    assert holds, f"{name}: {ratio:.2f}, target {sign} {target}"
