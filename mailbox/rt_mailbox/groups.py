# ruff: noqa: PLR0913 (a message has that many fields; all but the first few are keywords)
"""Groups through a door: create, join, leave, send, read, commit. Every change is one script."""

from __future__ import annotations

from rt_config.errors import (
    BadAddressError,
    BodyTooLargeError,
    EmptyBodyError,
    UnknownGroupError,
    UnknownMessageError,
    UnknownPersonError,
    UsageError,
)
from rt_mailbox import records
from rt_mailbox.addresses import check
from rt_mailbox.door import mapping
from rt_mailbox.keys import key as key_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rt_mailbox.door import Door, Reply

    Receipt = tuple[str, int, int, str, str]  # epoch, cursor, to, lost, mark of the last message

MAX_BODY_BYTES = 1024 * 1024
MAX_MESSAGES = 100
MAX_CHARS = 24_000


def check_body(body: str, limit: int = MAX_BODY_BYTES) -> None:
    """Refuse what must not be stored, before anything is sent.

    Raises:
        EmptyBodyError: nothing but white space.
        BodyTooLargeError: more than `limit` bytes.
        UsageError: half a surrogate pair, which no bytes stand for.
    """
    if not body.strip():
        raise EmptyBodyError
    try:
        size = len(body.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError as exc:
        raise UsageError(reason=f"the body is no text: {exc.reason} at character {exc.start}") from exc
    if size > limit:
        raise BodyTooLargeError(size=size, limit=limit)


def create(door: Door, space: str, group: str) -> None:
    """Create a group; its address reads group/<name>.

    Raises:
        BadAddressError, GroupExistsError: nothing changed.
    """
    if not check(group).startswith("group/"):
        raise BadAddressError(address=group)
    door.script("group_create", space, group)


def join(door: Door, space: str, group: str, person: str, history: str = "all") -> None:
    """Make `person` a member; `history` is all, none or last:N.

    Raises:
        UsageError: another history, or a person's name that is empty or does not print.
        UnknownGroupError, GroupClosedError, AlreadyMemberError: nothing changed.
    """
    if not person or len(person) > 512 or not person.isprintable():
        raise UsageError(reason=f"{person!r} cannot be a person's name.")
    number = history.removeprefix("last:")
    if history not in ("all", "none") and not (number != history and number.isdecimal() and number.isascii()):
        raise UsageError(reason=f"{history!r} is not all, none or last:N.")
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

    `seat` is (slug, token) when a seat speaks, and the token is checked; `round` is the table's own when empty.

    Raises:
        EmptyBodyError, BodyTooLargeError, UnknownGroupError, GroupClosedError, UnknownPersonError, NotAMemberError,
        IdempotencyConflictError, BusFullError: nothing was stored.
    """
    check_body(body, limit)
    return door.script("send", space, group, person, kind, round, subject, body, key, *seat)


def unread(
    door: Door, space: str, group: str, person: str, seat: tuple[str, str] = ("", ""), known: str = ""
) -> Reply:
    """What `person` has not read: {cursor, head, upto, unread, ranges, lost, fits, epoch, view}. Marks nothing.

    `fits` is 0 when the record does not hold the message of the mark `known`: a failover or a restore took it away.

    Raises:
        UnknownGroupError, UnknownPersonError.
    """
    found = door.script("unread", space, group, person, *seat, known)
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

    Returns {messages, unread_left, lost, receipt, upto}; `receipt` is what `commit` takes. At most `most` messages and
    `most_chars` characters of body (0: no bound), but at least one. Own messages are never among them. A seat whose
    format hides its peers gets intents only. `lost` is the range `118-120` that a failover has taken, until a commit.
    """
    page = records.FIRST_PAGE if most_chars else min(most or records.PAGE, records.PAGE)
    found = take(door, space, group, person, (most, most_chars, page), seat)
    found["messages"] = [dict(zip(records.NAMES, row, strict=True)) for row in found["messages"]]
    return found


def take(
    door: Door,
    space: str,
    group: str,
    person: str,
    bounds: tuple[int, int, int],
    seat: tuple[str, str],
    *,
    known: str = "",
) -> Reply:
    """`read`, with each message as the values of `records.NAMES`; bounds: messages, characters, first page.

    `fits` and `epoch` are those of `unread`.
    """
    state = unread(door, space, group, person, seat, known)
    most, most_chars, page = bounds
    hides = bool(seat[0]) and state["view"] != "raw"
    parsed = map(records.parsed, records.entries(door, space, group, state["ranges"], page))
    rows = filter(_is_intent, parsed) if hides else parsed
    taken, complete = records.bounded(rows, person, most, most_chars)
    left = 0
    if not complete:
        left = 1 + sum(1 for _ in rows) if hides else state["unread"] - len(taken)
    to = read_up_to(state, taken[-1][0] if taken else 0, complete)
    last = taken[-1] if taken else None
    mark = records.mark(last[0], last[7], last[6], last[1]) if last else ""
    receipt = (state["epoch"], state["cursor"], to, state["lost"], mark)
    return {
        "messages": taken,
        "unread_left": left,
        "lost": state["lost"],
        "receipt": receipt,
        "upto": state["upto"],
        "fits": state["fits"],
        "epoch": state["epoch"],
    }


def _is_intent(row: records.Row) -> bool:
    return row[2] == "intent"


def read_up_to(state: Reply, last_seq: int, complete: bool) -> int:
    """Where the cursor may go: to the last message taken, or, when none was left, to the end of what is visible.

    Never into a time when the person was no member: a later join may open it.
    """
    if not complete:
        return last_seq
    return int(state["ranges"][-1][1]) if state["ranges"] else int(state["cursor"])


def commit(door: Door, space: str, group: str, person: str, receipt: Receipt) -> bool:
    """Mark as read what `read` gave; call it only after it was shown whole.

    Guarantees: the cursor moves forward only; a reader who was overtaken by a failover moves nothing. True when it moved.
    """
    epoch, cursor, to, lost, mark = receipt
    if to <= cursor and not lost:
        return False
    return bool(door.script("commit", space, group, person, epoch, cursor, to, mark)["moved"])


def mark_read(door: Door, space: str, group: str, person: str, to: int = 0) -> int:
    """Mark what `person` may see as read, up to seq `to` (0: all of it); returns how many are still unread.

    Guarantees: forward only, and never into a time when the person was no member, because a later join may open it.

    Raises:
        UnknownGroupError, UnknownPersonError, UnknownMessageError (`to` is above the record's end).
    """
    state = unread(door, space, group, person)
    if to > state["head"]:
        raise UnknownMessageError(message_id=f"m{to}", head=state["head"])
    ends = [min(last, to or last) for first, last in state["ranges"] if first <= (to or first)]
    if ends:
        receipt = (state["epoch"], state["cursor"], ends[-1], state["lost"], "")
        commit(door, space, group, person, receipt)
    return int(unread(door, space, group, person)["unread"])


def members(door: Door, space: str, group: str) -> list[Reply]:
    """Every person who ever joined: {person, active, visible, member, cursor}.

    Raises:
        UnknownGroupError.
    """
    if not door.command("EXISTS", key_name(space, "group", group)):
        raise UnknownGroupError(group=group)
    spans = mapping(door.command("HGETALL", key_name(space, "members", group)))
    seen = mapping(door.command("HGETALL", key_name(space, "cursors", group)))
    out = []
    for person, text in sorted(spans.items()):
        visible, _, member = text.partition("|")
        out.append(
            {
                "person": person,
                "active": member.endswith("-"),
                "visible": visible,
                "member": member,
                "cursor": int(seen.get(person, 0)),
            }
        )
    return out


def read_by(message: Reply, people: list[Reply]) -> int:
    """How many of the message's eligible readers have read it; later joins and leaves change nothing."""
    seq = message["seq"]
    return sum(
        1
        for p in people
        if p["person"] != message["from"]
        and p["cursor"] >= seq
        and any(a <= seq <= (b or seq) for a, b in spans(p["member"]))
    )


def spans(text: str) -> tuple[tuple[int, int | None], ...]:
    """Intervals of seq as the server keeps them: '1-4,9-' → ((1, 4), (9, None))."""
    found = (part.partition("-") for part in text.split(",") if part)
    return tuple((int(a), int(b) if b else None) for a, _, b in found)


def visible(door: Door, space: str, group: str, person: str) -> tuple[tuple[int, int | None], ...]:
    """The intervals of seq that a person may see.

    Raises:
        UnknownPersonError.
    """
    text = door.command("HGET", key_name(space, "members", group), person)
    if text is None:
        raise UnknownPersonError(group=group, person=person)
    return spans(text.partition("|")[0])
