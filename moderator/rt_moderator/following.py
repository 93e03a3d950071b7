"""Following a format from outside: what happened since the last look, and whether it is over or waits for a person."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rt_mailbox import tables, waiting
from rt_moderator import formats
from rt_moderator.words import listed, span
from rt_participant import waits

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell

_LOOK_SECONDS = 30.0  # without any event, a look all the same: hosts die without saying so


@dataclass(frozen=True, slots=True)
class Ended:
    """Why following stopped: done, failed, stuck, gate, or moderator (a synthesis is due)."""

    how: str
    snapshot: Reply


def follow(
    shell: Shell,
    table: str,
    tell: Callable[[dict[str, Any]], None],
    look: Callable[[Reply], None] = lambda _: None,
) -> Ended:
    """Follow until the format is over or needs a person; `tell` gets every event once, in order, `look` every snapshot.

    Raises:
        HostDownError: the host died and could not be started again. BusError.
    """
    from rt_moderator import hosting

    watch = waiting.Watch(shell.door, table, "events")
    after = "-"
    while True:
        for event in tables.events(shell.door, table, after):
            after = event["id"]
            tell(event)
        snapshot = shell.snapshot(table)
        look(snapshot)
        if how := _over(shell, snapshot):  # the gate may be newer than what was seen a moment ago
            return Ended(how, shell.snapshot(table) if how in ("gate", "moderator") else snapshot)
        if not watch.block(int(_LOOK_SECONDS * 1000)):
            hosting.ensure(shell, table)


def _over(shell: Shell, snapshot: Reply) -> str:
    about = snapshot["table"]
    if not formats.runs(about):
        return str(about.get("phase") or "done")
    needed = waits.needs(shell.door, about["id"])
    return {"gate": "gate", "synthesis": "moderator"}.get(needed, "")


def lines(event: Reply) -> Iterator[str]:
    """What a person hears of an event; most say nothing. Pure."""
    kind, seat = event["type"], event.get("seat", "")
    if kind == "step" and event.get("seats"):
        yield f"asked      {listed(json.loads(event['seats']))}   ({_where(event)})"
    elif kind == "replied":
        yield f"answered   {seat}  m{event['seq']}   {span(int(event.get('ms') or 0) / 1000)}"
    elif kind in ("failed", "dropped", "switched", "late", "left_out", "substituted", "unusable"):
        yield f"! {seat} {kind}: {event.get('reason') or event.get('switched') or ''}".rstrip(": ")
    elif kind == "jobs":
        yield f"working    {event['name']}: {_jobs(event)}"
    elif brief := _brief(kind, event):
        yield brief


def _brief(kind: str, event: Reply) -> str:
    if kind == "decided":
        return f"decided    {event.get('choice', '')}"
    if kind == "synthesis":
        return f"synthesis  m{event['seq']}"
    if kind == "stuck":
        return f"! stuck: {event.get('stop_reason', '')}"
    if kind.startswith("post_"):
        return " ".join(filter(None, ("! sink", event["sink"], event.get("what"), event.get("reason"))))
    return ""


def _where(event: Reply) -> str:
    number = event.get("round", "")
    return f"{event['name']}, round {number}" if number not in ("", "null") else str(event["name"])


def _jobs(event: Reply) -> str:
    try:
        jobs = json.loads(event.get("jobs") or "[]")
    except ValueError:  # cut, because it was long
        return "one-shot calls"
    first = [job["candidates"][0] for job in jobs if job.get("candidates")]
    return f"{len(jobs)} call{'s' if len(jobs) != 1 else ''}" + (f" ({', '.join(first)})" if first else "")
