"""events: what happened at a table, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rt_moderator.cli.base import command, emit, emit_json, open_shell, table_option

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell

_BLOCK_MS = 30_000


@command("events", example="rt events --seat skeptic        rt events --follow --json")
@table_option
@click.option("--seat", default="", metavar="SLUG", help="Only what concerns this seat.")
@click.option(
    "--follow", is_flag=True, help="Go on as things happen; with --json one object a line. Ends with Ctrl-C."
)
def events(table: str | None, seat: str, follow: bool, as_json: bool) -> int:
    """Print what happened at a table: asked, leased, replied, failed, nudged and more."""
    from rt_config.errors import UnknownSeatError
    from rt_moderator import event_lines

    shell = open_shell()
    name = shell.resolve(table)
    shell = shell.reading(name)
    seats = [one["slug"] for one in shell.snapshot(name, 1)["seats"]]
    if seat and seat not in seats:
        raise UnknownSeatError(table=name, seat=seat, known=", ".join(seats))
    if follow:
        return _follow(shell, name, seat, as_json=as_json)
    from rt_moderator.showing import every_event

    found = event_lines.of_seat(every_event(shell.door, name), seat)
    if as_json:
        emit_json({"table": name, "events": [event_lines.to_json(event) for event in found]})
    else:
        _print(found, as_json=False)
    return 0


def _print(found: Iterable[Reply], *, as_json: bool) -> None:
    from rt_moderator import event_lines
    from rt_participant.show import dumps

    one: Any = (lambda event: dumps(event_lines.to_json(event))) if as_json else event_lines.to_text
    lines = [one(event) for event in found]
    if lines:
        emit("\n".join(lines))


def _follow(shell: Shell, table: str, seat: str, *, as_json: bool) -> int:
    from rt_mailbox import tables
    from rt_mailbox.waiting import Watch
    from rt_moderator import event_lines

    watch = Watch(shell.door, table, "events")
    last = "-"
    while True:
        found = tables.events(shell.door, table, last)
        if found:
            last = found[-1]["id"]
            _print(event_lines.of_seat(found, seat), as_json=as_json)
        else:
            watch.block(_BLOCK_MS)
