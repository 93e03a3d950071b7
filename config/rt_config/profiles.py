"""Profiles: which agent CLIs there are, and what launching one takes. Every detail of a CLI is in `profiles/*.toml`."""

from __future__ import annotations

import os
import shutil
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rt_config.errors import BadConfigError, CliMissingError, UnknownProfileError
from rt_config.launch_specs import launch_spec
from rt_config.profile_model import Profile
from rt_config.seat_spec import COMMAND, SeatSpec, parse_seat
from rt_config.settings import Settings

__all__ = [
    "DEFAULT_ROLE",
    "Profile",
    "Resolved",
    "SeatSpec",
    "available",
    "default_profile",
    "for_seat",
    "get",
    "interactive_argv",
    "launch_spec",
    "load",
    "parse_seat",
    "proposed",
    "resolve_role",
]

DEFAULT_ROLE = "roundtable_participant"
_FOLDER = Path(__file__).with_name("profiles")


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a role comes to: the profile, the argv that starts it, and who else could have been chosen, in order."""

    role: str
    profile: str
    argv: tuple[str, ...]
    candidates: tuple[str, ...]


def load(settings: Settings) -> dict[str, Profile]:
    """Every profile by name, in the order in which they are proposed: the built-in ones and those of the configuration.

    A configured profile changes the built-in of its name or the one it `extends`: tables merge, `args` are added, any
    other value replaces. `argv` becomes the call of a `command`-like profile.

    Raises:
        BadConfigError: a profile does not read as one, or extends itself.
        UnknownProfileError: it extends one that does not exist.
    """
    raw = dict(_built_in())
    for name in settings.profiles:
        raw[name] = _merged(name, settings.profiles, ())
    found = [_validated(name, fields) for name, fields in raw.items()]
    return {one.name: one for one in sorted(found, key=lambda p: (p.order, p.name))}


def families(profiles: dict[str, Profile]) -> dict[str, str]:
    """Profile name → whose models answer."""
    return {name: profile.family for name, profile in profiles.items()}


def get(profiles: dict[str, Profile], name: str) -> Profile:
    """The profile of that name.

    Raises:
        UnknownProfileError: lists those that exist.
    """
    try:
        return profiles[name]
    except KeyError as exc:
        raise UnknownProfileError(profile=name, known=", ".join(profiles)) from exc


def for_seat(profiles: dict[str, Profile], seat: SeatSpec) -> Profile:
    """The profile of a seat; a seat with an argv of its own gets the command profile around it.

    Raises:
        UnknownProfileError: no such profile.
    """
    profile = get(profiles, seat.profile)
    return (
        profile.model_copy(update={"argv": seat.argv, "executable": seat.argv[0]}) if seat.argv else profile
    )


def available(profile: Profile, path: str | None = None) -> bool:
    """Whether its executable is on `path` (PATH when None)."""
    if profile.executable == "{python}":
        return True
    return bool(profile.executable) and shutil.which(profile.executable, path=path) is not None


def proposed(settings: Settings, path: str | None = None) -> list[Profile]:
    """The agent CLIs that are installed here, best first; those that are not proposable have to be named."""
    found = load(settings).values()
    return [one for one in found if one.agent and one.proposable and available(one, path)]


def default_profile(settings: Settings, path: str | None = None) -> str:
    """The configured default, else the first installed agent CLI, else the scripted seat that needs no model.

    Raises:
        UnknownProfileError: the configured default does not exist.
    """
    if settings.default_profile:
        return get(load(settings), settings.default_profile).name
    return resolve_role(DEFAULT_ROLE, settings, path).profile


def resolve_role(role: str, settings: Settings, path: str | None = None) -> Resolved:
    """Who fills `role` on this machine: the first of its candidates that is installed (S4.7).

    Raises:
        BadConfigError: no profile names this role.
        CliMissingError: none of its candidates is installed.
    """
    candidates = [one for one in load(settings).values() if role in one.roles]
    if not candidates:
        known = sorted({name for one in load(settings).values() for name in one.roles})
        raise BadConfigError(where=f"role {role}", reason=f"no profile has it; there are: {', '.join(known)}")
    ordered = sorted(candidates, key=lambda one: one.name != settings.default_profile)
    names = tuple(one.name for one in ordered)
    for one in ordered:
        if available(one, path):
            return Resolved(role, one.name, interactive_argv(one), names)
    raise CliMissingError(cli=" or ".join(names), install=ordered[0].install)


def interactive_argv(profile: Profile) -> tuple[str, ...]:
    """The argv that starts it by hand."""
    words = profile.interactive or profile.argv or (profile.executable,)
    return tuple(word.replace("{python}", sys.executable) for word in (*words, *profile.args))


@cache
def _built_in() -> dict[str, dict[str, Any]]:
    files = sorted(_FOLDER.glob("*.toml"))
    return {
        file.stem: tomllib.loads(file.read_text(encoding="utf-8")) | {"name": file.stem} for file in files
    }


def _merged(name: str, configured: dict[str, dict[str, Any]], above: tuple[str, ...]) -> dict[str, Any]:
    """The fields of a configured profile on top of what it changes."""
    given = dict(configured[name])
    if name in above:
        raise BadConfigError(where=f"profiles.{name}", reason="it extends itself")
    base = given.pop("extends", name if name in _built_in() else COMMAND)
    if base == name and name not in _built_in():
        raise BadConfigError(where=f"profiles.{name}", reason="it extends itself")
    if base in configured and base != name:
        fields = _merged(base, configured, (*above, name))
    elif base in _built_in():
        fields = _built_in()[base]
    else:
        raise UnknownProfileError(profile=base, known=", ".join({**_built_in(), **configured}))
    return _changed(fields, given) | {"name": name}


def _changed(fields: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    changed = _over(fields, given)
    if isinstance(given.get("args"), list):
        changed["args"] = [*fields.get("args", ()), *given["args"]]
    own = given.get("argv")
    if own and isinstance(own, list):
        call = changed.get("headless", {})
        if "{argv}" not in call.get("start", ()):  # an argv of its own replaces the call of any profile
            changed["headless"] = call | {
                "start": ["{argv}"],
                "resume": [],
                "session": "none",
                "prompt": "stdin",
            }
        changed["executable"] = given.get("executable", own[0])
        if "acp" not in given:  # nobody said that this program speaks it
            changed.pop("acp", None)
        if "tui" not in given:
            changed.pop("tui", None)
    return changed


def _over(base: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in given.items():
        old = merged.get(key)
        merged[key] = _over(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _validated(name: str, fields: dict[str, Any]) -> Profile:
    try:
        profile = Profile.model_validate(fields)
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(map(str, ("profiles", name, *first["loc"])))
        raise BadConfigError(where=where, reason=first["msg"]) from exc
    if os.sep in profile.name or profile.name != profile.name.strip():
        raise BadConfigError(where=f"profiles.{name}", reason="a name is one plain word")
    return profile
