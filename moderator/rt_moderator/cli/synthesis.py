"""synthesis: the moderator's conclusion of a round."""

from __future__ import annotations

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, table_option


@command("synthesis", example="rt synthesis --file notes.md")
@table_option
@click.option("--file", "file", default=None, metavar="FILE", help="The text; - is stdin.")
@click.option("-m", "--message", "text", default=None, metavar="TEXT", help="The text.")
@click.option("--key", default="", metavar="KEY", help="Idempotency key: the same key never posts twice.")
def synthesis(table: str | None, file: str | None, text: str | None, key: str, as_json: bool) -> int:
    """Post a synthesis; the round rises. Cite messages as m12: a number that does not exist is refused."""
    from rt_moderator import concluding
    from rt_participant.commands import body_of

    body = body_of({"text": text, "file": file})
    shell = open_shell()
    found = concluding.synthesis(shell, shell.resolve(table), body, key=key)
    if as_json:
        emit_json(found)
        return 0
    stop = found["stop_condition"] or "not stated"
    emit(
        f'm{found["seq"]} posted, round {found["round"]} begins.\nstop when: {stop}\n  met? rt end    not yet? rt say "…" --to SLUG'
    )
    return 0
