"""What a run sees of its table besides what was said, and what it says in the status while it goes on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rt_mailbox import tables
from rt_moderator import status_view

if TYPE_CHECKING:
    from rt_moderator.engine.commands import Look, Tell
    from rt_moderator.engine.desk import Desk

_SHOWN = ("state", "profile", "transport", "switched", "requested_model", "effective_model")


def look(desk: Desk, command: Look) -> Any:
    """{head, degraded, seats} at the moment when this was first asked for."""
    if (begun := desk.begun(command)) is None:
        snapshot = tables.snapshot(desk.door, desk.table, 1) or desk.snapshot
        seats = {s["slug"]: {name: s.get(name, "") for name in _SHOWN} for s in snapshot["seats"]}
        value = {"head": int(snapshot["head"]), "degraded": status_view.degraded(snapshot), "seats": seats}
        begun = desk.begin(command, value=value)
    return begun["value"]


def tell(desk: Desk, command: Tell) -> Any:
    """Add a text to one of the table's lists, once."""
    if desk.begun(command) is None:
        told = json.loads(desk.about.get(command.what) or "[]")
        if command.text not in told:
            desk.set(**{command.what: json.dumps([*told, command.text], ensure_ascii=False)})
        desk.begin(command, command.what.removesuffix("s"), text=command.text)
