"""The formats: one module each, an async function over a table that reads like its description.

Adding one is a module and a line here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rt_mailbox.directory import FORMAT_OVER

if TYPE_CHECKING:
    from rt_moderator.engine.commands import Command
    from rt_moderator.engine.model import Outcome
    from rt_moderator.engine.table import Table

    Format = Callable[[Table], Coroutine[Command, Any, Outcome]]

# name → where it lives; each module has `async def run(table) -> Outcome`, `VERSION`, and `USES`, the options it takes
MODULES = {
    "table": "rt_moderator.formats.table",
    "debate": "rt_moderator.formats.debate",
    "sequential": "rt_moderator.formats.sequential",
    "hybrid": "rt_moderator.formats.hybrid",
    "auto": "rt_moderator.formats.auto",
    "panel": "rt_moderator.formats.panel",
    "pingpong": "rt_moderator.formats.pingpong",
    "roles": "rt_moderator.formats.roles",
    "interpret": "rt_moderator.formats.interpret",
}
NAMES = ("open", *MODULES)


def runs(about: Mapping[str, str]) -> bool:
    """Whether a format still runs at the table with these fields; one that goes on by hand has none."""
    known = about.get("format", "open") in MODULES and not about.get("as_open")
    return known and about.get("phase", "") not in FORMAT_OVER


def offered(about: Mapping[str, str]) -> list[str]:
    """What the gate of a table offers; empty when it waits at none."""
    return [str(one) for one in json.loads(about.get("gate_options") or "[]")]


def load(name: str) -> Format:
    """The format of that name; `open` has none, there the moderator asks.

    Raises:
        KeyError.
    """
    run: Format = import_module(MODULES[name]).run
    return run


def version(name: str) -> int:
    """The version of its rules that is recorded when a table starts."""
    found: int = import_module(MODULES[name]).VERSION
    return found


def uses(name: str) -> frozenset[str]:
    """The options (names of `engine.options.Options`) that the format takes; others are a usage error."""
    found: frozenset[str] = import_module(MODULES[name]).USES
    return found


def calls(name: str, seats: int, options: str) -> tuple[int, str] | None:
    """How many calls of models a run makes at most, and of what; None when the format cannot say. `options` as the table keeps them."""
    from rt_moderator.engine.options import Options

    count = getattr(import_module(MODULES[name]), "calls", None) if name in MODULES else None
    found: tuple[int, str] | None = (
        count(seats, Options.model_validate_json(options or "{}")) if count else None
    )
    return found
