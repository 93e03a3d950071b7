"""What the library gives and takes: small frozen values, and the message as JSON shows it."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, SkipValidation

from rt_mailbox import wire

Kind = Literal["intent", "reply", "late", "synthesis", "note", "system"]


class Message(NamedTuple):
    """One message of a record.

    `sent_at` is the server's time in ms since the epoch; text is as it was sent, bytes that are no UTF-8 as surrogates
    (surrogateescape).
    """

    seq: int
    sender: str
    kind: str
    round: int
    turn: str
    subject: str
    body: str
    sent_at: int
    eligible_count: int

    @property
    def citations(self) -> list[int]:
        """The message numbers that the body names, such as m12."""
        return wire.citations(self.body)


class Sent(NamedTuple):
    """What became of a send. `duplicate`: the key was known, this is the first one's seq and time."""

    seq: int
    sent_at: int
    eligible_count: int
    duplicate: bool


class Member(NamedTuple):
    """A person who is or was in a group. `visible` and `member` are intervals of seq, the last open (None) or closed."""

    person: str
    active: bool
    visible: tuple[tuple[int, int | None], ...]
    member: tuple[tuple[int, int | None], ...]
    cursor: int


class Queued(NamedTuple):
    """What became of a personal message.

    `new_address`: nobody had used the address before. `duplicate`: the key was known, this is the first one's id.
    """

    id: str
    new_address: bool
    duplicate: bool = False


class Mail(NamedTuple):
    """One leased personal message. `lease` is the token that settles it; `deliveries` counts this one too."""

    id: str
    address: str
    lease: str
    deliveries: int
    sender: str
    subject: str
    body: str
    sent_at: int
    kind: str
    forwarded_from: str = ""


class StoredMail(NamedTuple):
    """One personal message as it lies there, whoever has it.

    `state` is queued, leased, acked or dead; `due` (ms) is when it can be received, 0 when it is settled; `body` is empty in
    a list. `reason` is why it last failed.
    """

    id: str
    address: str
    state: str
    sender: str
    subject: str
    kind: str
    deliveries: int
    failures: int
    sent_at: int
    due: int
    settled_at: int
    reason: str
    forwarded_from: str
    holder: str
    body: str

    @classmethod
    def of(cls, found: dict[str, Any]) -> StoredMail:
        """From a message of `rt_mailbox.queues`."""
        numbers = {"deliveries", "failures", "sent_at", "due", "settled_at"}
        named = found | {"sender": found["from"], "due": found.get("due", found.get("until", 0))}
        return cls(**{name: named.get(name, 0 if name in numbers else "") for name in cls._fields})


class MessageOut(BaseModel):
    """A message at the JSON edge. `model_dump(by_alias=True)` has the names of the contract.

    Text is not validated, because it may hold bytes that are no UTF-8; write it with `json.dumps`, which keeps them.
    """

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    seq: int = Field(ge=1)
    id: str
    sender: SkipValidation[str] = Field(alias="from")
    kind: Kind
    round: int
    turn: str
    subject: SkipValidation[str]
    body: SkipValidation[str]
    sent_at: str
    citations: list[int]

    @classmethod
    def of(cls, message: Message, table: str) -> MessageOut:
        """`message` as it is shown for `table`, or for the group of a record that is no table's."""
        return cls.model_validate(wire.to_json(as_dict(message), table))


def as_dict(message: Message) -> dict[str, Any]:
    """`message` with the names of `rt_mailbox.records`."""
    found = message._asdict()
    found["from"] = found.pop("sender")
    return found
