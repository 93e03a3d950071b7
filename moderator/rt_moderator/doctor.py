"""`rt doctor`: everything rt stands on, looked at side by side; each finding says what to do about it. Changes nothing.

A part is a function from settings to findings. The profiles' part is to come; it goes into `parts` as a line.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rt_config.errors import RoundtableError

if TYPE_CHECKING:
    from rt_config.settings import Settings

Level = Literal["ok", "warn", "fail"]
_SLOW_SECONDS = 1.0


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, how it is, and what to do; `fix` is empty when nothing is."""

    check: str
    level: Level
    text: str
    fix: str = ""


Part = Callable[["Settings"], Iterable[Finding]]


def parts() -> dict[str, Part]:
    """What is looked at, in the order in which it is shown."""
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

    A part that raises is a finding, too: one that fails, with the error's own hint.
    """
    looked = given or parts()
    with ThreadPoolExecutor(len(looked)) as pool:
        running = {pool.submit(_part, name, part, settings): name for name, part in looked.items()}
        left, end = set(running), time.monotonic() + _SLOW_SECONDS
        while left:
            _, left = wait(left, max(0.0, end - time.monotonic()), FIRST_COMPLETED)
            if left and time.monotonic() >= end:
                say(f"looking at {', '.join(sorted(running[one] for one in left))} …")
                end += _SLOW_SECONDS
        return [finding for one in running for finding in one.result()]


def failed(findings: Iterable[Finding]) -> bool:
    """Whether something does not work."""
    return any(finding.level == "fail" for finding in findings)


def _part(name: str, part: Part, settings: Settings) -> list[Finding]:
    try:
        return list(part(settings))
    except RoundtableError as exc:
        return [Finding(name, "fail", str(exc), exc.advice)]
    except Exception as exc:  # a check that breaks must not hide the others
        return [Finding(name, "fail", f"could not be looked at: {type(exc).__name__}: {exc}")]
