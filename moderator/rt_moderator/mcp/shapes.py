"""Messages as the mailbox tools show them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rt_mailbox.wire import iso

if TYPE_CHECKING:
    from rt_mailbox.messages import Mail, Message, StoredMail

MARKDOWN = "text/markdown"


def group_message(group: str, person: str, one: Message) -> dict[str, Any]:
    """A message of a group; `message_id` is <table>/m12, or <group>/m12 for a group that is no table's."""
    return {
        "message_id": f"{group.removeprefix('group/roundtable-')}/m{one.seq}", "seq": one.seq, "group_id": group,
        "group_address": group, "person": person, "sender": one.sender, "kind": one.kind, "round": one.round,
        "message_created_at": iso(one.sent_at), "subject": one.subject, "content_type": MARKDOWN, "body": one.body,
        "eligible_count": one.eligible_count,
    }  # fmt: skip


def delivery(one: Mail) -> dict[str, Any]:
    """Leased personal mail."""
    return {
        "delivery_id": one.id, "recipient_address": one.address, "sender_address": one.sender, "lease_token": one.lease,
        "subject": one.subject, "content_type": MARKDOWN, "body": one.body, "kind": one.kind, "sent_at": iso(one.sent_at),
        "attempt_count": one.deliveries,
    }  # fmt: skip


def stored(one: StoredMail, *, with_body: bool) -> dict[str, Any]:
    """Personal mail as it lies there; no lease token."""
    found = {
        "delivery_id": one.id, "recipient_address": one.address, "sender_address": one.sender, "subject": one.subject,
        "kind": one.kind, "state": one.state, "attempt_count": one.deliveries, "sent_at": iso(one.sent_at),
        "visible_at": iso(one.due) if one.due else None, "reason": one.reason,
    }  # fmt: skip
    return found | ({"content_type": MARKDOWN, "body": one.body} if with_body else {})
