"""roundtable_decide and roundtable_report: what a running format asks of a person, and what it came to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rt_moderator.mcp.handlers_table import TABLE
from rt_participant.tools import Tool

if TYPE_CHECKING:
    from rt_moderator.mcp.connection import Call

    Result = dict[str, Any]


def decide(call: Call, args: Result) -> Result:
    """Decide at a gate; what is said with it is in the record first."""
    from rt_moderator import deciding, hosting

    name = call.table(args)
    person = args.get("as_person") or "moderator"
    found = deciding.decide(call.shell, name, args["choice"], args.get("text") or "", person=person)
    hosting.ensure(call.shell, name)
    return found


def report(call: Call, args: Result) -> Result:
    """The report of a format that has ended, and its result."""
    from rt_moderator.engine import results

    name = call.table(args)
    text, result = results.report_of(call.shell.reading(name).door, name)
    return {"table": name, "text": text, "result": result}


TOOLS = [
    Tool(
        "roundtable_decide", "Decide where a format waits for a person (roundtable_status says what it offers); steer needs a text.",
        {**TABLE, "choice!": "text continue, steer, stop, retry or veto.", "text": "text Goes to every seat of the next step.",
         "as_person": "text moderator or user: whose decision."},
        {"table!": "text", "gate": "any", "choice!": "text", "retried!": "texts"}, decide,
    ),
    Tool("roundtable_report", "The report of a format that has ended.", TABLE, {"table!": "text", "text!": "text", "result!": "any"}, report),
]  # fmt: skip
