"""seat: add, restart, switch, drop, log, and the hidden runner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, table_option


@click.group("seat")
def seat() -> None:
    """The seats of a table."""


@seat.command("run", hidden=True)
def run() -> int:
    """Run this seat's turns (inside the deck)."""
    from rt_participant import runner

    return runner.main()


def _answer(found: dict[str, Any], text: str, *, as_json: bool) -> int:
    emit_json(found) if as_json else emit(text)
    return 0


@command("add", example='rt seat add ops=claude:opus --role "Operations"')
@click.argument("spec", metavar="SLUG=PROFILE[:MODEL[:EFFORT]][@TRANSPORT]")
@table_option
@click.option("--role", default="", help="What the seat stands for.")
@click.option("--viewpoint", default="", help="Where it looks from.")
@click.option("--cwd", default="", metavar="DIR", help="Where it works; default: the table's folder.")
def add(spec: str, table: str | None, role: str, viewpoint: str, cwd: str, as_json: bool) -> int:
    """Seat one more; it sees the whole record and is asked with the next rt say."""
    from rt_moderator import seats

    shell = open_shell()
    found = seats.add(
        shell, shell.resolve(table), spec, role, viewpoint, str(Path(cwd).absolute()) if cwd else ""
    )
    return _answer(
        found, f'{found["seat"]} sits at the table. rt say "…" --to {found["seat"]}', as_json=as_json
    )


@command("restart", example="rt seat restart skeptic")
@click.argument("slug")
@table_option
def restart(slug: str, table: str | None, as_json: bool) -> int:
    """Give a seat a new session, its context rebuilt from the record. No strike."""
    from rt_moderator import seats

    shell = open_shell()
    found = seats.restart(shell, shell.resolve(table), slug)
    return _answer(found, f"{slug} has a new session; its context comes from the record.", as_json=as_json)


@command(
    "switch", example="rt seat switch skeptic=codex        rt seat switch skeptic=claude:opus:high@headless"
)
@click.argument("spec", metavar="SLUG=PROFILE[:MODEL[:EFFORT]][@TRANSPORT]")
@table_option
@click.option(
    "--cwd", default="", metavar="DIR", help="Where it works from now on; default: the folder it has."
)
@click.option(
    "--check",
    is_flag=True,
    help="Ask the new CLI for one word first (one tiny call); nothing changes if it fails.",
)
def switch(spec: str, table: str | None, cwd: str, check: bool, as_json: bool) -> int:
    """Put a seat on another agent, model or transport; its open turn goes on there. The table counts as degraded."""
    from rt_moderator import switching

    shell = open_shell()
    folder = str(Path(cwd).absolute()) if cwd else ""
    found = switching.switch(shell, shell.resolve(table), spec, cwd=folder, check=check)
    text = f"{found['seat']} {found['degraded']}.\nAn open turn goes on there, its context rebuilt from the record."
    return _answer(found, text, as_json=as_json)


@command("drop", example="rt seat drop skeptic")
@click.argument("slug")
@table_option
def drop(slug: str, table: str | None, as_json: bool) -> int:
    """Take a seat off the table; its open turns close as dropped. The table counts as degraded."""
    from rt_moderator import seats

    shell = open_shell()
    found = seats.drop(shell, shell.resolve(table), slug)
    return _answer(found, f"{slug} left the table.", as_json=as_json)


@command("log", example="rt seat log skeptic --lines 100")
@click.argument("slug")
@table_option
@click.option("--lines", type=click.IntRange(1, 10_000), default=50, show_default=True)
def log(slug: str, table: str | None, lines: int, as_json: bool) -> int:
    """Show the last lines of a seat's screen."""
    from rt_moderator import seats

    shell = open_shell()
    text = seats.log(shell, shell.resolve(table), slug, lines)
    return _answer({"seat": slug, "lines": text.splitlines()}, text, as_json=as_json)


for _command in (add, restart, switch, drop, log):
    seat.add_command(_command)
