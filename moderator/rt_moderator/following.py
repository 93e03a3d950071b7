"""Following a format from outside: what happened since the last look, and whether it is over or waits for a person."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
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
    after: str = "-"  # the id of the last event that was told


def follow(
    shell: Shell,
    table: str,
    tell: Callable[[dict[str, Any]], None],
    look: Callable[[Reply], None] = lambda _: None,
    *,
    after: str = "-",
) -> Ended:
    """Follow until the format is over or needs a person; `tell` gets every event after `after` once, in order, `look` every snapshot.

    Raises:
        HostDownError: the host died and could not be started again. BusError.
    """
    from rt_moderator import hosting

    watch = waiting.Watch(shell.door, table, "events")
    while True:
        for event in tables.events(shell.door, table, after):
            after = event["id"]
            tell(event)
        snapshot = shell.snapshot(table)
        look(snapshot)
        if how := _over(shell, snapshot):
            # the gate may be newer than what was seen a moment ago
            return Ended(how, shell.snapshot(table) if how in ("gate", "moderator") else snapshot, after)
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
    kind = event["type"]
    if kind in _TROUBLES:
        yield f"! {event.get('seat', '')} {kind}: {event.get('reason') or event.get('switched') or ''}".rstrip(
            ": "
        )
    elif kind in _SAID:
        yield from _SAID[kind](event)
    elif kind.startswith("post_"):
        yield " ".join(filter(None, ("! sink", event["sink"], event.get("what"), event.get("reason"))))


def _asked(event: Reply) -> Iterator[str]:
    if event.get("seats"):
        yield f"asked      {listed(json.loads(event['seats']))}   ({_where(event)})"


def _answered(event: Reply) -> Iterator[str]:
    yield f"answered   {event['seat']}  m{event['seq']}   {span(int(event.get('ms') or 0) / 1000)}"


def _failed(event: Reply) -> Iterator[str]:
    how = f"attempt {event['attempt']} failed" if event.get("attempt") else "did not answer"
    yield f"! {event['seat']} {how}: {event.get('reason', '')}"


_TROUBLES = ("dropped", "switched", "late", "left_out", "substituted", "unusable")
_SAID: dict[str, Callable[[Reply], Iterable[str]]] = {
    "step": _asked,
    "replied": _answered,
    "failed": _failed,
    "jobs": lambda event: [f"working    {event['name']}: {jobs(event)}"],
    "decided": lambda event: [f"decided    {event.get('choice', '')}"],
    "synthesis": lambda event: [f"synthesis  m{event['seq']}"],
    "stuck": lambda event: [f"! stuck: {event.get('stop_reason', '')}"],
}


def _where(event: Reply) -> str:
    number = event.get("round", "")
    return f"{event['name']}, round {number}" if number not in ("", "null") else str(event["name"])


def jobs(event: Reply) -> str:
    """What the one-shot calls of an event are, for a person. Pure."""
    try:
        calls = json.loads(event.get("jobs") or "[]")
    except ValueError:  # cut, because it was long
        return "one-shot calls"
    first = [job["candidates"][0] for job in calls if job.get("candidates")]
    return f"{len(calls)} call{'s' if len(calls) != 1 else ''}" + (f" ({', '.join(first)})" if first else "")
