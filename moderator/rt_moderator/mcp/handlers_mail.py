"""mailbox_status, bind, send, forward, wait and recv: personal mail and groups by address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rt_config.errors import UnknownMessageError, UsageError
from rt_mailbox.addresses import check, group_of, seq_of
from rt_mailbox.wire import iso
from rt_moderator.mcp.shapes import MARKDOWN, delivery, group_message
from rt_participant.tools import Answer, Tool, patiently

if TYPE_CHECKING:
    from rt_mailbox.messages import Message
    from rt_moderator.mcp.connection import Call

    Result = dict[str, Any]

_MOST = 10
_WHO = {
    "addresses": "texts Where to look: personal addresses, or one group; default: the bound ones.",
    "as_person": "text Who reads; needed for a group.",
}
_SENT = {
    "status!": "text",
    "mode": "text",
    "delivery_id": "text",
    "message_id": "text <table>/m12",
    "group_address": "text",
    "eligible_count": "count",
    "notify_status": "text",
}


def status(call: Call, _: Result) -> Result:
    """Who this connection is."""
    mine = call.connection
    return {
        "status": "ok", "session_id": mine.session, "bound_addresses": mine.addresses, "default_sender": mine.sender,
        "default_workdir": mine.workdir, "holder": mine.holder, "warnings": [],
    }  # fmt: skip


def bind(call: Call, args: Result) -> Result:
    """Take other addresses, another sender or another working folder."""
    mine = call.connection
    addresses = [check(one) for one in args["addresses"]]
    if not addresses:
        raise UsageError(reason="bind at least one address.")
    mine.addresses, mine.sender = addresses, args.get("default_sender") or addresses[0]
    mine.workdir = args.get("default_workdir") or mine.workdir
    mine.session = addresses[0].rpartition("/")[2]
    return status(call, {}) | {"status": "bound"}


def _is_group(args: Result) -> bool:
    return bool(args.get("group")) or args["to_address"].startswith("group/")


def send(call: Call, args: Result) -> Result:
    """To a group, as a member or from a subscriber's address, or to a personal address."""
    sender = args.get("as_person") or args.get("from_address") or call.connection.sender
    return {"status": "sent"} | _send(call, args, sender, args["body"], args.get("subject", ""))


def _send(call: Call, args: Result, sender: str, body: str, subject: str) -> Result:
    to, key = args["to_address"], args.get("key", "")
    call.shell.guard_disk()
    about = {"from_address": sender, "to_address": to, "subject": subject}
    if not _is_group(args):
        found = call.box().send_mail(to, sender, body, subject=subject, key=key)
        return about | _queued(found.id, new=found.new_address, duplicate=found.duplicate)
    sent = call.box(to).send(to, sender, body, subject=subject, key=key)
    return about | {
        "mode": "group", "message_id": f"{to.removeprefix('group/roundtable-')}/m{sent.seq}", "seq": sent.seq,
        "group_id": to, "group_address": to, "eligible_count": sent.eligible_count, "duplicate": sent.duplicate,
        "message_created_at": iso(sent.sent_at), "notify_status": "durable",
    }  # fmt: skip


def _queued(mail_id: str, *, new: bool, duplicate: bool) -> Result:
    # Nothing is typed into a session here: what runs there is unknown. The mail waits; wait and recv find it.
    return {"delivery_id": mail_id, "new_address": new, "duplicate": duplicate, "notify_status": "durable"}


def forward(call: Call, args: Result) -> Result:
    """A personal message or one of a group, to another address."""
    message_id, delivery_id = args.get("message_id", ""), args.get("delivery_id", "")
    if bool(message_id) == bool(delivery_id):
        raise UsageError(reason="name what to forward: message_id or delivery_id, one of them.")
    sender = args.get("from_address") or call.connection.sender
    source = {"status": "forwarded", "source_message_id": message_id, "source_delivery_id": delivery_id}
    if message_id:
        said = one_message(call, message_id)
        body, subject = said.body, said.subject
    else:
        mail = call.box().read_mail(delivery_id)
        body, subject = mail.body, mail.subject
        if not _is_group(args):
            to, shown = args["to_address"], args.get("subject", "")
            call.shell.guard_disk()
            found = call.box().forward(delivery_id, to, sender, subject=shown, key=args.get("key", ""))
            about = {"from_address": sender, "to_address": to, "subject": shown or f"Fwd: {subject}"}
            return source | about | _queued(found.id, new=found.new_address, duplicate=found.duplicate)
    return source | _send(call, args, sender, body, args.get("subject") or f"Fwd: {subject}")


def group_named(message_id: str) -> str:
    """The group of <table>/m12 or group/x/m12.

    Raises:
        UsageError: it names none.
    """
    owner = message_id.rpartition("/")[0]
    if not owner:
        raise UsageError(reason=f"{message_id} names no table; write <table>/{message_id}.")
    return owner if owner.startswith("group/") else group_of(owner)


def one_message(call: Call, message_id: str) -> Message:
    """The message of a group that an id names.

    Raises:
        BadMessageIdError, UnknownGroupError, UnknownMessageError, UsageError.
    """
    group, seq = group_named(message_id), seq_of(message_id)
    box = call.box(group)
    found = next(box.history(group, first=seq, last=seq), None)
    if found is None:
        raise UnknownMessageError(message_id=message_id, head=box.head(group))
    return found


def _asked(call: Call, args: Result) -> tuple[list[str], str]:
    """The addresses, and the group when it is one."""
    addresses = args.get("addresses") or call.connection.addresses
    groups = [one for one in addresses if one.startswith("group/")]
    if not groups:
        if args.get("as_person"):
            raise UsageError(reason="as_person is for a group; name the group in addresses.")
        return addresses, ""
    if len(addresses) > 1 or not args.get("as_person"):
        raise UsageError(reason="a group is read by itself: one address, and as_person.")
    return addresses, groups[0]


