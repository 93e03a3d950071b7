"""What a host does next: a pure function from a snapshot of the table and its sessions to actions.

The ladder: three strikes per seat since its last good reply; a strike starts the next attempt of the same turn with the
context rebuilt from the record, the second over the profile's other transport when it has one, the third drops the seat. Only a seat's own failure is a strike: never the death of the
server, of tmux, of the host or of the machine, nor what was done by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from rt_config import packed_spec
from rt_moderator import formats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rt_deck.records import Session
    from rt_mailbox.door import Reply

STRIKES = 3
# A session that ended so is no failure of its seat: it was done, it gave up waiting for the bus (75), or it was told to
# stop (SIGHUP, SIGINT, SIGTERM), by hand or by the machine.
NO_STRIKE = frozenset({0, 75, 128 + 1, 128 + 2, 128 + 15})


@dataclass(frozen=True, slots=True)
class Expire:
    """The deadline of a turn has passed: a strike, and the turn fails with [TIMEOUT]."""

    turn: str
    seat: str
    attempt: int
    deadline: str
    seconds: int


@dataclass(frozen=True, slots=True)
class NextAttempt:
    """An attempt has failed: the next rung of the ladder takes the same turn."""

    turn: str
    attempt: int
    rung: str = "restart"


@dataclass(frozen=True, slots=True)
class Switch:
    """A seat has failed twice: it goes on over its profile's other transport."""

    seat: str
    transport: str
    reason: str


@dataclass(frozen=True, slots=True)
class Drop:
    """No rung is left: the seat's turns fail with [ERROR: reason] and it leaves the table."""

    seat: str
    reason: str
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Strike:
    """A seat's session has ended by itself."""

    seat: str
    reason: str
    turn: str = ""
    attempt: int = 0
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Unresumed:
    """A resumed session ended before its screen was ready: a new one gets the record. No strike."""

    seat: str
    reason: str
    mark: str


@dataclass(frozen=True, slots=True)
class Reseat:
    """A seat without a running session gets one."""

    seats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskNext:
    """The next seat of a round-robin is asked."""

    key: str
    text: str
    seat: str
    rest: tuple[str, ...]
    person: str = "moderator"


@dataclass(frozen=True, slots=True)
class EndRobin:
    """Nobody that a round-robin would still ask is left."""


@dataclass(frozen=True, slots=True)
class Wake:
    """The moderator's pane gets its one line."""

    upto: int


Action = Expire | NextAttempt | Switch | Drop | Strike | Unresumed | Reseat | AskNext | EndRobin | Wake


def decide(
    snapshot: Reply, sessions: Mapping[str, Session] | None, known: Mapping[str, str], quiet_seconds: float
) -> list[Action]:
    """The actions that this moment asks for; at most one for any attempt.

    Args:
        snapshot: from `tables.snapshot`.
        sessions: the deck's by name; None when tmux could not be asked, which proves nothing about any session.
        known: session name → mark of a death that was counted already.
        quiet_seconds: since the record last grew.
    """
    now = int(snapshot["clock_ms"])
    current = current_turns(snapshot)
    actions: list[Action] = []
    missing: list[str] = []
    for seat in snapshot["seats"]:
        slug, turn = seat["slug"], current.get(seat["slug"])
        session = None if sessions is None else sessions.get(seat["tmux"])
        # A death comes first: whatever else befell the same attempt, it is one failure.
        found = (
            _drop(seat, _pending(snapshot, slug)) or _death(seat, turn, session, known) or _turn(turn, now)
        )
        actions += _switch(seat, turn, found) + found
        gone = seat["state"] == "dropped" or any(isinstance(action, Drop) for action in found)
        if sessions is not None and not gone and (session is None or session.state != "running"):
            missing.append(slug)
    if missing:
        actions.append(Reseat(tuple(missing)))
    return actions + _robin(snapshot) + _wake(snapshot, quiet_seconds)


def current_turns(snapshot: Reply) -> dict[str, Reply]:
    """Slug → its current turn: the oldest open one, whose time runs."""
    current: dict[str, Reply] = {}
    for turn in snapshot["turns"]:
        if turn["state"] == "open" and turn.get("started_at"):
            current.setdefault(turn["seat"], turn)
    return current


def _pending(snapshot: Reply, slug: str) -> tuple[str, ...]:
    return tuple(t["id"] for t in snapshot["turns"] if t["seat"] == slug and t["state"] == "open")


