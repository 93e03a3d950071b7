"""One call of an agent CLI: bounded in time and memory, shown as it runs, and gone with all its children afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import anyio
from anyio import to_thread

from rt_config import processes
from rt_participant import cleaning, launch, outputs, results

POLL_SECONDS = 0.5  # how often the turn's state is looked at while the CLI runs
_STDERR_BYTES = 64 * 1024
_DRAIN_SECONDS = 0.3  # for what was written before the exit; a child left behind may hold the pipe for ever
_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)

Poll = Callable[[], float | None]
Show = Callable[[str], None]


def run(spec: dict[str, Any], call: launch.Call, poll: Poll, show: Show) -> results.Result:
    """Run `call` to its end, and leave none of its processes behind.

    Args:
        spec: the launch spec; its output rules, inactivity_seconds (0: none) and kill_grace_seconds count here.
        call: what `launch.prepare` made.
        poll: asked every half second, in another thread: the seconds left, or None to cancel.
        show: gets text to show as it comes; from this thread.

    SIGTERM, SIGHUP and SIGINT of this process end the call first; `stop` is then `interrupted`.
    """
    return anyio.run(_run, spec, call, poll, show)


async def _run(spec: dict[str, Any], call: launch.Call, poll: Poll, show: Show) -> results.Result:
    return await _Run(spec, call, poll, show).result(signals=True)


async def attended(spec: dict[str, Any], call: launch.Call, poll: Poll) -> results.Result:
    """`run` for a caller with a loop of its own: signals are the caller's business, and nothing is shown.

    Cancelled, it kills the call with all its processes at once.
    """
    return await _Run(spec, call, poll, lambda _: None).result(signals=False)


class _Run:
    """The state of one call."""

    def __init__(self, spec: dict[str, Any], call: launch.Call, poll: Poll, show: Show) -> None:
        self._spec, self._call, self._poll, self._show = spec, call, poll, show
        self._collector = outputs.Collector(spec["output"])
        self._stderr = b""
        self._stop = ""
        self._active = time.monotonic()
        self._running = anyio.CancelScope()
        self._ended = [anyio.Event(), anyio.Event()]

    async def result(self, *, signals: bool) -> results.Result:
        started = time.monotonic()
        try:
            process = _started(self._call)
        except OSError as exc:
            return results.not_started(self._spec, self._call, exc)
        try:
            await self._attended(process, signals=signals)
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(self._swept, process)
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
        seconds = time.monotonic() - started
        kept = b""
        with suppress(OverflowError):
            kept = self._collector.close()
        printed = results.Printed(kept, self._stderr)
        return results.judge(self._spec, self._call, self._stop, process.returncode, printed, seconds)

    async def _attended(self, process: subprocess.Popen[bytes], *, signals: bool) -> None:
        assert process.stdin and process.stdout and process.stderr  # noqa: PT018, S101
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._feed, process.stdin)
            tasks.start_soon(self._read, process.stdout.fileno(), self._take_output, self._ended[0])
            tasks.start_soon(self._read, process.stderr.fileno(), self._take_error, self._ended[1])
            tasks.start_soon(self._watch)
            if signals:
                tasks.start_soon(self._signals)
            with self._running:
                await to_thread.run_sync(_await_exit, process, abandon_on_cancel=True)
            if self._stop:
                await to_thread.run_sync(self._end, process.pid)
            await self._drained()
            if not all(event.is_set() for event in self._ended):
                await to_thread.run_sync(self._swept, process)
                await self._drained()
            tasks.cancel_scope.cancel()

    async def _feed(self, pipe: Any) -> None:
        left = memoryview(self._call.stdin)
        with suppress(OSError):  # it may end, or close its input, without reading all
            while left:
                await anyio.wait_writable(pipe.fileno())
                with suppress(BlockingIOError):
                    left = left[os.write(pipe.fileno(), left[:65536]) :]
            pipe.close()

    async def _read(self, fd: int, take: Callable[[bytes], None], ended: anyio.Event) -> None:
        while True:
            await anyio.wait_readable(fd)
            try:
                data = os.read(fd, 65536)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if not data:
                break
            self._active = time.monotonic()
            take(data)
        ended.set()

    def _take_output(self, data: bytes) -> None:
        if self._stop == "flood":
            return
        try:
            text = self._collector.feed(data)
        except OverflowError:
            self._end_it("flood")
        else:
            self._show(text)

    def _take_error(self, data: bytes) -> None:
        self._stderr = (self._stderr + data)[-_STDERR_BYTES:]
        self._show(cleaning.decode(data))

    async def _watch(self) -> None:
        silence = self._spec["inactivity_seconds"]
        while True:
            left = await to_thread.run_sync(self._poll)
            if left is None:
                return self._end_it("cancelled")
            if left <= 0:
                return self._end_it("timeout")
            if silence and time.monotonic() - self._active > silence:
                return self._end_it("inactivity")
            await anyio.sleep(min(POLL_SECONDS, left, silence or POLL_SECONDS))

    async def _signals(self) -> None:
        with anyio.open_signal_receiver(*_SIGNALS) as received:
            async for _ in received:
                self._end_it("interrupted")

    def _end_it(self, why: str) -> None:
        self._stop = self._stop or why
        self._running.cancel()

    async def _drained(self) -> None:
        with anyio.move_on_after(_DRAIN_SECONDS):
            for event in self._ended:
                await event.wait()

    def _end(self, pid: int) -> None:
        found = {*processes.tree(pid), *processes.marked(launch.MARK, self._call.mark)}
        processes.kill_tree(found, self._spec["kill_grace_seconds"])

    def _swept(self, process: subprocess.Popen[bytes]) -> None:
        """Kill what the call left behind; until its exit is taken below, its pid names its group and nothing else."""
        if process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        sweep(self._call.mark, 0)


def sweep(mark: str, grace_seconds: float) -> int:
    """End every process that carries `mark`; returns how many there were."""
    found = processes.marked(launch.MARK, mark)
    processes.kill_tree(found, grace_seconds)
    return len(found)


def _await_exit(process: subprocess.Popen[bytes]) -> None:
    """Return when it has ended; where the system can, without taking its exit status, so that its pid is not reused."""
    if not hasattr(os, "waitid"):
        process.wait()
        return
    with suppress(ChildProcessError):
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def _started(call: launch.Call) -> subprocess.Popen[bytes]:
    if not os.path.isdir(call.cwd):  # noqa: PTH112
        raise NotADirectoryError(call.cwd)
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        call.argv,
        cwd=call.cwd,
        env=call.env,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        bufsize=0,
        start_new_session=True,
    )
    for one in (process.stdin, process.stdout, process.stderr):
        if one is not None:
            os.set_blocking(one.fileno(), False)
    return process
