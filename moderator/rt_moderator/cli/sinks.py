"""sinks: where posts about tables go, besides the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, table_option

if TYPE_CHECKING:
    from collections.abc import Sequence

_NONE = """no sink is configured. In {path}:

  [[sink]]
  name = "notes"
  type = "file"
  path = "~/roundtable/{{table}}.md"
"""


@click.group(
    "sinks",
    epilog="\b\nExample:\n  rt sinks list\n  rt sinks test team\n  rt sinks send -t rt-20261130-1412-billing",
)
def sinks() -> None:
    """Post what a table says to files, commands and webhooks: the [[sink]] tables of config.toml."""


@command("list", example="rt sinks list --json")
def list_sinks(as_json: bool) -> int:
    """List the sinks and what is wrong with them. Of a URL only the host is shown."""
    from rt_config import env
    from rt_moderator.sinks import using

    found = using.listed()
    if as_json:
        emit_json({"sinks": found})
    elif found:
        emit("\n".join(_lines(found)))
    else:
        emit(_NONE.format(path=env.config_file()))
    return 0


def _lines(found: Sequence[dict[str, Any]]) -> list[str]:
    from rt_moderator.words import grid
    from rt_participant.show import line

    rows = [
        (
            one["name"],
            one["type"],
            one["template"],
            line(one["where"], 60),
            ", ".join(one["events"]) + (f"   only {', '.join(one['formats'])}" if one["formats"] else ""),
            f"! {line(one['problem'])}" if one["problem"] else "",
        )
        for one in found
    ]
    return grid(rows, indent="")


@command("test", example="rt sinks test team")
@click.argument("name")
def test_sink(name: str, as_json: bool) -> int:
    """Send a test post to the sink NAME. Where it can have threads, this opens one."""
    from rt_moderator.sinks import using

    found = using.try_out(name)
    emit_json(found) if as_json else emit(f"{name} took a test post ({found['where']}).")
    return 0


@command("send", example="rt sinks send -t rt-20261130-1412-billing")
@table_option
@click.option(
    "--timeout",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to try.",
)
def send(table: str | None, timeout: float, as_json: bool) -> int:
    """Send what is still due of a table. An open table's host does this by itself. Exit 3 when something is left."""
    from rt_moderator.sinks import using

    shell = open_shell()
    found = using.send(shell, shell.resolve(table), timeout)
    left = any(one["due"] for one in found["sinks"])
    if as_json:
        emit_json(found)
    elif found["host"]:
        emit(f"the host of {found['table']} posts by itself; rt events -t {found['table']} shows it.")
    else:
        emit("\n".join(map(_sent, found["sinks"])) or "no sink is configured.")
    return 3 if left else 0


def _sent(one: dict[str, Any]) -> str:
    left = f", {one['due']} still due" if one["due"] else ""
    why = f": {one['why']}" if one["why"] else ""
    return f"{one['name']}: {one['sent']} sent{left}{why}"


for _command in (list_sinks, test_sink, send):
    sinks.add_command(_command)
