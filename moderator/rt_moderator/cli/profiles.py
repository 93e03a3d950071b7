"""profiles: which agent CLIs there are, how each is launched, and who fills a role."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from rt_moderator.cli.base import command, emit, emit_json
from rt_moderator.words import grid
from rt_participant.show import plain

if TYPE_CHECKING:
    from rt_config.profiles import Profile
    from rt_config.settings import Settings

_ROLE = "roundtable_participant"


@click.group("profiles", epilog="\b\nExample:\n  rt profiles list")
def profiles() -> None:
    """Profiles of agent CLIs."""


def _settings() -> Settings:
    from pathlib import Path

    from rt_config import settings

    return settings.load(Path.cwd())


def _row(profile: Profile) -> dict[str, Any]:
    from rt_config import profiles as catalog

    return {
        "name": profile.name,
        "description": profile.description,
        "family": profile.family,
        "executable": profile.executable,
        "available": catalog.available(profile),
        "agent": profile.agent,
        "default_transport": profile.default_transport,
        "transports": profile.transports,
        "unverified": profile.unverified,
    }


@command("list", example="rt profiles list --json")
def list_profiles(as_json: bool) -> int:
    """List every profile, and whether its program is installed here."""
    from rt_config import profiles as catalog

    rows = [_row(profile) for profile in catalog.load(_settings()).values()]
    if as_json:
        emit_json({"profiles": rows})
        return 0
    shown = [
        (
            row["name"],
            "installed" if row["available"] else "not installed",
            " ".join(sorted(row["transports"], key=lambda one: one != row["default_transport"])),
            "unverified" if row["unverified"] else "",
            row["description"],
        )
        for row in rows
    ]
    emit(plain("\n".join(grid(shown, indent=""))))
    return 0


@command("show", example="rt profiles show claude")
@click.argument("name")
def show(name: str, as_json: bool) -> int:
    """Show everything a profile says."""
    from rt_config import profiles as catalog

    profile = catalog.get(catalog.load(_settings()), name)
    found = {**profile.model_dump(mode="json"), "available": catalog.available(profile)}
    if as_json:
        emit_json(found)
        return 0
    rows = [(key, _word(value)) for key, value in found.items() if value not in ("", None, [], {})]
    emit(plain("\n".join(grid(rows, indent=""))))
    return 0


def _word(value: Any) -> str:
    """A value as one line: an argv as the shell would take it, the rest as JSON."""
    import json

    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return shlex.join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@command("resolve", example=f"rt profiles resolve --role {_ROLE} --json")
@click.option("--role", default=_ROLE, show_default=True, help="What is to be filled.")
@click.option("--profile", default="", metavar="NAME", help="This profile, whatever the role's order.")
def resolve(role: str, profile: str, as_json: bool) -> int:
    """Say which profile fills a role on this machine, and the argv that starts it."""
    from rt_config import profiles as catalog

    settings = _settings()
    if profile:
        chosen = catalog.get(catalog.load(settings), profile)
        found = catalog.Resolved(role, chosen.name, catalog.interactive_argv(chosen), (chosen.name,))
    else:
        found = catalog.resolve_role(role, settings)
    name, argv = found.profile, found.argv
    if as_json:
        emit_json(
            {
                "role": role,
                "profile": name,
                "argv": argv,
                "command": shlex.join(argv),
                "candidates": found.candidates,
            }
        )
    else:
        emit(plain(f"{name}   {shlex.join(argv)}"))
    return 0


@command("panels", example="rt profiles panels")
def show_panels(as_json: bool) -> int:
    """List the panels that --panel and the modes seat, and what is missing here for each."""
    from rt_moderator import panels

    rows = panels.availability(_settings())
    if as_json:
        emit_json({"panels": rows})
        return 0
    shown = [
        (row["panel"], row["format"], f"{row['seats']} seats", _lacks(row), " · ".join(row["roles"]))
        for row in rows
    ]
    emit(plain("\n".join(grid(shown, indent=""))))
    return 0


def _lacks(row: dict[str, Any]) -> str:
    return f"not installed: {', '.join(row['missing'])}" if row["missing"] else "sits as planned"


for _command in (list_profiles, show, resolve, show_panels):
    profiles.add_command(_command)