def _drop(seat: Reply, pending: tuple[str, ...]) -> list[Action]:
    if seat["state"] == "dropped":  # whoever asked it had not heard of that yet
        return [Drop(seat["slug"], seat.get("reason") or "dropped", pending)] if pending else []
    if int(seat.get("failures") or 0) >= STRIKES:
        return [Drop(seat["slug"], seat.get("reason") or "failed three times", pending)]
    return []


def _death(
    seat: Reply, turn: Reply | None, session: Session | None, known: Mapping[str, str]
) -> list[Action]:
    """The strike for a session that has ended by itself and was not counted yet."""
    if seat["state"] == "dropped" or session is None or session.state == "running":
        return []
    early = _early(seat, session)
    if known.get(session.name) == session.mark or (
        session.exit_code in NO_STRIKE and not (early and session.exit_code == 0)
    ):
        return []
    code = "unknown" if session.exit_code is None else session.exit_code
    reason = f"its session ended {'before it was ready ' if early else ''}(exit {code})"
    if early and seat.get("launched") == "resumed":
        return [Unresumed(seat["slug"], reason, session.mark)]
    if turn is None or turn.get("leased") != turn["attempt"]:
        return [Strike(seat["slug"], reason, mark=session.mark)]
    return [Strike(seat["slug"], reason, turn["id"], int(turn["attempt"]), session.mark)]


def _early(seat: Reply, session: Session) -> bool:
    """Whether an agent with a screen of its own went before that was ever ready, which is no end by hand."""
    return seat.get("transport") == "tui" and seat.get("seen_mark") != session.mark


def _turn(turn: Reply | None, now: int) -> list[Action]:
    if turn is None:
        return []
    attempt = int(turn["attempt"])
    if now >= int(turn["deadline"]):
        seconds = (int(turn["deadline"]) - int(turn["started_at"])) // 1000
        return [Expire(turn["id"], turn["seat"], attempt, turn["deadline"], seconds)]
    if turn.get("failed_attempt") == turn["attempt"]:
        return [NextAttempt(turn["id"], attempt)]
    return []


def _switch(seat: Reply, turn: Reply | None, found: list[Action]) -> list[Action]:
    """The second rung, before what it goes with: no attempt may begin on the transport that failed, none is disturbed."""
    coming = [a for a in found if isinstance(a, Expire) or (isinstance(a, Strike) and not a.turn)]
    if seat["state"] == "dropped" or int(seat.get("failures") or 0) + len(coming) != STRIKES - 1:
        return []
    running = turn is not None and turn.get("leased") == turn["attempt"] != turn.get("failed_attempt")
    if running and not coming:
        return []
    other = packed_spec.unpacked(seat.get("spec") or "{}").get("other")
    if not other:
        return []
    for at, action in enumerate(found):
        if isinstance(action, NextAttempt):
            found[at] = NextAttempt(action.turn, action.attempt, "switch")
    reasons = [a.reason for a in coming if isinstance(a, Strike)]
    return [
        Switch(seat["slug"], other["transport"], next(iter(reasons), seat.get("reason") or "it failed twice"))
    ]


def _robin(snapshot: Reply) -> list[Action]:
    """A round-robin goes on when nothing is open."""
    plan = json.loads(snapshot["table"].get("robin") or "{}")
    if not plan.get("rest") or any(t["state"] == "open" for t in snapshot["turns"]):
        return []
    live = {s["slug"] for s in snapshot["seats"] if s["state"] != "dropped"}
    rest = [slug for slug in plan["rest"] if slug in live]
    if not rest:
        return [EndRobin()]
    return [AskNext(plan["key"], plan["text"], rest[0], tuple(rest[1:]), plan.get("person", "moderator"))]


def _wake(snapshot: Reply, quiet_seconds: float) -> list[Action]:
    table = snapshot["table"]
    head, cursor = int(snapshot["head"]), int(snapshot["cursor"])
    outstanding = int(table.get("woken") or 0) > cursor
    if table.get("wake") != "here" or not table.get("wake_pane") or not snapshot["unread"] or outstanding:
        return []
    policy, _, seconds = (table.get("wake_on") or "all-replied").partition(":")
    at_work = (
        formats.runs(table) and not table.get("gate") and not table.get("asks")
    )  # its next step comes by itself
    busy = at_work or any(t["state"] == "open" for t in snapshot["turns"])
    due = {"each": True, "all-replied": not busy, "quiet": quiet_seconds >= float(seconds or 60)}.get(
        policy, not busy
    )
    return [Wake(head)] if due else []
