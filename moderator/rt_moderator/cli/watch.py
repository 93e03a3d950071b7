"""watch: a table on the whole screen, or as lines."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from rt_moderator.cli.base import command, emit, open_shell, table_option, terminal

if TYPE_CHECKING:
    from rt_moderator.shell import Shell
    from rt_moderator.watching.model import Filter


@command("watch", example="rt watch        rt watch --seat skeptic        rt watch --json | jq .message.body")
@table_option
@click.option("--seat", default="", metavar="SLUG", help="Only what this seat says.")
@click.option("--round", "round_", type=click.IntRange(0), default=None, metavar="N", help="Only this round.")
@click.option("--new", is_flag=True, help="Only what comes from now on; in a pipe and with --json.")
def watch(table: str | None, seat: str, round_: int | None, new: bool, as_json: bool) -> int:
    """Follow a table as it goes on: its seats, its record, and keys to speak, drain, open a seat and decide; ? lists them.

    In a pipe, and with --json (one object a line, a message or an event), lines as they come, until the table has ended.
    Looking marks nothing read.
    """
    from rt_moderator.cli import common
    from rt_moderator.watching.model import Filter

    shell = open_shell()
    name = shell.resolve(table)
    shown = Filter(_known(shell, name, seat), round_)
    if shell.reading(name) is shell:
        common.keep_host(shell, name)
    if as_json or not terminal() or os.environ.get("TERM", "dumb") == "dumb":
        return _lines(shell, name, shown, new=new, as_json=as_json)
    from rt_moderator.watching.screen import Screen

    return Screen(shell, name, shown).run()


def _known(shell: Shell, table: str, seat: str) -> str:
    """The seat.

    Raises:
        UnknownSeatError: this table has none of that name.
    """
    if not seat:
        return ""
    from rt_config.errors import UnknownSeatError
    from rt_mailbox import tables

    found = tables.snapshot(shell.reading(table).door, table, 1)
    seats = [one["slug"] for one in found["seats"]] if found else []
    if seat not in (*seats, "moderator", "user"):
        raise UnknownSeatError(table=table, seat=seat, known=", ".join(seats))
    return seat


def _lines(shell: Shell, table: str, shown: Filter, *, new: bool, as_json: bool) -> int:
    from rt_mailbox.patience import PatientDoor
    from rt_moderator.watching import lines

    read = shell.reading(table)
    grows = read is shell
    door = PatientDoor(read.door, 30.0, shell.say) if grows else read.door
    follower = lines.Follower(door, table, shown, new=new)
    tell = lines.Json(emit, table) if as_json else lines.Text(emit)
    lines.follow(door, table, follower, tell, grows=grows)
    return 0
