"""The meta-panel of `auto`: who can sit, what four analysts recommend, and the workflow made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rt_config import seat_spec
from rt_config import settings as configuration
from rt_moderator import panels
from rt_moderator.engine import prompts
from rt_moderator.engine.commands import JobSpec
from rt_moderator.engine.model import Job, Seat
from rt_moderator.formats import structured
from rt_moderator.formats.debating import workflow
from rt_moderator.formats.debating.analysts import Choice, Chosen, Design, Merged
from rt_moderator.formats.debating.workflow import Place, Workflow
from rt_moderator.plan import SeatPlan

if TYPE_CHECKING:
    from rt_moderator.engine.table import Table

ANALYSTS = 4
_QUICK = 3


def panel_here(mode: str, cwd: str, *, quick: bool) -> dict[str, Any]:
    """The panel of a mode as it can sit on this machine, and what else is installed, as JSON.

    Raises:
        BadConfigError, UnknownProfileError: the configuration does not read.
    """
    settings = configuration.load(Path(cwd) if cwd and Path(cwd).is_dir() else None)
    found = panels.seated("", settings, mode=mode, most=_QUICK if quick else 0)
    return {
        "name": found.name,
        "seats": [asdict(seat) for seat in found.seats],
        "warnings": list(found.warnings),
        "missing": list(found.missing),
        "degraded": [dict(one) for one in found.degraded],
        "analysts": list(found.analysts),
        "roster": list(panels.available_specs(settings)),
    }


def seats_of(rows: Sequence[Mapping[str, Any]]) -> list[SeatPlan]:
    """Seats as JSON back to plans."""
    return [SeatPlan(**{**row, "command": tuple(row.get("command", ()))}) for row in rows]


def spec_of(seat: Seat | SeatPlan) -> str:
    """PROFILE[:MODEL] of a seat."""
    return f"{seat.profile}:{seat.model}" if seat.model else seat.profile


async def asked(
    table: Table, ground: Mapping[str, str], choice: Choice, about: Mapping[str, str], who: Sequence[str]
) -> list[Job]:  # fmt: skip
    """Four analysts, at once, outside the panel; each has its time, and a late one is left out."""
    prompt = prompts.render(
        "auto_analyst", topic=table.topic, mode=table.mode, ground=ground, context=table.options.context,
        prior=table.options.prior, fixed=choice.fixed or "", all_of_them=choice.all_of_them,
        available=[{"seat": seat, "about": about.get(seat, "")} for seat in choice.available], shape=structured.example(Design),
    )  # fmt: skip
    jobs = [
        JobSpec(f"analyst{n + 1}", prompt, (who[n % len(who)],), table.options.analyst_seconds, _design)
        for n in range(ANALYSTS)
    ]
    return await table.jobs("analysts", *jobs)


def _design(text: str) -> Design:
    return structured.read(Design, text)


def seats_for(merged: Merged) -> list[tuple[SeatPlan, Chosen]]:
    """New seats for a merged workflow, with slugs made of their roles."""
    found: list[tuple[SeatPlan, Chosen]] = []
    for number, chosen in enumerate(merged.chosen, 1):
        slug = panels.slug_of(chosen.role) if chosen.role else f"seat-{number}"
        if slug in {plan.slug for plan, _ in found}:
            slug = f"seat-{number}"
        spec = seat_spec.parse_seat(f"{slug}={chosen.seat}")
        plan = SeatPlan(
            slug, chosen.role or f"Seat {number}", chosen.role, "", spec.profile, spec.model, spec.effort
        )
        found.append((plan, chosen))
    return found


def places(merged: Merged, slugs: Mapping[int, str]) -> tuple[Place, ...]:
    """Who sits where, for the positions that got a seat: position → slug."""
    return tuple(
        Place(slugs[at], chosen.stage, chosen.task) for at, chosen in enumerate(merged.chosen) if at in slugs
    )


def decided(merged: Merged, jobs: Sequence[Job], panel: Sequence[str]) -> str:
    """How the workflow came about, in one line for the header (S0.16)."""
    votes = [job.parsed.type for job in jobs if job.done]
    counted = ", ".join(f"{votes.count(kind)} for {kind}" for kind in sorted(set(votes)))
    stages = max(chosen.stage for chosen in merged.chosen)
    return (
        f"designed by {len(votes)} of {len(jobs)} analysts ({counted}): {merged.type}, {stages} stage{'s' * (stages > 1)},"
        f" {merged.rounds} round{'s' * (merged.rounds > 1)}; panel {', '.join(panel)};"
        f" synthesis by {merged.synthesizer or 'whoever does not sit'}"
    )


def recommendation(jobs: Sequence[Job]) -> dict[str, Any]:
    """What each analyst recommended, and who did not answer, for result.json."""
    return {
        "analysts": [
            {"by": ":".join(filter(None, (job.profile, job.model))), **job.parsed.model_dump(mode="json")}
            for job in jobs
            if job.done
        ],
        "failed": [reason for job in jobs if not job.done for reason in job.reasons],
    }


def fallback(table: Table, jobs: Sequence[Job], mode: str, panel: Mapping[str, Any]) -> Workflow:
    """The default: a debate of the seats there are, when no analyst gave a usable answer."""
    rounds, said = workflow.rounds_of(table.options)
    kind = cast("workflow.Type", table.options.fixed_type or "debate")
    return Workflow(
        kind, workflow.laid_out(kind, table.seats), rounds, f"default panel of mode {mode}: no analyst gave a usable answer",
        meta=recommendation(jobs),
        warnings=(
            *said, f"all {len(jobs)} analysts failed: the default panel of mode {mode} sits", *panel["warnings"],
        ),
        degraded=tuple(panel["degraded"]),
    )  # fmt: skip


def held(table: Table, merged: Merged) -> tuple[Merged, list[str]]:
    """The merged workflow with the rounds that were asked for, if any were."""
    rounds, said = workflow.rounds_of(table.options, merged.rounds)
    return replace(merged, rounds=rounds), said
