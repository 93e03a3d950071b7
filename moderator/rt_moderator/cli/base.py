"""What commands share: the decorator that gives each an example and --json, and how they reach the bus and print."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rt_participant.show import plain

if TYPE_CHECKING:
    from rt_moderator.shell import Shell

Command = Callable[..., Any]


def command(name: str, *, example: str) -> Callable[[Command], click.Command]:
    """A command with an example in its help and --json."""

    def wrap(function: Command) -> click.Command:
        function = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")(
            function
        )
        return click.command(name, epilog=f"\b\nExample:\n  {example}")(function)

    return wrap


def table_option(function: Command) -> Command:
    """--table/-t ID; else RT_TABLE, else the only open table."""
    return click.option(
        "-t", "--table", default=None, metavar="ID", help="The table; default: the only open one."
    )(function)


def body_options(function: Command) -> Command:
    """-m TEXT or --file FILE|-."""
    function = click.option(
        "--file", "file", default=None, metavar="FILE", help="The text from a file; - is stdin."
    )(function)
    return click.option("-m", "--message", "text", default=None, metavar="TEXT", help="The text.")(function)


def text_argument(given: str) -> str:
    """An argument's text; `-` reads stdin, bytes that are not UTF-8 survive as surrogates."""
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape") if given == "-" else given


def open_shell(**flags: object) -> Shell:
    """Settings and a bus that answers; an embedded server that does not run is started."""
    from rt_config import settings
    from rt_moderator.shell import Shell

    shell = Shell(settings.load(Path.cwd(), **flags), progress)
    click.get_current_context().call_on_close(shell.door.close)
    return shell


def progress(text: str) -> None:
    """One line of progress, on stderr; above the block when one is drawn there, which click's echo would go around."""
    sys.stderr.write(plain(text) + "\n")
    sys.stderr.flush()


def emit(text: str) -> None:
    """Write text for a person to stdout, whole; participants' words must have gone through `plain`."""
    from rt_participant import show

    show.emit(text if text.endswith("\n") else text + "\n")


def emit_json(value: object) -> None:
    """Write one JSON object to stdout."""
    from rt_participant import show

    show.emit(json.dumps(value) + "\n")


def terminal() -> bool:
    """Whether a person sits there: stdin and stdout both are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def colour() -> bool:
    """Whether stdout takes colour: a terminal, and NO_COLOR is not set."""
    import os

    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def console() -> Any:
    """A rich console for stdout; plain when it is no terminal or NO_COLOR is set."""
    from rich.console import Console

    return Console(no_color=not colour(), highlight=False, soft_wrap=not sys.stdout.isatty())
