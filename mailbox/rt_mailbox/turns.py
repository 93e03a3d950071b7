# ruff: noqa: PLR0913 (what a turn is told; all but the first few are keywords)
"""Turns through a door: show, answer, fail, close. Every change is one script; see `scripts/` for their guarantees."""

from __future__ import annotations

from rt_mailbox import records
from rt_mailbox.groups import MAX_BODY_BYTES, check_body

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rt_mailbox.door import Door, Reply


def show(door: Door, space: str, slug: str, token: str = "", holder: str = "") -> Reply | None:
    """The seat's current turn with the messages it may see, and the control mail leased to the seat; None without one.

    Guarantees: the same messages on every call until the turn is closed; nothing is marked read before the reply.

    Raises:
        UnknownSeatError, BadTokenError.
    """
    found = door.script("turn", space, slug, token, holder or slug)
    if not found["turn"]:
        return None
    ranges = records.parse_ranges(found["ranges"])
    shown = (m for m in records.messages(door, space, found["group"], ranges) if m["from"] != found["person"])
    if found["view"] != "raw":
        shown = (m for m in shown if m["kind"] == "intent")
    found["messages"] = list(shown)
    return found


def peek(door: Door, space: str, slug: str) -> Reply:
    """{turn, attempt, deadline_ms, clock_ms, seat_state, generation, table_state}; changes nothing. turn '' without one."""
    return door.script("peek_turn", space, slug)


def reply(
    door: Door,
    space: str,
    slug: str,
    body: str,
    *,
    token: str = "",
    turn: str = "",
    subject: str = "",
    attempt: str = "",
    limit: int = MAX_BODY_BYTES,
) -> Reply:
    """Answer a turn (the one last shown when `turn` is empty): {seq, turn, duplicate, late, body_differs, …}.

    Guarantees: append, ack, close and commit in one step; safe to repeat after a lost answer. Never two answers.

    Raises:
        EmptyBodyError, BodyTooLargeError, NoTurnError, UnknownTurnError, UnknownSeatError, BadTokenError,
        GroupClosedError, BusFullError: nothing was stored.
    """
    check_body(body, limit)
    return door.script("reply", space, slug, token, turn, subject, body, attempt)


def attempt_failed(
    door: Door,
    space: str,
    slug: str,
    turn: str,
    attempt: int,
    reason: str,
    *,
    detail: str = "",
    token: str = "",
    epoch: str = "",
) -> Reply:
    """Count one failed attempt as a strike of its seat: {counted, failures}; safe to repeat."""
    return door.script("attempt_failed", space, slug, token, turn, attempt, reason, detail, epoch)


def next_attempt(
    door: Door, space: str, turn: str, failed_attempt: int, rung: str, *, epoch: str = ""
) -> Reply:
    """Start the attempt after `failed_attempt`: {attempt, started}; safe to repeat."""
    return door.script("next_attempt", space, turn, failed_attempt, rung, epoch, "1")


def close(
    door: Door,
    space: str,
    turn: str,
    state: str,
    reason: str,
    *,
    message: str = "",
    epoch: str = "",
    deadline: str = "",
) -> Reply:
    """Close an open turn as failed, cancelled or dropped, with its system message: {closed, state, seq}.

    With the `deadline` that has passed: only if the turn still has it, and with a strike of its seat in the same step.

    Raises:
        UnknownTurnError, StaleHostError.
    """
    return door.script("close_turn", space, turn, state, reason, message, epoch, deadline)


def reopen(door: Door, space: str, turn: str, why: str, subject: str, body: str, *, epoch: str = "") -> bool:
    """Open a failed turn again with its next attempt and a fresh deadline; False when it is not failed or its seat was dropped.

    Raises:
        UnknownTurnError, StaleHostError, GroupClosedError.
    """
    return bool(door.script("reopen_turn", space, turn, epoch, why, subject, body)["reopened"])


def extend(
    door: Door,
    space: str,
    turns: Iterable[str],
    *,
    seconds: int | None = None,
    gap_ms: int = 0,
    epoch: str = "",
) -> list[str]:
    """Move deadlines by `seconds`, or give each turn its own time-out afresh; returns those that were open.

    `gap_ms`: how long nobody was awake before; kept with the turns, whose time it was not.

    Raises:
        UnknownTurnError, StaleHostError.
    """
    afresh = f"gap:{gap_ms}" if gap_ms else ""
    found = door.script("extend_turns", space, epoch, afresh if seconds is None else seconds, *turns)
    done: list[Any] = found["extended"]
    return done


def spent(door: Door, space: str, turn: str, usage: str) -> None:
    """Keep what an answer has cost (JSON: calls, tokens by kind, cost_usd) with its turn; safe to repeat."""
    door.script("set_fields", space, f"turn:{turn}", "", "", "usage", usage)
