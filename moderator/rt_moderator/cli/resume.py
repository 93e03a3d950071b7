"""resume: bring a table back."""

from __future__ import annotations

import os
from pathlib import Path

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell
from rt_participant.show import plain


@command("resume", example="rt resume rt-20261130-1412-billing")
@click.argument("table", required=False, default="")
@click.option("--cwd", default="", metavar="DIR", help="Another working directory for the seats.")
@click.option("--as-open", is_flag=True, help="Go on by hand: the table's format asks nothing more.")
def resume(table: str, cwd: str, as_open: bool, as_json: bool) -> int:
    """Bring TABLE back (default: the open one, else the last): host, seats, open turns. Nothing is asked twice."""
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
    return 0
