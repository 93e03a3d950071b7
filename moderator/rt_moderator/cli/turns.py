"""turn-cancel and turn-extend: one open turn, by hand."""

from __future__ import annotations

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, table_option


@command("turn-cancel", example="rt turn-cancel m7/skeptic")
@click.argument("turn")
@table_option
def turn_cancel(turn: str, table: str | None, as_json: bool) -> int:
    """Close an open turn without an answer; a reply that still comes is kept as late. No strike."""
    from rt_config.errors import TurnClosedError
    from rt_mailbox import turns

    shell = open_shell()
    name = shell.resolve(table)
    found = turns.close(shell.door, name, turn, "cancelled", "by hand")
    if not found["closed"]:
        raise TurnClosedError(turn=turn, state=found["state"])
    if as_json:
        emit_json({"table": name, "turn": turn, "state": found["state"]})
    else:
        emit(f"{turn} is cancelled.")
    return 0


@command("turn-extend", example="rt turn-extend m7/skeptic 600")
@click.argument("turn")
@click.argument("seconds", type=click.IntRange(1), required=False)
@table_option
def turn_extend(turn: str, seconds: int | None, table: str | None, as_json: bool) -> int:
    """Give an open turn SECONDS more; without them its whole time afresh."""
    from rt_config.errors import TurnClosedError
    from rt_mailbox import turns
    from rt_moderator.status_view import seconds_left
    from rt_moderator.words import clock

    shell = open_shell()
    name = shell.resolve(table)
    extended = turns.extend(shell.door, name, [turn], seconds=seconds)
    snapshot = shell.snapshot(name)
    found = next((one for one in snapshot["turns"] if one["id"] == turn), None)
    if turn not in extended:
        raise TurnClosedError(turn=turn, state=found["state"] if found else "closed")
    left = seconds_left(snapshot, turn)
    if as_json:
        emit_json({"table": name, "turn": turn, "state": "open", "seconds_left": left})
    else:
        emit(f"{turn} has {clock(left)} left.")
    return 0
