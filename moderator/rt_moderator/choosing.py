"""Who sits, by each format's own rule: seats that were named, a panel, what a format proposes; less what is to be skipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_config.errors import BadConfigError
from rt_moderator import roster

if TYPE_CHECKING:
    from rt_config.settings import Settings
    from rt_moderator.plan import SeatPlan
    from rt_moderator.wish import Wish

DEBATING = ("debate", "sequential", "hybrid", "auto")
AUDITS = ("panel", "pingpong", "roles")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Who sits. `changes` {kind, seat, why, action} make the table degraded from its start; `options` are the format's."""

    seats: Sequence[SeatPlan]
    warnings: Sequence[str] = ()
    changes: Sequence[Mapping[str, str]] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


def chosen(wish: Wish, name: str, mode: str, settings: Settings, given: Mapping[str, Any]) -> Chosen:
    """The seats of format `name`.

    Raises:
        BadConfigError: they cannot be chosen so. UnknownProfileError, CliMissingError, TooFewSeatsError: it cannot start here.
    """
    if name == "open":
        return _open(wish, settings)
    if name in DEBATING:
        return _debating(wish, name, mode, settings, given)
    if name in AUDITS:
        return _audit(wish, name, settings, given)
    return _interpret(wish, settings) if name == "interpret" else _table(wish, settings, given)


def without(seats: Sequence[SeatPlan], skip: Sequence[str]) -> list[SeatPlan]:
    """The seats without those named by slug, profile or model, in any case of letters (S1.1).

    Raises:
        BadConfigError: a name that none of them has, or nobody is left.
    """
    skipped = {name.casefold() for name in skip}
    known = {name for seat in seats for name in _names(seat)}
    for name in skip:
        if name.casefold() not in known:
            raise BadConfigError(where=f"--skip {name}", reason=f"there are: {', '.join(sorted(known))}")
    left = [seat for seat in seats if not _names(seat) & skipped]
    if seats and not left:
        raise BadConfigError(where="--skip", reason="nobody is left")
    return left


def _names(seat: SeatPlan) -> set[str]:
    return {name.casefold() for name in (seat.slug, seat.profile, seat.model) if name}


def _paneled(wish: Wish, settings: Settings, *, roles: bool = True) -> Chosen:
    """The seats that were named, one by one and by a panel, and what to say of it; without `roles` nobody has one."""
    if not wish.panel:
        return Chosen(without(wish.seats, wish.skip)) if wish.seats else Chosen(())
    from rt_moderator import bare_panels, panels

    if roles:
        found = panels.seated(wish.panel, settings)
        changes = [{"kind": "substituted", **one} for one in found.degraded]
        return Chosen(without([*wish.seats, *found.seats], wish.skip), panels.said(found), changes)
    seats, changes, said = bare_panels.seated(wish.panel, settings)
    return Chosen(without([*wish.seats, *seats], wish.skip), said, changes)


def _open(wish: Wish, settings: Settings) -> Chosen:
    found = _paneled(wish, settings)
    return found if found.seats else Chosen(without(roster.proposed(settings), wish.skip))


def _debating(wish: Wish, name: str, mode: str, settings: Settings, given: Mapping[str, Any]) -> Chosen:
    from rt_moderator import panels

    found = panels.seated(wish.panel, settings, mode=mode, most=3 if given.get("quick") else 0)
    options = _skipping(panels.option_fields(found, settings), wish.skip)
    unsaid = {**options, "panel_notes": (), "panel_warnings": ()}
    if wish.seats and not wish.panel:
        return Chosen(without(wish.seats, wish.skip), options=unsaid)
    if name == "auto":  # the seats come when the analysts have spoken; what they lack is said then
        return Chosen([], panels.said(found) if wish.mode else list(found.missing), options=unsaid)
    changes = [{"kind": "substituted", **one} for one in found.degraded]
    return Chosen(
        without([*wish.seats, *found.seats], wish.skip), panels.said(found), changes, options=options
    )


def _skipping(options: dict[str, Any], skip: Sequence[str]) -> dict[str, Any]:
    """A skipped CLI or model neither sits later, nor analyses, nor writes."""
    names = {name.casefold() for name in skip}

    def kept(spec: str) -> bool:
        return not names & {part.casefold() for part in spec.split(":")}

    if not any(map(kept, options["roster"])):
        raise BadConfigError(where="--skip", reason="nobody is left")
    lists = {key: tuple(filter(kept, options[key])) for key in ("roster", "analysts")}
    return {**options, **lists, "synthesizer": options["synthesizer"] if kept(options["synthesizer"]) else ""}


def _audit(wish: Wish, name: str, settings: Settings, given: Mapping[str, Any]) -> Chosen:
    from rt_moderator import panels
    from rt_moderator.formats.audit import seats as auditors

    lenses, moderator = tuple(given.get("lenses") or ()), str(given.get("moderator") or "")
    found = _paneled(wish, settings, roles=False)
    if found.seats:
        seats = (
            auditors.with_lenses(found.seats, lenses, wish.roles) if name == "roles" else list(found.seats)
        )
        warnings = [*found.warnings, *auditors.family_warnings(seats, settings, moderator=moderator)]
    else:
        seats, warnings = auditors.audit_seats(name, settings, lenses, moderator=moderator)
        seats = without(seats, wish.skip)
    options = {
        "roster": panels.available_specs(settings), "families": roster.families(settings), "notes": tuple(warnings),
        "synthesis_seconds": settings.synthesis_seconds,
    }  # fmt: skip
    return Chosen(seats, warnings, found.changes, options=options)


def _interpret(wish: Wish, settings: Settings) -> Chosen:
    from rt_moderator import bare_panels
    from rt_moderator.formats.interpreting import seats as interpreters

    if wish.roles or wish.viewpoints:
        reason = "interpret gives no roles: every seat gets the same request"
        raise BadConfigError(where="--role" if wish.roles else "--viewpoint", reason=reason)
    named = [*wish.seats, *(bare_panels.everybody(wish.panel, settings) if wish.panel else ())]
    access: Any = wish.access
    places = (
        interpreters.places(without(named, wish.skip), settings, access)
        if named
        else interpreters.interpret_seats(settings, access)
    )
    if not named and wish.skip:
        left = without([one.seat for one in places], wish.skip)
        places = [one for one in places if one.seat in left]
    warnings = [f"{one.seat.slug}: {one.blocked_reason}" for one in places if one.blocked_reason]
    table = {"seat_table": interpreters.packed(places)}
    return Chosen(interpreters.seated(places), warnings, fields=table)


def _table(wish: Wish, settings: Settings, given: Mapping[str, Any]) -> Chosen:
    from rt_moderator.formats.tabling import roster as tabling

    access: Any = wish.access
    found = _paneled(wish, settings)
    if not found.seats:
        found = Chosen(*tabling.table_roster(Path(wish.cwd), settings, wish.skip, access))
    seats = tabling.with_host(found.seats, str(given.get("host_seat") or ""))
    return Chosen(seats, found.warnings, found.changes)
