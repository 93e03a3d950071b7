"""Slow findings and one-shot jobs, beside the host: it goes on watching its table meanwhile."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rt_config.errors import RoundtableError
from rt_mailbox import access, tables
from rt_moderator.engine import jobs
from rt_moderator.engine.desk import PENDING
from rt_moderator.engine.model import Job

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rt_moderator.engine.commands import Jobs, Once
    from rt_moderator.engine.desk import Desk

_AT_ONCE = 8


class Workers:
    """The work in progress of one run, by command name. What was lost with a killed host begins again."""

    def __init__(self) -> None:
        """Nothing is started yet."""
        self._pool: ThreadPoolExecutor | None = None
        self._running: dict[str, list[Future[Any]]] = {}

    @property
    def busy(self) -> bool:
        """Whether something is in progress that a new process would have to begin again."""
        return bool(self._running)

    def once(self, desk: Desk, command: Once) -> Any:
        """The value of a finding; it is made when there is none yet."""
        begun = desk.begun(command)
        if begun is None and not command.slow:
            value = command.fn()
            begun = desk.put(
                command.name, {"n": desk.number, "kind": command.kind, "value": value}, "once", {"value": value}
            )  # fmt: skip
        if begun is None:
            desk.begin(command)
        if begun is not None and "value" in begun:
            return begun["value"]
        if (found := desk.line(f"{command.name}.done")) is not None:
            return found["value"]
        made = self._made(desk, command.name, [command.fn])
        if made is None:
            return PENDING
        return desk.put(f"{command.name}.done", {"value": made[0]}, "once", {"value": made[0]})["value"]

    def jobs(self, desk: Desk, command: Jobs) -> Any:
        """What the one-shot calls delivered."""
        if desk.begun(command) is None:
            prompts = {job.name: job.prompt for job in command.jobs}
            desk.begin(command, "jobs", jobs=[_shown(job) for job in command.jobs], prompts=prompts)
        if (found := desk.line(f"{command.name}.done")) is None:
            cwd = desk.about.get("cwd", "")
            calls = [partial(jobs.run, job, cwd) for job in command.jobs]
            made = self._made(desk, command.name, calls)
            if made is None:
                return PENDING
            shown = {"jobs": [{k: v for k, v in job.items() if k != "text"} for job in made]}
            found = desk.put(f"{command.name}.done", made, "jobs_done", shown)
        return [_checked(Job(**one), job.check) for one, job in zip(found, command.jobs, strict=True)]

    def _made(self, desk: Desk, name: str, calls: Sequence[Callable[[], Any]]) -> list[Any] | None:
        """The values of the calls, once all are there; starts them when nobody did."""
        if name not in self._running:
            self._pool = self._pool or ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="rt-job")
            self._running[name] = [self._pool.submit(call) for call in calls]
            desk.say(f"working on {name}")
            for future in self._running[name]:
                future.add_done_callback(lambda _future: _ring(desk.table, name))
        if not all(future.done() for future in self._running[name]):
            return None
        return [future.result() for future in self._running.pop(name)]

    def close(self) -> None:
        """Begin nothing more; what runs ends with its own time."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


def _shown(job: Any) -> dict[str, Any]:
    return {"name": job.name, "candidates": list(job.candidates)}


def _checked(job: Job, check: Callable[[str], Any] | None) -> Job:
    return replace(job, parsed=check(job.text)) if check and job.text else job


def _ring(table: str, name: str) -> None:
    """Wake the host, from the thread that has finished; without a bus it looks within a second by itself."""
    with suppress(RoundtableError):
        door = access.open_any().door
        try:
            tables.note(door, table, "worked", {"name": name})
        finally:
            door.close()
