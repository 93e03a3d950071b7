"""Who does what in which stage, and how that was decided. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rt_moderator.engine.model import Seat
from rt_moderator.engine.options import Options

Type = Literal["debate", "sequential", "hybrid"]
MOST_INTEGRATORS = 2
MOST_ROUNDS = 3  # the blind one included (S0.15)
_CHECKS = re.compile(r"\b(?:review|test|audit|verif|validat|integrat|edit)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """One seat's part."""

    slug: str
    stage: int = 1
    task: str = ""


@dataclass(frozen=True, slots=True)
class Workflow:
    """A discussion before it begins. `decided` says how, for the header; `meta` what analysts recommended."""

    type: Type
    places: tuple[Place, ...]
    rounds: int = 2
    decided: str = ""
    synthesizer: str = ""
    meta: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    degraded: tuple[dict[str, str], ...] = ()  # {seat, why, action} of seats that were filled by others

    def stage(self, number: int) -> tuple[str, ...]:
        """The slugs of a stage."""
        return tuple(place.slug for place in self.places if place.stage == number)

    def task(self, slug: str) -> str:
        """The sub-task of a seat; '' when it has none of its own."""
        return next((place.task for place in self.places if place.slug == slug), "")


def rounds_of(options: Options, default: int = 2) -> tuple[int, list[str]]:
    """How many rounds, the blind one included, and what to say when more were asked for than are held."""
    asked = 1 if options.quick else options.rounds or default
    held = max(1, min(asked, MOST_ROUNDS))
    return held, [] if held == asked else [
        f"{asked} rounds were asked for; more than {MOST_ROUNDS} are never held"
    ]


def calls(kind: Type, seats: int, options: Options, default: int = 2) -> tuple[int, str]:
    """How many calls of models a run makes at most, and of what, for its plan (S0.35)."""
    rounds, _ = rounds_of(options, default)
    second = 0 if kind == "debate" or seats < 2 else max(1, min(MOST_INTEGRATORS, seats // 3))
    turns = (seats - second) * rounds + second
    checks = seats if options.validate_ else 0
    texts = [f"{turns} of seats", "1 synthesis", *([f"{checks} to validate it, 1 rewrite"] if checks else [])]
    return turns + 1 + checks + bool(checks), ", ".join(texts)


def laid_out(kind: Type, seats: Sequence[Seat]) -> tuple[Place, ...]:
    """The seats in their stages, when nobody said who does what.

    Debate: all in stage 1. Else stage 2 are those whose role checks or integrates, or the last one (of six and more the last
    two), never all; in a hybrid everybody of stage 1 has the part that its viewpoint or role names.
    """
    second = set() if kind == "debate" else _second(seats)
    return tuple(
        Place(seat.slug, 2)
        if seat.slug in second
        else Place(seat.slug, 1, part_of(seat) if kind == "hybrid" else "")
        for seat in seats
    )


def part_of(seat: Seat) -> str:
    """The sub-task of a seat that was given none."""
    who = seat.role or seat.name or seat.slug
    return (
        f"the part that belongs to {who}: {seat.viewpoint}"
        if seat.viewpoint
        else f"the part that belongs to {who}"
    )


def _second(seats: Sequence[Seat]) -> set[str]:
    if len(seats) < 2:
        return set()
    most = 2 if len(seats) >= 6 else 1
    named = [seat.slug for seat in seats if _CHECKS.search(f"{seat.role} {seat.name} {seat.slug}")]
    if named and len(named) < len(seats):
        return set(named[:2])
    return {seat.slug for seat in seats[-most:]}
