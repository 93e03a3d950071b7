"""One event of a table as JSON, and as a line. Pure."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rt_mailbox.wire import iso
from rt_participant.show import line, plain

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

_NUMBERS = frozenset(
    {"attempt", "seq", "intent", "failures", "strike", "ms", "seconds", "seats", "pid", "epoch", "upto"}
)
_HEAD = frozenset({"id", "type", "at", "seat", "turn"})
_LONGEST = 80


def of_seat(events: Iterable[Reply], seat: str) -> list[Reply]:
    """Those that concern `seat`; all when it is empty."""
    return [event for event in events if not seat or event.get("seat") == seat]


def to_json(event: Reply) -> dict[str, Any]:
    """The event with numbers as numbers and `at` as ISO 8601; texts are whole."""
    out: dict[str, Any] = dict(event)
    out["at"] = iso(int(event["at"]))
    for name in _NUMBERS & event.keys():
        if event[name].isascii() and event[name].isdecimal():
            out[name] = int(event[name])
    return out


def to_text(event: Reply) -> str:
    """Local time, type, seat or turn, then the rest; long texts shortened, without control characters."""
    at = time.strftime("%m-%d %H:%M:%S", time.localtime(int(event["at"]) / 1000))
    what = event.get("turn") or event.get("seat") or ""
    rest = [f"{name}={_short(value)}" for name, value in event.items() if name not in _HEAD and value]
    return f"{at}  {plain(event['type']):<10} {line(what, 60):<22} {'  '.join(rest)}".rstrip()


def _short(value: str) -> str:
    text = line(value, _LONGEST)
    return text if len(value) <= _LONGEST else f"{text} ({len(value):,} characters)"
