"""set: change what a table was started with."""

from __future__ import annotations

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, table_option
from rt_participant.show import plain


@command("set", example='rt set goal="a decision we can defend" turn-timeout=900')
@click.argument("pairs", nargs=-1, required=True, metavar="KEY=VALUE…")
@table_option
def set_fields(pairs: tuple[str, ...], table: str | None, as_json: bool) -> int:
    """Set goal, audience, constraint, stop-when, wake, wake-on, turn-timeout, access, budget-min or budget-usd.

    An empty value clears a text or a budget.
    """
    from rt_config.errors import TableArchivedError, TableEndedError
    from rt_mailbox import tables
    from rt_moderator import table_fields

    fields, given = table_fields.parse(pairs)
    shell = open_shell()
    name = shell.resolve(table)
    state = shell.snapshot(name, 1)["table"]["state"]
    if state in ("ended", "archived"):
        raise (TableEndedError if state == "ended" else TableArchivedError)(table=name)
    tables.set_table(shell.door, name, fields, event="set")
    if as_json:
        emit_json({"table": name, "set": given})
        return 0
    lines = [f"{key}: {plain(value) or 'cleared'}" for key, value in given.items()]
    if "access" in given:
        lines.append("  counts for seats that are added from now on")
    if "turn-timeout" in given:
        lines.append("  counts for turns that open from now on; rt turn-extend TURN for one that is open")
    emit("\n".join(lines))
    return 0


globals()["set"] = set_fields  # the command's name, without hiding the builtin above
