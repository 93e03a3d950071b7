"""roundtable_seat_* and roundtable_turn_*: who sits at a running table, and one turn by hand. Twins of the commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_moderator.mcp.handlers_table import TABLE
from rt_participant.tools import Tool

if TYPE_CHECKING:
    from rt_moderator.mcp.connection import Call

    Result = dict[str, Any]

_LINES = 50


def add(call: Call, args: Result) -> Result:
    """Seat one more."""
    from rt_moderator import seats

    about = args.get("role", ""), args.get("viewpoint", "")
    return seats.add(call.shell, call.table(args), args["seat"], *about, _folder(call, args))


def switch(call: Call, args: Result) -> Result:
    """Put a seat on another agent."""
    from rt_moderator import switching

    return switching.switch(
        call.shell, call.table(args), args["seat"], cwd=_folder(call, args), check=bool(args.get("check"))
    )


def restart(call: Call, args: Result) -> Result:
    """Give a seat a new session."""
    from rt_moderator import seats

    return seats.restart(call.shell, call.table(args), args["slug"])


def drop(call: Call, args: Result) -> Result:
    """Take a seat off the table."""
    from rt_moderator import seats

    return seats.drop(call.shell, call.table(args), args["slug"])


def log(call: Call, args: Result) -> Result:
    """The last lines of a seat's screen."""
    from rt_moderator import seats

    name = call.table(args)
    text = seats.log(call.shell, name, args["slug"], args.get("lines") or _LINES)
    return {"table": name, "seat": args["slug"], "lines": text.splitlines()}


def cancel(call: Call, args: Result) -> Result:
    """Close an open turn without an answer."""
    from rt_moderator import turn_care

    return turn_care.cancel(call.shell, call.table(args), args["turn"])


def extend(call: Call, args: Result) -> Result:
    """Give an open turn more time."""
    from rt_moderator import turn_care

    return turn_care.extend(call.shell, call.table(args), args["turn"], args.get("seconds"))


def _folder(call: Call, args: Result) -> str:
    return str(Path(call.connection.workdir, args["cwd"]).absolute()) if args.get("cwd") else ""


_SEAT = {"seat!": "text SLUG=PROFILE[:MODEL[:EFFORT]][@TRANSPORT] or SLUG=!argv."}
_CWD = {"cwd": "text Where it works; default: the folder it has, or the table's."}
_SLUG = {"slug!": "text The seat."}
_TURN = {"turn!": "text Such as m7/skeptic."}
_ONE = {"table!": "text", "seat!": "text"}

TOOLS = [
    Tool(
        "roundtable_seat_add", "Seat one more at a running table; it sees the whole record and is asked with the next question.",
        {**TABLE, **_SEAT, "role": "text What it stands for.", "viewpoint": "text Where it looks from.", **_CWD},
        {**_ONE, "person!": "text", "session!": "text"}, add,
    ),
    Tool(
        "roundtable_seat_switch", "Put a seat on another agent, model or transport; its open turn goes on there. The table counts as degraded.",
        {**TABLE, **_SEAT, **_CWD, "check": "flag Ask the new CLI for one word first."},
        {**_ONE, "profile!": "text", "transport!": "text", "degraded!": "text"}, switch,
    ),
    Tool("roundtable_seat_restart", "Give a seat a new session, its context rebuilt from the record. No strike.", {**TABLE, **_SLUG}, {**_ONE, "session!": "text"}, restart),
    Tool("roundtable_seat_drop", "Take a seat off the table; its open turns close. The table counts as degraded.", {**TABLE, **_SLUG}, {**_ONE, "dropped!": "flag"}, drop),
    Tool("roundtable_seat_log", "The last lines of a seat's screen.", {**TABLE, **_SLUG, "lines": "count Default 50."}, {**_ONE, "lines!": "texts"}, log),
    Tool("roundtable_turn_cancel", "Close an open turn without an answer; a reply that still comes is kept as late.", {**TABLE, **_TURN}, {"table!": "text", "turn!": "text", "state!": "text"}, cancel),
    Tool("roundtable_turn_extend", "Give an open turn more time.", {**TABLE, **_TURN, "seconds": "count Default: its whole time afresh."}, {"table!": "text", "turn!": "text", "seconds_left!": "any"}, extend),
]  # fmt: skip
