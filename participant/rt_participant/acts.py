"""What a participant does: look at its turn, reply, read, post, wait. One meaning, whichever door was opened.

Each act takes an `Actor` and returns a plain dict, the JSON of DESIGN's command table; printing is `hot` or the moderator's CLI.
Imports nothing heavy.
"""

from __future__ import annotations

import time

from rt_config.errors import UnknownMessageError, UnusableReplyError
from rt_mailbox import addresses, disk, groups, records, turns, wire
from rt_mailbox.keys import key as key_name
from rt_participant import usable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rt_mailbox.access import Access

    Result = dict[str, Any]


class Actor:
    """Who acts, at which table, through which door. `token` is empty on an operator's own shell."""

    def __init__(self, access: Access, table: str, person: str, token: str = "") -> None:
        self.access, self.table, self.person, self.token = access, table, person, token
        self.door = access.door
        self.group = addresses.group_of(table)
        self.slug = person.removeprefix("participant/") if person.startswith("participant/") else ""

    @property
    def bound(self) -> tuple[str, str]:
        """(slug, token) when a seat acts for itself, else two empty strings: an operator sees everything."""
        return (self.slug, self.token) if self.token else ("", "")


def turn(actor: Actor) -> Result:
    """The actor's current turn: {turn, round, deadline, request, role, messages, …}; {turn: None} without one.

    The same messages on every call; nothing is marked read before the reply. Never blocks. A session of its own screen
    that has answered nothing yet is shown the whole record that it may see.
    """
    found = turns.show(actor.door, actor.table, actor.slug, actor.token)
    if found is None:
        return {"turn": None}
    _rebuilt(actor, found)
    left_out = found.get("left_out")
    return ({"left_out": f"m{left_out[0]}–m{left_out[-1]}"} if left_out else {}) | {
        "turn": found["turn"],
        "round": found["round"],
        "attempt": found["attempt"],
        "deadline": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + found["seconds_left"])),
        "seconds_left": found["seconds_left"],
        "request": found["request"],
        "role": found["role"],
        "person": found["person"],
        "control": found["control"],
        "messages": [wire.to_json(m, actor.table) for m in found["messages"]],
    }


def reply(actor: Actor, body: str, *, turn_id: str = "") -> Result:
    """Answer a turn: {seq, id, turn, duplicate, late}.

    Raises:
        UnusableReplyError: empty, an echo, or another's voice; the turn stays open, no strike.
        NoTurnError, UnknownTurnError, BodyTooLargeError, DiskFullError: nothing stored.
    """
    text = usable.clean_envelope(body)
    if not text.strip():
        raise UnusableReplyError(reason="it is empty")
    groups.check_body(text, actor.access.max_body_bytes)
    _guard(actor)
    request = (
        actor.door.command("HGET", key_name(actor.table, "turn", turn_id or _shown(actor)), "request") or ""
    )
    wrong = usable.problem(text, request, _others(actor))
    if wrong:
        raise UnusableReplyError(reason=wrong)
    round_ = actor.door.command("HGET", key_name(actor.table, "table"), "round") or "1"
    subject = f"roundtable: {actor.table} r{round_} {actor.person}"
    found = turns.reply(
        actor.door, actor.table, actor.slug, text, token=actor.token, turn=turn_id, subject=subject
    )
    if not (found["late"] or found["duplicate"]):
        _remember(actor, found["turn"])
    out = _sent(actor, found) | {"turn": found["turn"], "late": bool(found["late"])}
    return out | ({"body_differs": True} if found["body_differs"] else {})


def post(actor: Actor, body: str, *, key: str = "") -> Result:
    """Post a note to the group: {seq, id, duplicate, late}; the same key never posts twice.

    Raises:
        EmptyBodyError, BodyTooLargeError, NotAMemberError, IdempotencyConflictError, DiskFullError: nothing stored.
    """
    _guard(actor)
    found = groups.send(
        actor.door,
        actor.table,
        actor.group,
        actor.person,
        body,
        key=key,
        seat=actor.bound,
        limit=actor.access.max_body_bytes,
    )
    return _sent(actor, found) | {"late": False}


