"""`--roles auto` of `start` and `run`: roles made for the topic, before anything is shown or made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rt_config.errors import BadConfigError
from rt_moderator.cli.base import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rt_moderator.arranging import Wish
    from rt_moderator.plan import SeatPlan
    from rt_moderator.starting import Request

_FORMATS = ("open", "table", "debate", "sequential", "hybrid")


def with_roles(request: Request, wish: Wish) -> Request:
    """The request with roles made by one call for every seat that was given none; takes as long as that call.

    Raises:
        BadConfigError: the format gives no such roles.
    """
    if request.format not in _FORMATS:
        reason = f"the format {request.format} has no roles to make; {', '.join(_FORMATS)} have"
        raise BadConfigError(where="--roles auto", reason=reason)
    from rt_moderator.formats.tabling import proposing

    given = {*wish.roles, *wish.viewpoints, *(seat.slug for seat in wish.seats if seat.role)}
    bare = [one if one.slug in given else replace(one, role="", viewpoint="") for one in request.seats]
    progress("making roles for this topic …")
    moderator = str(wish.options.get("moderator") or "")
    seats, said = proposing.proposed_roles(request.topic, bare, moderator=moderator, cwd=request.cwd)
    for text in said:
        progress(f"! {text}")
    return replace(request, seats=_named(seats, given | {seat.slug for seat in wish.seats}))


def _named(seats: Sequence[SeatPlan], kept: set[str]) -> list[SeatPlan]:
    """Seats are called as their roles; a proposed slug such as skeptic would say something else."""
    from rt_moderator import naming
    from rt_moderator.plan import DEFAULT_FIVE

    free = {slug for slug, *_ in DEFAULT_FIVE} - kept
    taken = {seat.slug for seat in seats} - free
    wished = [
        naming.topic_slug(seat.role)[:32].strip("-") if seat.slug in free else seat.slug for seat in seats
    ]
    slugs = [seat.slug if slug in taken else slug for seat, slug in zip(seats, wished, strict=True)]
    if len(set(slugs)) < len(slugs):
        slugs = [seat.slug for seat in seats]
    return [
        replace(seat, slug=slug, name=seat.role or seat.name) for seat, slug in zip(seats, slugs, strict=True)
    ]
