"""status and list: how a table stands, which tables there are. Neither marks anything read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, table_option

if TYPE_CHECKING:
    from rt_moderator.shell import Shell

_TURNS = 200  # of the latest


@command("status", example="rt status --json")
@table_option
@click.option(
    "--usage", is_flag=True, help="Time, tokens and cost by seat and round, also where no CLI tells tokens."
)
def status(table: str | None, usage: bool, as_json: bool) -> int:
    """Show how a table stands: who answers, who is late, what is unread, what it waits for, what it has cost."""
    from rt_moderator import status_text, status_view, usage_view
    from rt_moderator.cli import common

    shell = open_shell()
    name = shell.resolve(table)
    common.keep_host(shell, name)
    snapshot = shell.snapshot(name, _TURNS)
    found = status_view.view(snapshot, _bus_warnings(shell))
    spent = usage_view.of(shell.door, name)
    if as_json:
        emit_json(found | {"usage": spent})
        return 0
    quiet = common.quiet_seconds(snapshot["seats"]) if status_view.open_turns(snapshot) else {}
    text = status_text.render(snapshot, found, quiet, common.flag_for(table))
    lines = usage_view.screen(spent, always=usage) if spent else []
    emit(common.painted(text + "".join(f"{one}\n" for one in lines)))
    return 0


def _bus_warnings(shell: Shell) -> list[str]:
    """What is running out, with the largest tables when it is memory."""
    from rt_mailbox import server_status
    from rt_moderator.checks_bus import largest

    found = server_status.status(shell.settings)
    warnings = []
    if found.memory_warning:
        used = round(100 * found.used_memory / found.maxmemory)
        warnings.append(
            f"the bus has used {used} % of its memory; largest: {', '.join(largest(shell.door, shell.space))}"
        )
    if 0 <= found.free_bytes < 2 * shell.settings.min_free_bytes:
        warnings.append(f"only {found.free_bytes >> 20} MiB are free on the disk of the bus")
    return warnings


@command("list", example="rt list --archived")
@click.option("--archived", is_flag=True, help="The archived tables instead of the others.")
def list_tables(archived: bool, as_json: bool) -> int:
    """List the tables: state, seats, unread, age."""
    from rt_moderator import listing, status_text

    found = listing.tables_of(open_shell(), archived=archived)
    if as_json:
        emit_json({"tables": found})
    elif found:
        emit(status_text.table_list(found))
    else:
        emit("no table is archived." if archived else 'no table yet. rt start "your topic"')
    return 0


globals()["list"] = list_tables  # the command's name, without hiding the builtin above
