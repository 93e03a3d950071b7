"""turn-cancel and turn-extend: one open turn, by hand."""

from __future__ import annotations

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, table_option


@command("turn-cancel", example="rt turn-cancel m7/skeptic")
@click.argument("turn")
@table_option
def turn_cancel(turn: str, table: str | None, as_json: bool) -> int:
    """Close an open turn without an answer; a reply that still comes is kept as late. No strike."""
    from rt_moderator import turn_care

    shell = open_shell()
    found = turn_care.cancel(shell, shell.resolve(table), turn)
    emit_json(found) if as_json else emit(f"{turn} is cancelled.")
    return 0


@command("turn-extend", example="rt turn-extend m7/skeptic 600")
@click.argument("turn")
@click.argument("seconds", type=click.IntRange(1), required=False)
@table_option
def turn_extend(turn: str, seconds: int | None, table: str | None, as_json: bool) -> int:
    """Give an open turn SECONDS more; without them its whole time afresh."""
    from rt_moderator import turn_care
    from rt_moderator.words import clock

    shell = open_shell()
    found = turn_care.extend(shell, shell.resolve(table), turn, seconds)
    emit_json(found) if as_json else emit(f"{turn} has {clock(found['seconds_left'])} left.")
    return 0
