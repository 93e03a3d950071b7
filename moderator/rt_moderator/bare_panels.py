"""Panels for formats that give no roles: everybody is called as what it runs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rt_config import panels as data
from rt_config import profiles as catalog
from rt_moderator import available, panels
from rt_moderator.plan import SeatPlan

if TYPE_CHECKING:
    from rt_config.settings import Settings


def everybody(chosen: str, settings: Settings) -> list[SeatPlan]:
    """All that `chosen` names, installed or not, without roles; nobody is replaced.

    Raises:
        BadConfigError, UnknownProfileError: as `panels.seated`.
    """
    known, profiles = data.load(settings), catalog.load(settings)
    if chosen.strip() in known:
        return _called(panels.planned(known[chosen.strip()].seats, settings))
    panels.check_list(chosen, known, profiles)
    items = [item.strip() for item in chosen.split(",") if item.strip()]
    return _called([panels.given(SeatPlan("seat"), item, profiles) for item in items])


def seated(chosen: str, settings: Settings) -> tuple[list[SeatPlan], list[dict[str, str]], list[str]]:
    """Who of them can sit here, {kind, seat, why, action} of every change, and what to say; a named panel may have substitutes.

    Raises:
        BadConfigError, UnknownProfileError, CliMissingError: as `panels.seated`.
    """
    if chosen.strip() not in data.load(settings):
        sitting, missing = available.there(everybody(chosen, settings), settings)
        return (
            sitting,
            [{"kind": "left_out", **one} for one in missing],
            [panels.change_line(one) for one in missing],
        )
    found = panels.seated(chosen, settings)
    seats = _called(found.seats)
    slugs = {old.slug: new.slug for old, new in zip(found.seats, seats, strict=True)}
    changed = [{**one, "seat": slugs.get(one["seat"], one["seat"])} for one in found.degraded]
    return (
        seats,
        [{"kind": "substituted", **one} for one in changed],
        [*map(panels.change_line, changed), *found.warnings],
    )


def _called(plans: Sequence[SeatPlan]) -> list[SeatPlan]:
    """A slug from profile and model; the second of a kind gets -2."""
    names = [panels.slug_of(f"{plan.profile} {plan.model}")[:28].strip("-") for plan in plans]
    counts = [names[: at + 1].count(name) for at, name in enumerate(names)]
    slugs = [name if count == 1 else f"{name}-{count}" for name, count in zip(names, counts, strict=True)]
    return [
        replace(plan, slug=slug, name="", role="", viewpoint="", fallback="")
        for plan, slug in zip(plans, slugs, strict=True)
    ]
