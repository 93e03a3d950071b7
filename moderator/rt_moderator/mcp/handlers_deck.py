"""agent_deck_*: sessions in tmux, found, required and made."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from rt_config.errors import UsageError
from rt_mailbox.addresses import deck_address
from rt_moderator import naming
from rt_participant.tools import Tool

if TYPE_CHECKING:
    from rt_deck.records import Session
    from rt_moderator.mcp.connection import Call

    Result = dict[str, Any]

_SETTLE_SECONDS = 0.5


def shown(one: Session) -> Result:
    """A session; its id is what agent-deck/<id> addresses."""
    return {
        "session_id": one.name, "title": one.title, "address": deck_address(one.name), "group_path": one.group,
        "workdir": one.workdir, "command": one.command, "state": one.state, "exit_code": one.exit_code,
    }  # fmt: skip


def _refs(args: Result, *names: str) -> list[str]:
    refs = [args[name] for name in names if args.get(name)] + (args.get("sessions") or [])
    if not refs:
        raise UsageError(reason=f"name a session: {', '.join((*names, 'sessions'))}.")
    return refs


def resolve(call: Call, args: Result) -> Result:
    """That there is none is an answer too."""
    refs, deck = _refs(args, "session"), call.deck
    found = [(ref, deck.resolve(ref)) for ref in refs]
    rows = [
        {"status": "found", "session": ref, **shown(one)} if one else {"status": "not_found", "session": ref}
        for ref, one in found
    ]
    return rows[0] if args.get("sessions") is None else {"status": "resolved", "sessions": rows}


def require(call: Call, args: Result) -> Result:
    """They run, in this folder when that is given."""
    refs, deck, rows = _refs(args, "session_id", "session_ref"), call.deck, []
    for ref in refs:
        one = deck.require(ref, args.get("workdir"))
        if one.state == "dead":
            raise deck.death(one)
        row = {"status": "ready", "started_session": False, "notify_needed": False, **shown(one)}
        rows.append(row | _mailed(call, args, one))
    return rows[0] if args.get("sessions") is None else {"status": "ready", "sessions": rows}


def create(call: Call, args: Result) -> Result:
    """A new session; an existing one is an error."""
    from rt_deck.records import Spec

    try:
        argv = shlex.split(args["ensure_cmd"])
    except ValueError as exc:
        raise UsageError(reason=f"ensure_cmd: {exc}") from exc
    if not argv:
        raise UsageError(reason="ensure_cmd is empty.")
    title, deck = args["ensure_title"], call.deck
    path = _path(call, args)
    made = deck.create(
        Spec(naming.deck_name(title), title, path, args.get("workdir") or call.connection.workdir, argv)
    )
    settled = deck.settle([made.name], _SETTLE_SECONDS)
    if settled and settled[0].state == "dead" and settled[0].exit_code:
        raise deck.death(settled[0])
    found = {"status": "created", "created_target": True, **shown(settled[0] if settled else made)}
    return found | _mailed(call, args, made)


def _mailed(call: Call, args: Result, session: Session) -> Result:
    """What was to be typed into a session goes to it by mail: what runs there is unknown."""
    texts = [args.get(name, "").strip() for name in ("startup_instruction", "listener_message")]
    if not any(texts):
        return {}
    body = "\n\n".join(filter(None, texts))
    mail = call.box().send_mail(deck_address(session.name), call.connection.sender, body, subject="start")
    return {"delivery_id": mail.id, "notify_status": "durable"}


def _path(call: Call, args: Result) -> str:
    """The group path: as given; a child of the parent's group when only a name is given."""
    if args.get("group_path"):
        return str(args["group_path"])
    parent = args.get("group_parent_session_id") or args.get("parent_session_id")
    above = call.deck.resolve(parent) if parent else None
    return "/".join(filter(None, (above.group if above else "", args.get("child_group_name", ""))))


_SESSION = {
    "status!": "text",
    "session_id": "text",
    "address": "text",
    "workdir": "text",
    "sessions": "objects",
}

TOOLS = [
    Tool(
        "agent_deck_resolve_session", "Find a session by its title, name or id; not_found is an answer.",
        {"session": "text", "sessions": "texts"}, _SESSION, resolve,
    ),
    Tool(
        "agent_deck_require_session", "Fail unless the session runs, and in this folder.",
        {"session_id": "text", "session_ref": "text", "sessions": "texts", "workdir": "text Where it must run.",
         "listener_message": "text Goes to it by mail."}, _SESSION, require,
    ),
    Tool(
        "agent_deck_create_session", "Start a command in a session of its own.",
        {"ensure_title!": "text What it is found by.", "ensure_cmd!": "text The command line.", "workdir": "text Default: yours.",
         "parent_session_id": "text", "group_path": "text Such as work/billing.", "group_parent_session_id": "text",
         "child_group_name": "text A group below the parent's.", "no_parent_link": "flag Accepted.",
         "startup_instruction": "text Goes to it by mail; empty is best.", "listener_message": "text As startup_instruction."},
        _SESSION, create,
    ),
]  # fmt: skip
