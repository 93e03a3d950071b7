"""The part of the library's Mailbox that looks after groups: subscribers, read marks by hand, close and delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rt_config import env
from rt_config.errors import UnknownGroupError
from rt_mailbox import group_ends, groups, records, subscribers
from rt_mailbox.keys import key

if TYPE_CHECKING:
    from rt_mailbox.door import Door


class Listed(NamedTuple):
    """A message as `list_group` shows it: no body, whether this person and how many of the eligible have read it."""

    seq: int
    sender: str
    kind: str
    subject: str
    sent_at: int
    read: bool
    read_count: int
    eligible_count: int


class GroupCare:
    """Everything about a group that is neither writing nor reading it."""

    door: Door
    space: str

    def groups(self) -> list[str]:
        """Every group of this space, by address."""
        return sorted(self.door.command("SMEMBERS", key(self.space, "groups")))

    def list_group(self, group: str, person: str, *, first: int = 0, limit: int = 100) -> list[Listed]:
        """The messages that `person` may see, from seq `first` on, or the latest `limit`; own ones too. Marks nothing.

        Raises:
            UnknownGroupError, UnknownPersonError.
        """
        people = groups.members(self.door, self.space, group)
        visible = groups.visible(self.door, self.space, group, person)
        head = records.head(self.door, self.space, group)
        ranges = [(max(a, first), min(b or head, head)) for a, b in visible]
        if not first:
            ranges = _latest(ranges, limit)
        cursor = next(p["cursor"] for p in people if p["person"] == person)
        found = []
        for m in records.messages(self.door, self.space, group, [r for r in ranges if r[0] <= r[1]]):
            read = m["from"] == person or m["seq"] <= cursor
            about = (m["seq"], m["from"], m["kind"], m["subject"], m["sent_at"])
            found.append(Listed(*about, read, groups.read_by(m, people), m["eligible_count"]))
            if len(found) == limit:
                break
        return found

    def mark_read(self, group: str, person: str, to: int = 0) -> int:
        """Mark what `person` may see as read, up to seq `to` or all of it; returns how many are still unread.

        Guarantees: forward only; never into a time when the person was no member. Safe to repeat.

        Raises:
            UnknownGroupError, UnknownPersonError, UnknownMessageError (`to` is above the record's end).
        """
        return groups.mark_read(self.door, self.space, group, person, to)

    def add_subscriber(self, group: str, address: str, person: str, *, home: str = env.DEFAULT_SPACE) -> bool:
        """Give `address` a notice while `person` has unread messages; False when it gets them already.

        Guarantees: level-triggered: there is one notice as long as something is unread, whatever was sent, read or lost
        meanwhile. A send from `address` counts as `person`. `home` is the space in which the address is received.

        Raises:
            BadAddressError, UnknownGroupError, UnknownPersonError, NotAMemberError, AlreadySubscriberError: nothing
            changed.
        """
        return subscribers.add(self.door, self.space, group, address, person, home=home)

    def remove_subscriber(self, group: str, address: str, *, home: str = env.DEFAULT_SPACE) -> None:
        """End a subscription.

        Raises:
            UnknownGroupError, UnknownSubscriberError.
        """
        subscribers.remove(self.door, self.space, group, address, home=home)

    def subscribers(self, group: str) -> dict[str, str]:
        """Notify address → person.

        Raises:
            UnknownGroupError.
        """
        return subscribers.of(self.door, self.space, group)

    def close_group(self, group: str) -> bool:
        """Make a group read-only: no sends, joins or leaves; reading goes on. False when it was closed already.

        Raises:
            UnknownGroupError, TableGroupError (a table is ended instead): nothing changed.
        """
        return group_ends.close(self.door, self.space, group)

    def delete_group(self, group: str, *, head: int | None = None, home: str = env.DEFAULT_SPACE) -> int:
        """Delete a group with its record, for good; returns how many messages it had.

        Guarantees: all of it at once, or nothing. With `head`, only while that is its last message.

        Raises:
            UnknownGroupError, TableGroupError, GroupChangedError: nothing changed.
        """
        return group_ends.delete(self.door, self.space, group, head, home=home)

    def head(self, group: str) -> int:
        """The seq of the last message; 0 when there is none.

        Raises:
            UnknownGroupError.
        """
        found = self.door.command("HGET", key(self.space, "group", group), "head")
        if found is None:
            raise UnknownGroupError(group=group)
        return int(found)


def _latest(ranges: list[tuple[int, int]], limit: int) -> list[tuple[int, int]]:
    """The end of these ranges that holds `limit` messages."""
    found: list[tuple[int, int]] = []
    for first, last in reversed(ranges):
        if limit <= 0:
            break
        start = max(first, last - limit + 1)
        if start <= last:
            found.insert(0, (start, last))
            limit -= last - start + 1
    return found
