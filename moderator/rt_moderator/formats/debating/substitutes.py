"""Who sits in for a seat that failed, where the panel names somebody: said as degraded, with the cause and what undoes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rt_config import seat_spec
from rt_moderator import remedies
from rt_moderator.engine.model import Failure, Seat
from rt_moderator.formats.debating.workflow import Workflow
from rt_moderator.plan import SeatPlan

_MARK = "-2"


def lost(failures: Iterable[Failure], seats: Iterable[Seat]) -> list[tuple[Seat, Failure]]:
    """The seats that broke and name a fallback; who only ran out of time is absent, and nobody waits for another."""
    known = {seat.slug: seat for seat in seats}
    found = [(known[failure.seat], failure) for failure in failures if failure.seat in known]
    return [
        (seat, failure)
        for seat, failure in found
        if seat.fallback and failure.state == "failed" and failure.reason != "timeout"
    ]


def plan_of(seat: Seat) -> SeatPlan:
    """The seat that sits in: the same role and viewpoint, another model."""
    slug = seat.slug[: 32 - len(_MARK)].rstrip("-") + _MARK
    spec = seat_spec.parse_seat(f"{slug}={seat.fallback}")
    name = f"{seat.name or seat.role or seat.slug} (fallback)"
    return SeatPlan(
        slug, name, seat.role, seat.viewpoint, spec.profile, spec.model, spec.effort, spec.transport
    )


def reseated(
    plan: Workflow, broken: Sequence[tuple[Seat, Failure]], sat: Sequence[Seat], others: Sequence[Seat]
) -> Workflow:  # fmt: skip
    """The workflow with those who sit in, and what has to be said about them."""
    new = {seat.slug: seat for seat in sat}
    places, said = list(plan.places), list(plan.degraded)
    for seat, failure in broken:
        slug = plan_of(seat).slug
        if slug not in new:
            continue
        places = [replace(place, slug=slug) if place.slug == seat.slug else place for place in places]
        said.append(_note(seat, failure, new[slug], others))
    return replace(plan, places=tuple(places), degraded=tuple(said))


def _note(seat: Seat, failure: Failure, sat: Seat, others: Sequence[Seat]) -> dict[str, str]:
    kin = [one.slug for one in others if one.family == sat.family and one.slug not in (seat.slug, sat.slug)]
    shared = ""
    if sat.family == seat.family:
        shared = f", the same family ({sat.family})"
    elif kin:
        shared = f", now one family ({sat.family}) with {', '.join(kin)}"
    why = f"{seat.fallback} sits in as {sat.slug} for {seat.profile} ({failure.reason}){shared}"
    return {"seat": seat.slug, "why": why, "action": remedies.action(failure.reason, seat.slug, seat.profile)}
