"""From what was asked for to seats that can be launched: options, a seats file, or the default five."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_config import packed_spec
from rt_config import profiles as catalog
from rt_config.errors import BadConfigError, CliMissingError, WorkdirMissingError
from rt_config.profiles import SeatSpec
from rt_mailbox.addresses import deck_address, person_of, session_of
from rt_moderator import naming
from rt_moderator.plan import SeatPlan, default_seats

if TYPE_CHECKING:
    from rt_config.profiles import Profile
    from rt_config.settings import Settings

_SEAT_FILE_KEYS = frozenset(
    {"slug", "name", "role", "viewpoint", "profile", "model", "effort", "command", "transport", "fallback"}
)


def from_options(texts: Sequence[str]) -> list[SeatPlan]:
    """Seats from `--seat` values.

    Raises:
        BadConfigError: one does not parse.
    """
    return [_planned(catalog.parse_seat(text)) for text in texts]


def from_file(path: Path) -> list[SeatPlan]:
    """Seats from a TOML file with a list of `[[seat]]` tables.

    Raises:
        BadConfigError: it does not read as one.
    """
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("seat")
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise BadConfigError(where=path, reason="it has no list of [[seat]] tables")
        return [_from_row(row) for row in rows]
    except (OSError, ValueError) as exc:
        raise BadConfigError(where=path, reason=str(exc)) from exc


def _from_row(row: dict[str, Any]) -> SeatPlan:
    """One seat of a file; ValueError says what is wrong with it."""
    if unknown := sorted(row.keys() - _SEAT_FILE_KEYS):
        msg = f"a seat has no {unknown[0]!r}; it has {', '.join(sorted(_SEAT_FILE_KEYS))}"
        raise ValueError(msg)
    if not row.get("slug"):
        msg = "every seat needs a slug"
        raise ValueError(msg)
    command = row.pop("command", [])
    argv = shlex.split(command) if isinstance(command, str) else command
    if not isinstance(argv, list) or not all(isinstance(word, str) for word in argv):
        msg = f"the command of {row['slug']} is neither a line nor a list of words"
        raise ValueError(msg)
    return SeatPlan(**{key: str(value) for key, value in row.items()}, command=tuple(argv), candidates=())


def proposed(settings: Settings) -> list[SeatPlan]:
    """The default five over the agent CLIs of this machine, or over `rehearsal` where there is none."""
    return default_seats(installed(settings))


def installed(settings: Settings) -> list[str]:
    """The profiles that seats are spread over: one of every family where there are two, else all; never empty."""
    names = [profile.name for profile in catalog.proposed(settings)] or [catalog.default_profile(settings)]
    if settings.default_profile:
        first = catalog.default_profile(settings)
        names = [first, *(n for n in names if n != first)]
    return _spread(names, catalog.load(settings))


def _spread(names: list[str], found: dict[str, Profile]) -> list[str]:
    """One profile of every family first: two seats of one family are not independent."""
    seen: set[str] = set()
    first = [n for n in names if not (found[n].family in seen or seen.add(found[n].family))]  # type: ignore[func-returns-value]
    return first + [n for n in names if n not in first] if len(first) < 2 else first


def completed(seats: Sequence[SeatPlan], settings: Settings, *, missing_ok: bool = False) -> list[SeatPlan]:
    """The seats with name and profile filled in.

    Args:
        seats: as planned.
        settings: the configuration.
        missing_ok: leave seats whose CLI is missing to a check.

    Raises:
        UnknownProfileError, CliMissingError: a seat cannot run here; nothing was made.
    """
    from dataclasses import replace

    found = catalog.load(settings)
    default, others = _default(seats, settings)
    done = []
    for seat in seats:
        name = "command" if seat.command else seat.profile or default
        profile = catalog.for_seat(found, _spec_of(seat, name))
        if not profile.executable:
            raise BadConfigError(where=f"seat {seat.slug}", reason="it needs an argv: write SLUG=!argv")
        if not (missing_ok or catalog.available(profile)):
            raise CliMissingError(
                cli=profile.executable, install=profile.install or f"put {profile.executable} on PATH"
            )
        open_to = () if seat.profile or seat.command else others
        title = seat.name or seat.role or seat.slug.capitalize()
        done.append(replace(seat, profile=name, name=title, candidates=open_to))
    return done


def _default(seats: Sequence[SeatPlan], settings: Settings) -> tuple[str, tuple[str, ...]]:
    """Who sits where no profile was named, and who else could: the installed candidates of the role, in order."""
    if all(seat.profile or seat.command for seat in seats):
        return "", ()
    if settings.default_profile:
        return catalog.default_profile(settings), ()
    role, known = catalog.resolve_role(catalog.DEFAULT_ROLE, settings), catalog.load(settings)
    return role.profile, tuple(name for name in role.candidates if catalog.available(known[name]))


def seat_fields(table: str, seat: SeatPlan, settings: Settings, *, cwd: str, access: str) -> dict[str, str]:
    """A seat as its hash holds it, launch spec included; its deck group is the table's.

    Raises:
        WorkdirMissingError, BadConfigError: the folder, or a transport, model or effort that the profile does not take.
    """
    if not Path(cwd).is_dir():
        raise WorkdirMissingError(workdir=cwd)
    profile = catalog.for_seat(catalog.load(settings), _spec_of(seat, seat.profile))
    spec = catalog.launch_spec(
        profile, seat.model, seat.effort, "write" if access == "write" else "read-only", cwd, seat.transport,
        inactivity_seconds=settings.inactivity_seconds, kill_grace_seconds=settings.kill_grace_seconds,
        drain_timeout_seconds=settings.drain_timeout_seconds,
    )  # fmt: skip
    session = session_of(table, seat.slug)
    return {
        "slug": seat.slug, "name": seat.name, "role": seat.role, "viewpoint": seat.viewpoint, "profile": seat.profile,
        "model": seat.model, "effort": seat.effort, "transport": spec["transport"], "fallback": seat.fallback,
        "person": person_of(seat.slug), "address": deck_address(session), "session": naming.session_title(table, seat.slug),
        "tmux": session, "workdir": cwd, "spec": packed_spec.packed(spec), "requested_model": seat.model,
        "command": " ".join(seat.command) or profile.executable,
    }  # fmt: skip


def note(settings: Settings) -> str:
    """What to say under a plan on a machine without any agent CLI; empty elsewhere."""
    if settings.default_profile or catalog.proposed(settings):
        return ""
    default = catalog.default_profile(settings)
    return f"  No agent CLI was found: {default} seats are scripted, no model answers (rt profiles list)."


def families(settings: Settings) -> dict[str, str]:
    """Profile name → whose models answer."""
    return catalog.families(catalog.load(settings))


def _spec_of(seat: SeatPlan, profile: str) -> SeatSpec:
    return SeatSpec(seat.slug, profile, seat.model, seat.effort, seat.transport, seat.command)


def _planned(spec: SeatSpec) -> SeatPlan:
    return SeatPlan(
        slug=spec.slug,
        profile=spec.profile,
        model=spec.model,
        effort=spec.effort,
        transport=spec.transport,
        command=spec.argv,
    )
