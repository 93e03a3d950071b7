"""A line now and then for what takes longer than a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
Say = Callable[[str], None]
_SECONDS = 1.0
_LOOK = 64  # steps between two looks at the clock


def silent(_line: str) -> None:
    """Says nothing."""


def told(items: Iterable[T], total: int, what: str, say: Say) -> Iterator[T]:
    """`items`, and a second after the first and then every second a line such as 'exporting: 12,000 of 100,000'."""
    due = time.monotonic() + _SECONDS
    for done, item in enumerate(items):
        if done % _LOOK == 0 and time.monotonic() >= due:
            say(f"{what}: {done:,} of {total:,}")
            due = time.monotonic() + _SECONDS
        yield item
