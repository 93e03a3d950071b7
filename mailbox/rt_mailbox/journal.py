# ruff: noqa: PLR0913 (what a line is made of; all but the first few are keywords)
"""A format's journal through a door: what it asked, found and was told, by name; the first value under a name stays."""

from __future__ import annotations

import json

from rt_mailbox.door import mapping
from rt_mailbox.keys import key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rt_mailbox.door import Door


def read(door: Door, space: str) -> dict[str, Any]:
    """Every line of the journal."""
    found = mapping(door.command("HGETALL", key(space, "journal")))
    return {name: json.loads(value) for name, value in found.items()}


def get(door: Door, space: str, name: str) -> Any:
    """One line; None when there is none."""
    found = door.command("HGET", key(space, "journal"), name)
    return None if found is None else json.loads(found)


def put(
    door: Door,
    space: str,
    name: str,
    value: Any,
    *,
    event: str = "",
    fields: dict[str, str] | None = None,
    epoch: str = "",
) -> Any:
    """Write a line unless there is one; returns the line that stands. Safe to repeat, whoever races.

    Raises:
        StaleHostError, BusFullError: nothing was stored.
    """
    text = json.dumps(value, ensure_ascii=False)
    flat = [part for pair in (fields or {}).items() for part in pair]
    return json.loads(door.script("journal", space, epoch, name, text, event, *flat)["value"])
