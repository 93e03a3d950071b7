"""The record of a group: messages read by seq, within bounds, from either door."""

from __future__ import annotations

from rt_mailbox.door import pairs
from rt_mailbox.keys import key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rt_mailbox.door import Door

PAGE = 500  # entries a round trip; more gains nothing


def message(entry: list[Any] | tuple[str, Any]) -> dict[str, Any]:
    """One stream entry as a message: seq, from, kind, round, turn, subject, body, sent_at (ms), eligible_count."""
    name, fields = entry
    values = fields if isinstance(fields, dict) else pairs(fields)
    return {
        "seq": int(name.partition("-")[0]),
        "from": values["from"],
        "kind": values["kind"],
        "round": int(values["round"]),
        "turn": values["turn"],
        "subject": values["subject"],
        "body": values["body"],
        "sent_at": int(values["at"]),
        "eligible_count": int(values["eligible"]),
    }


def parse_ranges(text: str) -> list[tuple[int, int]]:
    """'3-5,7-7' → [(3, 5), (7, 7)]."""
    found = (part.partition("-") for part in text.split(",") if part)
    return [(int(a), int(b)) for a, _, b in found]


def entries(door: Door, space: str, group: str, ranges: list[tuple[int, int]], page: int = PAGE) -> Iterator[Any]:
    """Raw entries of these ranges in order, fetched a page at a time."""
    log = key(space, "log", group)
    for first, last in ranges:
        at = first
        while at <= last:
            found = door.command("XRANGE", log, f"{at}-0", f"{last}-0", "COUNT", page)
            yield from found
            if len(found) < page:
                break
            at = int(found[-1][0].partition("-")[0]) + 1


def messages(door: Door, space: str, group: str, ranges: list[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """Messages of these ranges in order of seq."""
    return map(message, entries(door, space, group, ranges))


def bounded(found: Iterator[dict[str, Any]], skip_from: str, most: int, most_chars: int) -> list[dict[str, Any]]:
    """The first messages that are not `skip_from`'s own: at most `most`, and `most_chars` characters of body (0: no
    bound), but at least one.
    """
    taken: list[dict[str, Any]] = []
    chars = 0
    for item in found:
        if item["from"] == skip_from:
            continue
        chars += len(item["body"])
        if taken and most_chars and chars > most_chars:
            break
        taken.append(item)
        if len(taken) >= most:
            break
    return taken


def one(door: Door, space: str, group: str, seq: int) -> dict[str, Any] | None:
    """The message with that seq, or None."""
    found = door.command("XRANGE", key(space, "log", group), f"{seq}-0", f"{seq}-0")
    return message(found[0]) if found else None


def head(door: Door, space: str, group: str) -> int:
    """The last seq of the group; 0 for an empty or unknown one."""
    return int(door.command("HGET", key(space, "group", group), "head") or 0)
