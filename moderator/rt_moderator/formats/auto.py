"""`auto`: four analysts design the workflow, then the seats come and it is carried out.

With a mode flag (or seats given by hand) it is settled who sits and in which role, and the analysts place them; otherwise they
choose from what is installed. `--quick` has no analysts: three seats of the mode's panel, one round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from rt_moderator.engine.model import Outcome, Seat
from rt_moderator.engine.options import Options
from rt_moderator.engine.table import Table
from rt_moderator.formats.debating import analysts, flow, metapanel, workflow
from rt_moderator.formats.debating.analysts import Choice, Merged
from rt_moderator.formats.debating.workflow import Place, Workflow

VERSION = 1
USES = flow.USES


def calls(seats: int, options: Options) -> tuple[int, str]:
    """How many calls of models at most, and of what; who sits is not known before the analysts have spoken."""
    most, said = workflow.calls("debate", seats or analysts.MOST_SEATS, options, workflow.MOST_ROUNDS)
    return (
        (most, said)
        if options.quick
        else (most + metapanel.ANALYSTS, f"{metapanel.ANALYSTS} analysts, {said}")
    )


async def run(table: Table) -> Outcome:
    """From topic to report."""
    ground = await flow.ground(table)
    mode = table.mode or "default"
    quick, cwd = table.options.quick, table.fields.get("cwd", "")
    panel = await table.once("panel", lambda: metapanel.panel_here(mode, cwd, quick=quick))
    plan = await (_quick(table, panel) if quick else _designed(table, panel, ground, mode))
    if not plan.places:
        why = "no_seats: nobody could be seated"
        return await table.conclude(Outcome(status="failed", result="failed", stop_reason=why))
    return await flow.carry_out(table, plan, ground)


async def _quick(table: Table, panel: Mapping[str, Any]) -> Workflow:
    """The blind round of three, and no meta-panel."""
    await _seated(table, panel)
    decided = f"quick: the first three of the panel {panel['name']}, one round, no meta-panel"
    places = workflow.laid_out("debate", table.seats[:3])
    return Workflow(
        "debate", places, 1, decided, warnings=tuple(panel["warnings"]), degraded=tuple(panel["degraded"])
    )


async def _designed(table: Table, panel: Mapping[str, Any], ground: Mapping[str, str], mode: str) -> Workflow:
    """What the analysts make of the topic; without any of them the default panel."""
    settled: Sequence[Any] = table.seats or (
        metapanel.seats_of(panel["seats"]) if table.options.fixed_mode else ()
    )
    roster = table.options.roster or tuple(panel["roster"])
    ours = bool(settled) and not table.seats
    choice = Choice(
        tuple(seat.slug for seat in settled) or roster,
        "" if settled else table.options.moderator,
        cast("workflow.Type | None", table.options.fixed_type or None),
        all_of_them=bool(settled),
    )
    about = {
        seat.slug: ", ".join(filter(None, (seat.role, seat.viewpoint, metapanel.spec_of(seat))))
        for seat in settled
    }
    who = table.options.analysts or tuple(panel["analysts"]) or roster
    jobs = await metapanel.asked(table, ground, choice, about, who)
    designs = [job.parsed for job in jobs if job.done]
    if not designs:
        await _seated(table, panel)
        return metapanel.fallback(table, jobs, mode, panel)
    merged, said = metapanel.held(table, analysts.merge(designs, choice))
    places = await (_settled(table, panel, merged) if settled else _chosen(table, merged))
    models = [metapanel.spec_of(table.seat(place.slug)) for place in places]
    return Workflow(
        merged.type, places, merged.rounds, metapanel.decided(merged, jobs, models), merged.synthesizer,
        metapanel.recommendation(jobs), (*said, *panel["warnings" if ours else "missing"]),
        tuple(panel["degraded"] if ours else ()),
    )  # fmt: skip


async def _seated(table: Table, panel: Mapping[str, Any]) -> tuple[Seat, ...]:
    """The panel's seats, unless some were given."""
    return table.seats or await table.sit("seats", metapanel.seats_of(panel["seats"]))


async def _settled(table: Table, panel: Mapping[str, Any], merged: Merged) -> tuple[Place, ...]:
    """The places of seats that were settled before."""
    there = {seat.slug for seat in await _seated(table, panel)}
    slugs = {at: chosen.seat for at, chosen in enumerate(merged.chosen) if chosen.seat in there}
    return metapanel.places(merged, slugs)


async def _chosen(table: Table, merged: Merged) -> tuple[Place, ...]:
    """The places of seats that the analysts chose; who cannot sit after all is left out, and the report says so."""
    wanted = metapanel.seats_for(merged)
    there = {seat.slug for seat in await table.sit("seats", [plan for plan, _ in wanted])}
    slugs = {at: plan.slug for at, (plan, _) in enumerate(wanted) if plan.slug in there}
    return metapanel.places(merged, slugs)
