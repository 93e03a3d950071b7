# ruff: noqa: PLR0913 (what a message is made of; all but the first few are keywords)
"""Personal mail of one space through a door: a queue of leases per address, and the notices of subscribers."""

from __future__ import annotations

from rt_config.errors import BadAddressError, UnknownMailError, UsageError
from rt_mailbox.addresses import check
from rt_mailbox.door import mapping, pairs
from rt_mailbox.groups import MAX_BODY_BYTES, check_body
from rt_mailbox.keys import key as key_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rt_mailbox.door import Door, Reply

FIELDS = (
    "id", "lease", "deliveries", "from", "subject", "body", "sent_at", "kind", "address", "forwarded_from",
)  # fmt: skip
STATES = ("queued", "leased", "acked", "dead")
MOST = 10  # messages a call
LEASE_MS = 300_000
MAX_HOLD_MS = 3_600_000
ACKED_KEPT = 1000
BACKOFF_SECONDS = (1.0, 5.0)
_NUMBERS = ("deliveries", "failures", "sent_at", "until", "settled_at")
_SECRET = ("lease", "leased_at")


def send(
    door: Door,
    space: str,
    address: str,
    sender: str,
    body: str,
    *,
    subject: str = "",
    must_exist: bool = False,
    key: str = "",
    forwarded_from: str = "",
    limit: int = MAX_BODY_BYTES,
) -> Reply:
    """Queue one message: {id, new_address, duplicate}.

    Guarantees: stored once, or not at all; the same `key` and body of the same sender gives the first id again, for 7 days
    or 10,000 keys of the address. Without a key a send whose answer was lost must not be repeated.

    Raises:
        BadAddressError, EmptyBodyError, BodyTooLargeError, UnknownAddressError (with must_exist),
        IdempotencyConflictError, BusFullError: nothing was stored.
    """
    personal(address)
    check_body(body, limit)
    return door.script(
        "mail_send", space, address, sender, subject, body, int(must_exist), key, forwarded_from
    )


def personal(address: str) -> str:
    """`address` when it is one that can get personal mail.

    Raises:
        BadAddressError: it is none, or a group's.
    """
    if check(address).startswith("group/"):
        raise BadAddressError(address=address)
    return address


def recv(
    door: Door,
    space: str,
    addresses: Iterable[str],
    *,
    most: int = 1,
    lease_ms: int = LEASE_MS,
    holder: str = "",
    max_hold_ms: int = MAX_HOLD_MS,
) -> tuple[list[Reply], list[tuple[str, str]]]:
    """Lease up to `most` messages that are due at any of these addresses in this space; never blocks.

    Also returns which other spaces to ask: (address, space). Guarantees: see `mail_recv.lua`.

    Raises:
        UsageError: no address, or more than 10 messages.
    """
    asked = _asked(addresses)
    if not 1 <= most <= MOST:
        raise UsageError(reason=f"a call receives 1 to {MOST} messages, not {most}.")
    found = door.script("mail_recv", space, most, max(1, lease_ms), holder, max_hold_ms, *asked)
    return [dict(zip(FIELDS, one, strict=True)) for one in found["messages"]], _by_two(found["elsewhere"])


def due(
    door: Door, space: str, addresses: Iterable[str], holder: str = ""
) -> tuple[bool, int, list[tuple[str, str]]]:
    """Whether `recv` would give something in this space, in how many ms more may be due by itself (-1: never), where else to ask."""
    found = door.script("mail_due", space, holder, *_asked(addresses))
    return bool(found["ready"]), int(found["next_ms"]), _by_two(found["elsewhere"])


def ack(door: Door, space: str, mail_id: str, lease: str, kept: int = ACKED_KEPT) -> str:
    """Done with it; the newest `kept` settled messages of an address stay readable.

    Raises:
        LeaseLostError: somebody else has it, or it was settled. UnknownMailError.
    """
    return _settle(door, space, mail_id, lease, "ack", kept=kept)


def release(door: Door, space: str, mail_id: str, lease: str) -> str:
    """Put it back, due at once, without counting a failure. Raises as `ack`."""
    return _settle(door, space, mail_id, lease, "release")


