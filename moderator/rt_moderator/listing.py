"""Which tables there are, each with a glance at it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rt_mailbox import directory, tables
from rt_mailbox.keeping import archives
from rt_moderator.status_view import state_of

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell


def tables_of(shell: Shell, *, archived: bool) -> list[dict[str, Any]]:
    """The archived tables, or all others, oldest first: {table, topic, format, mode, state, round, seats, unread, age_seconds}.

    Marks nothing read. A table that is in a file here is read there, whether the bus knows it or not; one whose record is
    nowhere has neither seats nor unread.
    """
    entries = directory.entries(shell.door, shell.space)
    for table in archives.known_files() if archived else ():
        entries.setdefault(table, (archives.header(table) or {}).get("directory") or {"state": "archived"})
    rows = (_row(shell, table, entry) for table, entry in entries.items())
    return [row for row in rows if (row["state"] == "archived") == archived]


def _row(shell: Shell, table: str, entry: Reply) -> dict[str, Any]:
    found = tables.snapshot(shell.door, table, 1)
    if found is None or "offloaded" in found["table"]:
        state, seats, found = (
            str(entry.get("state", "")),
            (archives.header(table) or {}).get("seats", []),
            None,
        )
    else:
        state, seats = (
            state_of(found),
            [seat["slug"] for seat in found["seats"] if seat["state"] != "dropped"],
        )
    return {
        "table": table,
        "topic": entry.get("topic", ""),
        "format": entry.get("format") or "open",
        "mode": entry.get("mode") or None,
        "state": state,
        "round": int(found["table"].get("round") or 1) if found else None,
        "seats": seats,
        "unread": int(found["unread"]) if found else None,
        "age_seconds": max(0, round(time.time() - float(entry.get("created_at") or 0))),
    }
