"""skill: what tells an agent how to moderate a table or to sit at one, put where its CLI reads it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rt_moderator.cli.base import Command, command, emit, emit_json
from rt_participant.show import plain

if TYPE_CHECKING:
    from rt_moderator.skills import Copy

_ROLES = ("moderator", "participant")


@click.group("skill", epilog="\b\nExample:\n  rt skill list")
def skill() -> None:
    """Skills for agent CLIs: how to moderate a table, how to sit at one."""


def _where(function: Command) -> Command:
    function = click.option(
        "--only", type=click.Choice(_ROLES), default=None, help="One of the two skills; default: both."
    )(function)
    return click.option(
        "--project", "tree", default=None, metavar="DIR", help="In a working tree; default: for this user."
    )(function)


def _changing(function: Command) -> Command:
    function = click.option("--dry-run", is_flag=True, help="Say what would be done.")(function)
    return click.option(
        "--force", is_flag=True, help="Also a file that was changed by hand, or that rt did not write."
    )(function)


def _copies(clis: tuple[str, ...], tree: str | None, only: str | None) -> list[Copy]:
    from rt_config import settings
    from rt_config.errors import WorkdirMissingError
    from rt_moderator import skills

    if tree is not None and not Path(tree).is_dir():
        refused = WorkdirMissingError(workdir=tree)
        refused.hint = "name a folder that exists with --project"
        raise refused
    roles = (only,) if only else _ROLES
    return skills.copies(
        settings.load(Path.cwd()), clis, roles, Path(tree).absolute() if tree is not None else None
    )


def _named(clis: tuple[str, ...]) -> None:
    """Raises UsageError without a name: whose files are written is the person's to say."""
    from rt_config import profiles, settings
    from rt_config.errors import UsageError
    from rt_moderator import skills

    if clis:
        return
    found = [one.name for one in skills.readers(settings.load(Path.cwd())) if profiles.available(one)]
    refused = UsageError(reason="for which agent CLI?")
    refused.hint = f"rt skill install {' '.join(found) or 'NAME'}" + ("" if found else "; see rt skill list")
    raise refused


def _report(rows: list[dict[str, Any]], *, dry_run: bool, as_json: bool, after: str = "") -> int:
    if as_json:
        emit_json({"dry_run": dry_run, "skills": rows})
        return 0
    from rt_moderator.words import grid

    shown = [(row["cli"], row["skill"], row["action"], row["path"]) for row in rows]
    lines = grid(shown, indent="") + (["nothing was changed (--dry-run)."] if dry_run else [])
    changed = any(row["action"] in ("installed", "replaced") for row in rows)
    emit(plain("\n".join(lines + ([after] if after and changed and not dry_run else []))))
    return 0


@command("install", example="rt skill install claude codex --dry-run")
@click.argument("clis", nargs=-1, metavar="CLI…")
@_where
@_changing
def install(clis: tuple[str, ...], tree: str | None, only: str | None, as_json: bool, **how: bool) -> int:
    """Put the skills where each CLI reads them. A file that is not ours, or was changed by hand, is left alone."""
    from rt_moderator import skills

    _named(clis)
    found = _copies(clis, tree, only)
    notes = list(dict.fromkeys(copy.note for copy in found if copy.note))
    if only != "participant":
        notes.append('Start the agent anew, and say "roundtable" to it.')
    rows = skills.install(found, **how)
    return _report(rows, dry_run=how["dry_run"], as_json=as_json, after="\n".join(notes))


@command("remove", example="rt skill remove claude")
@click.argument("clis", nargs=-1, metavar="CLI…")
@_where
@_changing
def remove(clis: tuple[str, ...], tree: str | None, only: str | None, as_json: bool, **how: bool) -> int:
    """Take the skills away again. A file that is not ours, or was changed by hand, is left alone."""
    from rt_moderator import skills

    _named(clis)
    return _report(skills.remove(_copies(clis, tree, only), **how), dry_run=how["dry_run"], as_json=as_json)


@command("list", example="rt skill list --project .")
@_where
def list_skills(tree: str | None, only: str | None, as_json: bool) -> int:
    """List where each CLI reads skills, and which of ours are there."""
    rows = [copy.row() for copy in _copies((), tree, only)]
    if as_json:
        emit_json({"skills": rows})
        return 0
    from rt_moderator.words import grid

    emit(
        plain(
            "\n".join(
                grid([(row["cli"], row["skill"], row["state"], row["path"]) for row in rows], indent="")
            )
        )
    )
    return 0


@command("show", example="rt skill show moderator --for claude")
@click.argument("which", metavar="moderator|participant", default="moderator")
@click.option("--for", "cli", default=None, metavar="CLI", help="As this CLI would get it.")
def show(which: str, cli: str | None, as_json: bool) -> int:
    """Print a skill."""
    from rt_config import profiles, settings
    from rt_moderator import skill_text

    found = skill_text.load(which)
    place = profiles.get(profiles.load(settings.load(Path.cwd())), cli).skill if cli else None
    text = skill_text.render(found, place)
    if as_json:
        emit_json({"skill": found.role, "name": found.name, "description": found.description, "text": text})
    else:
        emit(plain(text))
    return 0


@click.command("wake", hidden=True)
@click.option("--timeout", type=click.FloatRange(0), default=540.0, metavar="SECONDS")
def wake(timeout: float) -> int:
    """For a hook: one line when the seats have answered, else nothing; never fails."""
    from rt_moderator.skill_wake import news

    if line := news(timeout):
        emit(plain(line))
    return 0


for _command in (install, remove, list_skills, show, wake):
    skill.add_command(_command)
