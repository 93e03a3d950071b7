"""Which tables there are, each with a glance at it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rt_mailbox import directory, tables
from rt_moderator.status_view import state_of

if TYPE_CHECKING:
    from rt_moderator.shell import Shell


def tables_of(shell: Shell, *, archived: bool) -> list[dict[str, Any]]:
    """The archived tables, or all others, oldest first: {table, topic, format, mode, state, round, seats, unread, age_seconds}.

    Marks nothing read. A table whose record is not in the bus (any more) has neither seats nor unread.
    """
    rows = []
    for table, entry in directory.entries(shell.door, shell.space).items():
        found = tables.snapshot(shell.door, table, 1)
        state = state_of(found) if found else str(entry.get("state", ""))
        if (state == "archived") != archived:
            continue
        rows.append(
            {
                "table": table,
                "topic": entry.get("topic", ""),
                "format": entry.get("format") or "open",
                "mode": entry.get("mode") or None,
                "state": state,
                "round": int(found["table"].get("round") or 1) if found else None,
                "seats": [seat["slug"] for seat in found["seats"] if seat["state"] != "dropped"]
                if found
                else [],
                "unread": int(found["unread"]) if found else None,
                "age_seconds": max(0, round(time.time() - float(entry.get("created_at") or 0))),
            }
        )
    return rows
