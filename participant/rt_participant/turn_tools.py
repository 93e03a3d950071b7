"""The participant's tools, for both MCP servers: turn, reply, read, post, show, wait. Each is the twin of a command.

Imports nothing heavy.
"""

from __future__ import annotations

import time

from rt_mailbox import addresses, wire
from rt_participant import acts, pages, waits
from rt_participant.tools import Answer, Tool, patiently

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rt_participant.tools import Call, Result

_SENT = {
    "id!": "text <table>/m12",
    "seq!": "count",
    "duplicate!": "flag It was there before; nothing new was stored.",
    "late!": "flag",
}
_MESSAGES = {"table!": "text", "messages!": "objects"}


def _turn(call: Call, args: Result) -> Result:
    return pages.paged(acts.turn(call.actor(args)), args.get("from") or 0)


def _reply(call: Call, args: Result) -> Result:
    return acts.reply(call.actor(args), args["body"], turn_id=args.get("turn", ""))


def _read(call: Call, args: Result) -> Answer:
    reading = acts.read(call.actor(args), most=args.get("max") or None, most_chars=args.get("max_chars"))
    return Answer(reading.json, None if args.get("peek") else reading.commit)


def _post(call: Call, args: Result) -> Result:
    return acts.post(call.actor(args), args["body"], key=args.get("key", ""))


def _show(call: Call, args: Result) -> Result:
    found, table = [], ""
    for ref in args["messages"]:
        named = ref.rpartition("/")[0]
        actor = call.actor(args | {"table": named} if named else args, "read")
        table = actor.table
        found.append(wire.to_json(acts.show(actor, addresses.seq_of(ref)), table))
    return {"table": table, "messages": found}


def _wait(call: Call, args: Result) -> Result:
    actor = call.actor(args, "wait")
    found: Result = {}
    looked = time.monotonic()

    def ready(seconds: float) -> bool:
        nonlocal looked
        if not actor.token and time.monotonic() - looked > waits.HEED_SECONDS:
            looked = time.monotonic()
            call.actor(args | {"table": actor.table}, "wait")  # its host is started when it died meanwhile
        found.update(waits.wait(actor, args.get("for", "any"), seconds))
        return bool(found["ready"])

    patiently(ready, args.get("timeout"), call.cancelled)
    return found


def tools(takes: dict[str, str], wait_for: dict[str, str]) -> list[Tool]:
    """The six tools; `takes` and `wait_for` are what somebody who is not in a seat may say besides."""
    return [
        Tool(
            "roundtable_turn",
            "Show the turn that is open for you: the request, and what was said since you last read. turn is null when there is none. A long one comes in parts.",
            {**takes, "from": "count Go on from this character, as next of the last part says."},
            {
                "turn!": "any",
                "request": "text",
                "role": "text",
                "person": "text",
                "round": "count",
                "messages": "objects",
                "next": "count",
                "more": "text",
            },
            _turn,
        ),
        Tool(
            "roundtable_reply",
            'Answer your turn. Start with "## Position", cite messages as m5, speak only as yourself.',
            {
                **takes,
                "body!": "text The answer, as Markdown.",
                "turn": "text Which turn; default: the one that was shown last.",
            },
            {**_SENT, "turn!": "text"},
            _reply,
        ),
        Tool(
            "roundtable_read",
            "Read what is new in the group; it is marked as read once this answer was sent.",
            {
                **takes,
                "max": "count At most so many messages.",
                "max_chars": "count At most so many characters; 0: no bound.",
                "peek": "flag Do not mark them.",
            },
            {**_MESSAGES, "unread_left!": "count"},
            _read,
        ),
        Tool(
            "roundtable_post",
            "Post a note to the group; it asks nobody and answers no turn.",
            {**takes, "body!": "text The note.", "key": "text The same key never posts twice."},
            _SENT,
            _post,
        ),
        Tool(
            "roundtable_show",
            "Show messages whole, by number.",
            {**takes, "messages!": "texts Such as m12."},
            _MESSAGES,
            _show,
        ),
        Tool(
            "roundtable_wait",
            "Wait until a turn is open for you; out of a seat, until there is something to drain.",
            {**takes, **wait_for, "timeout": "seconds Give up after so many; default: never."},
            {
                "ready!": "flag",
                "unread!": "count",
                "waiting_for!": "texts",
                "needs": "text A decision (gate) or synthesis is wanted.",
            },
            _wait,
        ),
    ]
