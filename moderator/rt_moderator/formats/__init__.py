"""The formats: one module each, an async function over a table that reads like its description.

Adding one is a module and a line here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rt_moderator.engine.model import Outcome
    from rt_moderator.engine.table import Table

    Format = Callable[[Table], Awaitable[Outcome]]

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
