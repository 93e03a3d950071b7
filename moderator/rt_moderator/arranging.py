"""From what was asked for on a command line to a request that can be laid: seats by the format's own rule, options it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_config.errors import BadConfigError
from rt_moderator import formats, plan, roster
from rt_moderator.starting import Request

if TYPE_CHECKING:
    from rt_config.settings import Settings
    from rt_moderator.plan import SeatPlan

MODES = ("debate", "build", "redteam", "vote")
_DEBATING = ("debate", "sequential", "hybrid", "auto")
_AUDITS = ("panel", "pingpong", "roles")
_FLAGS = {"steering": "mode", "search": "no-search", "veto": "no-veto"}
_EVERYWHERE = frozenset({"turn_timeout", "moderator", "out", "budget_min", "budget_usd"})


@dataclass(frozen=True, slots=True)
class Wish:
    """What was given. `options` are those of formats, by the names of engine.options.Options; None and () are not given."""

    topic: str
    format: str = ""  # empty: chosen by rule
    mode: str = ""  # a mode flag
    seats: Sequence[SeatPlan] = ()
    panel: str = ""
    skip: Sequence[str] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    viewpoints: Mapping[str, str] = field(default_factory=dict)
    transport: str = "auto"
    fields: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    context: str = ""
    cwd: str = "."
    access: str = "read-only"
    run: bool = False
    check: bool = False


@dataclass(frozen=True, slots=True)
class Arranged:
    """A request, and what has to be said before it is laid."""

    request: Request
    warnings: Sequence[str] = ()


def arranged(wish: Wish, settings: Settings) -> Arranged:
    """The request that `wish` comes to.

    Raises:
        BadConfigError: options that the format does not take, seats that cannot be. UnknownProfileError, CliMissingError,
        TooFewSeatsError: it cannot start here; nothing was made.
    """
    name = _format(wish, settings)
    given = {key: value for key, value in wish.options.items() if value is not None}
    _check_options(name, given)
    if name == "open":
        return Arranged(_open(wish, settings))
    mode = _mode(wish, name)
    seats, fields, extra, warnings = _seated(wish, name, mode, settings, given)
    seats = plan.with_texts(seats, dict(wish.roles), dict(wish.viewpoints))
    if wish.transport != "auto":
        seats = [replace(seat, transport=seat.transport or wish.transport) for seat in seats]
    if seats or name != "auto":
        same_roles = mode == "vote" or name == "interpret"
        seats = roster.completed(seats if same_roles else plan.checked(seats), settings, missing_ok=True)
    options = {**extra, **given, "run": wish.run, "mode": mode, "context": wish.context}
    cwd = wish.cwd
    if name in _AUDITS:
        from rt_moderator.formats.audit import target

        cwd, options["target"] = target.placed(str(given.get("target") or ""), cwd)
    options |= {"fixed_mode": bool(wish.mode), "fixed_type": "debate" if wish.mode == "debate" else ""}
    return Arranged(
        Request(
            topic=wish.topic, seats=seats, fields={**wish.fields, **fields}, context=wish.context, cwd=cwd,
            access=wish.access, format=name, mode=mode, options=_packed(options), changes=_changes(extra),
        ),
        warnings,
    )  # fmt: skip


def _format(wish: Wish, settings: Settings) -> str:
    """An explicit one; else what a named panel says; a list and --quick are debates; a run without any is `auto`."""
    if wish.format:
        return wish.format
    if not wish.run:
        return "open"
    if wish.panel:
        from rt_config import panels as data

        named = data.load(settings).get(wish.panel)
        return named.format if named else "debate"
    return "debate" if wish.options.get("quick") else "auto"


def _check_options(name: str, given: Mapping[str, Any]) -> None:
    taken = _EVERYWHERE | (formats.uses(name) if name != "open" else frozenset())
    for key in given:
        if key not in taken:
            known = ", ".join(sorted(map(_flag, taken)))
            raise BadConfigError(
                where=_flag(key), reason=f"the format {name} does not take it; it takes {known}"
            )


def _flag(option: str) -> str:
    """How an option is written on a command line."""
    return "--" + _FLAGS.get(option, option).replace("_", "-")


def _mode(wish: Wish, name: str) -> str:
    if name not in _DEBATING:
        return ""
    if wish.mode:
        return wish.mode
    from rt_moderator.formats.debating.mode import detect_mode

    return detect_mode(wish.topic)


def _open(wish: Wish, settings: Settings) -> Request:
    seats = list(wish.seats)
    if wish.panel:
        from rt_moderator import panels

        seats += panels.seated(wish.panel, settings).seats
    if not seats:
        seats = without(roster.proposed(settings), wish.skip)
    seats = plan.with_texts(seats, dict(wish.roles), dict(wish.viewpoints))
    if wish.transport != "auto":
        seats = [replace(seat, transport=seat.transport or wish.transport) for seat in seats]
    return Request(
        topic=wish.topic, seats=roster.completed(plan.checked(seats), settings, missing_ok=wish.check),
        fields=dict(wish.fields), context=wish.context, cwd=wish.cwd, access=wish.access,
    )  # fmt: skip


_Seated = tuple[list["SeatPlan"], dict[str, str], dict[str, Any], list[str]]


def _seated(wish: Wish, name: str, mode: str, settings: Settings, given: Mapping[str, Any]) -> _Seated:
    """Seats by the format's rule: (seats, fields of the table, options, what to say)."""
    if name in _DEBATING:
        return _debating(wish, name, mode, settings, given)
    if name in _AUDITS:
        return _audit(wish, name, settings, given)
    if name == "interpret":
        return _interpret(wish, settings)
    return _table(wish, settings, given)


