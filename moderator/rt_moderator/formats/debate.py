"""`debate`: a blind round in parallel, then a round of critique and scores over each other's digests, then a synthesis.

Two rounds unless `--rounds` says otherwise, three at most; `--quick` is the blind round alone.
"""

from __future__ import annotations

from rt_moderator.engine.model import Outcome
from rt_moderator.engine.options import Options
from rt_moderator.engine.table import Table
from rt_moderator.formats.debating import flow, workflow

VERSION = 1
USES = flow.USES


def calls(seats: int, options: Options) -> tuple[int, str]:
    """How many calls of models at most, and of what."""
    return workflow.calls("debate", seats, options, 2)


async def run(table: Table) -> Outcome:
    """From topic to report."""
    if table.options.quick:
        return await flow.asked_for(
            table, "debate", 2, "quick: the first seats of the mode's panel, one round"
        )
    return await flow.asked_for(table, "debate", 2)
