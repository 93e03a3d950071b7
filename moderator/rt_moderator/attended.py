"""Async work for a command that is not async: what it started is ended first when the process is told to stop."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, TypeVar

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")
_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


def run(work: Callable[[], Awaitable[T]]) -> T:
    """What `work` returns.

    SIGINT, and on the main thread SIGTERM and SIGHUP, cancel it first.

    Raises:
        KeyboardInterrupt: after SIGINT. SystemExit: 128 + n after signal n.
    """
    return anyio.run(_attended, work)


async def _attended(work: Callable[[], Awaitable[T]]) -> T:
    found: list[T] = []
    told: list[int] = []

    async def listen(scope: anyio.CancelScope) -> None:
        with anyio.open_signal_receiver(*_SIGNALS) as received:
            async for number in received:
                told.append(number)
                scope.cancel()

    async with anyio.create_task_group() as tasks:
        if threading.current_thread() is threading.main_thread():
            tasks.start_soon(listen, tasks.cancel_scope)
        found.append(await work())
        tasks.cancel_scope.cancel()
    if not found:
        raise SystemExit(128 + told[0])
    return found[0]
