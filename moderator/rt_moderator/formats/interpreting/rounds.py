"""What a discussion round comes to: which points lock, whether it goes on, and how sure the result is. Pure.

Silence never locks a point: a seat that holds a position and says nothing in a round counts with what it said last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from rt_moderator.formats.interpreting.digest import EMPTY, Agreement, Digest, Point, Position
from rt_moderator.formats.interpreting.replies import Discussion

Verdict = Literal["full_consensus", "converging", "moving", "stalled"]
Status = Literal["full_consensus", "partial", "stalled"]
Confidence = Literal["high", "medium", "low"]
_NEAR = 0.2  # of agreements and points together that may stay open in a near full consensus (ours)
_MAJOR = 0.5  # more than that open: a major disagreement (ours)


@dataclass(frozen=True, slots=True)
class Heard:
    """A seat's usable part in a round, and its message."""

    reply: Discussion
    message: int


@dataclass(frozen=True, slots=True)
class Round:
    """A round as it was counted. `agrees`: point → seat → whether it agreed when it last spoke of it."""

    locked: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()  # slugs that changed their mind
    agrees: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    draft: Digest = EMPTY  # the digest as it follows from the replies alone


def counted(
    before: Digest, heard: Mapping[str, Heard], live: Iterable[str], earlier: Mapping[str, Mapping[str, bool]]
) -> Round:
    """Count a round.

    Args:
        before: the digest that the round was about.
        heard: slug → its reply in form; the order makes no difference.
        live: seats that are still at the table, silent ones included.
        earlier: `agrees` of the round before.
    """
    there = set(live) | set(heard)
    agrees = {point.id: {**earlier.get(point.id, {}), **_said(point.id, heard)} for point in before.points}
    locked = tuple(point.id for point in before.points if _locks(point, agrees[point.id], set(heard), there))
    changed = tuple(sorted(slug for slug, one in heard.items() if one.reply.changed_mind))
    return Round(locked, changed, agrees, _draft(before, heard, locked))


def _said(point: str, heard: Mapping[str, Heard]) -> dict[str, bool]:
    found = {slug: one.reply.of(point) for slug, one in sorted(heard.items())}
    return {slug: response.agree for slug, response in found.items() if response is not None}


def _locks(point: Point, agrees: Mapping[str, bool], heard: set[str], there: set[str]) -> bool:
    """Every available seat agrees: those heard, and those at the table that hold a position or agreed before."""
    voters = {slug for slug in (set(point.positions) | set(agrees) | heard) if slug in there}
    return len(voters) > 1 and bool(heard) and all(agrees.get(slug, False) for slug in voters)


def _draft(before: Digest, heard: Mapping[str, Heard], locked: Iterable[str]) -> Digest:
    points = [_moved(point, heard) for point in before.points]
    closed = set(locked)
    return Digest(
        agreements=[*before.agreements, *(_agreed(point) for point in points if point.id in closed)],
        points=[point for point in points if point.id not in closed],
        open_questions=before.open_questions,
    )


def _moved(point: Point, heard: Mapping[str, Heard]) -> Point:
    """The point with the positions of this round."""
    new = {
        slug: Position(position=response.position, message=one.message)
        for slug, one in sorted(heard.items())
        if (response := one.reply.of(point.id)) is not None
    }
    return point.model_copy(update={"positions": {**point.positions, **new}})


def _agreed(point: Point) -> Agreement:
    """The point as an agreement in the seats' own words: each different one, and where it stands."""
    words = dict.fromkeys(" ".join(held.position.split()) for held in point.positions.values())
    messages = sorted({held.message for held in point.positions.values()})
    return Agreement(text=f"{point.statement}: {' / '.join(words)}", messages=messages, point=point.id)


def verdict(before: Digest, after: Digest, counted_round: Round) -> Verdict:
    """Whether it goes on: `stalled` is a round with nothing resolved and no changed mind, `moving` one with only the latter."""
    if not after.points:
        return "full_consensus"
    if counted_round.locked:
        return "converging" if len(after.points) < len(before.points) else "moving"
    return "moving" if counted_round.changed else "stalled"


def status(after: Digest, last: Verdict | None, available: int, quorum: int) -> Status:
    """How the run ended; less seats than the quorum are never a full consensus."""
    if last == "stalled":
        return "stalled"
    return "full_consensus" if not after.points and available >= quorum else "partial"


def confidence(after: Digest, *, available: int, missing: int, stalled: bool, quorum: int = 3) -> Confidence:
    """How sure the reading is.

    Args:
        after: the last digest.
        available: seats that were heard in form in the last round.
        missing: planned seats that were not.
        stalled: whether the discussion stopped moving.
        quorum: seats it takes.

    Guarantees: high only with a quorum, nobody missing, and full or near full consensus; low below the quorum, at the bare
    quorum of a larger panel while something is open, and when most is open.
    """
    total = len(after.agreements) + len(after.points)
    share = len(after.points) / total if total else 1.0
    if available < quorum or share > _MAJOR:
        return "low"
    if after.points and missing and available == quorum:
        return "low"
    return "medium" if missing or share > _NEAR or (stalled and after.points) else "high"
