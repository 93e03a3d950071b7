"""What the screen knows: the table's latest moment, its record, and what the person did to the view. Frozen, pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rt_moderator.watching.editing import Field

if TYPE_CHECKING:
    from rt_mailbox.door import Reply


@dataclass(frozen=True, slots=True)
class Entry:
    """One message as the screen keeps it. `body` is cut; `left` says how many characters it has beyond."""

    seq: int
    who: str
    slug: str
    kind: str
    round: int
    of_round: int
    body: str
    at: int
    left: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """What stands in the record's pane: the head of a round (seq 0), or a message."""

    round: int
    seq: int = 0
    at: int = 0
    """A message's place in the record; a round's head has its first."""
    count: int = 0
    last: int = 0
    folded: bool = False

    @property
    def key(self) -> tuple[int, int]:
        """By what it is found again; orders as the pane does."""
        return self.round, self.seq


@dataclass(frozen=True, slots=True)
class Filter:
    """What is shown: one seat's messages, one round's, or all."""

    seat: str = ""
    round: int | None = None

    def __bool__(self) -> bool:
        return bool(self.seat) or self.round is not None

    def shows(self, entry: Entry) -> bool:
        """Whether a message passes."""
        return self.round in (None, entry.round) and self.seat in ("", entry.slug)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One line that is being typed. `what`: say, jump, filter, open, decide; `about`: the choice that is decided."""

    what: str
    field: Field = field(default_factory=Field)
    about: str = ""


@dataclass(frozen=True, slots=True)
class Anchor:
    """The first line of the pane: a line of an item."""

    key: tuple[int, int]
    line: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """All of it. `top` None: the pane stays at the end of the record; `chosen` None: the last item is."""

    snapshot: Reply = field(default_factory=dict)
    received: float = 0.0
    entries: tuple[Entry, ...] = ()
    items: tuple[Item, ...] = ()
    folds: Mapping[int, bool] = field(default_factory=dict)
    filter: Filter = field(default_factory=Filter)
    top: Anchor | None = None
    chosen: tuple[int, int] | None = None
    prompt: Prompt | None = None
    help: bool = False
    notice: str = ""
    bus: str = ""

    @property
    def about(self) -> Mapping[str, Any]:
        """The table's fields; empty before the first moment."""
        found: Mapping[str, Any] = self.snapshot.get("table", {})
        return found

    @property
    def round(self) -> int:
        """The latest round that the record has."""
        return self.entries[-1].round if self.entries else 0

    def clock_ms(self, now: float) -> int:
        """The server's clock at the monotonic time `now`."""
        return int(self.snapshot.get("clock_ms", 0)) + int(max(0.0, now - self.received) * 1000)

    def ticking(self) -> bool:
        """Whether something on the screen changes by the clock alone."""
        return any(turn["state"] == "open" for turn in self.snapshot.get("turns", ()))


def arranged(state: State) -> State:
    """The same with its items as entries, folds and filter say: rounds before the latest are folded unless a person unfolds them."""
    groups: dict[int, list[int]] = {}
    for at, entry in enumerate(state.entries):
        if state.filter.shows(entry):
            groups.setdefault(entry.round, []).append(at)
    items: list[Item] = []
    for number, places in groups.items():
        last = state.entries[places[-1]]
        folded = is_folded(state, number)
        items.append(Item(number, 0, places[0], len(places), last.seq, folded))
        if not folded:
            items += [Item(number, state.entries[at].seq, at) for at in places]
    return replace(state, items=tuple(items))


def is_folded(state: State, number: int) -> bool:
    """Whether a round shows its head only."""
    if number in state.folds:
        return state.folds[number]
    return number < state.round and state.filter.round != number


def index_of(state: State, key: tuple[int, int] | None) -> int:
    """Where an item with that key stands, or the one before which it would; the last one for None."""
    if key is None:
        return max(0, len(state.items) - 1)
    from bisect import bisect_left

    at = bisect_left(state.items, key, key=lambda item: item.key)
    return min(at, max(0, len(state.items) - 1))
