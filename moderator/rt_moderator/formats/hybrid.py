"""`hybrid`: every seat of stage 1 works on a part of its own, one or two integrators get all outputs and make one of them.

The part of a seat is its viewpoint or role, unless the analysts of `auto` gave it one.
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
    return workflow.calls("hybrid", seats, options, 1)


async def run(table: Table) -> Outcome:
    """From topic to report."""
    return await flow.asked_for(table, "hybrid", 1)
