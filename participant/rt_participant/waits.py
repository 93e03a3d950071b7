"""Waiting: for a turn in a seat; for anything to drain, for replies or for all of them on an operator's shell."""

from __future__ import annotations

import time

from rt_config.errors import BadConfigError
from rt_mailbox import groups, tables, turns, waiting
from rt_mailbox.directory import FORMAT_OVER
from rt_mailbox.keys import decision, key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rt_mailbox.door import Door
    from rt_participant.acts import Actor

FOREVER = 10.0 * 365 * 86_400
HEED_SECONDS = 2.0  # how often a wait looks whether the table has a host


class UnattendedError(Exception):
    """The wait was given up, because `heed` said so; `seconds_left` of it are left, None when it has no end."""

    def __init__(self, seconds_left: float | None) -> None:
        super().__init__()
        self.seconds_left = seconds_left


def wait(
    actor: Actor,
    what: str = "any",
    seconds: float | None = None,
    heed: Callable[[], bool] = lambda: True,
) -> dict[str, Any]:
    """Wait for `what`: any (something to drain, or a person is needed), all (no turn open), gate (a person is needed), or a number.

    In a seat: until `turn` would give one. Ready at once when nothing is open. Returns {ready, unread, waiting_for}, and needs
    (gate or synthesis) when a format waits for a person; ready is False when `seconds` ran out. While an operator waits `heed` is
    asked every few seconds whether to go on: a table whose host died answers nobody.

    Raises:
        BadConfigError: what is none of these.
        UnattendedError: `heed` said no. Whatever `heed` raises.
    """
    watch = waiting.Watch(actor.door, actor.table, f"log {actor.group}", "events", "wake")
    question = _question(actor, what)
    end = time.monotonic() + (FOREVER if seconds is None else seconds)
    ready = False
    while not ready:
        left = max(0.0, end - time.monotonic())
        ready = waiting.until(watch, question, left if actor.token else min(left, HEED_SECONDS))
        if ready or left <= HEED_SECONDS or actor.token:
            break
        if not heed():
            raise UnattendedError(None if seconds is None else end - time.monotonic())
    if actor.token:
        return {"ready": ready, "unread": 0, "waiting_for": []}
    wanted = needs(actor.door, actor.table)
    found = {"ready": ready, "unread": _unread(actor), "waiting_for": waiting_for(actor)}
    return {**found, "needs": wanted} if wanted else found


def waiting_for(actor: Actor) -> list[str]:
    """The seats whose turn is open."""
    found = tables.snapshot(actor.door, actor.table) or {"turns": []}
    return [t["seat"] for t in found["turns"] if t["state"] == "open"]


def _question(actor: Actor, what: str) -> Callable[[], bool]:
    if actor.token:
        return lambda: bool(turns.peek(actor.door, actor.table, actor.slug)["turn"])
    if what == "any":
        return lambda: _unread(actor) > 0 or bool(needs(actor.door, actor.table))
    if what == "gate":
        return lambda: not _at_work(actor)
    if what == "all":
        return lambda: not waiting_for(actor) and not _queued(actor) and not _at_work(actor)
    if what.isdigit():
        return lambda: _answered(actor, int(what))
    raise BadConfigError(where="--for", reason="any, all, gate or a number of replies")


def _at_work(actor: Actor) -> bool:
    """Whether a format runs that waits for no person: the next step comes by itself."""
    form, phase, by_hand = actor.door.command(
        "HMGET", key(actor.table, "table"), "format", "phase", "as_open"
    )
    over = form in (None, "", "open") or phase in FORMAT_OVER or by_hand
    return not over and not needs(actor.door, actor.table)


def needs(door: Door, table: str) -> str:
    """What a format needs of a person right now: gate (a decision), synthesis, or ''.

    What was decided or posted a moment ago is needed no more, although the host may not have seen it yet.
    """
    gate, asks, after, latest = door.command(
        "HMGET", key(table, "table"), "gate", "asks", "asks_after", "synthesis"
    )
    if gate:
        return "" if door.command("HEXISTS", key(table, "journal"), decision(gate)) else "gate"
    return "synthesis" if asks and int(latest or 0) <= int(after or 0) else ""


def _queued(actor: Actor) -> bool:
    """Whether a round-robin has seats that are still to be asked."""
    import json

    plan = actor.door.command("HGET", key(actor.table, "table"), "robin")
    return bool(json.loads(plan or "{}").get("rest"))


def _answered(actor: Actor, wanted: int) -> bool:
    found = tables.snapshot(actor.door, actor.table)
    if found is None:
        return True
    step = [t for t in found["turns"] if t["step"] == found["table"].get("step")]
    return sum(t["state"] == "answered" for t in step) >= wanted or not any(
        t["state"] == "open" for t in step
    )


def _unread(actor: Actor) -> int:
    return int(groups.unread(actor.door, actor.table, actor.group, actor.person)["unread"])
