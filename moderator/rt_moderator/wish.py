"""What was asked for on a command line or over MCP, before anything was chosen by rule. Plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rt_moderator.plan import SeatPlan


@dataclass(frozen=True, slots=True)
class Wish:
    """What was given. `options` are those of formats, by the names of engine.options.Options; None and () are not given."""

    topic: str
    format: str = ""  # empty: chosen by rule
    mode: str = ""  # a mode flag
    seats: Sequence[SeatPlan] = ()
    panel: str = ""
    skip: Sequence[str] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    viewpoints: Mapping[str, str] = field(default_factory=dict)
    transport: str = "auto"
    fields: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    context: str = ""
    cwd: str = "."
    access: str = "read-only"
    run: bool = False
    check: bool = False
