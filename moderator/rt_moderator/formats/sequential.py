"""`sequential`: the seats of stage 1 draft in parallel, new seats get their full outputs, review and improve them.

With `--rounds 2` the drafters criticise each other before that. Who reviews: see `workflow.laid_out`.
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
    return workflow.calls("sequential", seats, options, 1)


async def run(table: Table) -> Outcome:
    """From topic to report."""
    return await flow.asked_for(table, "sequential", 1)