class Reading:
    """Unread messages, and the commit that marks them read; call it only after they were shown whole."""

    def __init__(self, actor: Actor, found: Result) -> None:
        self._actor, self._found = actor, found
        self.messages: list[Result] = found["messages"]

    @property
    def json(self) -> Result:
        """{table, messages, unread_left}, and history_lost when a failover took messages away."""
        shown = [wire.to_json(m, self._actor.table) for m in self.messages]
        out = {"table": self._actor.table, "messages": shown, "unread_left": self._found["unread_left"]}
        lost = self._found["lost"]
        return out | ({"history_lost": "–".join("m" + n for n in lost.split("-"))} if lost else {})

    def commit(self) -> None:
        """Mark them read."""
        groups.commit(
            self._actor.door, self._actor.table, self._actor.group, self._actor.person, self._found["receipt"]
        )


def read(actor: Actor, *, most: int | None = None, most_chars: int | None = None) -> Reading:
    """The next unread messages, oldest first, not yet marked.

    Raises:
        UnknownGroupError, UnknownPersonError.
    """
    limits = actor.access
    found = groups.read(
        actor.door,
        actor.table,
        actor.group,
        actor.person,
        most=limits.max_messages if most is None else most,
        most_chars=limits.max_chars if most_chars is None else most_chars,
        seat=actor.bound,
    )
    return Reading(actor, found)


def show(actor: Actor, seq: int) -> Result:
    """One message; a seat with an open turn sees none above that turn's upto.

    Raises:
        UnknownMessageError: it does not exist, or the seat may not see it yet.
    """
    end = records.head(actor.door, actor.table, actor.group)
    if actor.bound[0]:
        end = int(groups.unread(actor.door, actor.table, actor.group, actor.person, actor.bound)["upto"])
    found = records.one(actor.door, actor.table, actor.group, seq) if seq <= end else None
    if found is None:
        raise UnknownMessageError(message_id=f"m{seq}", head=end)
    return found


def _rebuilt(actor: Actor, found: Result) -> None:
    """Give a screen's new session the record, which its turn's own range may have left behind."""
    if not actor.token:
        return
    names = ("transport", "native_ready", "fresh")
    transport, ready, alone = actor.door.command("HMGET", key_name(actor.table, "seat", actor.slug), *names)
    if transport == "tui" and alone == "1":
        found["messages"] = []  # the request is all it gets
    elif transport == "tui" and ready != "1":
        from rt_participant import visible

        whole = list(visible.messages(actor.door, actor.table, found, {}, fresh=True))
        found["messages"] = _newest(whole, actor.access.max_chars)
        found["left_out"] = [m["seq"] for m in whole[: len(whole) - len(found["messages"])]]


def _newest(messages: list[Result], most_chars: int) -> list[Result]:
    """The newest messages within the bound (0: none), at least one; older ones can be shown by number."""
    left = most_chars
    for at in range(len(messages) - 1, -1, -1):
        left -= len(messages[at]["body"])
        if left < 0 < most_chars and at < len(messages) - 1:
            return messages[at + 1 :]
    return messages


def _remember(actor: Actor, turn_id: str) -> None:
    """From now on the session in this seat's screen knows the record: it can be resumed."""
    name = key_name(actor.table, "seat", actor.slug)
    if actor.token and actor.door.command("HGET", name, "transport") == "tui":
        from rt_mailbox import tables

        upto = actor.door.command("HGET", key_name(actor.table, "turn", turn_id), "upto") or "0"
        fields = {"native_ready": "1", "native_turn": turn_id, "native_upto": upto}
        tables.set_seat(actor.door, actor.table, actor.slug, fields)


def _sent(actor: Actor, found: Result) -> Result:
    return {
        "seq": found["seq"],
        "id": f"{actor.table}/m{found['seq']}",
        "duplicate": bool(found["duplicate"]),
    }


def _guard(actor: Actor) -> None:
    if actor.access.data_dir:
        disk.require_free(actor.access.data_dir, actor.access.min_free_bytes)


def _shown(actor: Actor) -> str:
    return actor.door.command("HGET", key_name(actor.table, "seat", actor.slug), "shown") or ""


def _others(actor: Actor) -> list[tuple[str, str, str]]:
    """(slug, name, role) of the other seats."""
    found = []
    for slug in actor.door.command("ZRANGE", key_name(actor.table, "seats"), 0, -1):
        if slug != actor.slug:
            name, role = actor.door.command("HMGET", key_name(actor.table, "seat", slug), "name", "role")
            found.append((slug, name or slug, role or ""))
    return found
