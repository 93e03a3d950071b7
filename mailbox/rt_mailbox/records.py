"""The record of a group: messages read by seq, within bounds, from either door."""

from __future__ import annotations

from rt_mailbox.door import pairs
from rt_mailbox.keys import key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rt_mailbox.door import Door

    Row = tuple[int, str, str, int, str, str, str, int, int]

PAGE = 1000  # entries a round trip; more gains nothing
FIRST_PAGE = 16  # a bounded read seldom needs more, and a body can be a mebibyte
NAMES = ("seq", "from", "kind", "round", "turn", "subject", "body", "sent_at", "eligible_count")
FIELDS = ["from", "kind", "round", "turn", "subject", "body", "at", "eligible"]  # as the scripts write them


def message(entry: Any) -> dict[str, Any]:
    """One stream entry as a message: seq, from, kind, round, turn, subject, body, sent_at (ms), eligible_count."""
    return dict(zip(NAMES, parsed(entry), strict=True))


def parsed(entry: Any) -> Row:
    """One stream entry as the values of `NAMES`."""
    name, flat = entry
    if flat[::2] != FIELDS:
        found = pairs(flat)
        flat = [part for field in FIELDS for part in (field, found[field])]
    _, sender, _, kind, _, round_, _, turn, _, subject, _, body, _, at, _, eligible = flat
    return int(name[:-2]), sender, kind, int(round_), turn, subject, body, int(at), int(eligible)


def mark(seq: int, at: int, body: str, sender: str) -> str:
    """What a message is known by, as the scripts write it: seq, time, and how many bytes body and sender have.

    After a failover another message can have the same seq; it has another mark.
    """
    size, name = (len(text.encode("utf-8", "surrogateescape")) for text in (body, sender))
    return f"{seq}:{at}:{size}:{name}"


def parse_ranges(text: str) -> list[tuple[int, int]]:
    """'3-5,7-7' → [(3, 5), (7, 7)]."""
    found = (part.partition("-") for part in text.split(",") if part)
    return [(int(a), int(b)) for a, _, b in found]


def entries(
    door: Door, space: str, group: str, ranges: list[tuple[int, int]], first_page: int = FIRST_PAGE
) -> Iterator[Any]:
    """Raw entries of these ranges in order, fetched as they are asked for, in pages that grow from `first_page`."""
    log, page = key(space, "log", group), first_page
    for first, last in ranges:
        at = first
        while at <= last:
            found = door.command("XRANGE", log, f"{at}-0", f"{last}-0", "COUNT", page)
            yield from found
            if len(found) < page:
                break
            at = int(found[-1][0][:-2]) + 1
            page = min(page * 4, PAGE)


def messages(door: Door, space: str, group: str, ranges: list[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """Messages of these ranges in order of seq."""
    return map(message, entries(door, space, group, ranges))


def bounded(found: Iterator[Row], skip_from: str, most: int, most_chars: int) -> tuple[list[Row], bool]:
    """The first messages that are not `skip_from`'s own, and whether they are all there are.

    At most `most` of them and `most_chars` characters of body (0: no bound), but at least one.
    """
    taken: list[Row] = []
    chars = 0
    for row in found:
        if row[1] == skip_from:
            continue
        chars += len(row[6])
        if taken and ((most and len(taken) >= most) or (most_chars and chars > most_chars)):
            return taken, False
        taken.append(row)
    return taken, True


def one(door: Door, space: str, group: str, seq: int) -> dict[str, Any] | None:
    """The message with that seq, or None."""
    found = door.command("XRANGE", key(space, "log", group), f"{seq}-0", f"{seq}-0")
    return message(found[0]) if found else None


def head(door: Door, space: str, group: str) -> int:
    """The last seq of the group; 0 for an empty or unknown one."""
    return int(door.command("HGET", key(space, "group", group), "head") or 0)
