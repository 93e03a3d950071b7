"""Who sits at a table: the default five, spread over the agent CLIs that are there. Pure but for the profiles given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rt_config.errors import BadConfigError
from rt_mailbox.addresses import slug as checked_slug

# slug, role, viewpoint: the seed's default set (S4.11) in our words.
DEFAULT_FIVE = (
    ("systems", "Systems thinker", "feedback loops and second effects"),
    ("builder", "Builder", "what can be shipped, and in which order"),
    ("skeptic", "Skeptic", "what breaks, and what it costs"),
    ("advocate", "User advocate", "the people who live with the result"),
    ("contrarian", "Contrarian", "the case that nobody makes"),
)


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """One seat before it exists."""

    slug: str
    name: str = ""
    role: str = ""
    viewpoint: str = ""
    profile: str = ""
    model: str = ""
    effort: str = ""
    transport: str = ""
    fallback: str = ""
    command: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()  # profiles of the role, in order, when none was named


def default_seats(profiles: Sequence[str]) -> list[SeatPlan]:
    """The default five over these profiles in turn, so that neighbours differ where there are two."""
    return [
        SeatPlan(slug=slug, name=role, role=role, viewpoint=viewpoint, profile=profiles[i % len(profiles)])
        for i, (slug, role, viewpoint) in enumerate(DEFAULT_FIVE)
    ]


def with_texts(
    seats: Iterable[SeatPlan], roles: dict[str, str], viewpoints: dict[str, str]
) -> list[SeatPlan]:
    """The seats with the given roles and viewpoints.

    Raises:
        BadConfigError: a slug that is not planned.
    """
    planned = list(seats)
    known = {seat.slug for seat in planned}
    for option, texts in (("role", roles), ("viewpoint", viewpoints)):
        for slug in texts:
            if slug not in known:
                raise BadConfigError(where=f"--{option} {slug}=…", reason=f"no seat is called {slug}")
    return [_with_text(seat, roles.get(seat.slug), viewpoints.get(seat.slug)) for seat in planned]


def _with_text(seat: SeatPlan, role: str | None, viewpoint: str | None) -> SeatPlan:
    if role is not None:
        seat = replace(seat, role=role, name=seat.name or role)
    return seat if viewpoint is None else replace(seat, viewpoint=viewpoint)


def checked(seats: Sequence[SeatPlan]) -> list[SeatPlan]:
    """The seats when a table can be laid with them: good slugs, none twice, no two with the same role text (S3.4).

    Raises:
        BadSlugError, BadConfigError: nothing was made.
    """
    if not seats:
        raise BadConfigError(where="seats", reason="a table needs at least one")
    slugs = [checked_slug(seat.slug) for seat in seats]
    for slug in slugs:
        if slugs.count(slug) > 1:
            raise BadConfigError(where=f"seat {slug}", reason="given twice")
    seen: dict[str, str] = {}
    for seat in seats:
        role = " ".join((seat.role + " " + seat.viewpoint).lower().split())
        if role and role in seen:
            raise BadConfigError(where=f"seat {seat.slug}", reason=f"has the same role as {seen[role]}")
        seen[role] = seat.slug
    return list(seats)


def same_family(seats: Sequence[SeatPlan], families: dict[str, str]) -> dict[str, str]:
    """Slug → the earlier seat it shares a family with, for the plan's last column."""
    first: dict[str, str] = {}
    shared: dict[str, str] = {}
    for seat in seats:
        family = families.get(seat.profile) or seat.profile
        if family in first:
            shared[seat.slug] = first[family]
        first.setdefault(family, seat.slug)
    return shared
