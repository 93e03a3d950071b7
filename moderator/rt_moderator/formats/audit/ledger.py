"""Findings across rounds: the ids they were given on first sight, and where every seat stands on each. Pure.

A position stays until its holder changes it: what a later status does not mention is neither withdrawn nor resolved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from rt_moderator.formats.audit.status import Finding, Severity, State, Status, same_title

_WEIGHT: dict[str, int] = {"blocking": 2, "major": 1, "minor": 0}


@dataclass(frozen=True, slots=True)
class Position:
    """Where one seat stands on one finding, in its own words; `cite` is the message that says so."""

    severity: Severity
    state: State
    evidence: str = ""
    proposal: str = ""
    cite: str = ""
    round: int = 0

    @property
    def stands(self) -> bool:
        """Whether the seat still wants it settled."""
        return self.state in ("open", "held")

    @property
    def blocks(self) -> bool:
        """Whether it stands in the way of consensus."""
        return self.severity == "blocking" and self.stands


@dataclass(frozen=True, slots=True)
class Entry:
    """One finding: its id and title as first seen, who raised it, and the positions."""

    id: str
    title: str
    raised_by: tuple[str, ...]
    round: int
    positions: Mapping[str, Position] = field(default_factory=dict)

    def blockers(self, seats: Collection[str] | None = None) -> tuple[str, ...]:
        """Those of `seats` (None: of all that ever took part) that hold it as blocking."""
        return tuple(s for s, held in self.positions.items() if held.blocks and (seats is None or s in seats))

    @property
    def stands(self) -> bool:
        """Whether anybody still wants it settled."""
        return any(held.stands for held in self.positions.values())

    @property
    def state(self) -> State:
        """The state of the finding: open or held as long as anybody holds it so, then resolved, else withdrawn."""
        states = [held.state for held in self.positions.values()]
        order: tuple[State, ...] = ("held", "open", "resolved")
        return next((state for state in order if state in states), "withdrawn")

    @property
    def severity(self) -> Severity:
        """The gravest severity among those that hold it; among all when nobody does any more."""
        of = [held for held in self.positions.values() if held.stands] or list(self.positions.values())
        return max((held.severity for held in of), key=_WEIGHT.__getitem__)


@dataclass(frozen=True, slots=True)
class Said:
    """One seat's status with where it was said; evidence and proposals name peers as @slug."""

    seat: str
    status: Status
    cite: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """All findings in the order of their ids."""

    entries: tuple[Entry, ...] = ()

    def __iter__(self) -> Iterator[Entry]:
        """The findings."""
        return iter(self.entries)

    def get(self, id_: str) -> Entry | None:
        """The finding of that id."""
        return next((entry for entry in self.entries if entry.id == id_), None)

    def folded(self, round_: int, said: Iterable[Said]) -> Ledger:
        """The ledger after a step; the order of what was said together does not matter.

        An id that was shown to the seat is that finding; anything else is new unless its title is known. Before anything was
        shown, ids are the seat's own and mean nothing.
        """
        shown = {entry.id for entry in self.entries}
        entries = {entry.id: entry for entry in self.entries}
        for one in sorted(said, key=lambda one: one.seat):
            for finding in one.status.findings:
                entry = _known(entries, finding, shown) or _new(entries, finding, round_)
                if entry.id not in shown and one.seat not in entry.raised_by:
                    entry = replace(entry, raised_by=(*entry.raised_by, one.seat))
                held = Position(
                    finding.severity, finding.state, finding.evidence, finding.proposal, one.cite, round_
                )
                entries[entry.id] = replace(entry, positions={**entry.positions, one.seat: held})
        return Ledger(tuple(entries.values()))

    def blocking(self, seats: Collection[str] | None = None) -> frozenset[str]:
        """The ids that those of `seats` (None: anybody ever) hold as blocking."""
        return frozenset(entry.id for entry in self.entries if entry.blockers(seats))

    def contested(self, seats: Collection[str]) -> tuple[Entry, ...]:
        """The findings on which these seats do not stand together: held by some, and not alike by all of them."""
        return tuple(entry for entry in self.entries if _contested(entry, seats))


def _known(entries: Mapping[str, Entry], finding: Finding, shown: Collection[str]) -> Entry | None:
    if finding.known_as in shown:
        return entries[finding.known_as]
    title = same_title(finding.title)
    return next((entry for entry in entries.values() if same_title(entry.title) == title), None)


def _new(entries: Mapping[str, Entry], finding: Finding, round_: int) -> Entry:
    return Entry(f"F{len(entries) + 1}", finding.title, (), round_)


def _contested(entry: Entry, seats: Collection[str]) -> bool:
    held = [entry.positions.get(seat) for seat in seats]
    if not any(one and one.stands for one in held):
        return False
    return len({(one.severity, one.stands) if one else None for one in held}) > 1
