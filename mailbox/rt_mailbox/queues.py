# ruff: noqa: PLR0913 (what a message is made of; all but the first few are keywords)
"""Personal mail through a door: a queue of leases per address."""

from __future__ import annotations

from rt_config.errors import BadAddressError
from rt_mailbox.addresses import check
from rt_mailbox.groups import MAX_BODY_BYTES, check_body

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rt_mailbox.door import Door, Reply

FIELDS = ("id", "lease", "deliveries", "from", "subject", "body", "sent_at", "kind")


def send(
    door: Door,
    space: str,
    address: str,
    sender: str,
    body: str,
    *,
    subject: str = "",
    must_exist: bool = False,
    limit: int = MAX_BODY_BYTES,
) -> Reply:
    """Queue one message: {id, new_address}.

    Raises:
        BadAddressError, EmptyBodyError, BodyTooLargeError, UnknownAddressError (with must_exist), BusFullError.
    """
    if check(address).startswith("group/"):
        raise BadAddressError(address=address)
    check_body(body, limit)
    return door.script("mail_send", space, address, sender, subject, body, int(must_exist))


def recv(
    door: Door, space: str, address: str, *, most: int = 1, lease_ms: int = 300_000, holder: str = ""
) -> list[Reply]:
    """Lease up to `most` messages that are due, oldest first; never blocks.

    Guarantees: a leased message is given to nobody else until its lease ends; then again, deliveries + 1. A named holder
    gets its own open leases back. What ended three times without an ack is a dead letter.
    """
    found: list[list[Any]] = door.script("mail_recv", space, address, most, max(1, lease_ms), holder)[
        "messages"
    ]
    return [dict(zip(FIELDS, one, strict=True)) | {"address": address} for one in found]


def ack(door: Door, space: str, mail_id: str, lease: str) -> str:
    """Done with it. Raises LeaseLostError when somebody else has it, UnknownMessageError."""
    return _settle(door, space, mail_id, lease, "ack")


def release(door: Door, space: str, mail_id: str, lease: str) -> str:
    """Put it back, due at once, without counting a failure."""
    return _settle(door, space, mail_id, lease, "release")


def fail(
    door: Door,
    space: str,
    mail_id: str,
    lease: str,
    reason: str = "",
    backoff_seconds: tuple[float, ...] = (1.0, 5.0),
) -> str:
    """It could not be handled: due again after a back-off, a dead letter (state dead) after the third time."""
    first, second = int(backoff_seconds[0] * 1000), int(backoff_seconds[-1] * 1000)
    return str(door.script("mail_settle", space, mail_id, lease, "fail", first, second, reason)["state"])


def _settle(door: Door, space: str, mail_id: str, lease: str, how: str) -> str:
    return str(door.script("mail_settle", space, mail_id, lease, how)["state"])
