"""deck: the tmux sessions behind the seats, by hand. Works without the bus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rt_moderator.cli.base import command, emit, emit_json
from rt_moderator.naming import deck_name
from rt_moderator.words import grid
from rt_participant.show import line, plain

if TYPE_CHECKING:
    from rt_config.errors import SessionDiedError
    from rt_deck.records import Session
    from rt_deck.sessions import Deck

_SETTLE_SECONDS = 0.5
_SHOWN = ("id", "name", "title", "group", "workdir", "command", "state", "exit_code", "activity", "viewers")


@click.group("deck", epilog="\b\nExample:\n  rt deck list")
def deck() -> None:
    """Sessions in tmux, on a private server."""


@deck.group("group", epilog="\b\nExample:\n  rt deck group list")
def group() -> None:
    """Groups of sessions; a group is there as long as a session is in it."""


def _deck() -> Deck:
    from rt_deck.sessions import Deck

    return Deck()


def _json(session: Session) -> dict[str, Any]:
    return {name: getattr(session, name) for name in _SHOWN} | {"pid": session.pane_pid}


def _text(sessions: list[Session]) -> str:
    """Sessions below their group; titles whole, because they are what a session is found by."""
    lines = []
    for path in dict.fromkeys(one.group for one in sessions):
        rows = [_row(one) for one in sessions if one.group == path]
        lines += [line(path, 500) or "in no group", *grid(rows)]
    return plain("\n".join(lines))


def _row(one: Session) -> tuple[str, ...]:
    code = "" if one.exit_code is None else f" (exit {one.exit_code})"
    title = "" if one.title == one.name else line(one.title, 500)
    return one.id, one.name, one.state + code, title, line(one.workdir, 500)


@command("list", example="rt deck list --json")
def list_sessions(as_json: bool) -> int:
    """List every session."""
    found = _deck().list()
    if as_json:
        emit_json({"sessions": [_json(one) for one in found]})
    else:
        emit(_text(found) if found else "no session.")
    return 0


@command("resolve", example="rt deck resolve roundtable-rt-20261130-1412-billing-skeptic")
@click.argument("ref")
def resolve(ref: str, as_json: bool) -> int:
    """Find a session by its title, name or id. That there is none is an answer too."""
    found = _deck().resolve(ref)
    if as_json:
        emit_json({"status": "found" if found else "not_found", "session": _json(found) if found else None})
    else:
        emit(_text([found]) if found else f"there is no session {plain(ref)}.")
    return 0


@command("create", example="rt deck create --title notes --workdir . -- my-agent --quiet")
@click.option("--title", required=True, help="What it is found by.")
@click.option("--group", "path", default="", metavar="PATH", help="The group it is in, such as work/billing.")
@click.option("--workdir", default=".", metavar="DIR", help="Where it runs; default: here.")
@click.argument("argv", nargs=-1, required=True, metavar="-- ARGV…")
def create(title: str, path: str, workdir: str, argv: tuple[str, ...], as_json: bool) -> int:
    """Start ARGV in a session of its own."""
    from rt_deck.records import Spec

    there = _deck()
    session = there.create(Spec(deck_name(title), title, path, workdir, argv))
    settled = there.settle([session.name], _SETTLE_SECONDS)
    if settled and settled[0].state == "dead" and settled[0].exit_code:
        raise _death(there, settled[0])
    session = settled[0] if settled else session
    if as_json:
        emit_json({"status": "created", "session": _json(session)})
    else:
        emit(_text([session]))
    return 0


def _death(there: Deck, session: Session) -> SessionDiedError:
    """How a session ended, with what it last said in one line."""
    from rt_config.errors import SessionDiedError

    fields = there.death(session).fields
    said = [text.strip() for text in str(fields["last_output"]).splitlines() if text.strip()]
    return SessionDiedError(**(fields | {"last_output": " | ".join(said[-5:])}))


@command("require", example="rt deck require notes --workdir .")
@click.argument("ref")
@click.option("--workdir", default=None, metavar="DIR", help="Where it must run.")
def require(ref: str, workdir: str | None, as_json: bool) -> int:
    """Fail unless the session REF runs, and in DIR when that is given."""
    there = _deck()
    found = there.require(ref, workdir)
    if found.state == "dead":
        raise _death(there, found)
    if as_json:
        emit_json({"status": "ready", "session": _json(found)})
    else:
        emit(_text([found]))
    return 0


@command("remove", example="rt deck remove notes")
@click.argument("ref")
def remove(ref: str, as_json: bool) -> int:
    """End a session and everything it started; with the last one the tmux server ends."""
    there = _deck()
    removed = there.remove(ref)
    stopped = there.stop_server_if_empty()
    if as_json:
        emit_json({"removed": removed, "session": ref, "server_stopped": stopped})
    else:
        emit(f"{plain(ref)} is removed." if removed else f"there was no session {plain(ref)}.")
    return 0


@command("list", example="rt deck group list")
def list_groups(as_json: bool) -> int:
    """List the groups that sessions are in."""
    found = list(_deck().groups())
    if as_json:
        emit_json({"groups": found})
    else:
        emit(plain("\n".join(found)) if found else "no group.")
    return 0


@command("delete", example="rt deck group delete roundtable-rt-20261130-1412-billing")
@click.argument("path")
def delete(path: str, as_json: bool) -> int:
    """Make sure that no group PATH is left; refuses while a session is in it."""
    _deck().delete_group(path)
    if as_json:
        emit_json({"deleted": path})
    else:
        emit(f"no group {plain(path)} is left.")
    return 0


for _command in (list_sessions, resolve, create, require, remove):
    deck.add_command(_command)
for _command in (list_groups, delete):
    group.add_command(_command)
