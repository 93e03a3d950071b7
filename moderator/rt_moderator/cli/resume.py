"""resume: bring a table back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, terminal
from rt_participant.show import plain

if TYPE_CHECKING:
    from rt_moderator.shell import Shell


@command("resume", example="rt resume rt-20261130-1412-billing")
@click.argument("table", required=False, default="")
@click.option("--cwd", default="", metavar="DIR", help="Another working directory for the seats.")
@click.option("--as-open", is_flag=True, help="Go on by hand: the table's format asks nothing more.")
@click.option("--detach", is_flag=True, help="Do not follow a run; it goes on by itself.")
def resume(table: str, cwd: str, as_open: bool, detach: bool, as_json: bool) -> int:
    """Bring TABLE back (default: the open one, else the last): host, seats, open turns. Nothing is asked twice.

    On a terminal a run that is not over is followed again, to its report.
    """
    from rt_deck.sessions import Deck
    from rt_moderator import resuming

    shell = open_shell()
    name = resuming.pick(shell, table or os.environ.get("RT_TABLE", ""))
    found = resuming.resume(
        shell, Deck(), name, cwd=str(Path(cwd).absolute()) if cwd else "", as_open=as_open
    )
    if as_json:
        emit_json(found)
        return 0
    seats = ", ".join(f"{slug} ({how})" for slug, how in found["seats"].items())
    unread = f"{found['unread']}: rt drain" if found["unread"] else "nothing"
    emit(f"{name} is back.\n  record       m1–m{found['record']}, nothing lost\n  seats        {seats}\n"
         f"  open turns   {', '.join(found['open_turns']) or 'none'}\n  undrained    {unread}\n"
         f"  stop when    {plain(found['stop_condition']) or 'not stated'}")  # fmt: skip
    return _goes_on(shell, name, detach=detach)


def _goes_on(shell: Shell, table: str, *, detach: bool) -> int:
    """Follow a run that is not over, or say how."""
    from rt_moderator import formats

    about = shell.snapshot(table, 1)["table"]
    if not formats.runs(about):
        return 0
    unattended = json.loads(about.get("options") or "{}").get("run")
    if unattended and terminal() and not detach:
        from rt_moderator.cli import attending

        return attending.attend(shell, table, attending.How())
    emit(
        f"  the format   {about['format']} goes on; rt wait --for gate -t {table} until it is over or needs you"
    )
    return 0
