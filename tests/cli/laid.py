"""A table laid straight into a real bus, with a host's lock that stays, so that commands find it as it was left."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rt_mailbox import directory, groups, tables, turns
from rt_mailbox.addresses import deck_address, group_of, person_of, session_of
from rt_mailbox.client import RedisDoor
from rt_mailbox.keys import key
from rt_moderator import hosting

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from tests.helpers import Bus

TABLE = "rt-20260101-1200-cache"
_LONG_MS = 10**13


class Laid:
    """One table with seats nobody sits in; the test answers for them."""

    def __init__(self, bus: Bus, *slugs: str, table: str = TABLE, **fields: str) -> None:
        """Lay it, open, with a lock that this process holds."""
        self.door, self.table, self.group = RedisDoor(bus.url), table, group_of(table)
        seats: list[Reply] = [
            {
                "slug": slug, "person": person_of(slug), "role": slug.title(), "name": slug, "viewpoint": "",
                "profile": "rehearsal", "transport": "headless", "tmux": session_of(table, slug),
                "address": deck_address(session_of(table, slug)),
            }
            for slug in slugs
        ]  # fmt: skip
        rows = {"id": table, "topic": "Which cache?", "format": "open", "turn_timeout": "600", **fields}
        tables.create(
            self.door, table, self.group, rows, ["moderator", "user", *map(person_of, slugs)], seats
        )
        for slug in slugs:
            tables.set_seat(self.door, table, slug, {"state": "idle"})
        self.topic, self.format = rows["topic"], rows["format"]
        self.mark("open")
        tables.lock(self.door, table, "take", "test", **hosting.me())
        self.door.command("HSET", key(table, "host"), "until", _LONG_MS)

    def mark(self, state: str) -> None:
        """Change the table's state, in its space and in the directory."""
        tables.set_table(self.door, self.table, {"state": state})
        entry = {
            "topic": self.topic,
            "format": self.format,
            "mode": "",
            "state": state,
            "created_at": time.time() - 90,
        }
        directory.write(self.door, "default", self.table, entry)

    def ask(self, body: str, *slugs: str) -> str:
        """Put a question; the step's name."""
        asked = [(slug, body, "subject", "control") for slug in slugs]
        return str(tables.ask(self.door, self.table, self.group, body, asked)["step"])

    def reply(self, turn: str, body: str, **how: Any) -> int:
        """Answer a turn; the reply's number."""
        return int(turns.reply(self.door, self.table, turn.partition("/")[2], body, turn=turn, **how)["seq"])

    def post(self, person: str, body: str) -> int:
        """Post a note; its number."""
        return int(groups.send(self.door, self.table, self.group, person, body)["seq"])

    def unread(self, person: str = "moderator") -> int:
        """What a person has not read."""
        return int(groups.unread(self.door, self.table, self.group, person)["unread"])
