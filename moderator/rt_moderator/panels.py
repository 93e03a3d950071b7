"""From a panel's name, or a list of profiles, to seats that can run on this machine; what had to change is said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rt_config import panels, seat_spec
from rt_config import profiles as catalog
from rt_config.errors import BadConfigError
from rt_config.panels import ANY, Panel, PanelSeat
from rt_moderator import roster
from rt_moderator.available import install_line, runs, there
from rt_moderator.plan import SeatPlan
from rt_moderator.words import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rt_config.profiles import Profile
    from rt_config.settings import Settings

BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class Seated:
    """A panel as it can sit here. `degraded` are substitutions: {seat, why, action}, the action undoing it."""

    name: str
    format: str
    seats: tuple[SeatPlan, ...]
    warnings: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # which CLIs are not there, with their install lines; part of the warnings
    degraded: tuple[dict[str, str], ...] = ()
    synthesizer: str = ""
    analysts: tuple[str, ...] = ()


def said(found: Seated) -> list[str]:
    """Substitutions, then warnings, a line each."""
    return [*map(change_line, found.degraded), *found.warnings]


def change_line(change: Mapping[str, str]) -> str:
    """A substitution, or who was left out, in one line."""
    return f"{change['seat']}: {change['why']} ({change['action']})"


def seated(chosen: str, settings: Settings, *, mode: str = "", most: int = 0) -> Seated:
    """The panel that `chosen` means: a mode, a name in panels.toml, or a comma list of PROFILE[:MODEL[:EFFORT]].

    Args:
        chosen: empty is the panel of `mode`; the mode `default` has the one of `debate`.
        settings: name the user's own panels and profiles.
        mode: whose roles a list gets.
        most: of a panel only the first so many seats that can run here (--quick takes three); 0: all.

    Raises:
        BadConfigError, UnknownProfileError: it is neither, or a panel names a profile that does not exist.
        CliMissingError: of a list, none is installed.
    """
    known = panels.load(settings)
    of_mode = known[mode if mode in known else "debate"]
    chosen = chosen.strip()
    if chosen == "default":
        chosen = "debate"
    if not chosen or chosen in known:
        return _named(known[chosen] if chosen else of_mode, settings, most)
    check_list(chosen, known, catalog.load(settings))
    return _listed(chosen, of_mode, settings)


def check_list(chosen: str, known: Mapping[str, Panel], profiles: Mapping[str, Profile]) -> None:
    """That a text which names no panel can be a list of profiles."""
    if "," not in chosen and chosen.strip().partition(":")[0] not in profiles:
        reason = f"no panel ({', '.join(known)}), and no profile ({', '.join(profiles)})"
        raise BadConfigError(where=f"--panel {chosen}", reason=reason)


def option_fields(found: Seated, settings: Settings) -> dict[str, Any]:
    """What `engine.options.Options` needs to know of this machine: who else could sit, analyse, write, and for how long."""
    return {
        "analysts": found.analysts,
        "synthesizer": found.synthesizer,
        "roster": available_specs(settings),
        "families": roster.families(settings),
        "panel_notes": found.degraded,
        "panel_warnings": found.warnings,
        "analyst_seconds": settings.analyst_seconds,
        "validation_seconds": settings.validation_seconds,
        "synthesis_seconds": settings.synthesis_seconds,
    }


def available_specs(settings: Settings) -> tuple[str, ...]:
    """PROFILE[:MODEL] of what can be seated here: what the panels name, then every other installed agent CLI."""
    profiles = catalog.load(settings)
    named = [
        _spec(seat.profile, seat.model) for panel in panels.load(settings).values() for seat in panel.seats
    ]
    found = [spec for spec in dict.fromkeys(named) if runs(spec, profiles)]
    there = {spec.partition(":")[0] for spec in found}
    return (*found, *(name for name in roster.installed(settings) if name not in there))


def availability(settings: Settings) -> list[dict[str, Any]]:
    """Every panel: {panel, format, seats, roles, missing}, missing being the profiles of its seats that are not installed."""
    profiles = catalog.load(settings)
    rows = []
    for panel in panels.load(settings).values():
        wanted = [seat.profile for seat in panel.seats if seat.profile != ANY]
        missing = [name for name in dict.fromkeys(wanted) if not runs(name, profiles)]
        roles = list(dict.fromkeys(seat.role for seat in panel.seats if seat.role))
        rows.append(
            {"panel": panel.name, "format": panel.format, "seats": len(panel.seats), "roles": roles, "missing": missing}
        )  # fmt: skip
    return rows


def one_family(seats: Sequence[SeatPlan], families: Mapping[str, str]) -> str:
    """What to say when all of several seats answer with one family's models; else ''."""
    found = {families.get(seat.profile, seat.profile) for seat in seats}
    if len(seats) < 2 or len(found) != 1:
        return ""
    return alike(len(seats), found.pop())


def alike(count: int, family: str) -> str:
    """That all seats answer with one family's models."""
    return f"all {count} seats are of one family ({family}): they are likely to err together"


def _named(panel: Panel, settings: Settings, most: int) -> Seated:
    profiles = catalog.load(settings)
    plans = planned(panel.seats, settings)
    known = {seat.profile for seat in panel.seats} - {ANY}
    for name in known:
        catalog.get(profiles, name)
    filled = [_filled(plan, profiles) for plan in plans]
    sitting = [plan for plan in filled if plan is not None]
    if most:
        sitting = sitting[:most]
    warnings = []
    if len(sitting) < min(most or len(plans), len(plans)):
        warnings = _budget_warnings(
            panel, [p for p, f in zip(plans, filled, strict=True) if f is None], profiles
        )
        sitting = _spread(plans[: most or None], roster.installed(settings))
    return _said(panel, sitting, plans, warnings, profiles)


