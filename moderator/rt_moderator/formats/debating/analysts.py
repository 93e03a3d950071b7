"""The meta-panel: what an analyst recommends, and one workflow made of several recommendations (S0.14, S0.15). Pure."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from rt_moderator.formats.debating.workflow import MOST_INTEGRATORS, MOST_ROUNDS, Type
from rt_participant import cleaning

MOST_SEATS = 6
_LEAST = {"debate": (3, 0), "sequential": (1, 1), "hybrid": (2, 1)}  # positions of stage 1 and 2


class Slot(BaseModel):
    """One position of a recommended workflow."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True)

    seat: str = Field(min_length=1, description="one of the available seats")
    role: str = Field(default="", max_length=80, description="role, two or three words")
    task: str = Field(default="", max_length=600, description="what this seat does, one sentence")
    stage: Literal[1, 2] = Field(default=1, description="1 or 2; in a debate always 1")

    @field_validator("seat", "role", "task", mode="before")
    @classmethod
    def _line(cls, value: Any) -> Any:
        """One line without control characters: it becomes a seat's role, and a line of its prompt."""
        return " ".join(cleaning.plain(value).split()) if isinstance(value, str) else value


class Design(BaseModel):
    """What one analyst recommends."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True)

    type: Literal["debate", "sequential", "hybrid"]
    stages: list[Slot] = Field(min_length=1, max_length=12)
    rounds: int = Field(ge=1, le=20, description="1, 2 or 3, the blind round included")
    synthesizer: str = Field(default="", description="who writes the synthesis, not one of the stages")
    reasoning: str = Field(default="", description="why this workflow, at most 60 words")
    antipattern: str = Field(default="", description="what would go wrong with another, at most 40 words")

    @field_validator("type", mode="before")
    @classmethod
    def _spelled(cls, value: Any) -> Any:
        return "debate" if value in ("parallel_debate", "parallel debate") else value


@dataclass(frozen=True, slots=True)
class Chosen:
    """One seat of the merged workflow: what it runs on, or its slug, and its part."""

    seat: str
    role: str
    task: str
    stage: int


@dataclass(frozen=True, slots=True)
class Merged:
    """One workflow made of the recommendations; `synthesizer` is '' when nobody named one outside the panel."""

    type: Type
    chosen: tuple[Chosen, ...]
    rounds: int
    synthesizer: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """What can be chosen: `available` in order of preference; with `all_of_them` every one sits, once."""

    available: tuple[str, ...]
    moderator: str = ""  # never seated
    fixed: Type | None = None  # the type that a mode flag fixes
    all_of_them: bool = False


def merge(designs: Sequence[Design], choice: Choice) -> Merged:
    """One workflow. The order of the recommendations is irrelevant.

    Type by majority, a tie is `hybrid`; for each position of a stage the most recommended available seat, the next when it is
    taken or cannot sit; rounds are the median, up on a half, at most 3; the synthesizer is the most recommended one that does not
    sit. A seat is used twice only when every available one sits already.

    Raises:
        ValueError: there is no recommendation, or nobody can sit.
    """
    free = tuple(one for one in choice.available if not _same(one, choice.moderator)) or choice.available
    if not designs or not free:
        msg = "no recommendation" if not designs else "nobody can sit"
        raise ValueError(msg)
    ordered = sorted(designs, key=lambda design: design.model_dump_json())
    kind = choice.fixed or _type(ordered)
    of_kind = [design for design in ordered if design.type == kind] or ordered
    first, second = _positions(of_kind, kind, free, choice)
    chosen: list[Chosen] = []
    for stage, count in ((2, second), (1, first)):  # integrators first: they are the scarce ones
        for at in range(count):
            slots = [slots[at] for design in of_kind if len(slots := _stage(design, kind, stage)) > at]
            chosen.append(_pick(slots, stage, free, chosen))
    chosen.sort(key=lambda one: one.stage)
    seated = {one.seat for one in chosen}
    return Merged(kind, tuple(_distinct(chosen)), rounds(ordered), _synthesizer(ordered, seated, choice))


def rounds(designs: Iterable[Design]) -> int:
    """The median, up on a half, between 1 and 3."""
    return max(1, min(MOST_ROUNDS, math.ceil(statistics.median(design.rounds for design in designs))))


def _type(designs: Sequence[Design]) -> Type:
    counts = Counter(design.type for design in designs).most_common()
    return "hybrid" if len(counts) > 1 and counts[0][1] == counts[1][1] else counts[0][0]


def _positions(designs: Sequence[Design], kind: Type, free: Sequence[str], choice: Choice) -> tuple[int, int]:
    """How many sit in stage 1 and in stage 2."""
    least_first, least_second = _LEAST[kind]
    second = _median(len(_stage(design, kind, 2)) for design in designs)
    second = max(least_second, min(second, MOST_INTEGRATORS)) if least_second else 0
    if choice.all_of_them:
        second = min(second, len(free) - 1)
        return len(free) - second, second
    first = _median(len(_stage(design, kind, 1)) for design in designs)
    return max(least_first, min(first, MOST_SEATS - second)), second


def _median(counts: Iterable[int]) -> int:
    return math.ceil(statistics.median(counts))


def _stage(design: Design, kind: Type, stage: int) -> list[Slot]:
    """The slots of a stage; when a design of two stages has only one of them, its last slot is stage 2."""
    slots = design.stages
    if kind == "debate":
        return slots if stage == 1 else []
    if len({slot.stage for slot in slots}) == 1 and len(slots) > 1:
        return slots[:-1] if stage == 1 else slots[-1:]
    return [slot for slot in slots if slot.stage == stage]


def _pick(slots: Sequence[Slot], stage: int, free: Sequence[str], chosen: Sequence[Chosen]) -> Chosen:
    taken = [one.seat for one in chosen]
    unused = [one for one in free if one not in taken]
    open_ = unused or sorted(free, key=taken.count)[:1] + list(free)
    votes = Counter(seat for slot in slots if (seat := resolved(slot.seat, free)))
    ranked = sorted(votes, key=lambda seat: (-votes[seat], free.index(seat)))
    seat = next((one for one in ranked if one in open_), open_[0])
    said = next((slot for slot in slots if resolved(slot.seat, free) == seat), slots[0] if slots else None)
    return Chosen(seat, said.role if said else "", said.task if said else "", stage)


def resolved(named: str, available: Sequence[str]) -> str:
    """The available seat that a recommendation means: the same text, else the same profile; '' when it cannot sit."""
    wanted = named.strip().casefold()
    exact = [one for one in available if one.casefold() == wanted]
    loose = [one for one in available if one.partition(":")[0].casefold() == wanted.partition(":")[0]]
    return (exact or loose or [""])[0]


def _synthesizer(designs: Sequence[Design], seated: set[str], choice: Choice) -> str:
    named = (resolved(design.synthesizer, choice.available) for design in designs if design.synthesizer)
    votes = Counter(one for one in named if one and one not in seated)
    ranked = sorted(votes, key=lambda seat: (-votes[seat], choice.available.index(seat)))
    return ranked[0] if ranked else ""


def _distinct(chosen: Sequence[Chosen]) -> list[Chosen]:
    """The same with no role text twice: equal ones are numbered."""
    found: list[Chosen] = []
    for one in chosen:
        role, number = one.role, 2
        while role and role.casefold() in {other.role.casefold() for other in found}:
            role, number = f"{one.role} {number}", number + 1
        found.append(Chosen(one.seat, role, one.task, one.stage))
    return found


def _same(seat: str, moderator: str) -> bool:
    """Whether a seat is the moderating agent's own model; one without a model named is its whole profile."""
    if not moderator:
        return False
    profile, _, model = moderator.partition(":")
    return seat == moderator or (seat.partition(":")[0] == profile and (not model or ":" not in seat))
