"""Where a run waits for people: gates and the moderator's syntheses. Nothing but the bus has to live meanwhile."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from rt_mailbox import records, tables
from rt_mailbox.keys import decision, key
from rt_moderator.engine.desk import PENDING
from rt_moderator.engine.model import Decision

if TYPE_CHECKING:
    from rt_moderator.engine.commands import Gate, Moderate, Phase, Publish
    from rt_moderator.engine.desk import Desk


def digest_of(text: str) -> str:
    """The journal line under which the digest that comes with a synthesis of this text stands; it is there before the text is."""
    return "digest/" + hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def gate(desk: Desk, command: Gate) -> Any:
    """The decision, once there is one."""
    if desk.begun(command) is None:
        desk.begin(
            command, "gate", reason=command.reason, details=command.details, options=list(command.options)
        )
    found = desk.told(decision(command.name))
    if found is None:
        desk.set(
            "waiting", phase="awaiting_moderator", gate=command.name, gate_reason=command.reason, gate_details=command.details,
            gate_options=json.dumps(list(command.options)),
        )  # fmt: skip
        return PENDING
    if desk.about.get("gate", "") == command.name:
        desk.set(phase="debating", gate="", gate_reason="", gate_details="", gate_options="")
    return Decision(found["choice"], found.get("text", ""))


def moderate(desk: Desk, command: Moderate) -> Any:
    """{seq, text, digest} of the first synthesis of the moderator since this was asked for."""
    begun = desk.begun(command)
    if begun is None:
        after = int(desk.door.command("HGET", key(desk.table, "table"), "synthesis") or 0)
        begun = desk.begin(command, "awaiting_synthesis", after=after, asks=command.asks)
    if (found := desk.line(f"{command.name}.done")) is None:
        latest = int(desk.door.command("HGET", key(desk.table, "table"), "synthesis") or 0)
        if latest <= begun["after"]:
            desk.set(
                "waiting", phase="awaiting_synthesis", asks=command.asks, asks_after=str(begun["after"])
            )  # fmt: skip
            return PENDING
        found = desk.put(f"{command.name}.done", {"seq": latest})
        desk.set(phase="debating", asks="", asks_after="")
    said = records.one(desk.door, desk.table, desk.group, found["seq"])
    text = said["body"] if said else ""
    return {"seq": found["seq"], "text": text, "digest": desk.told(digest_of(text))}


def publish(desk: Desk, command: Publish) -> Any:
    """The seq of a text of the moderation in the record."""
    if (begun := desk.begun(command)) is not None:
        return begun["seq"]
    desk.fence()
    found = tables.conclude(
        desk.door, desk.table, desk.group, command.text, person=command.person, final=command.final,
        subject=f"roundtable: {desk.table} {command.name}", key=f"publish/{command.name}",
    )  # fmt: skip
    return desk.begin(command, seq=int(found["seq"]))["seq"]


def phase(desk: Desk, command: Phase) -> Any:
    """Say what the table is doing."""
    if desk.begun(command) is None:
        desk.begin(command)
        desk.set(phase=command.phase)
