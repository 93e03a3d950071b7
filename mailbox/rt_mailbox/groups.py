"""Groups through a door: create, join, leave, send, read, commit. Every change is one script."""

from __future__ import annotations

from rt_config.errors import BodyTooLargeError, EmptyBodyError
from rt_mailbox import records
from rt_mailbox.door import mapping
from rt_mailbox.keys import key as key_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rt_mailbox.door import Door, Reply

MAX_BODY_BYTES = 1024 * 1024
MAX_MESSAGES = 100
MAX_CHARS = 24_000


def check_body(body: str, limit: int = MAX_BODY_BYTES) -> None:
    """Refuse what must not be stored, before anything is sent.

    Raises:
        EmptyBodyError: nothing but white space.
        BodyTooLargeError: more than `limit` bytes.
    """
    if not body.strip():
        raise EmptyBodyError
    size = len(body.encode("utf-8", "surrogateescape"))
    if size > limit:
        raise BodyTooLargeError(size=size, limit=limit)


def create(door: Door, space: str, group: str) -> None:
    """Create a group.

    Raises:
        GroupExistsError: it is there already; nothing changed.
    """
    door.script("group_create", space, group)


def join(door: Door, space: str, group: str, person: str, history: str = "all") -> None:
    """Make `person` a member; `history` is all, none or last:N.

    Raises:
        UnknownGroupError, GroupClosedError, AlreadyMemberError: nothing changed.
    """
    door.script("join", space, group, person, history)


def leave(door: Door, space: str, group: str, person: str) -> None:
    """End a membership: no new messages, the old ones stay readable.

    Raises:
        UnknownGroupError, UnknownPersonError, NotAMemberError: nothing changed.
    """
    door.script("leave", space, group, person)


def send(
    door: Door,
    space: str,
    group: str,
    person: str,
    body: str,
    *,
    kind: str = "note",
    subject: str = "",
    key: str = "",
    round: str = "",  # noqa: A002 (the field's name)
    seat: tuple[str, str] = ("", ""),
    limit: int = MAX_BODY_BYTES,
) -> Reply:
    """Append one message: {seq, sent_at, eligible_count, duplicate}.

    Guarantees: stored once with the next dense seq, or not at all; the same `key` and body from the same person gives the
    first seq again. Without a key a send whose answer was lost must not be repeated.

    Args:
        seat: (slug, token) when a seat speaks; the token is checked.
        round: the table's own round when empty.

    Raises:
        EmptyBodyError, BodyTooLargeError, UnknownGroupError, GroupClosedError, UnknownPersonError, NotAMemberError,
        IdempotencyConflictError, BusFullError: nothing was stored.
    """
    check_body(body, limit)
    return door.script("send", space, group, person, kind, round, subject, body, key, *seat)


def unread(door: Door, space: str, group: str, person: str, seat: tuple[str, str] = ("", "")) -> Reply:
    """What `person` has not read: {cursor, head, upto, unread, ranges, lost, epoch, view}. Marks nothing.

    Raises:
        UnknownGroupError, UnknownPersonError.
    """
    found = door.script("unread", space, group, person, *seat)
    found["ranges"] = records.parse_ranges(found["ranges"])
    return found


def read(
    door: Door,
    space: str,
    group: str,
    person: str,
    *,
    most: int = MAX_MESSAGES,
    most_chars: int = MAX_CHARS,
    seat: tuple[str, str] = ("", ""),
) -> Reply:
    """The next unread messages of `person`, oldest first, without marking them: `commit` does, when they were shown.

    Returns {messages, unread_left, lost, receipt}; `receipt` is what `commit` takes. Own messages are never among them.
    A seat whose format hides its peers gets intents only.
    """
    state = unread(door, space, group, person, seat)
    found = records.messages(door, space, group, state["ranges"])
    if seat[0] and state["view"] != "raw":
        found = (m for m in found if m["kind"] == "intent")
    taken = records.bounded(found, person, most, most_chars)
    left = state["unread"] - len(taken)
    if seat[0] and state["view"] != "raw":
        left = 0 if len(taken) < most else left
    to = taken[-1]["seq"] if taken and left > 0 else state["upto"]
    receipt = (state["epoch"], state["cursor"], max(to, state["cursor"]))
    return {"messages": taken, "unread_left": max(left, 0), "lost": state["lost"], "receipt": receipt, "upto": state["upto"]}


def commit(door: Door, space: str, group: str, person: str, receipt: tuple[str, int, int]) -> bool:
    """Mark as read what `read` gave; call it only after it was shown whole.

    Guarantees: the cursor moves forward only; a reader who was overtaken by a failover moves nothing. True when it moved.
    """
    epoch, cursor, to = receipt
    if to <= cursor:
        return False
    return bool(door.script("commit", space, group, person, epoch, cursor, to)["moved"])


def members(door: Door, space: str, group: str) -> list[Reply]:
    """Every person who ever joined: {person, active, visible, member, cursor}."""
    spans = mapping(door.command("HGETALL", key_name(space, "members", group)))
    seen = mapping(door.command("HGETALL", key_name(space, "cursors", group)))
    out = []
    for person, text in sorted(spans.items()):
        visible, _, member = text.partition("|")
        out.append(
            {"person": person, "active": member.endswith("-"), "visible": visible, "member": member, "cursor": int(seen.get(person, 0))}
        )
    return out


def read_by(message: Reply, people: list[Reply]) -> int:
    """How many of the message's eligible readers have read it; later joins and leaves change nothing."""
    seq = message["seq"]
    return sum(
        1
        for p in people
        if p["person"] != message["from"] and p["cursor"] >= seq and any(a <= seq <= (b or seq) for a, b in _spans(p["member"]))
    )


def _spans(text: str) -> list[tuple[int, int | None]]:
    found = (part.partition("-") for part in text.split(",") if part)
    return [(int(a), int(b) if b else None) for a, _, b in found]
