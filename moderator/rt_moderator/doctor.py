"""`rt doctor`: everything rt stands on, looked at side by side; each finding says what to do about it. Changes nothing.

A part is a function from settings to findings: a plain one runs on a thread, an `async` one in the loop and is cancelled
when the doctor is interrupted. The agent CLIs' parts are in `checks_profiles`.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

import anyio
from anyio import to_thread

from rt_config.errors import RoundtableError
from rt_moderator import attended
from rt_moderator.finding import Finding

if TYPE_CHECKING:
    from rt_config.settings import Settings
    from rt_moderator.finding import Part

_SLOW_SECONDS = 1.0


def parts() -> dict[str, Part]:
    """What is looked at besides the agent CLIs, in the order in which it is shown."""
    from rt_moderator import checks_bus, checks_machine

    return {
        "bus": checks_bus.look,
        "disk": checks_bus.disk_room,
        "tmux": checks_machine.tmux,
        "terminal": checks_machine.terminal,
        "rt": checks_machine.command,
        "home": checks_machine.home,
    }


def examine(
    settings: Settings, say: Callable[[str], None] = lambda _: None, given: dict[str, Part] | None = None
) -> list[Finding]:
    """All findings, part by part in order. Every second that it takes `say` names what is still looked at.

    A part that raises is a finding, too: one that fails, with the error's own hint. SIGINT, and on the main thread SIGTERM
    and SIGHUP, end what was started first.
    """
    return attended.run(_Examination(settings, say, given or parts()).findings)


def failed(findings: Iterable[Finding]) -> bool:
    """Whether something does not work."""
    return any(finding.level == "fail" for finding in findings)


class _Examination:
    """All parts at once, as many calls of agent CLIs at a time as there are cores."""

    def __init__(self, settings: Settings, say: Callable[[str], None], looked: dict[str, Part]) -> None:
        self._settings, self._say, self._parts = settings, say, looked
        self._found: dict[str, list[Finding]] = {}

    async def findings(self) -> list[Finding]:
        slots = anyio.CapacityLimiter(max(2, os.cpu_count() or 2))
        async with anyio.create_task_group() as watching:
            watching.start_soon(self._watch)
            async with anyio.create_task_group() as looking:
                for name in self._parts:
                    looking.start_soon(self._look, name, slots)
            watching.cancel_scope.cancel()
        return [finding for name in self._parts for finding in self._found[name]]

    async def _look(self, name: str, slots: anyio.CapacityLimiter) -> None:
        part: Any = self._parts[name]
        try:
            if inspect.iscoroutinefunction(part):
                async with slots:
                    self._found[name] = list(await part(self._settings))
            else:
                plain = cast("Callable[[], list[Finding]]", lambda: list(part(self._settings)))
                self._found[name] = await to_thread.run_sync(plain, abandon_on_cancel=True)
        except RoundtableError as exc:
            self._found[name] = [Finding(name, "fail", str(exc), exc.advice)]
        except Exception as exc:  # a check that breaks must not hide the others
            said = f"could not be looked at: {type(exc).__name__}: {exc}"
            self._found[name] = [Finding(name, "fail", said)]

    async def _watch(self) -> None:
        while True:
            await anyio.sleep(_SLOW_SECONDS)
            left = [name for name in self._parts if name not in self._found]
            if left:
                self._say(f"looking at {', '.join(sorted(left))} …")
