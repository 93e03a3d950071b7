"""export and import: a table as a file, and back."""

from __future__ import annotations

import os

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell


@command("export", example="rt export rt-20261130-1412-billing billing.jsonl")
@click.argument("table", required=False, default="")
@click.argument("file", required=False, default="-", metavar="[FILE|-]")
def export(table: str, file: str, as_json: bool) -> int:
    """Write TABLE, record and all, into FILE (default: stdout) as checksummed JSON Lines, while it is in use."""
    from rt_config.errors import UsageError
    from rt_moderator import keeping

    if as_json and file == keeping.STD:
        raise UsageError(reason="--json and the export itself cannot both go to stdout; name a FILE.")
    shell = open_shell()
    found = keeping.export(shell, shell.resolve(table or os.environ.get("RT_TABLE", "")), file)
    if as_json:
        emit_json(found)
    elif file != keeping.STD:
        emit(f"{found['table']} is in {file}: {found['messages']} messages.\n  rt import {file}")
    return 0


@command("import", example="rt import billing.jsonl && rt resume rt-20261130-1412-billing")
@click.argument("file", metavar="FILE|-")
def import_table(file: str, as_json: bool) -> int:
    """Bring an exported table into this bus, whole or not at all; importing it again changes nothing."""
    from rt_moderator import keeping

    found = keeping.load(open_shell(), file)
    if as_json:
        emit_json(found)
        return 0
    what = "is here" if found["imported"] else "was here already, just so"
    emit(f"{found['table']} {what}: {found['messages']} messages.\n  rt resume {found['table']}")
    return 0


globals()["import"] = import_table  # the command's name is a keyword
