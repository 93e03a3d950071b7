"""roundtable_start: propose or take seats, lay the table, seat everybody."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_config.errors import EmptyBodyError
from rt_participant.tools import Tool

if TYPE_CHECKING:
    from rt_moderator.mcp.connection import Call
    from rt_moderator.starting import Request

    Result = dict[str, Any]

_BOUNDS = ("goal", "audience", "constraint", "stop_when")


def start(call: Call, args: Result) -> Result:
    """With dry_run only the plan; else a table whose seats were asked, or the open one of the same topic."""
    from rt_moderator import checking, launching, plan, roster, starting

    shell, request = call.shell, _request(call, args)

    def prepare(planned: Request) -> Request:
        return checking.request(planned, shell.settings, shell.say) if args.get("check") else planned

    if args.get("dry_run"):
        request = prepare(request)
        shared = plan.same_family(request.seats, roster.families(shell.settings))
        return {
            "dry_run": True,
            "topic": request.topic,
            "seats": starting.plan_json(request, shared),
            "left_out": [dict(one) for one in request.changes],
            "note": roster.note(shell.settings).strip(),
        }
    found = launching.launch(shell, call.deck, request, new=bool(args.get("new")), prepare=prepare)
    return starting.started_json(shell.snapshot(found.table), duplicate=found.duplicate)


def _request(call: Call, args: Result) -> Request:
    from rt_moderator import arranging, roster
    from rt_moderator.wish import Wish

    settings, topic = call.shell.settings, args["topic"].strip()
    if not topic:
        raise EmptyBodyError
    timeout = args.get("turn_timeout") or settings.turn_timeout_seconds
    fields = {name: args.get(name, "") for name in _BOUNDS} | {"turn_timeout": str(timeout)}
    fields |= {"wake": "none", "wake_on": "all-replied", "wake_tmux": "", "wake_pane": ""}
    wish = Wish(
        topic=topic, format=args.get("format") or "open", seats=roster.from_options(args.get("seats") or ()),
        panel=args.get("panel") or "", roles=args.get("roles") or {}, viewpoints=args.get("viewpoints") or {}, fields=fields,
        options=_options(args), context=args.get("context", ""),
        cwd=str(Path(call.connection.workdir, args.get("cwd") or ".").absolute()),
        access="write" if args.get("write") else "read-only", run=bool(args.get("unattended")), check=bool(args.get("check")),
    )  # fmt: skip
    return arranging.arranged(wish, settings).request


def _options(args: Result) -> Result:
    """What the format takes, by the names of engine.options.Options."""
    found = dict(args.get("options") or {})
    if args.get("rounds") is not None:
        found["rounds"] = args["rounds"]
    return found


TOOLS = [
    Tool(
        "roundtable_start", "Start a table on a topic and ask its seats. Show the plan first (dry_run) and have the person agree to it.",
        {"topic!": "text", "seats": "texts SLUG=PROFILE[:MODEL[:EFFORT]][@TRANSPORT] or SLUG=!argv; default: the proposed five.",
         "roles": "words Slug: what it stands for.", "viewpoints": "words Slug: where it looks from.", "goal": "text", "audience": "text",
         "constraint": "text", "stop_when": "text When it is done.", "context": "text Material for the opening message.",
         "cwd": "text Where the agents work; default: your folder.", "write": "flag Seats may write; default: read-only.",
         "turn_timeout": "seconds Per turn.", "new": "flag A new table even when one of this topic is open.", "dry_run": "flag Make nothing.",
         "format": "text The procedure; default open, where you ask. One of open, table, debate, sequential, hybrid, auto, panel, pingpong, roles, interpret.",
         "panel": "text Seats by PROFILE[:MODEL],… or a panel's name.", "rounds": "count At most so many.",
         "options": "any More of what the format takes, by name.", "unattended": "flag A model writes the moderator's texts, as rt run does.",
         "check": "flag Ask every CLI for one word first; a seat that fails is left out and named in degraded."},
        {"table": "text", "group": "text", "duplicate": "flag", "seats!": "objects"}, start,
    ),
]  # fmt: skip
