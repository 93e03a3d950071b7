"""panel: all seats audit in parallel and blind, then criticise each other's findings until they agree, are stuck, or run out.

Every seat gets the same request in the first round. The default of audits.
"""

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
    """From the target to a result that every seat could veto."""
    return await audit(table)
