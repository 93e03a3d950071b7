"""What a check of this machine finds. Plain data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rt_config.settings import Settings

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, how it is, and what to do; `fix` is empty when nothing is."""

    check: str
    level: Level
    text: str
    fix: str = ""


Part = Callable[["Settings"], Iterable[Finding] | Awaitable[Iterable[Finding]]]
