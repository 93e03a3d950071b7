# ruff: noqa: PLR0913 (what a step is made of; all but the first few are keywords)
"""A table's own keys through a door: lay it, ask, conclude, lock, look. Every change is one script."""

from __future__ import annotations

from rt_mailbox.door import mapping, pairs
from rt_mailbox.groups import check_body
from rt_mailbox.keys import key as key_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rt_mailbox.door import Door, Reply

LOCK_MS = 10_000


def create(door: Door, space: str, group: str, table: Reply, persons: list[str], seats: list[Reply]) -> bool:
    """Lay a table with its group, persons and seats, all or nothing; False when it is there already (left as it is)."""
    import json  # not above: the hot door loads this module for its snapshot

    spec = json.dumps({"table": table, "persons": persons, "seats": seats}, ensure_ascii=False)
    return not door.script("table_create", space, group, spec)["existed"]


def ask(
    door: Door,
    space: str,
    group: str,
    body: str,
    asked: Iterable[tuple[str, str, str, str]],
    *,
    person: str = "moderator",
    subject: str = "",
    step: str = "",
    key: str = "",
    timeout_ms: int = 600_000,
    epoch: str = "",
    noted: str = "",
    round: str = "",  # noqa: A002 (the word of the contract)
) -> Reply:
    """Open one step: intent message, turns and control mail in one script: {seq, step, turns, duplicate}.

    `asked` is per seat (slug, request, control mail subject, control mail body), `step` its name, m<seq> of the intent
    when empty, `noted` the last note that the requests hold, `round` the table's from now on. Neither the same key nor the same step for the same seat is ever asked twice.

    Raises:
        EmptyBodyError, BodyTooLargeError, UnknownSeatError, UnknownGroupError, GroupClosedError, NotAMemberError, IdempotencyConflictError, StaleHostError,
        BusFullError: nothing was stored.
    """
    check_body(body)
    flat = [part for one in asked for part in one]
    return door.script(
        "open", space, group, person, subject, body, step, key, timeout_ms, epoch, noted, round, *flat
    )


def conclude(
    door: Door,
    space: str,
    group: str,
    body: str,
    *,
    person: str = "moderator",
    subject: str = "",
    final: bool = False,
    key: str = "",
) -> Reply:
    """Append a synthesis; unless it is final the round rises: {seq, round, duplicate}.

    Raises:
        EmptyBodyError, BodyTooLargeError, UnknownGroupError, GroupClosedError, NotAMemberError,
        IdempotencyConflictError, BusFullError: nothing was stored.
    """
    check_body(body)
    return door.script("synthesis", space, group, person, subject, body, int(final), key)


def snapshot(door: Door, space: str, latest: int = 50) -> Reply | None:
    """One consistent moment of a table; None when the space holds no table.

    {table, seats, turns, host, clock_ms, head, cursor, unread, last_event}; `turns` are the `latest` ones and every
    open one, oldest first.
    """
    found = door.script("snapshot", space, latest)
    if not found["table"]:
        return None
    return found | {
        "table": pairs(found["table"]),
        "seats": [pairs(s) for s in found["seats"]],
        "turns": [pairs(t) for t in found["turns"]],
        "host": pairs(found["host"]),
    }


def set_table(door: Door, space: str, fields: dict[str, str], *, event: str = "", epoch: str = "") -> None:
    """Set fields of the table, with an event of that type when given."""
    door.script("set_fields", space, "table", epoch, event, *_flat(fields))


def set_seat(
    door: Door, space: str, slug: str, fields: dict[str, str], *, event: str = "", epoch: str = ""
) -> None:
    """Set fields of a seat, with an event of that type when given.

    Raises:
        UnknownSeatError, StaleHostError.
    """
    door.script("set_fields", space, f"seat:{slug}", epoch, event, *_flat(fields))


def add_seat(door: Door, space: str, group: str, seat: dict[str, str]) -> bool:
    """Seat one more; True when the slug was dropped before and sits down again.

    Raises:
        SeatExistsError, GroupClosedError.
    """
    return bool(door.script("seat_add", space, group, seat["slug"], seat["person"], *_flat(seat))["again"])


def drop_seat(door: Door, space: str, slug: str, reason: str, message: str, *, epoch: str = "") -> bool:
    """Take a seat off the table; its open turns close as dropped. False when it was dropped already."""
    return bool(door.script("drop_seat", space, slug, reason, message, epoch)["dropped"])


def note(door: Door, space: str, kind: str, fields: dict[str, str], *, epoch: str = "") -> None:
    """Append to the table's events."""
    door.script("record_event", space, epoch, kind, *_flat(fields))


def events(door: Door, space: str, after: str = "-", count: int = 10_000) -> list[Reply]:
    """The table's events in order: {id, type, at, …}; `after` is the id of the last one known."""
    start = after if after == "-" else f"({after}"
    found = door.command("XRANGE", key_name(space, "events"), start, "+", "COUNT", count)
    return [{"id": name} | mapping(fields) for name, fields in found]


def lock(door: Door, space: str, how: str, holder: str, **who: Any) -> Reply:
    """Take, keep or give up the host's lock: {held, epoch, gap_ms, …}; who: epoch, pid, machine, started, gone.

    Raises:
        StaleHostError: keep or give by a host that another has replaced.
    """
    values = [str(who.get(name, "")) for name in ("epoch", "pid", "machine", "started")]
    return door.script("host_lock", space, how, holder, *values, LOCK_MS, str(who.get("gone", "")))


def bump_epoch(
    door: Door, space: str, reason: str = "", *, group: str = "", lost: tuple[int, int] | None = None
) -> str:
    """Say that a space was put back to an earlier state (restore, import over it): returns its new epoch.

    Guarantees: no receipt from before moves a cursor. With `lost`, the first and last seq of `group` that are gone, every
    person is told `history_lost` until they commit, and a table is degraded.
    """
    first, last = lost or ("", "")
    return str(door.script("bump_epoch", space, reason, group, first, last)["epoch"])


def _flat(fields: dict[str, str]) -> list[str]:
    return [part for pair in fields.items() for part in pair]
