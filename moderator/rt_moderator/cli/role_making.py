"""`--roles auto` of `start` and `run`: roles made for the topic before anything exists, and shown with the plan."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rt_config.errors import BadConfigError
from rt_moderator.cli.base import progress

if TYPE_CHECKING:
    from rt_moderator.plan import SeatPlan
    from rt_moderator.starting import Request

_TAKE_ROLES = ("open", "table", "debate", "sequential", "hybrid")


def with_roles(request: Request, options: dict[str, Any]) -> tuple[Request, list[str]]:
    """The request with roles made for its topic, and what to say; as it is without `--roles auto`.

    A role given by hand, in a file or by a panel that was named stays; those of a proposed panel give way.

    Raises:
        BadConfigError: the format gives no roles, or gives them itself.
    """
    from rt_moderator import plan
    from rt_moderator.formats.tabling import proposing

    if not options["auto_roles"]:
        return request, []
    if request.format not in _TAKE_ROLES:
        own = "its analysts give them" if request.format == "auto" else "it gives none"
        raise BadConfigError(
            where="--roles auto", reason=f"the format {request.format} does not take it: {own}"
        )
    progress("making roles for the topic (one call)")
    given = options["seats"] or options["seats_file"] or options["panel"]
    by_hand = {text.partition("=")[0] for text in (*options["roles"], *options["viewpoints"])}
    seats = [seat if given or seat.slug in by_hand else _bare(seat) for seat in request.seats]
    seats, said = proposing.proposed_roles(
        request.topic, seats, moderator=options["moderator"] or "", cwd=request.cwd
    )
    bare = {before.slug for before in request.seats if not (given or before.slug in by_hand)}
    return replace(request, seats=plan.checked(_named(seats, bare), mode=request.mode)), said


def _named(seats: list[SeatPlan], bare: set[str]) -> list[SeatPlan]:
    """The seats called as their roles are; those that a person has named keep their slugs."""
    from rt_moderator import panels

    taken = {seat.slug for seat in seats if seat.slug not in bare}
    found: list[SeatPlan] = []
    for seat in seats:
        slug = panels.slug_of(seat.role) if seat.slug in bare and seat.role else seat.slug
        slug = slug if slug not in taken or seat.slug not in bare else f"{slug[:28]}-{len(found) + 1}"
        taken.add(slug)
        found.append(replace(seat, slug=slug, name=seat.role or seat.name))
    return found


def _bare(seat: SeatPlan) -> SeatPlan:
    return replace(seat, name="", role="", viewpoint="")
