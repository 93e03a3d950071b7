"""pingpong: two seats in turn, each over what stands when its turn comes. For narrow diffs and a single question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rt_moderator.formats.audit import case
from rt_moderator.formats.audit.procedure import audit

if TYPE_CHECKING:
    from rt_moderator.engine.model import Outcome
    from rt_moderator.engine.table import Table

VERSION = 1
USES = case.USES - {"lenses"}
DEFAULTS = case.DEFAULTS


async def run(table: Table) -> Outcome:
    """As a panel, but one after the other: a round is over when everybody had a turn."""
    return await audit(table, in_turn=True)
