"""An audit from target to report, whatever the order of its turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rt_moderator.formats.audit import case as cases
from rt_moderator.formats.audit import reporting, synthesis, veto
from rt_moderator.formats.audit.debate import Debate
from rt_moderator.formats.audit.draft import Material

if TYPE_CHECKING:
    from rt_moderator.engine.model import Outcome
    from rt_moderator.engine.table import Table


async def audit(table: Table, *, in_turn: bool = False, lensed: bool = False) -> Outcome:
    """Open the case, debate it, write it up, have it voted on, conclude.

    Raises:
        NobodyAnsweredError: in the first round; there is nothing to write up.
    """
    case = await cases.opened(table)
    debate = Debate(table, case, in_turn=in_turn, lensed=lensed)
    stopped = await debate.run()

    await table.phase("synthesis.phase", "awaiting_synthesis")
    there = await table.look("debate.end")
    material = Material(debate.ledger, debate.seats, int(there["head"]), _degraded(there))
    ended = f"{reporting.result(debate, material.degraded)} after {debate.rounds} rounds ({reporting.reason(debate, material.degraded, stopped)})"
    written = await synthesis.drafted(table, material, case.brief, ended)

    vote = await veto.voted(debate, written, material)
    there = await table.look("end")
    final = vote.written
    if written.whole and not final.seq:
        await table.publish("final", reporting.readable(final.text, debate.seats))
    return await table.conclude(reporting.outcome(debate, written, vote, there, stopped))


def _degraded(there: dict[str, Any]) -> dict[str, str]:
    return {one["seat"]: one["why"] for one in there["degraded"]}
