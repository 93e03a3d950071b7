"""end and archive: close a table, put it away."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, table_option
from rt_participant.show import plain

if TYPE_CHECKING:
    from rt_moderator.shell import Shell


@command("end", example="rt end --file final.md --stop-met yes")
@table_option
@click.option("--file", "file", default=None, metavar="FILE", help="The final synthesis; - is stdin.")
@click.option("--without-synthesis", "without", is_flag=True, help="End without a final synthesis.")
@click.option(
    "--stop-met",
    type=click.Choice(["yes", "no"]),
    default=None,
    help="Whether the stop condition is met; rt never judges it.",
)
def end(table: str | None, as_json: bool, **options: Any) -> int:
    """End a table: drain, take the final synthesis, stop the host. Group and sessions stay."""
    shell = open_shell()
    name = shell.resolve(table)
    found = _end(shell, name, options, as_json=as_json)
    if as_json:
        emit_json(found)
    else:
        emit(_ended_text(found))
    return 0


@command("archive", example="rt archive -t rt-20261130-1412-billing")
@table_option
@click.option(
    "--file",
    "file",
    default=None,
    metavar="FILE",
    help="The final synthesis, when the table was not ended; - is stdin.",
)
@click.option(
    "--without-synthesis",
    "without",
    is_flag=True,
    help="End without a final synthesis, when it was not ended.",
)
@click.option(
    "--offload", is_flag=True, help="Take the record out of the bus, into a file; rt resume brings it back."
)
@click.option(
    "--delete-record", "delete", is_flag=True, help="Delete the record for good; asks for the table's id."
)
@click.option(
    "--confirm", default="", metavar="ID", help="The table's id, for --delete-record without a terminal."
)
def archive(table: str | None, as_json: bool, **options: Any) -> int:
    """Put a table away: end it when needed, then remove its sessions. The record stays."""
    shell = open_shell()
    name = shell.resolve(table) if table or os.environ.get("RT_TABLE") else _last_ended(shell)
    if options["delete"]:
        _confirm(name, options["confirm"])
    found = _archived(shell, name, options, as_json=as_json)
    if options["delete"]:
        from rt_moderator import keeping

        keeping.delete(shell, name)
        found |= {"state": "deleted"}
    elif options["offload"]:
        from rt_moderator import keeping

        found |= keeping.offload(shell, name)
    emit_json(found) if as_json else emit(_archived_text(found))
    return 0


def _archived(shell: Shell, name: str, options: dict[str, Any], *, as_json: bool) -> dict[str, Any]:
    """Archive it; one that is in a file, or whose deletion was begun, has no sessions left."""
    from rt_deck.sessions import Deck
    from rt_mailbox import tables
    from rt_mailbox.keeping import archives
    from rt_moderator import concluding

    left = archives.tombstone(shell.door, name)
    if left or (options["delete"] and tables.snapshot(shell.door, name, 1) is None):
        return {
            "table": name,
            "state": "archived",
            "sessions_removed": [],
            "record": int((left or {}).get("head", 0)),
        }
    if shell.snapshot(name)["table"]["state"] in ("starting", "open"):
        _end(shell, name, {**options, "stop_met": None}, as_json=as_json)
    return concluding.archive(shell, Deck(), name)


def _archived_text(found: dict[str, Any]) -> str:
    name = found["table"]
    if found["state"] == "deleted":
        return f"{name} is deleted: nothing of its record is left."
    gone = f"{name} is archived: {len(found['sessions_removed'])} sessions removed, the record (m1–m{found['record']})"
    where = f"is in {found['file']}" if "file" in found else "stays"
    return f"{gone} {where}.\n  rt transcript -t {name}     rt resume {name}"


def _confirm(name: str, given: str) -> None:
    """Have the id typed, or given.

    Raises:
        UsageError: another id. ConfirmationNeededError: none, and nobody to ask. Nothing was done.
    """
    from rt_config.errors import ConfirmationNeededError, UsageError
    from rt_moderator.cli.base import terminal

    if not given:
        if not terminal():
            refused = ConfirmationNeededError(what="rt archive --delete-record")
            refused.hint = f"add --confirm {name}"
            raise refused
        given = click.prompt(f"This deletes everything that was said. Type {name} to delete it", err=True)
    if given != name:
        raise UsageError(reason=f"{given!r} is not {name}; nothing was deleted.")


def _last_ended(shell: Shell) -> str:
    """The table that is meant without -t: the only open one, else the only ended one that is not archived."""
    from rt_config.errors import AmbiguousTableError
    from rt_mailbox import directory

    states = {table: entry["state"] for table, entry in directory.entries(shell.door, shell.space).items()}
    waiting = [table for table, state in states.items() if state in (*directory.OPEN, "ended")]
    if len(waiting) > 1:
        raise AmbiguousTableError(tables=", ".join(waiting))
    return waiting[0] if waiting else shell.resolve(None)


def _end(shell: Shell, name: str, options: dict[str, Any], *, as_json: bool) -> dict[str, Any]:
    from rt_moderator import concluding
    from rt_participant import acts, commands

    text = commands.body_of(options) if options["file"] else None
    drained = acts.read(acts.Actor(shell.access, name, "moderator"), most=10_000, most_chars=0)
    found = concluding.end(
        shell, name, text=text, without=options["without"], stop_met=options["stop_met"] or ""
    )
    found["messages"] = drained.json["messages"]
    if not as_json and drained.messages:
        from rt_participant.show import message

        emit("\n".join(message(m) for m in drained.json["messages"]))
    drained.commit()
    return found


def _ended_text(found: dict[str, Any]) -> str:
    lines = [f"{found['table']} has ended."]
    if found["synthesis"]:
        lines += ["", plain(found["synthesis"]).rstrip(), ""]
    lines += [f"stop when: {plain(found['stop_condition']) or 'not stated'}", f"met: {found['stop_met']}",
              f"transcript: {found['transcript']}", f"  rt archive -t {found['table']}     rt resume {found['table']}"]  # fmt: skip
    return "\n".join(lines)
