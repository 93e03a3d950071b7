"""The library: groups and personal mail of one space, typed, on redis-py."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rt_config import env
from rt_config.errors import UnknownGroupError
from rt_mailbox import groups, records, waiting
from rt_mailbox.client import RedisDoor
from rt_mailbox.group_care import GroupCare
from rt_mailbox.keys import key as key_name
from rt_mailbox.mail_client import PersonalMail
from rt_mailbox.memory import Memory
from rt_mailbox.messages import Member, Message, Sent

if TYPE_CHECKING:
    from rt_mailbox.door import Door

NOBODY = ("", "")


class Drained:
    """Unread messages that were taken and are not yet marked. Call `commit` when they were shown whole.

    messages: oldest first, own ones never among them. unread_left: how many more there are. lost: the range `118-120`
    that a failover has taken from this reader, else ''.
    """

    __slots__ = ("_box", "_receipt", "_who", "lost", "messages", "unread_left")

    def __init__(self, box: Mailbox, who: tuple[str, str], found: dict[str, Any]) -> None:
        self._box, self._who, self._receipt = box, who, found["receipt"]
        self.messages: list[Message] = list(map(Message._make, found["messages"]))
        self.unread_left: int = found["unread_left"]
        self.lost: str = found["lost"]

    def commit(self) -> bool:
        """Mark them as read; True when the cursor moved.

        Guarantees: forward only, safe to repeat; what was not committed is shown again.
        """
        return groups.commit(self._box.door, self._box.space, *self._who, self._receipt)


class Mailbox(GroupCare, PersonalMail):
    """Groups and personal mail of one space. Safe for threads; connections open when they are needed.

    Every method may raise BusDownError. A call that changes something and ends that way may have happened or not: with a
    `key` it may be repeated, a cursor or lease may always be. No write is ever repeated by itself.
    """

    def __init__(  # noqa: PLR0913 (limits, all named)
        self,
        url: str,
        space: str = env.DEFAULT_SPACE,
        *,
        max_body_bytes: int = groups.MAX_BODY_BYTES,
        fail_backoff_seconds: tuple[float, ...] = (1.0, 5.0),
        max_hold_seconds: float = 3600.0,
        acked_mail_kept: int = 1000,
        door: Door | None = None,
    ) -> None:
        self.space = space
        self.door: Door = door or RedisDoor(url)
        self._max_body_bytes = max_body_bytes
        self._fail_backoff_seconds = fail_backoff_seconds
        self._max_hold_ms = int(max_hold_seconds * 1000)
        self._acked_kept = acked_mail_kept
        self._memory = Memory()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the connections up."""
        self.door.close()

    def create_group(self, group: str) -> None:
        """Create a group; its address reads group/<name>.

        Raises:
            BadAddressError, GroupExistsError: nothing changed.
        """
        groups.create(self.door, self.space, group)

    def add_member(self, group: str, person: str, history: str = "all") -> None:
        """Make `person` a member, who sees `all`, `none` or the `last:N` of the messages so far.

        Rejoining with all also shows what was said meanwhile; with none that stays hidden for good.

        Raises:
            UnknownGroupError, GroupClosedError, AlreadyMemberError, UsageError: nothing changed.
        """
        groups.join(self.door, self.space, group, person, history)

    def remove_member(self, group: str, person: str) -> None:
        """End a membership: no new messages, the old ones stay readable.

        Raises:
            UnknownGroupError, UnknownPersonError, NotAMemberError, GroupClosedError: nothing changed.
        """
        groups.leave(self.door, self.space, group, person)

    def members(self, group: str) -> list[Member]:
        """Everybody who ever joined, by name.

        Raises:
            UnknownGroupError.
        """
        return [
            Member(
                p["person"], p["active"], groups.spans(p["visible"]), groups.spans(p["member"]), p["cursor"]
            )
            for p in groups.members(self.door, self.space, group)
        ]

    def send(
        self, group: str, person: str, body: str, *, kind: str = "note", subject: str = "", key: str = ""
    ) -> Sent:
        """Append one message.

        Guarantees: stored once with the next dense seq, or not at all. The same `key` and body of the same person gives
        the first seq again, for 7 days or 10,000 keys of the group.

        Raises:
            EmptyBodyError, BodyTooLargeError, UnknownGroupError, GroupClosedError, UnknownPersonError,
            NotAMemberError, IdempotencyConflictError, BusFullError: nothing was stored.
        """
        found = groups.send(
            self.door,
            self.space,
            group,
            person,
            body,
            kind=kind,
            subject=subject,
            key=key,
            limit=self._max_body_bytes,
        )
        if self._memory.sent(group, found["seq"], found["sent_at"], body, found["from"]):
            self._memory.look(self.door, self.space, group)
        return Sent(found["seq"], found["sent_at"], found["eligible_count"], bool(found["duplicate"]))

    def drain(
        self,
        group: str,
        person: str,
        *,
        max_messages: int = groups.MAX_MESSAGES,
        max_chars: int = groups.MAX_CHARS,
        page: int = 0,
    ) -> Drained:
        """Take the next unread messages of `person`; they are marked by `Drained.commit`, not here.

        At most `max_messages`, and `max_chars` characters of body (0: no bound), but at least one if there is any. `page`
        is how many are fetched a round trip at first; 0 chooses.

        Raises:
            UnknownGroupError, UnknownPersonError.
        """
        if not page:
            page = records.FIRST_PAGE if max_chars else min(max_messages or records.PAGE, records.PAGE)
        bounds = (max_messages, max_chars, page)
        found = self._memory.checked(
            self.door,
            self.space,
            group,
            lambda known: groups.take(self.door, self.space, group, person, bounds, NOBODY, known=known),
        )
        return Drained(self, (group, person), found)

    def peek(
        self,
        group: str,
        person: str,
        *,
        max_messages: int = groups.MAX_MESSAGES,
        max_chars: int = groups.MAX_CHARS,
    ) -> list[Message]:
        """What `drain` would take; marks nothing."""
        return self.drain(group, person, max_messages=max_messages, max_chars=max_chars).messages

    def unread(self, group: str, person: str) -> int:
        """How many messages `person` has not read; own ones are never unread.

        Raises:
            UnknownGroupError, UnknownPersonError.
        """
        return int(groups.unread(self.door, self.space, group, person)["unread"])

    def history(self, group: str, person: str = "", *, first: int = 1, last: int = 0) -> Iterator[Message]:
        """The record from seq `first` to `last` (0: its end), fetched as it is asked for; marks nothing.

        With `person` only what they may see, own messages too.

        Raises:
            UnknownGroupError, UnknownPersonError: at once.
        """
        head = self.door.command("HGET", key_name(self.space, "group", group), "head")
        if head is None:
            raise UnknownGroupError(group=group)
        end = min(last or int(head), int(head))
        visible = groups.visible(self.door, self.space, group, person) if person else [(1, None)]
        ranges = [(max(a, first), min(b or end, end)) for a, b in visible]
        entries = records.entries(self.door, self.space, group, [r for r in ranges if r[0] <= r[1]])
        return map(Message._make, map(records.parsed, entries))

    def read_count(self, group: str, message: Message) -> int:
        """How many of the members whom `message` was sent to have read it; later joins and leaves do not count."""
        people = groups.members(self.door, self.space, group)
        return groups.read_by({"seq": message.seq, "from": message.sender}, people)

    def wait(self, group: str, person: str, timeout: float) -> bool:
        """Block until `drain` would give `person` something; False when that took longer than `timeout` seconds.

        Raises:
            UnknownGroupError, UnknownPersonError.
        """
        watch = waiting.Watch(self.door, self.space, f"log {group}", "wake")
        ask = ("unread", group, person, *NOBODY)
        found = self.door.script(ask[0], self.space, *ask[1:])
        return waiting.until_script(watch, ask, lambda reply: bool(reply["unread"]), found, timeout)
