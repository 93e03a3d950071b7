"""mailbox_group_*: groups, their members and their subscribers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rt_participant.tools import Tool

if TYPE_CHECKING:
    from rt_moderator.mcp.connection import Call

    Result = dict[str, Any]


def create(call: Call, args: Result) -> Result:
    """A new group."""
    group = args["group_address"]
    call.box(group).create_group(group)
    return {"status": "created", "group_id": group, "group_address": group}


def add_member(call: Call, args: Result) -> Result:
    """A person joins."""
    group = args["group_address"]
    call.box(group).add_member(group, args["person"], args.get("history") or "all")
    return {"status": "added", "group_address": group, "person": args["person"], "active": True}


def remove_member(call: Call, args: Result) -> Result:
    """A person leaves; what was said before stays readable."""
    group = args["group_address"]
    call.box(group).remove_member(group, args["person"])
    return {"status": "removed", "group_address": group, "person": args["person"], "active": False}


def members(call: Call, args: Result) -> Result:
    """Everybody who ever joined."""
    group = args["group_address"]
    found = call.box(group).members(group)
    rows = [{"person": one.person, "active": one.active, "read_to": one.cursor} for one in found]
    return {"status": "listed", "group_address": group, "memberships": rows}


def add_subscriber(call: Call, args: Result) -> Result:
    """An address is told while a person has unread messages, and sends as that person."""
    group, address, person = args["group_address"], args["notify_address"], args["person"]
    new = call.box(group).add_subscriber(group, address, person, home=call.shell.space)
    about = {"group_address": group, "notify_address": address, "person": person}
    return {"status": "subscribed", **about, "active": True, "duplicate": not new}


def remove_subscriber(call: Call, args: Result) -> Result:
    """It is told no more."""
    group, address = args["group_address"], args["notify_address"]
    call.box(group).remove_subscriber(group, address, home=call.shell.space)
    return {"status": "unsubscribed", "group_address": group, "notify_address": address, "active": False}


def subscribers(call: Call, args: Result) -> Result:
    """Who is told, and for whom."""
    group = args["group_address"]
    found = call.box(group).subscribers(group)
    rows = [{"notify_address": address, "person": person} for address, person in found.items()]
    return {"status": "listed", "group_address": group, "subscribers": rows}


_GROUP = {"group_address!": "text group/<name>"}
_PERSON = {**_GROUP, "person!": "text Such as moderator or participant/skeptic."}
_NOTIFY = {**_GROUP, "notify_address!": "text A personal address."}
_CHANGED = {"status!": "text", "group_address!": "text"}

TOOLS = [
    Tool("mailbox_group_create", "Create a group.", _GROUP, _CHANGED, create),
    Tool(
        "mailbox_group_add_member", "Let a person join a group.",
        {**_PERSON, "history": "text What they may see of the past: all (default), none or last:N."}, _CHANGED, add_member,
    ),
    Tool("mailbox_group_remove_member", "Let a person leave a group.", _PERSON, _CHANGED, remove_member),
    Tool("mailbox_group_members", "List who is or was in a group.", _GROUP, {**_CHANGED, "memberships!": "objects"}, members),
    Tool(
        "mailbox_group_add_subscriber", "Give an address a notice while a person has unread messages; a send from it counts as theirs.",
        {**_NOTIFY, "person!": "text Whose unread."}, _CHANGED, add_subscriber,
    ),
    Tool("mailbox_group_remove_subscriber", "End a subscription.", _NOTIFY, _CHANGED, remove_subscriber),
    Tool("mailbox_group_subscribers", "List subscriptions.", _GROUP, {**_CHANGED, "subscribers!": "objects"}, subscribers),
]  # fmt: skip
