"""`--roles auto`: what is asked of the one-shot job, what is taken of its answer, and who gets which role. Pure.

The order of use: `prompt`, one job with `parse` as its check, `seated`; shown before anything starts. When no job delivers,
`default_roles`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rt_moderator.engine import prompts
from rt_moderator.formats import structured
from rt_moderator.plan import DEFAULT_FIVE, SeatPlan

_MOST_NAME, _MOST_FOCUS = 6, 40  # words; a little more than the prompt asks for
_ALIKE = 0.6  # of the words of two roles shared: they care about the same thing
_Line = Annotated[str, Field(min_length=1, pattern=r"^[^\r\n]+$")]


class Role(BaseModel):
    """A role made for the topic; `seat` counts from 1."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True)

    seat: int = Field(ge=1)
    name: _Line
    focus: _Line
    kind: Literal["dissenter", "orthogonal", "complementary"]


class Roles(BaseModel):
    """One role for every seat."""

    roles: list[Role] = Field(min_length=1)


def prompt(topic: str, count: int) -> str:
    """What the job is asked; it does not learn who the seats are."""
    return prompts.render("table_roles", topic=topic, count=count, schema=structured.schema(Roles))


def parse(text: str, slugs: Sequence[str]) -> dict[str, Role]:
    """Slug → its role, in the order of the seats.

    Raises:
        ValueError: no roles, not one for each, two alike, no dissenter or no orthogonal voice; says what.
    """
    found = sorted(structured.read(Roles, text).roles, key=lambda role: role.seat)
    if wrong := _wrong(found, len(slugs)):
        raise ValueError(wrong)
    return dict(zip(slugs, found, strict=True))


def seated(seats: Sequence[SeatPlan], roles: Mapping[str, Role]) -> list[SeatPlan]:
    """The seats with their new roles; a seat that was given one by hand keeps it."""
    return [seat if seat.role or seat.slug not in roles else _with(seat, roles[seat.slug]) for seat in seats]


def default_roles(slugs: Sequence[str]) -> dict[str, Role]:
    """The default five in their order, for when no job delivers; later seats of a larger table get none."""
    made = [
        Role(seat=at, name=name, focus=f"cares about {focus}.", kind=_KINDS.get(slug, "complementary"))
        for at, (slug, name, focus) in enumerate(DEFAULT_FIVE, 1)
    ]
    return dict(zip(slugs, made, strict=False))


_KINDS: dict[str, Literal["dissenter", "orthogonal"]] = {"skeptic": "dissenter", "contrarian": "orthogonal"}


def _with(seat: SeatPlan, role: Role) -> SeatPlan:
    return replace(seat, role=role.name, viewpoint=role.focus)


def _wrong(roles: Sequence[Role], count: int) -> str:
    if [role.seat for role in roles] != list(range(1, count + 1)):
        return f"one role for each seat from 1 to {count}, no more and no less"
    for role in roles:
        if len(role.name.split()) > _MOST_NAME or len(role.focus.split()) > _MOST_FOCUS:
            return f"seat {role.seat}: a name of at most five words and a focus of one short sentence"
    for one, other in combinations(roles, 2):
        if one.name.casefold() == other.name.casefold() or _shared(one, other) >= _ALIKE:
            return f"seats {one.seat} and {other.seat} care about the same thing"
    kinds: list[str] = [role.kind for role in roles]
    wanted = {"dissenter": count > 1, "orthogonal": count > 2}
    for kind, needed in wanted.items():
        if needed and kinds.count(kind) != 1:
            return f"exactly one {kind}, not {kinds.count(kind)}"
    return ""


def _shared(one: Role, other: Role) -> float:
    """How much of the words of two roles is the same, 0 to 1; words of less than four letters do not count."""
    first, second = (set(re.findall(r"\w{4,}", f"{r.name} {r.focus}".casefold())) for r in (one, other))
    return len(first & second) / len(first | second) if first | second else 1.0