def wait(call: Call, args: Result) -> Result:
    """Until recv would give something."""
    addresses, group = _asked(call, args)
    box, person = call.box(group), args.get("as_person", "")

    def ready(seconds: float) -> bool:
        if group:
            return box.wait(group, person, seconds)
        return box.wait_mail(addresses, seconds, holder=call.connection.holder)

    came = patiently(ready, args.get("timeout"), call.cancelled)
    found: Result = {"status": "message_available" if came else "no_message", "addresses": addresses}
    if group:
        found["unread"] = box.unread(group, person)
    return found


def recv(call: Call, args: Result) -> Result | Answer:
    """What is new: of a group, marked as read once it was sent; at personal addresses, leased to this connection."""
    addresses, group = _asked(call, args)
    return _recv_group(call, args, group) if group else _recv_mail(call, args, addresses)


def _recv_group(call: Call, args: Result, group: str) -> Result | Answer:
    box, person, most = call.box(group), args["as_person"], args.get("max")
    drained = box.drain(group, person, max_messages=most or 1, max_chars=call.shell.settings.max_chars)
    if not drained.messages and not drained.lost:
        return {"status": "no_message", "addresses": [group]}
    said = [
        group_message(group, person, one) | {"read_count": box.read_count(group, one)}
        for one in drained.messages
    ]
    found: Result = {"status": "received" if said else "no_message", "unread_left": drained.unread_left}
    if drained.lost:
        found["history_lost"] = drained.lost
    if most is not None:
        found |= {"messages": said, "has_more": drained.unread_left > 0}
    elif said:
        found["message"] = said[0]
    return Answer(found, drained.commit)


def _recv_mail(call: Call, args: Result, addresses: list[str]) -> Result | Answer:
    mine, box, known = call.connection, call.box(), set(args.get("known_delivery_ids") or ())
    held = mine.held()
    if forgotten := {mail_id: one for mail_id, one in held.items() if mail_id not in known}:
        return {
            "status": "active_leases", "active_lease_count": len(forgotten), "claimed_delivery_ids": list(forgotten),
            "leases": [
                {"delivery_id": mail_id, "lease_token": one.lease, "recipient_address": one.address, "subject": one.subject}
                for mail_id, one in forgotten.items()
            ],
            "hint": "Settle them with mailbox_ack, release, defer or fail, or pass their ids as known_delivery_ids.",
        }  # fmt: skip
    most, seconds = min(args.get("max") or 1, _MOST), call.shell.settings.lease_seconds
    own = sum(one.address in addresses for one in held.values())  # a named holder gets these again, first
    holder = mine.holder if own + most <= _MOST else ""
    asked = most + own if holder else most
    taken = box.recv(addresses, max_messages=asked, lease_seconds=seconds, holder=holder)
    mails = [mail for mail in taken if mail.id not in held]
    if not mails:
        return {"status": "no_message", "addresses": addresses}
    mine.hold(mails, seconds)

    def undo() -> None:
        for mail in mails:
            box.release(mail.id, mail.lease)
            mine.settled(mail.id)

    if args.get("max") is None:
        return Answer({"status": "received", "delivery": delivery(mails[0])}, undo=undo)
    shown = [delivery(mail) for mail in mails]
    return Answer({"status": "received", "messages": shown, "has_more": len(mails) == most}, undo=undo)


_SEND = {
    "to_address!": "text A personal address, or group/<name> with group: true.",
    "from_address": "text Who sends: an address, or a person of the group; default: the bound sender.",
    "subject": "text One line.",
    "group": "flag to_address is a group.",
    "disable_notify_message": "flag Accepted; a send types nothing into a session.",
    "key": "text The same key never sends twice.",
}
_BODY = {
    "body!": "text The text, as Markdown.",
    "as_person": "text A person of the group; wins over from_address.",
    "content_type": f"text Accepted; text is kept as {MARKDOWN}.",
    "schema_version": "any Accepted.",
}
_BOUND = {
    "status!": "text",
    "session_id!": "text",
    "bound_addresses!": "texts",
    "default_sender!": "text",
    "default_workdir!": "text",
}

TOOLS = [
    Tool("mailbox_status", "Who you are here: your address, your default sender and working folder.", {}, _BOUND, status),
    Tool(
        "mailbox_bind", "Read mail at these addresses, and send from the first of them.",
        {"addresses!": "texts", "default_sender": "text", "default_workdir": "text"}, _BOUND, bind,
    ),
    Tool("mailbox_send", "Send a message to a group or to one address; it is stored when this returns.", {**_SEND, **_BODY}, _SENT, send),
    Tool(
        "mailbox_forward", "Send a message on, as it is.",
        {**_SEND, "message_id": "text Of a group: <table>/m12.", "delivery_id": "text Of personal mail."}, _SENT, forward,
    ),
    Tool(
        "mailbox_wait", "Block until mailbox_recv would give something.",
        {**_WHO, "timeout": "seconds Give up after so many; default: never."},
        {"status!": "text message_available or no_message", "addresses!": "texts", "unread": "count"}, wait,
    ),
    Tool(
        "mailbox_recv",
        "Receive one message (with max: several). Group messages are then read; personal ones are leased: settle them with mailbox_ack.",
        {**_WHO, "max": "count At most so many, as messages.", "known_delivery_ids": "texts Leases that you still hold and know of."},
        {"status!": "text received, no_message or active_leases", "message": "object", "delivery": "object", "messages": "objects",
         "has_more": "flag", "unread_left": "count", "claimed_delivery_ids": "texts"}, recv,
    ),
]  # fmt: skip
