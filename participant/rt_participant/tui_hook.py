"""`rt seat hook`: an agent on its own screen tells the id of its session, for a CLI that takes none.

Called by the agent after each of its turns, with what it says as JSON in the last argument or on stdin. Never fails: a hook
that complains disturbs the agent.
"""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from typing import Any

from rt_config import packed_spec
from rt_config.errors import RoundtableError
from rt_mailbox import access, tables
from rt_mailbox.door import mapping
from rt_mailbox.keys import key

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


def main(argv: list[str]) -> int:
    """Keep the session's id with the seat; returns 0."""
    with suppress(RoundtableError, OSError, ValueError):
        told = json.loads(argv[-1] if argv else sys.stdin.read())
        who = access.seat()
        if who is not None and isinstance(told, dict):
            found = access.open_any(who)
            try:
                _keep(found.door, who, told)
            finally:
                found.door.close()
    return 0


def _keep(door: Any, who: access.Seat, told: dict[str, Any]) -> None:
    seat = mapping(door.command("HGETALL", key(who.table, "seat", who.slug)))
    name = packed_spec.unpacked(seat.get("spec") or "{}").get("hook_session") or ""
    session = told.get(name)
    # It becomes a word of an argv later on: nothing but an id.
    if isinstance(session, str) and _SESSION.fullmatch(session) and session != seat.get("native_session"):
        tables.set_seat(door, who.table, who.slug, {"native_session": session})