def _said(
    panel: Panel, there: Sequence[SeatPlan], wanted: Sequence[SeatPlan], warnings: list[str], profiles: dict[str, Profile]
) -> Seated:  # fmt: skip
    asked = {plan.slug: plan for plan in wanted}
    degraded = [] if warnings else [
        _substituted(plan, asked[plan.slug], there, profiles)
        for plan in there
        if (plan.profile, plan.model) != (asked[plan.slug].profile, asked[plan.slug].model)
    ]  # fmt: skip
    if same := one_family(there, catalog.families(profiles)):
        warnings = [*warnings, same]
    return Seated(
        panel.name,
        panel.format,
        tuple(there),
        tuple(warnings),
        tuple(line for line in warnings if " is not installed: " in line),
        tuple(degraded),
        panel.synthesizer if runs(panel.synthesizer, profiles) else "",
        tuple(spec for spec in panel.analysts if runs(spec, profiles)),
    )


def _substituted(
    plan: SeatPlan, asked: SeatPlan, there: Sequence[SeatPlan], profiles: dict[str, Profile]
) -> dict[str, str]:
    family = profiles[plan.profile].family
    others = [one.slug for one in there if one.slug != plan.slug and profiles[one.profile].family == family]
    shared = ""
    if family == profiles[asked.profile].family:
        shared = f", the same family ({family})"
    elif others:
        shared = f", now one family ({family}) with {listed(others)}"
    sits = f"{_spec(plan.profile, plan.model)} sits in for {asked.profile}, which is not installed{shared}"
    return {"seat": plan.slug, "why": sits, "action": f"install it: {install_line(profiles[asked.profile])}"}


def _budget_warnings(panel: Panel, missing: Iterable[SeatPlan], profiles: dict[str, Profile]) -> list[str]:
    names = list(dict.fromkeys(plan.profile for plan in missing))
    lines = [f"{name} is not installed: {install_line(profiles[name])}" for name in names]
    return [*lines, f"the panel {panel.name} is seated from what is installed ({BUDGET})"]


def _listed(chosen: str, of_mode: Panel, settings: Settings) -> Seated:
    profiles = catalog.load(settings)
    items = [item.strip() for item in chosen.split(",") if item.strip()]
    empty = [PanelSeat(profile=ANY, role=seat.role, viewpoint=seat.viewpoint) for seat in of_mode.seats]
    empty += [PanelSeat(profile=ANY)] * (len(items) - len(empty))
    wanted = [given(plan, item, profiles) for plan, item in zip(_slugged(empty), items, strict=False)]
    sitting, degraded = there(wanted, settings)
    same = one_family(sitting, catalog.families(profiles))
    return Seated(chosen, "debate", tuple(sitting), (same,) if same else (), (), tuple(degraded))


def given(plan: SeatPlan, item: str, profiles: dict[str, Profile]) -> SeatPlan:
    """The seat, on what PROFILE[:MODEL[:EFFORT]] names."""
    spec = seat_spec.parse_seat(f"{plan.slug}={item}")
    catalog.get(profiles, spec.profile)
    return replace(
        plan, profile=spec.profile, model=spec.model, effort=spec.effort, transport=spec.transport, command=spec.argv
    )  # fmt: skip


def planned(seats: Sequence[PanelSeat], settings: Settings) -> list[SeatPlan]:
    """The seats with slugs and names; `*` is filled from what is installed."""
    plans = [
        replace(plan, profile=seat.profile, model=seat.model, effort=seat.effort, fallback=seat.fallback)
        for plan, seat in zip(_slugged(seats), seats, strict=True)
    ]
    free = [plan for plan in plans if plan.profile == ANY]
    spread = {plan.slug: plan for plan in _spread(free, roster.installed(settings))}
    return [spread.get(plan.slug, plan) for plan in plans]


def _slugged(seats: Sequence[PanelSeat]) -> list[SeatPlan]:
    """Slug and name from the role; equal roles are numbered, no role is `seat-N`."""
    roles = [seat.role for seat in seats]
    plans: list[SeatPlan] = []
    for at, seat in enumerate(seats):
        count = roles.count(seat.role)
        name = seat.role or "Seat"
        if count > 1 or not seat.role:
            name = f"{name} {roles[:at].count(seat.role) + 1 if seat.role else at + 1}"
        slug = slug_of(name)
        taken = {plan.slug for plan in plans}
        if slug in taken:
            slug = f"seat-{at + 1}"
        plans.append(SeatPlan(slug, name=name, role=seat.role, viewpoint=seat.viewpoint))
    return plans


def slug_of(name: str) -> str:
    """A seat's slug from what it is called."""
    text = re.sub(r"[^a-z0-9]+", "-", name.lower().replace("'", "").replace("’", "")).strip("-")
    return text[:32].strip("-") or "seat"


def _filled(plan: SeatPlan, profiles: dict[str, Profile]) -> SeatPlan | None:
    """The seat if it can run, else its fallback if that can; else None."""
    if runs(plan.profile, profiles):
        return plan
    if not plan.fallback or not runs(plan.fallback, profiles):
        return None
    spec = seat_spec.parse_seat(f"{plan.slug}={plan.fallback}")
    return replace(plan, profile=spec.profile, model=spec.model, effort=spec.effort)


def _spread(plans: Sequence[SeatPlan], names: Sequence[str]) -> list[SeatPlan]:
    return [
        replace(plan, profile=names[at % len(names)], model="", effort="", fallback="")
        for at, plan in enumerate(plans)
    ]


def _spec(profile: str, model: str) -> str:
    return f"{profile}:{model}" if model else profile
