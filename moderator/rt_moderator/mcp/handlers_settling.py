"""mailbox_list and read, and what becomes of leased mail: ack, release, defer, fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rt_config.errors import UsageError
from rt_mailbox.wire import iso
from rt_moderator.mcp.handlers_mail import group_named, one_message
from rt_moderator.mcp.shapes import group_message, stored
from rt_participant.tools import Tool

if TYPE_CHECKING:
    from rt_moderator.mcp.connection import Call

    Result = dict[str, Any]

_LIMIT = 50


def list_mail(call: Call, args: Result) -> Result:
    """Mail by state, without bodies; or a group's messages with who has read them. Changes nothing."""
    address, most = args.get("address", ""), args.get("limit") or _LIMIT
    if not address.startswith("group/"):
        addresses = [address] if address else call.connection.addresses
        found, after = call.box().list_mail(
            addresses, state=args.get("state") or "queued", limit=most, cursor=args.get("cursor", "")
        )
        return {
            "status": "listed",
            "deliveries": [stored(one, with_body=False) for one in found],
            "next_cursor": after,
        }
    if not args.get("as_person"):
        raise UsageError(reason="who looks at the group? Give as_person.")
    rows = call.box(address).list_group(address, args["as_person"], limit=most)
    prefix = address.removeprefix("group/roundtable-")
    messages = [
        {
            "message_id": f"{prefix}/m{one.seq}", "sender": one.sender, "kind": one.kind, "subject": one.subject,
            "message_created_at": iso(one.sent_at), "read": one.read, "read_count": one.read_count,
            "eligible_count": one.eligible_count,
        }
        for one in rows
    ]  # fmt: skip
    return {"status": "listed", "messages": messages}


def read(call: Call, args: Result) -> Result:
    """Messages with their bodies, by id or the latest; changes nothing."""
    asked = [name for name in ("message_ids", "delivery_ids", "latest") if args.get(name)]
    if len(asked) != 1:
        raise UsageError(reason="name what to read: message_ids, delivery_ids or latest, one of them.")
    more, box = False, call.box()
    if args.get("message_ids"):
        items = [
            group_message(group_named(name), args.get("as_person", ""), one_message(call, name))
            for name in args["message_ids"]
        ]
    else:
        ids = args.get("delivery_ids")
        if ids is None:
            addresses = args.get("addresses") or call.connection.addresses
            page, after = box.list_mail(
                addresses, state=args.get("state") or "queued", limit=args.get("limit") or 1
            )
            ids, more = [one.id for one in page], bool(after)
        items = [stored(box.read_mail(mail_id), with_body=True) for mail_id in ids]
    return {"status": "read", "items": items, "has_more": more}


def ack(call: Call, args: Result) -> Result:
    """Done with it."""
    call.box().ack(args["delivery_id"], args["lease_token"])
    return _settled(call, args, "acked")


def release(call: Call, args: Result) -> Result:
    """Put back, due at once."""
    call.box().release(args["delivery_id"], args["lease_token"])
    return _settled(call, args, "released")


def defer(call: Call, args: Result) -> Result:
    """Put back, hidden for a while."""
    from datetime import datetime

    try:
        until = datetime.fromisoformat(args["until"]) if args.get("until") else None
    except ValueError as exc:
        raise UsageError(reason=f"{args['until']!r} is no time; write 2026-11-30T14:00:00Z.") from exc
    call.box().defer(args["delivery_id"], args["lease_token"], seconds=args.get("seconds", 0), until=until)
    return _settled(call, args, "deferred")


def fail(call: Call, args: Result) -> Result:
    """It could not be handled; the third time makes it a dead letter."""
    dead = call.box().fail(args["delivery_id"], args["lease_token"], args.get("reason", ""))
    return _settled(call, args, "failed") | {"state": "dead_letter" if dead else "queued"}


def _settled(call: Call, args: Result, status: str) -> Result:
    call.connection.settled(args["delivery_id"])
    return {"status": status, "delivery_id": args["delivery_id"]}


_LEASE = {"delivery_id!": "text", "lease_token!": "text As mailbox_recv gave it."}
_DONE = {"status!": "text", "delivery_id!": "text"}

TOOLS = [
    Tool(
        "mailbox_list", "List mail by state, or a group's messages and who has read them; changes nothing.",
        {"address": "text Default: the bound ones.", "as_person": "text Who looks at a group.",
         "state": "text queued, leased, acked or dead", "limit": "count", "cursor": "text What the last page gave."},
        {"status!": "text", "deliveries": "objects", "messages": "objects", "next_cursor": "text"}, list_mail,
    ),
    Tool(
        "mailbox_read", "Read messages whole, by id or the latest; marks nothing.",
        {"message_ids": "texts Of groups: <table>/m12.", "delivery_ids": "texts Of personal mail.", "latest": "flag",
         "addresses": "texts For latest; default: the bound ones.", "state": "text For latest; default queued.", "limit": "count",
         "as_person": "text Accepted."},
        {"status!": "text", "items!": "objects", "has_more!": "flag"}, read,
    ),
    Tool("mailbox_ack", "A leased message is dealt with.", _LEASE, _DONE, ack),
    Tool("mailbox_release", "Put a leased message back, due at once; no failure.", _LEASE, _DONE, release),
    Tool(
        "mailbox_defer", "Put a leased message back, hidden for a while; no failure.",
        {**_LEASE, "until": "text As 2026-11-30T14:00:00Z.", "seconds": "seconds From now."}, _DONE, defer,
    ),
    Tool(
        "mailbox_fail", "A leased message could not be handled; after three times it is a dead letter.",
        {**_LEASE, "reason": "text Why."}, {**_DONE, "state!": "text queued or dead_letter"}, fail,
    ),
]  # fmt: skip
