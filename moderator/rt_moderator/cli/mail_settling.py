"""The commands of `rt mail` that end or prolong a lease."""

from __future__ import annotations

import click

from rt_moderator.cli.base import command
from rt_moderator.cli.boxes import done, opened, space_option

_lease = click.option("--lease", required=True, metavar="LEASE", help="The token that recv gave.")


@command("ack", example="rt mail ack d00000007 --lease 0123456789abcdef")
@click.argument("mail_id", metavar="ID")
@_lease
@space_option
def ack(mail_id: str, lease: str, space: str | None, as_json: bool) -> int:
    """Done with it. A notice comes again after 60 s or with a newer message while anything is unread."""
    opened(space)[1].ack(mail_id, lease)
    return done(as_json, f"{mail_id} is done.", id=mail_id, state="acked")


@command("release", example="rt mail release d00000007 --lease 0123456789abcdef")
@click.argument("mail_id", metavar="ID")
@_lease
@space_option
def release(mail_id: str, lease: str, space: str | None, as_json: bool) -> int:
    """Put it back, due at once; no failure."""
    opened(space)[1].release(mail_id, lease)
    return done(as_json, f"{mail_id} is queued again.", id=mail_id, state="queued")


@command("renew", example="rt mail renew d00000007 --lease 0123456789abcdef --for 600")
@click.argument("mail_id", metavar="ID")
@_lease
@click.option(
    "--for",
    "seconds",
    type=click.FloatRange(0.001),
    default=None,
    metavar="SECONDS",
    help="From now; default: lease_seconds.",
)
@space_option
def renew(mail_id: str, lease: str, seconds: float | None, space: str | None, as_json: bool) -> int:
    """Hold the lease longer, up to max_hold_seconds (an hour) in all."""
    shell, box = opened(space)
    left = box.renew(mail_id, lease, seconds or shell.settings.lease_seconds)
    return done(as_json, f"{mail_id} is yours for {left} s.", id=mail_id, state="leased", seconds_left=left)


@command("defer", example="rt mail defer d00000007 --lease 0123456789abcdef --seconds 3600")
@click.argument("mail_id", metavar="ID")
@_lease
@click.option("--seconds", type=click.FloatRange(0.001), default=None, help="Hidden for so long.")
@click.option("--until", default=None, metavar="TIME", help="Hidden until then, as 2026-11-30T14:00:00Z.")
@space_option
def defer(
    mail_id: str, lease: str, seconds: float | None, until: str | None, space: str | None, as_json: bool
) -> int:
    """Put it back, hidden for a while; no failure."""
    from datetime import datetime

    from rt_config.errors import UsageError

    try:
        when = datetime.fromisoformat(until) if until else None
    except ValueError as exc:
        raise UsageError(reason=f"{until!r} is no time; write 2026-11-30T14:00:00Z.") from exc
    opened(space)[1].defer(mail_id, lease, seconds=seconds or 0, until=when)
    return done(as_json, f"{mail_id} is deferred.", id=mail_id, state="queued")


@command("fail", example="rt mail fail d00000007 --lease 0123456789abcdef --reason 'no such file'")
@click.argument("mail_id", metavar="ID")
@_lease
@click.option("--reason", default="", metavar="TEXT", help="Why; shown with the dead letter.")
@space_option
def fail(mail_id: str, lease: str, reason: str, space: str | None, as_json: bool) -> int:
    """It could not be handled: due again after a back-off, a dead letter after the third time."""
    is_dead = opened(space)[1].fail(mail_id, lease, reason)
    text = f"{mail_id} is a dead letter: rt mail dead list" if is_dead else f"{mail_id} is queued again."
    return done(as_json, text, id=mail_id, state="dead" if is_dead else "queued")


COMMANDS = (ack, release, renew, defer, fail)
