"""decide: what happens at a gate."""

from __future__ import annotations

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, table_option, text_argument


@command("decide", example='rt decide steer "Compare only the first two options on cost."')
@click.argument("choice", type=click.Choice(["continue", "steer", "stop", "retry", "veto"]))
@click.argument("text", default="")
@click.option("--as", "person", type=click.Choice(["moderator", "user"]), default="moderator", help="Whose decision this is.")  # fmt: skip
@table_option
def decide(choice: str, text: str, person: str, table: str | None, as_json: bool) -> int:
    """Decide at the gate a table waits at; steer takes a TEXT (- is stdin) that every seat of the next step gets.

    `retry` without a gate asks the seats again that failed in the latest step.
    """
    from rt_moderator import deciding, hosting

    shell = open_shell()
    name = shell.resolve(table)
    found = deciding.decide(shell, name, choice, text_argument(text), person=person)
    hosting.ensure(shell, name)
    if as_json:
        emit_json(found)
        return 0
    said = f" m{found['seq']} goes to every seat of the next step." if found["seq"] else ""
    again = f" Asked again: {', '.join(found['retried'])}." if found["retried"] else ""
    emit(f"{name}: {found['choice']}.{said}{again}")
    return 0
