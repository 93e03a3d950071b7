"""The personal half of the library's Mailbox: queues with leases, and the notices of subscribers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rt_config.errors import UnknownMailError, UsageError
from rt_mailbox import inbox, queues
from rt_mailbox.addresses import check
from rt_mailbox.messages import Mail, Queued, StoredMail

if TYPE_CHECKING:
    from datetime import datetime

    from rt_mailbox.door import Door


class PersonalMail:
    """Personal mail as seen from one space. A seat's inbox is in its table's space and found by its address.

    What a subscriber is to be told in other spaces comes with `recv` and `wait_mail` like any mail. An id that was given
    out here serves here.
    """

    door: Door
    space: str
    _max_body_bytes: int
    _fail_backoff_seconds: tuple[float, ...]
    _max_hold_ms: int
    _acked_kept: int

    def send_mail(
        self,
        address: str,
        sender: str,
        body: str,
        *,
        subject: str = "",
        must_exist: bool = False,
        key: str = "",
    ) -> Queued:
        """Queue one personal message; `must_exist` refuses an address that never got any.

        Guarantees: stored once, or not at all. The same `key` and body of the same sender gives the first id again, for 7
        days or 10,000 keys of the address. Without one: after BusDownError it may be there.

        Raises:
            BadAddressError, EmptyBodyError, BodyTooLargeError, UnknownAddressError, IdempotencyConflictError,
            BusFullError: nothing was stored.
        """
        return self._send(address, sender, body, subject=subject, must_exist=must_exist, key=key)

    def _send(self, address: str, sender: str, body: str, **how: Any) -> Queued:
        space = inbox.space_of_address(self.door, self.space, address)
        found = queues.send(self.door, space, address, sender, body, limit=self._max_body_bytes, **how)
        mail_id = inbox.outer_id(found["id"], space, self.space)
        return Queued(mail_id, bool(found["new_address"]), bool(found["duplicate"]))

    def recv(
        self,
        addresses: str | Sequence[str],
        *,
        max_messages: int = 1,
        lease_seconds: float = 300.0,
        holder: str = "",
    ) -> list[Mail]:
        """Lease up to ten messages that are due at one or more addresses, oldest first; never blocks.

        Guarantees: given to nobody else until the lease ends, then again with deliveries + 1; a named `holder` gets its
        own open leases back, with the same token. After three deliveries without an ack it is a dead letter. Control
        mail is given to the person it is for and to nobody else, and is never dead. While a person has unread messages
        their subscribers have one notice each (kind `notice`), which is never counted and never dead.

        Raises:
            UsageError: no address, or more than ten messages.
        """
        found = inbox.recv(
            self.door,
            self.space,
            _several(addresses),
            most=max_messages,
            lease_ms=int(lease_seconds * 1000),
            holder=holder,
            max_hold_ms=self._max_hold_ms,
        )
        return [Mail(sender=m.pop("from"), **m) for m in found]

    def wait_mail(self, addresses: str | Sequence[str], timeout: float, *, holder: str = "") -> bool:
        """Block until `recv` would give something; False when that took longer than `timeout` seconds.

        Raises:
            UsageError: no address.
        """
        return inbox.wait(self.door, self.space, _several(addresses), holder, timeout)

    def ack(self, mail_id: str, lease: str) -> None:
        """Done with it. A notice comes again after 60 s, or with a newer message, while anything is unread.

        Raises:
            LeaseLostError: somebody else has it, or it was settled. UnknownMailError.
        """
        queues.ack(self.door, *self._at(mail_id), lease, self._acked_kept)

    def release(self, mail_id: str, lease: str) -> None:
        """Put it back, due at once, without counting a failure. Raises as `ack`."""
        queues.release(self.door, *self._at(mail_id), lease)

    def renew(self, mail_id: str, lease: str, seconds: float = 300.0) -> int:
        """Hold it for `seconds` from now; returns how many are left until the lease ends.

        Raises:
            HoldExceededError: it was held for the longest time there is (an hour, setting); the lease has ended.
            Else as `ack`.
        """
        return queues.renew(self.door, *self._at(mail_id), lease, int(seconds * 1000), self._max_hold_ms)

    def defer(self, mail_id: str, lease: str, *, seconds: float = 0, until: datetime | None = None) -> None:
        """Put it back, hidden for `seconds` or `until` then; no failure. A notice comes earlier with a newer message.

        Raises:
            UsageError: `until` without a time zone, or neither was given. Else as `ack`.
        """
        if (until is None) == (seconds <= 0):
            raise UsageError(reason="defer for seconds, or until a time.")
        if until is not None and until.tzinfo is None:
            raise UsageError(reason="a time needs its zone, as in 2026-11-30T14:00:00Z.")
        until_ms = int(until.timestamp() * 1000) if until else 0
        queues.defer(self.door, *self._at(mail_id), lease, seconds=seconds, until_ms=until_ms)

    def fail(self, mail_id: str, lease: str, reason: str = "") -> bool:
        """It could not be handled: due again after a back-off; True when that was the third time and it is a dead letter.

        Raises as `ack`.
        """
        state = queues.fail(self.door, *self._at(mail_id), lease, reason, self._fail_backoff_seconds)
        return state == "dead"

    def forward(self, mail_id: str, address: str, sender: str, *, subject: str = "", key: str = "") -> Queued:
        """Send the body of a message on, subject `Fwd: …` unless given, with the address it was at; it stays as it is.

        Raises:
            UnknownMailError: and as `send_mail`.
        """
        mail = self.read_mail(mail_id)
        return self._send(
            address,
            sender,
            mail.body,
            subject=subject or f"Fwd: {mail.subject}",
            key=key,
            forwarded_from=mail.address,
        )

    def list_mail(
        self, addresses: str | Sequence[str] = (), *, state: str = "queued", limit: int = 50, cursor: str = ""
    ) -> tuple[list[StoredMail], str]:
        """A page of the mail in `state` (queued, leased, acked, dead), without bodies, and the next page's cursor or ''.

        At these addresses, or at all of this space. In the order in which it is due or was settled. Changes nothing; a
        lease that ran out counts as queued. Notices are not stored and not listed.

        Raises:
            UsageError: another state, a cursor that no page gave, or addresses of several spaces.
        """
        asked = _several(addresses)
        spaces = {inbox.space_of_address(self.door, self.space, check(one)) for one in asked} or {self.space}
        if len(spaces) > 1:
            raise UsageError(reason="these addresses are in several spaces; list them one by one.")
        space = spaces.pop()
        found, after = queues.listed(self.door, space, asked, state, most=limit, cursor=cursor)
        return [StoredMail.of(m | {"id": inbox.outer_id(m["id"], space, self.space)}) for m in found], after

    def read_mail(self, mail_id: str) -> StoredMail:
        """One message with its body, whatever its state; changes nothing.

        Raises:
            UnknownMailError: none of that id. Settled mail is kept for a while (setting); notices are not stored.
        """
        return StoredMail.of(queues.read(self.door, *self._at(mail_id)) | {"id": mail_id})

    def dead_mail(
        self, addresses: str | Sequence[str] = (), *, limit: int = 50, cursor: str = ""
    ) -> tuple[list[StoredMail], str]:
        """A page of dead letters; as `list_mail`."""
        return self.list_mail(addresses, state="dead", limit=limit, cursor=cursor)

    def requeue(self, mail_id: str) -> None:
        """Give a dead letter another try, due at once, its failures forgotten.

        Raises:
            NotDeadError, UnknownMailError.
        """
        queues.requeue(self.door, *self._at(mail_id))

    def _at(self, mail_id: str) -> tuple[str, str]:
        space, bare = inbox.located(self.door, self.space, mail_id)
        if not bare:
            raise UnknownMailError(message_id=mail_id)
        return space, bare


def _several(addresses: str | Sequence[str]) -> list[str]:
    return [addresses] if isinstance(addresses, str) else list(addresses)