def fail(
    door: Door,
    space: str,
    mail_id: str,
    lease: str,
    reason: str = "",
    backoff_seconds: tuple[float, ...] = BACKOFF_SECONDS,
) -> str:
    """It could not be handled: due again after a back-off, a dead letter (state dead) after the third time. Raises as `ack`."""
    times = int(backoff_seconds[0] * 1000), int(backoff_seconds[-1] * 1000)
    return _settle(door, space, mail_id, lease, "fail", times=times, reason=reason)


def defer(door: Door, space: str, mail_id: str, lease: str, *, seconds: float = 0, until_ms: int = 0) -> str:
    """Put it back, due in `seconds` or at `until_ms` (ms since the epoch); counts no failure. Raises as `ack`."""
    times = (max(1, int(seconds * 1000)), 0) if not until_ms else (0, until_ms)
    return _settle(door, space, mail_id, lease, "defer", times=times)


def renew(
    door: Door, space: str, mail_id: str, lease: str, ms: int = LEASE_MS, max_hold_ms: int = MAX_HOLD_MS
) -> int:
    """Hold it for `ms` from now; returns the seconds that are left, never more than `max_hold_ms` since it was taken.

    Raises:
        HoldExceededError: it was held for that long; the lease has ended. Else as `ack`.
    """
    return int(door.script("mail_renew", space, mail_id, lease, max(1, ms), max_hold_ms)["seconds_left"])


def requeue(door: Door, space: str, mail_id: str) -> None:
    """Give a dead letter another try, due at once, its failures forgotten.

    Raises:
        NotDeadError, UnknownMailError.
    """
    door.script("mail_requeue", space, mail_id)


def listed(
    door: Door, space: str, addresses: Iterable[str], state: str, *, most: int = 50, cursor: str = ""
) -> tuple[list[Reply], str]:
    """A page of the mail in `state` at these addresses (none: at all of the space), and the cursor of the next page or ''.

    Each {id, address, state, from, subject, kind, deliveries, failures, sent_at, due|settled_at, …}, no body; by the time
    it is due or was settled. Changes nothing. A lease that ran out counts as queued.

    Raises:
        UsageError: another state, or a cursor that no page gave.
    """
    if state not in STATES:
        raise UsageError(reason=f"{state!r} is not {', '.join(STATES)}.")
    at, _, known = (cursor or "0.").partition(".")
    if not at.isdecimal() or (cursor and not known):
        raise UsageError(reason=f"{cursor!r} is no cursor.")
    found = door.script("mail_list", space, state, most, at, known, *addresses)
    time = "due" if state in ("queued", "leased") else "settled_at"
    mails = []
    for one in map(pairs, found["messages"]):
        at_ms = one.pop("at")
        mails.append(_typed(one | {"state": state, time: at_ms}))
    return mails, ".".join(map(str, found["next"]))


def read(door: Door, space: str, mail_id: str) -> Reply:
    """One message with its body and state, whoever holds it; changes nothing and tells no lease.

    Raises:
        UnknownMailError: none of that id; settled mail is kept for a while only, and notices are not stored.
    """
    found = mapping(door.command("HGETALL", key_name(space, "mail", mail_id)))
    if not found:
        raise UnknownMailError(message_id=mail_id)
    shown = {name: value for name, value in found.items() if name not in _SECRET}
    return _typed({"id": mail_id} | shown)


def _settle(
    door: Door,
    space: str,
    mail_id: str,
    lease: str,
    how: str,
    *,
    times: tuple[int, int] = (0, 0),
    reason: str = "",
    kept: int = ACKED_KEPT,
) -> str:
    return str(door.script("mail_settle", space, mail_id, lease, how, *times, reason, kept)["state"])


def _typed(one: dict[str, Any]) -> Reply:
    return {name: int(value) if name in _NUMBERS else value for name, value in one.items()}


def _asked(addresses: Iterable[str]) -> list[str]:
    asked = [addresses] if isinstance(addresses, str) else list(addresses)
    if not asked:
        raise UsageError(reason="no address was named.")
    return asked


def _by_two(flat: list[str]) -> list[tuple[str, str]]:
    return list(zip(flat[::2], flat[1::2], strict=True))
