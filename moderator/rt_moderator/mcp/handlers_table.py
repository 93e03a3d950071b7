"""roundtable_*: what a moderator does with a table. Each is the twin of a command and gives its JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rt_participant.tools import Answer, Tool

if TYPE_CHECKING:
    from rt_moderator.mcp.connection import Call

    Result = dict[str, Any]

_TURNS = 200  # of the latest
_WHOLE = 10_000  # messages: all that an end shows


def say(call: Call, args: Result) -> Result:
    """Put something to the seats, or note it."""
    from rt_moderator import hosting, saying

    name, note = call.table(args), bool(args.get("note"))
    undrained = call.shell.unread(name)
    said = saying.Utterance(
        args["text"], args.get("to") or (), args.get("as_person") or "moderator", bool(args.get("round_robin")), note,
        args.get("key", ""),
    )  # fmt: skip
    found = saying.say(call.shell, name, said)
    if not note:
        hosting.ensure(call.shell, name)
    return {"table": name, **found, "undrained": undrained}


def drain(call: Call, args: Result) -> Answer:
    """Read what came in; marked as read once it was sent."""
    from rt_moderator.cli.common import keep_host
    from rt_moderator.draining import Drain

    name = call.table(args)
    keep_host(call.shell, name)
    person = args.get("as_person") or "moderator"
    found = Drain(call.shell, name, person, args.get("max") or None, args.get("max_chars"))
    return Answer(found.json, None if args.get("peek") else found.commit)


def synthesis(call: Call, args: Result) -> Result:
    """The moderator's conclusion of a round."""
    from rt_moderator import concluding

    return concluding.synthesis(call.shell, call.table(args), args["text"], key=args.get("key", ""))


def status(call: Call, args: Result) -> Result:
    """How a table stands."""
    from rt_moderator import status_view, usage_view
    from rt_moderator.cli.common import keep_host

    name = call.table(args)
    keep_host(call.shell, name)
    found = status_view.view(call.shell.snapshot(name, _TURNS))
    return found | {"usage": usage_view.of(call.shell.door, name)}


def list_tables(call: Call, args: Result) -> Result:
    """Which tables there are."""
    from rt_moderator import listing

    return {"tables": listing.tables_of(call.shell, archived=bool(args.get("archived")))}


def search(call: Call, args: Result) -> Result:
    """Where the record says something."""
    from rt_config.errors import UsageError
    from rt_moderator.draining import matches

    if not args["text"].strip():
        raise UsageError(reason="nothing to search for.")
    name = call.table(args)
    return {"table": name, "matches": matches(call.shell.reading(name), name, args["text"])}


def transcript(call: Call, args: Result) -> Result:
    """The whole discussion as a document."""
    from rt_config.errors import UnknownTableError
    from rt_moderator import transcript as document

    actor = call.actor(args, "read")
    found = document.load(actor.door, actor.table)
    if found is None:
        raise UnknownTableError(table=actor.table)
    return {"table": actor.table, "format": "md", "text": document.render_markdown(*found)}


def end(call: Call, args: Result) -> Answer:
    """Drain, take the final synthesis, stop the host."""
    from rt_moderator import concluding
    from rt_participant import acts

    name = call.table(args)
    drained = acts.read(acts.Actor(call.shell.access, name, "moderator"), most=_WHOLE, most_chars=0)
    found = concluding.end(
        call.shell, name, text=args.get("text"), without=bool(args.get("without_synthesis")),
        stop_met={True: "yes", False: "no"}.get(args.get("stop_met"), ""),  # type: ignore[arg-type]
    )  # fmt: skip
    return Answer(found | {"messages": drained.json["messages"]}, drained.commit)


def archive(call: Call, args: Result) -> Result:
    """Put an ended, drained table away: its sessions go, the record stays."""
    from rt_moderator import concluding

    return concluding.archive(call.shell, call.deck, call.table(args))


def resume(call: Call, args: Result) -> Result:
    """Bring a table back."""
    import os
    from pathlib import Path

    from rt_moderator import resuming

    cwd = str(Path(args["cwd"]).absolute()) if args.get("cwd") else ""
    name = resuming.pick(call.shell, args.get("table") or os.environ.get("RT_TABLE", ""))
    return resuming.resume(call.shell, call.deck, name, cwd=cwd)


TABLE = {"table": "text The table's id; default: the only open one."}
_NAMED = {"table!": "text"}
_READING = {"max": "count At most so many.", "max_chars": "count At most so many characters; 0: no bound.", "peek": "flag Mark nothing."}  # fmt: skip

TOOLS = [
    Tool(
        "roundtable_say", "Say something to the table; every seat it goes to gets a turn. Answers come later: wait, then drain.",
        {**TABLE, "text!": "text", "to": "texts Slugs; default: all live seats, in parallel.", "as_person": "text moderator or user: whose words.",
         "round_robin": "flag One after the other.", "note": "flag Ask nobody.", "key": "text The same key never asks twice."},
        {**_NAMED, "id!": "text", "asked!": "texts", "duplicate!": "flag", "undrained!": "count"}, say,
    ),
    Tool(
        "roundtable_drain", "Read what came in, oldest first; it is marked as read once this answer was sent.",
        {**TABLE, **_READING, "as_person": "text Whose unread; default moderator."},
        {**_NAMED, "messages!": "objects", "unread_left!": "count"}, drain,
    ),
    Tool(
        "roundtable_synthesis", "Post your synthesis; the round rises. Cite messages as m12: a number that does not exist is refused.",
        {**TABLE, "text!": "text", "key": "text The same key never posts twice."},
        {"id!": "text", "round!": "count", "stop_condition!": "text", "citations!": "any"}, synthesis,
    ),
    Tool("roundtable_status", "How a table stands: who answers, who is late, what is unread.", TABLE, {**_NAMED, "state!": "text"}, status),
    Tool("roundtable_list", "Which tables there are.", {"archived": "flag The archived ones instead."}, {"tables!": "objects"}, list_tables),
    Tool("roundtable_search", "Find a text in the record.", {**TABLE, "text!": "text"}, {**_NAMED, "matches!": "objects"}, search),
    Tool("roundtable_transcript", "The whole discussion as Markdown.", TABLE, {**_NAMED, "text!": "text"}, transcript),
    Tool(
        "roundtable_end", "End a table with your final synthesis. Group and sessions stay.",
        {**TABLE, "text": "text The final synthesis, unless the latest one is newer than every reply.",
         "without_synthesis": "flag", "stop_met": "flag Whether the stop condition is met; never judged for you."},
        {**_NAMED, "state!": "text", "stop_met!": "text", "messages!": "objects"}, end,
    ),
    Tool(
        "roundtable_archive", "Put an ended, drained table away: its sessions are removed, the record stays.",
        {"table!": "text"}, {**_NAMED, "state!": "text", "sessions_removed!": "texts"}, archive,
    ),
    Tool(
        "roundtable_resume", "Bring a table back: host, seats, open turns. Nothing is asked twice.",
        {**TABLE, "cwd": "text Another working folder for the seats."}, {**_NAMED, "seats!": "words", "unread!": "count"}, resume,
    ),
]  # fmt: skip
