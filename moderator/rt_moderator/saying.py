"""Saying something to a table: a note, a question to seats at once, or to one after the other."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rt_config.errors import FormatRunningError, TableArchivedError, TableEndedError
from rt_mailbox import groups, tables
from rt_mailbox.addresses import group_of
from rt_moderator import asking, formats

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell


@dataclass(frozen=True, slots=True)
class Utterance:
    """What is said, whose words they are, and whom they ask (nobody named: all live seats)."""

    text: str
    to: Sequence[str] = ()
    person: str = "moderator"
    round_robin: bool = False
    note: bool = False
    key: str = ""


def say(shell: Shell, table: str, said: Utterance) -> dict[str, Any]:
    """Store the text and open the turns it asks for, before this returns: {seq, id, asked, turns, duplicate}.

    Raises:
        EmptyBodyError, BodyTooLargeError, UnknownSeatError, NoSeatsError, TableEndedError, DiskFullError: nothing stored.
        FormatRunningError: single seats cannot be asked while a format asks them; without `to` it is kept for the next step.
    """
    snapshot = writable(shell, table)
    shell.guard_disk()
    limit = shell.settings.max_body_bytes
    running = formats.runs(snapshot["table"])
    if running and (said.to or said.round_robin):
        what = "asking single seats" if said.to else "asking one after the other"
        raise FormatRunningError(format=snapshot["table"]["format"], table=table, what=what)
    if said.note or running:
        sent = groups.send(
            shell.door, table, group_of(table), said.person, said.text, key=said.key, limit=limit
        )
        return _said(table, sent, []) | ({"next_step": True} if running else {})
    groups.check_body(said.text, limit)
    seats, key = asking.live_seats(snapshot, said.to), said.key
    if said.round_robin and len(seats) > 1:
        key = key or uuid.uuid4().hex[:12]
        plan = {
            "key": key,
            "text": said.text,
            "person": said.person,
            "rest": [seat["slug"] for seat in seats],
        }
        # The first one included: who asks it, this command or a host that looks just now, uses the same key.
        tables.set_table(shell.door, table, {"robin": json.dumps(plan)})
        seats, key = seats[:1], robin_key(key, seats[0]["slug"])
        sent = asking.ask(shell.door, snapshot, said.text, seats, person=said.person, key=key)
        tables.set_table(shell.door, table, {"robin": json.dumps(plan | {"rest": plan["rest"][1:]})})
    else:
        sent = asking.ask(shell.door, snapshot, said.text, seats, person=said.person, key=key)
    return _said(table, sent, [seat["slug"] for seat in seats])


def robin_key(key: str, slug: str) -> str:
    """The idempotency key under which a round-robin asks a seat."""
    return f"robin/{key}/{slug}"


def _said(table: str, sent: Reply, asked: list[str]) -> dict[str, Any]:
    return {
        "seq": sent["seq"],
        "id": f"{table}/m{sent['seq']}",
        "asked": asked,
        "turns": sent.get("turns", []),
        "duplicate": bool(sent["duplicate"]),
    }


def writable(shell: Shell, table: str) -> Reply:
    """The table's snapshot when it takes questions.

    Raises:
        TableEndedError, TableArchivedError.
    """
    snapshot = shell.snapshot(table)
    state = snapshot["table"]["state"]
    if state == "archived":
        raise TableArchivedError(table=table)
    if state == "ended":
        raise TableEndedError(table=table)
    return snapshot
