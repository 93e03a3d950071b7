"""say: put something to the seats, or note it."""

from __future__ import annotations

from typing import Any

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, progress, table_option, text_argument


@command("say", example='rt say "Compare both on cost." --to skeptic,builder')
@click.argument("text")
@table_option
@click.option("--to", default="", metavar="SLUG,…", help="Whom to ask; default: all live seats, in parallel.")
@click.option("--round-robin", is_flag=True, help="One after the other; each sees what came before.")
@click.option("--note", is_flag=True, help="Ask nobody.")
@click.option(
    "--as",
    "person",
    default="moderator",
    type=click.Choice(["moderator", "user"]),
    help="Whose words these are.",
)
@click.option("--key", default="", metavar="KEY", help="Idempotency key: the same key never asks twice.")
def say(text: str, table: str | None, as_json: bool, **options: Any) -> int:
    """Say TEXT (- reads it from stdin) to the table; every seat it goes to gets a turn."""
    from rt_moderator import hosting, saying

    body = text_argument(text)
    shell = open_shell()
    name = shell.resolve(table)
    undrained = shell.unread(name)
    if not as_json and undrained:
        progress(f"{undrained} undrained: rt drain")
    wanted = [slug.strip() for slug in options["to"].split(",") if slug.strip()]
    said = saying.Utterance(
        body, wanted, options["person"], options["round_robin"], options["note"], options["key"]
    )
    found = saying.say(shell, name, said)
    if not options["note"]:
        hosting.ensure(shell, name)
    if as_json:
        emit_json({"table": name, **found, "undrained": undrained})
        return 0
    if found.get("next_step"):
        emit(f"m{found['seq']} posted. A format is at work: every seat of its next step gets it.")
        return 0
    asked = ", ".join(found["asked"]) or "nobody"
    emit(f"m{found['seq']} posted. Asked {asked}." + ("" if undrained else " Nothing undrained."))
    return 0
