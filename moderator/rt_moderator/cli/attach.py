"""attach: sit beside the seats, the record in the first window; and the hidden tail that fills it."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, table_option, terminal

if TYPE_CHECKING:
    from rt_deck.records import Session
    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell


@command("attach", example="rt attach skeptic")
@click.argument("seat", required=False, default="")
@table_option
def attach(seat: str, table: str | None, as_json: bool) -> int:
    """Look at every seat of a table, and at its record as it grows; with SEAT at that one first.

    Leaving (C-b d) ends nothing but the view.
    """
    from rt_deck import view
    from rt_deck.sessions import Deck

    shell = open_shell()
    name = shell.resolve(table)
    deck = Deck()
    sessions = _sessions(shell.snapshot(name, 1), {one.name: one for one in deck.list()}, seat)
    record = [] if seat else [("record", _tail_argv(shell, name))]
    argv = view.attach(deck.tmux, sessions, record)
    line = shlex.join(["rt", "attach", "-t", name, *([seat] if seat else [])])
    if as_json:
        emit_json({"table": name, "command": line, "argv": argv, "windows": [one.name for one in sessions]})
    elif not terminal():
        emit(f"this is no terminal; in one, run:\n  {line}")
    else:
        os.execvp(argv[0], argv)  # noqa: S606 (an argv, no shell)
    return 0


def _sessions(snapshot: Reply, there: dict[str, Session], seat: str) -> list[Session]:
    """The seats' sessions in the order they sit, `seat`'s first.

    Raises:
        UnknownSeatError, SessionGoneError.
    """
    from rt_config.errors import SessionGoneError, UnknownSeatError

    table, names = snapshot["table"]["id"], {one["slug"]: one["tmux"] for one in snapshot["seats"]}
    if seat and seat not in names:
        raise UnknownSeatError(table=table, seat=seat, known=", ".join(names))
    if seat and names[seat] not in there:
        raise SessionGoneError(session=names[seat])
    wanted = ([names.pop(seat)] if seat else []) + list(names.values())
    found = [there[name] for name in wanted if name in there]
    if not found:
        raise SessionGoneError(session=f"of {table}")
    return found


def _tail_argv(shell: Shell, table: str) -> list[str]:
    """The argv of the record's window. The URL of the bus may hold a password, so it goes by a 0600 file."""
    from rt_config import env
    from rt_mailbox.access import write_seat_file
    from rt_moderator.seating import command as this_rt
    from rt_moderator.shell import table_folder

    path = os.path.join(env.private_folder(str(table_folder(table))), "tail")  # noqa: PTH118
    write_seat_file(path, "", shell.url)
    return this_rt("tail", table, "--bus", path)


@click.command("tail", hidden=True)
@click.argument("table")
@click.option(
    "--bus", type=click.Path(exists=True, dir_okay=False), required=True, help="A file with the bus's URL."
)
def tail(table: str, bus: str) -> int:
    """Print the record as it grows, until the window is closed."""
    import signal
    from pathlib import Path

    from rt_mailbox.access import door_to
    from rt_mailbox.patience import PatientDoor
    from rt_moderator.tailing import follow

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a stray C-c must not close the window
    url = Path(bus).read_text(encoding="utf-8").split("\n")[1]
    door: Any = PatientDoor(door_to(url), 365 * 86_400.0, lambda text: emit(f"— {text} —"))
    follow(door, table, emit)
    return 0