def _debating(wish: Wish, name: str, mode: str, settings: Settings, given: Mapping[str, Any]) -> _Seated:
    from rt_moderator import panels

    found = panels.seated(wish.panel, settings, mode=mode, most=3 if given.get("quick") else 0)
    extra = panels.option_fields(found, settings)
    unsaid = {"panel_notes": (), "panel_warnings": ()}
    if wish.seats:
        return list(wish.seats), {}, extra | unsaid, []
    if name == "auto":  # the seats come when the analysts have spoken; what they lack is said then
        return [], {}, extra | unsaid, panels.said(found) if wish.mode else list(found.missing)
    return list(found.seats), {}, extra, panels.said(found)


def _audit(wish: Wish, name: str, settings: Settings, given: Mapping[str, Any]) -> _Seated:
    from rt_moderator import panels
    from rt_moderator.formats.audit import seats as auditors

    lenses, moderator = tuple(given.get("lenses") or ()), str(given.get("moderator") or "")
    seats = list(wish.seats)
    if wish.panel:
        seats += panels.seated(wish.panel, settings).seats
    if seats:
        warnings = auditors.family_warnings(seats, settings, moderator=moderator)
    else:
        seats, warnings = auditors.audit_seats(name, settings, lenses, moderator=moderator)
    extra = {
        "roster": panels.available_specs(settings), "families": roster.families(settings), "notes": tuple(warnings),
        "synthesis_seconds": settings.synthesis_seconds,
    }  # fmt: skip
    return seats, {}, extra, warnings


def _interpret(wish: Wish, settings: Settings) -> _Seated:
    from rt_moderator.formats.interpreting import seats as interpreters

    if wish.roles or wish.viewpoints:
        reason = "interpret gives no roles: every seat gets the same request"
        raise BadConfigError(where="--role" if wish.roles else "--viewpoint", reason=reason)
    seats = list(wish.seats)
    if wish.panel:
        from rt_moderator import panels

        seats += panels.seated(wish.panel, settings).seats
    access: Any = wish.access
    places = (
        interpreters.places(seats, settings, access)
        if seats
        else interpreters.interpret_seats(settings, access)
    )
    warnings = [f"{one.seat.slug}: {one.blocked_reason}" for one in places if one.blocked_reason]
    return interpreters.seated(places), {"seat_table": interpreters.packed(places)}, {}, warnings


def _table(wish: Wish, settings: Settings, given: Mapping[str, Any]) -> _Seated:
    from rt_moderator.formats.tabling import roster as tabling

    access: Any = wish.access
    warnings: list[str] = []
    seats = list(wish.seats)
    if not seats and wish.panel:
        from rt_moderator import panels

        seats += panels.seated(wish.panel, settings).seats
    if not seats:
        seats, warnings = tabling.table_roster(Path(wish.cwd), settings, wish.skip, access)
    return tabling.with_host(seats, str(given.get("host_seat") or "")), {}, {}, warnings


def _changes(extra: Mapping[str, Any]) -> list[dict[str, str]]:
    """Substitutions when the panel was seated: the table is degraded from its start."""
    return [{"kind": "substituted", **one} for one in extra.get("panel_notes", ())]


def _packed(options: Mapping[str, Any]) -> str:
    """The options as the table keeps them.

    Raises:
        BadConfigError.
    """
    from pydantic import ValidationError

    from rt_moderator.engine.options import Options

    try:
        return Options.model_validate(dict(options)).model_dump_json(by_alias=True, exclude_defaults=True)
    except ValidationError as exc:
        first = exc.errors()[0]
        raise BadConfigError(where=f"--{first['loc'][0]}", reason=first["msg"]) from exc


def without(seats: list[SeatPlan], skip: Sequence[str]) -> list[SeatPlan]:
    """The seats without those named by slug or profile.

    Raises:
        BadConfigError: a name that none of them has.
    """
    known = {name for seat in seats for name in (seat.slug, seat.profile)}
    for name in skip:
        if name not in known:
            raise BadConfigError(where=f"--skip {name}", reason=f"proposed are: {', '.join(sorted(known))}")
    return [seat for seat in seats if not {seat.slug, seat.profile} & set(skip)]
