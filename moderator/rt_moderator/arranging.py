"""From what was asked for on a command line to a request that can be laid: seats by the format's own rule, options it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rt_config.errors import BadConfigError
from rt_moderator import choosing, formats, plan, roster
from rt_moderator.starting import Request
from rt_moderator.wish import Wish

if TYPE_CHECKING:
    from rt_config.settings import Settings

_FLAGS = {"steering": "mode", "search": "no-search", "veto": "no-veto"}
_EVERYWHERE = frozenset({"turn_timeout", "moderator", "out", "budget_min", "budget_usd"})


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
    mode = _mode(wish, name)
    chosen = choosing.chosen(wish, name, mode, settings, given)
    seats = plan.with_texts(chosen.seats, dict(wish.roles), dict(wish.viewpoints))
    if wish.transport != "auto":
        seats = [replace(seat, transport=seat.transport or wish.transport) for seat in seats]
    if seats or name != "auto":
        same_roles = mode == "vote" or name == "interpret"
        missing_ok = name != "open" or wish.check
        seats = roster.completed(
            seats if same_roles else plan.checked(seats), settings, missing_ok=missing_ok
        )
    if name == "open":
        return Arranged(
            Request(
                topic=wish.topic, seats=seats, fields=dict(wish.fields), context=wish.context, cwd=wish.cwd,
                access=wish.access, changes=chosen.changes,
            ),
            chosen.warnings,
        )  # fmt: skip
    options = {**chosen.options, **given, "run": wish.run, "mode": mode, "context": wish.context}
    cwd = wish.cwd
    if name in choosing.AUDITS:
        from rt_moderator.formats.audit import target

        cwd, options["target"] = target.placed(str(given.get("target") or ""), cwd)
    options |= {"fixed_mode": bool(wish.mode), "fixed_type": "debate" if wish.mode == "debate" else ""}
    return Arranged(
        Request(
            topic=wish.topic, seats=seats, fields={**wish.fields, **chosen.fields}, context=wish.context, cwd=cwd,
            access=wish.access, format=name, mode=mode, options=_packed(options), changes=chosen.changes,
        ),
        chosen.warnings,
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
    if name not in choosing.DEBATING:
        return ""
    if wish.mode:
        return wish.mode
    from rt_moderator.formats.debating.mode import detect_mode

    return detect_mode(wish.topic)


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
