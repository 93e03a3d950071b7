"""Who audits when nobody was named: two families where there are two, one seat for each lens in `roles`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rt_config import profiles as catalog
from rt_config import rosters
from rt_config.errors import BadConfigError, TooFewSeatsError
from rt_moderator import words
from rt_moderator.plan import SeatPlan

if TYPE_CHECKING:
    from rt_config.profiles import Profile
    from rt_config.settings import Settings

# lens → role and what it looks for; any other lens is its own role
LENSES = {
    "auditor": ("Auditor", "defects that can be shown: wrong, unsafe, lost, unbounded"),
    "devils-advocate": ("Devil's advocate", "whether the premise holds, and what argues against doing it"),
    "architect": ("Architect", "structure, boundaries, what gets hard to change later"),
    "qa": ("QA", "what is untested, how each claim is verified, how it fails in use"),
}


def audit_seats(
    name: str, settings: Settings, lenses: Sequence[str] = (), *, moderator: str = ""
) -> tuple[list[SeatPlan], list[str]]:
    """The default seats of an audit and what has to be said about them.

    Args:
        name: of the format: panel, pingpong or roles.
        settings: whose profiles are looked for on PATH.
        lenses: of `roles`; empty: the four of `LENSES`.
        moderator: PROFILE[:MODEL] of who moderates; a seat of its family adds no diversity.

    Raises:
        UnknownProfileError: the moderator's profile does not exist.
        TooFewSeatsError: `roles` with a single lens.
    """
    found = catalog.load(settings)
    chosen = _chosen(settings, _family(found, moderator))
    if name == "roles":
        if len(lenses) == 1:
            raise TooFewSeatsError(format=name, needed=2, there=1, missing="another lens")
        seats = _lensed([one.name for one in chosen], lenses or tuple(LENSES))
    else:
        pair = [one.name for one in chosen][:2]
        seats = [
            SeatPlan(slug=slug, profile=profile) for slug, profile in zip(_slugs(pair), pair, strict=True)
        ]
    return seats, family_warnings(seats, settings, moderator=moderator)


def with_lenses(
    seats: Sequence[SeatPlan], lenses: Sequence[str], roles: Collection[str] = ()
) -> list[SeatPlan]:
    """Seats that were named: who has no role looks through the next of the lenses (the four of `LENSES` without any).

    Args:
        seats: as named.
        lenses: as given.
        roles: slugs of seats that get a role by hand.

    Raises:
        BadConfigError: more seats without a role than lenses.
    """
    free = [
        lens for lens in _lensed([""], lenses or tuple(LENSES)) if lens.role not in {s.role for s in seats}
    ]
    bare = [seat for seat in seats if not seat.role and seat.slug not in roles]
    if len(bare) > len(free):
        reason = (
            f"{len(bare)} seats have no role and {len(free)} lenses are left: name more, or --role SLUG=TEXT"
        )
        raise BadConfigError(where="--lenses", reason=reason)
    looks = {
        seat.slug: replace(
            seat, name=seat.name or lens.name, role=lens.role, viewpoint=seat.viewpoint or lens.viewpoint
        )
        for seat, lens in zip(bare, free, strict=False)
    }
    return [looks.get(seat.slug, seat) for seat in seats]


def family_warnings(seats: Sequence[SeatPlan], settings: Settings, *, moderator: str = "") -> list[str]:
    """What the families of these seats mean for the worth of their agreement; also for seats that were named.

    Raises:
        UnknownProfileError: the moderator's profile does not exist.
    """
    found = catalog.load(settings)
    family = {
        seat.slug: found[seat.profile].family if seat.profile in found else seat.profile for seat in seats
    }
    warnings = []
    if all(seat.profile == "rehearsal" for seat in seats):
        return ["All seats are scripted: no model audits anything (no agent CLI was named or found)."]
    if len(set(family.values())) == 1 and len(seats) > 1:
        one = next(iter(family.values()))
        warnings.append(
            f"All seats are of one family ({one}): their agreement is no independent confirmation."
        )
    own = _family(found, moderator)
    if same := [slug for slug, whose in family.items() if own and whose == own]:
        verb = "is" if len(same) == 1 else "are"
        warnings.append(
            f"{words.listed(same)} {verb} of the moderator's family ({own}) and {'adds' if verb == 'is' else 'add'} no diversity."
        )
    return warnings


def _chosen(settings: Settings, not_family: str) -> list[Profile]:
    """At least two profiles: the preferred pair, else the first two families, another than `not_family` where there is one."""
    found = catalog.load(settings)
    named = rosters.load("audit")["preferred"]
    preferred = [found[name] for name in named if name in found and catalog.available(found[name])]
    if len(preferred) == len(named):
        return preferred
    there = catalog.proposed(settings) or [catalog.get(found, catalog.default_profile(settings))]
    there = sorted(there, key=lambda one: one.name != settings.default_profile)
    there = sorted(
        there, key=lambda one: one.family == not_family
    )  # stable: the order of the catalog otherwise
    first: dict[str, Profile] = {}
    for one in there:
        first.setdefault(one.family, one)
    return list(first.values()) if len(first) > 1 else (there + there)[:2]


def _lensed(profiles: Sequence[str], lenses: Sequence[str]) -> list[SeatPlan]:
    seats = []
    for at, (slug, lens) in enumerate(zip(_slugs(lenses), lenses, strict=True)):
        role, viewpoint = LENSES.get(_slug(lens), (lens.strip(), ""))
        profile = profiles[at % len(profiles)]
        seats.append(SeatPlan(slug=slug, name=role, role=role, viewpoint=viewpoint, profile=profile))
    return seats


def _slugs(names: Sequence[str]) -> list[str]:
    """A slug for each name; the second of a kind gets -2."""
    bases = [_slug(name) or "seat" for name in names]
    return [
        base if (nth := bases[: at + 1].count(base)) == 1 else f"{base}-{nth}"
        for at, base in enumerate(bases)
    ]


def _slug(name: str) -> str:
    return re.sub(
        r"-{2,}", "-", re.sub(r"[^a-z0-9]+", "-", name.lower().replace("'", "").replace("’", ""))
    ).strip("-")[:28]


def _family(found: dict[str, Profile], spec: str) -> str:
    return catalog.get(found, spec.partition(":")[0]).family if spec else ""
