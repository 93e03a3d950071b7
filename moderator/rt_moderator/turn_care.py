"""One open turn, by hand: closed without an answer, or given more time. Neither is a strike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rt_config.errors import TurnClosedError
from rt_mailbox import turns
from rt_moderator.status_view import seconds_left

if TYPE_CHECKING:
    from rt_moderator.shell import Shell


def cancel(shell: Shell, table: str, turn: str) -> dict[str, Any]:
    """Close an open turn as cancelled; a reply that still comes is kept as late.

    Raises:
        UnknownTurnError, TurnClosedError.
    """
    found = turns.close(shell.door, table, turn, "cancelled", "by hand")
    if not found["closed"]:
        raise TurnClosedError(turn=turn, state=found["state"])
    return {"table": table, "turn": turn, "state": found["state"]}


def extend(shell: Shell, table: str, turn: str, seconds: int | None = None) -> dict[str, Any]:
    """Give an open turn `seconds` more, or its whole time afresh.

    Raises:
        UnknownTurnError, TurnClosedError.
    """
    extended = turns.extend(shell.door, table, [turn], seconds=seconds)
    snapshot = shell.snapshot(table)
    if turn not in extended:
        found = next((one for one in snapshot["turns"] if one["id"] == turn), None)
        raise TurnClosedError(turn=turn, state=found["state"] if found else "closed")
    return {"table": table, "turn": turn, "state": "open", "seconds_left": seconds_left(snapshot, turn)}
