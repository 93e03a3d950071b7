"""roles: a panel whose seats each look through a lens of their own. For specifications whose premise is in doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rt_moderator.formats.audit import case
from rt_moderator.formats.audit.procedure import audit

if TYPE_CHECKING:
    from rt_moderator.engine.model import Outcome
    from rt_moderator.engine.table import Table

VERSION = 1
USES = case.USES
DEFAULTS = case.DEFAULTS


async def run(table: Table) -> Outcome:
    """As a panel; the role and viewpoint of a seat stand in its requests."""
    return await audit(table, lensed=True)
