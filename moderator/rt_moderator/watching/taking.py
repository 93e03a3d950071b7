"""What comes from outside into the state: a moment of the table with its new messages, the bus, what an act led to. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rt_moderator.watching.model import Entry, Prompt, State, arranged
from rt_participant import show

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

BODY_MOST = 20_000
"""Characters of a body that the screen keeps; rt show has the rest."""


@dataclass(frozen=True, slots=True)
class Moment:
    """How the table stands, and the messages that the screen has not. `again`: forget those it has."""

    snapshot: Reply
    messages: Sequence[Reply]
    received: float
    again: bool = False


@dataclass(frozen=True, slots=True)
class Bus:
    """Why nothing comes from the bus; empty when it answers."""

    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an act led to. `prompt` comes back for another try when it failed and nothing else is being typed."""

    notice: str
    prompt: Prompt | None = None


def take(state: State, update: Moment | Bus | Outcome) -> State:
    """The state with that in it; where the person reads does not move."""
    if isinstance(update, Bus):
        return replace(state, bus=update.text)
    if isinstance(update, Outcome):
        failed = update.prompt if state.prompt is None else state.prompt
        return replace(state, notice=update.notice, prompt=failed)
    known = () if update.again else state.entries
    entries = known + tuple(_entries(update.messages, known[-1].round if known else 0))
    changed = update.again or len(entries) != len(known)
    found = replace(state, snapshot=update.snapshot, received=update.received, entries=entries, bus="")
    if update.again:
        found = replace(found, top=None, chosen=None, folds={})
    if not changed:
        return found
    return arranged(_still(state, found))


def _still(before: State, now: State) -> State:
    """Whoever reads further up keeps what they see: a round that folds by itself would move it."""
    if before.top is None or now.round == before.round:
        return now
    return replace(now, folds={before.round: False, **now.folds})


def _entries(messages: Iterable[Reply], round_: int) -> Iterable[Entry]:
    for message in messages:
        round_ = max(round_, message["round"])
        yield entry(message, round_)


def entry(message: Reply, round_: int) -> Entry:
    """A message without control characters; what came late stands in the round in which it came."""
    kind, body, turn = message["kind"], message["body"], message["turn"]
    who = show.person(message["from"])
    own = kind in ("reply", "late") or (kind == "system" and bool(turn))
    cut = body[:BODY_MOST]
    return Entry(
        message["seq"], show.line(who, 40), turn.partition("/")[2] if own and turn else who, kind, round_,
        message["round"] if kind == "late" else 0, show.plain(cut).expandtabs(4), message["sent_at"], len(body) - len(cut),
    )  # fmt: skip
