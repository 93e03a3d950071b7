"""What can be looked at without calling a tool: unread counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rt_moderator.mcp.connection import Call

UNREAD = "roundtable://unread"
BOUND = "mailbox://bound/overview"
RESOURCES = {
    UNREAD: ("unread", "How many messages of each table you have not drained."),
    BOUND: ("bound mail", "Whether there is mail at your bound addresses."),
}


def read(call: Call, uri: str) -> dict[str, Any] | None:
    """The resource as JSON; None when there is none of that name. Marks nothing."""
    if uri == UNREAD:
        from rt_moderator import listing

        kept = ("table", "topic", "state", "unread")
        rows = listing.tables_of(call.shell, archived=False)
        return {"tables": [{name: row[name] for name in kept} for row in rows]}
    if uri == BOUND:
        addresses, box = call.connection.addresses, call.box()
        due = [one for one in addresses if box.wait_mail([one], 0, holder=call.connection.holder)]
        return {"bound_addresses": addresses, "has_claimable_delivery": bool(due), "with_mail": due}
    return None
