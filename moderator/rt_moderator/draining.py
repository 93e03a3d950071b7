"""Draining: what a person has not read, and the moment around it; marked read, with an event, only after it was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rt_mailbox import groups, records, tables
from rt_mailbox.addresses import group_of
from rt_mailbox.door import clock_ms, mapping
from rt_mailbox.keys import key
from rt_moderator import who_is_who
from rt_participant import acts

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell

TURNS = 200  # of the latest; a step that is older is shown without its count
_EVENT = "drained"
_LOOK_BACK = 500  # events


class Drain:
    """Unread messages of one person, with the table they belong to."""

    def __init__(
        self, shell: Shell, table: str, person: str, most: int | None, most_chars: int | None
    ) -> None:
        """Read, mark nothing.

        Raises:
            UnknownTableError, UnknownPersonError.
        """
        self._shell, self._table = shell, table
        self.person = person
        self._reading = acts.read(acts.Actor(shell.access, table, person), most=most, most_chars=most_chars)
        self.snapshot = shell.snapshot(table, TURNS)
        self.json: dict[str, Any] = self._reading.json

    @property
    def messages(self) -> list[Reply]:
        """What is new, oldest first, as records give it."""
        return self._reading.messages

    @property
    def told(self) -> list[Reply]:
        """The same for a screen: where a reply calls others by labels, who they are."""
        labels = who_is_who.read(self._shell.door, self._table)
        if not labels:
            return self.messages
        return [one | {"body": who_is_who.told(labels, one["turn"], one["body"])} for one in self.messages]

    def age_of_last(self) -> float | None:
        """Seconds since this person last drained something; None when nobody knows."""
        log = key(self._table, "events")
        for _, fields in self._shell.door.command("XREVRANGE", log, "+", "-", "COUNT", _LOOK_BACK):
            event = mapping(fields)
            if event["type"] == _EVENT and event.get("person") == self.person:
                return max(0.0, (clock_ms(self._shell.door) - int(event["at"])) / 1000)
        return None

    def commit(self) -> None:
        """Mark the messages read; call it only after they were shown whole."""
        self._reading.commit()
        if self.messages:
            fields = {"person": self.person, "upto": str(self.messages[-1]["seq"])}
            tables.note(self._shell.door, self._table, _EVENT, fields)


def mark(shell: Shell, table: str, person: str, upto: int) -> int:
    """Mark everything up to `upto`, which the person has seen, as read, with its event; how many are left.

    Raises:
        UnknownGroupError, UnknownPersonError, UnknownMessageError.
    """
    left = groups.mark_read(shell.door, table, group_of(table), person, upto)
    tables.note(shell.door, table, _EVENT, {"person": person, "upto": str(upto)})
    return left


def matches(shell: Shell, table: str, text: str) -> list[dict[str, Any]]:
    """The messages whose body or subject says `text`, whatever its case: {seq, id, from, kind, round, turn, line}.

    `line` is one line around the first place; marks nothing read.
    """
    from rt_participant.show import plain

    snapshot = shell.snapshot(table, 1)
    wanted = plain(text).casefold()
    found = []
    for message in records.messages(shell.door, table, snapshot["table"]["group"], [(1, snapshot["head"])]):
        around = context(message["body"], wanted) or context(message["subject"], wanted)
        if around:
            entry = {name: message[name] for name in ("seq", "from", "kind", "round", "turn")}
            found.append({**entry, "id": f"{table}/m{message['seq']}", "line": around})
    return found


def context(body: str, wanted: str, around: int = 50) -> str:
    """One line of `body` around the first place of the case-folded `wanted`; empty when it is not there. Pure."""
    from rt_participant.show import plain

    text = " ".join(plain(body).split())
    at = text.casefold().find(" ".join(wanted.split()))
    if at < 0 or not wanted.strip():
        return ""
    start, end = max(0, at - around), min(len(text), at + len(wanted) + around)
    return ("…" if start else "") + text[start:end].strip() + ("…" if end < len(text) else "")
