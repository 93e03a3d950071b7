"""Whether the seats of an audit agree, and whether they are stuck. Pure: one rule each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rt_moderator import words
from rt_moderator.formats.audit.status import Status


@dataclass(frozen=True, slots=True)
class Assessment:
    """The answer, and what stands in the way, in words; no reason is left when it is reached."""

    reached: bool
    reasons: tuple[str, ...] = ()
    agree: tuple[str, ...] = ()
    object: tuple[str, ...] = ()
    abstain: tuple[str, ...] = ()
    unscored: tuple[str, ...] = ()

    @property
    def why(self) -> str:
        """The reasons as one line."""
        if self.reached:
            return f"{words.listed(self.agree)} agree, nothing blocking is open"
        return "; ".join(self.reasons)


def assess(
    statuses: Mapping[str, Status | None],
    live: Collection[str],
    blocking: Collection[str],
    *,
    round: int,  # noqa: A002 (the word of the contract)
    min_rounds: int = 2,
) -> Assessment:
    """Whether this is consensus: all that can vote and do not abstain agree, at least two, and nothing blocks.

    It also takes that the round is late enough and that nobody's status is missing.

    Args:
        statuses: slug → what was read in its last reply; None, or no entry, is unscored. Those of seats that are not live
            do not count: a failed seat's vote is cleared at once.
        live: the seats that could vote.
        blocking: the ids of findings that a live seat holds as blocking.
        round: the one that has just ended, from 1.
        min_rounds: before it nothing counts.
    """
    votes = {seat: (found.verdict if (found := statuses.get(seat)) else "") for seat in sorted(live)}
    of = {
        value: tuple(s for s, v in votes.items() if v == value)
        for value in ("agree", "object", "abstain", "")
    }
    reasons = []
    if round < min_rounds:
        reasons.append(f"round {round} of at least {min_rounds}")
    if of[""]:
        reasons.append(f"not scored: {words.listed(of[''])}")
    if of["object"]:
        reasons.append(f"{words.listed(of['object'])} {'objects' if len(of['object']) == 1 else 'object'}")
    if len(of["agree"]) < 2:
        reasons.append(f"{len(of['agree'])} of at least 2 agree")
    if blocking:
        reasons.append(f"blocking: {words.listed(in_order(blocking))}")
    return Assessment(not reasons, tuple(reasons), of["agree"], of["object"], of["abstain"], of[""])


def deadlocked(blocking: Sequence[frozenset[str]]) -> bool:
    """Whether the last two of the rounds ended with the same blocking ids, and some."""
    return len(blocking) >= 2 and bool(blocking[-1]) and blocking[-1] == blocking[-2]


def in_order(ids: Collection[str]) -> list[str]:
    """F2 before F10."""
    return sorted(ids, key=lambda id_: (len(id_), id_))
