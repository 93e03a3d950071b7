"""turn, reply, read, post and wait behind the redis-py door: help, odd options, TLS or cluster, and a host to be started."""

from __future__ import annotations

from typing import Any

import click

from rt_moderator.cli.base import body_options, command, open_shell, table_option


def _run(name: str, table: str | None, person: str | None, options: dict[str, Any]) -> int:
    from rt_mailbox import access
    from rt_participant import commands
    from rt_participant.hot import actor_for

    who = access.seat()
    if who is None:
        from rt_moderator import hosting

        shell = open_shell()
        actor = actor_for(shell.access, None, table or "", person or "")
        if name == "wait":

            def heed() -> bool:
                hosting.ensure(shell, actor.table)
                return True

            heed()
            options = options | {"heed": heed}
        return commands.run(name, actor, options)
    return commands.run(name, actor_for(_seat_access(who), who, table or "", person or ""), options)


def _seat_access(who: Any) -> Any:
    """A seat never starts a server: the light door, or redis-py where that cannot go."""
    from rt_mailbox import access

    return access.open_any(who)


_as = click.option(
    "--as",
    "person",
    default=None,
    metavar="PERSON",
    help="Who acts; on your own shell anybody, default moderator.",
)


@command("turn", example="rt turn")
@table_option
@_as
def turn(table: str | None, person: str | None, as_json: bool) -> int:
    """Show the turn that is open for you: the request, and what was said since you last read."""
    return _run("turn", table, person, {"json": as_json})


@command("reply", example="rt reply --file - < answer.md")
@table_option
@_as
@body_options
@click.option(
    "--turn",
    "turn_id",
    default=None,
    metavar="TURN",
    help="Which turn; default: the one that rt turn showed last.",
)
@click.option("--key", default=None, help="Accepted for symmetry; a turn has one answer anyway.")
def reply(**options: Any) -> int:
    """Answer your turn."""
    return _run("reply", options.pop("table"), options.pop("person"),
                {"json": options["as_json"], "turn": options["turn_id"], **options})  # fmt: skip


@command("read", example="rt read --max 20")
@table_option
@_as
@click.option(
    "--max", "most", type=click.IntRange(1), default=None, help="At most this many messages (default 100)."
)
@click.option(
    "--max-chars",
    type=click.IntRange(0),
    default=None,
    help="At most this many characters (default 24,000; 0: no bound).",
)
@click.option("--peek", is_flag=True, help="Do not mark them read.")
@click.option(
    "--full", is_flag=True, help="Accepted for symmetry with drain; read always prints whole messages."
)
def read(table: str | None, person: str | None, most: int | None, as_json: bool, **options: Any) -> int:
    """Read what is new in the group."""
    return _run("read", table, person, {"json": as_json, "max": most, **options})


@command("post", example='rt post -m "The numbers are in report.csv."')
@table_option
@_as
@body_options
@click.option("--key", default=None, metavar="KEY", help="Idempotency key: the same key never posts twice.")
def post(table: str | None, person: str | None, as_json: bool, **options: Any) -> int:
    """Post a note to the group; it asks nobody."""
    return _run("post", table, person, {"json": as_json, **options})


@command("wait", example="rt wait --for all --timeout 600 && rt drain")
@table_option
@_as
@click.option(
    "--for",
    "what",
    default="any",
    metavar="WHAT",
    help="any (default: something to drain, or a decision is wanted), all, gate, or a number of replies.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0),
    default=None,
    metavar="SECONDS",
    help="Give up after this long (exit 3).",
)
def wait(table: str | None, person: str | None, as_json: bool, **options: Any) -> int:
    """Wait until drain would give something, all seats have answered, or N have; in a seat: until a turn is open."""
    return _run("wait", table, person, {"json": as_json, "for": options["what"], **options})
