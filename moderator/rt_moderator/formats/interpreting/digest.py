"""The moderator's digest: what is agreed, what is open and who holds what, and the questions left. Pure.

It holds only what seats said, and every position names the message it stands in. `digest` reads it, `problems` says what
would make it unfair: a seat left out, a point that is still open and gone, words that no message holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from rt_moderator.engine.labels import named, slug_of
from rt_moderator.formats import structured
from rt_moderator.formats.interpreting.replies import PointId, Words
from rt_moderator.formats.structured import Message

_TOKEN = re.compile(r"⟨([a-z0-9][a-z0-9_-]{0,31})⟩")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, str_strip_whitespace=True)


class Position(_Part):
    """What a seat holds of a point, and the message in which it says so."""

    position: Words
    message: Message


class Point(_Part):
    """Something the seats read differently. `question` is what the person could be asked about it."""

    id: PointId
    statement: Words
    positions: dict[str, Position]
    question: str = ""


class Agreement(_Part):
    """A reading that every available seat shares; `point` when it was an open one before."""

    text: Words
    messages: list[Message] = Field(min_length=1)
    point: str = Field(default="", pattern=r"^(D[1-9][0-9]{0,3})?$")


class Digest(_Part):
    """What the discussion has come to. Agreements are locked: later digests only add to them."""

    agreements: list[Agreement]
    points: list[Point]
    open_questions: list[Words] = Field(default_factory=list)

    @model_validator(mode="after")
    def _told_apart(self) -> Digest:
        ids = [point.id for point in self.points]
        if twice := sorted({one for one in ids if ids.count(one) > 1}):
            msg = f"{', '.join(twice)} stands twice"
            raise ValueError(msg)
        if few := [point.id for point in self.points if len(point.positions) < 2]:
            msg = f"{', '.join(few)}: a point has the positions of at least two seats"
            raise ValueError(msg)
        return self

    def point(self, name: str) -> Point | None:
        """The open point of that id."""
        return next((one for one in self.points if one.id == name), None)


EMPTY = Digest(agreements=[], points=[])
"""Nothing agreed, nothing open."""


def digest(given: str | Mapping[str, Any]) -> Digest:
    """The digest in a text (alone, in a code block, or amid other words) or in a JSON object.

    Raises:
        ValueError: it is none; says in one line what is wrong.
    """
    if isinstance(given, str):
        return structured.read(Digest, given)
    try:
        return Digest.model_validate(given)
    except ValidationError as exc:
        error = exc.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, error["loc"]))
        raise ValueError(f"{where}: {error['msg']}" if where else str(error["msg"])) from exc


@dataclass(frozen=True, slots=True)
class Ground:
    """What a digest is held against: who said what in which message, what is locked, and what may still be open."""

    said: Mapping[str, int]  # slug → seq of its answer in this round; seats that gave none are not in it
    before: Digest = EMPTY
    locked: tuple[str, ...] = ()  # points that lock with this round
    known: Mapping[str, frozenset[int]] = field(default_factory=dict)  # slug → all its messages so far

    @property
    def open(self) -> list[Point]:
        """The points of before that stay open."""
        return [point for point in self.before.points if point.id not in self.locked]


def resolved(draft: Digest, labels: Mapping[str, str]) -> Digest:
    """The draft with seats in place of labels: slugs as keys, ⟨slug⟩ in texts; keys that are nobody's stay as they are."""
    tokens = {slug: f"⟨{slug}⟩" for slug in labels}

    def said(text: str) -> str:
        return named(text, labels, tokens)

    return Digest(
        agreements=[one.model_copy(update={"text": said(one.text)}) for one in draft.agreements],
        points=[
            one.model_copy(
                update={
                    "statement": said(one.statement),
                    "question": said(one.question),
                    "positions": {
                        slug_of(who, labels) or who: held.model_copy(update={"position": said(held.position)})
                        for who, held in one.positions.items()
                    },
                }
            )
            for one in draft.points
        ],
        open_questions=[said(one) for one in draft.open_questions],
    )


def relabelled(text: str, labels: Mapping[str, str]) -> str:
    """`text` with every ⟨slug⟩ as this step's labels have it; without a label the slug itself."""
    return _TOKEN.sub(lambda found: labels.get(found[1], found[1]), text)


def problems(draft: Digest, ground: Ground) -> list[str]:
    """What must be put right before the draft counts, in the words of an editor; empty when it is fair."""
    if ground.before == EMPTY and draft == EMPTY:
        return ["it says nothing: what all share is an agreement, where they part is a point"]
    return [
        *_agreement_problems(draft, ground),
        *_missing_points(draft, ground),
        *(wrong for point in draft.points for wrong in _point_problems(point, ground)),
        *_named_seats(draft),
    ]


def merged(draft: Digest, before: Digest) -> Digest:
    """The draft on top of what was before.

    A lock is never reopened or worded anew, a point keeps its statement, and a silent seat the position it had.
    """
    earlier = {one.text for one in before.agreements}
    locked = {one.point for one in before.agreements if one.point}
    new = [one for one in draft.agreements if one.text not in earlier and one.point not in locked]
    return Digest(
        agreements=[*before.agreements, *new],
        points=[_continued(point, before.point(point.id)) for point in draft.points],
        open_questions=list(dict.fromkeys([*before.open_questions, *draft.open_questions])),
    )


def _continued(point: Point, before: Point | None) -> Point:
    if before is None:
        return point
    kept = {
        "statement": before.statement,
        "positions": {**before.positions, **point.positions},
        "question": point.question or before.question,
    }
    return point.model_copy(update=kept)


def _agreement_problems(draft: Digest, ground: Ground) -> Iterator[str]:
    """First digest: an agreement is what every seat said. Later ones: exactly the points that locked are new agreements."""
    earlier = {one.text for one in ground.before.agreements}
    new = [one for one in draft.agreements if one.text not in earlier]
    everyone = set(ground.said.values())
    held = (one.message for point in ground.before.points for one in point.positions.values())
    messages = everyone.union(held, *ground.known.values())
    for number, one in enumerate(new, 1):
        if unknown := sorted(set(one.messages) - messages):
            yield f"agreement {number} cites {_cites(unknown)}, which no seat wrote"
        if ground.before.points and not one.point:
            yield f"agreement {number} is new and names no point: after the first round only locked points become agreements"
        if one.point and one.point not in ground.locked:
            yield f"agreement {number}: {one.point} is not locked, so it stays among the points"
        if not one.point and (left_out := sorted(everyone - set(one.messages))):
            yield f"agreement {number} is no agreement of all: {_cites(left_out)} must share it, or it is a point"
    given = {one.point for one in new}
    if lost := [point for point in ground.locked if point not in given]:
        yield f"{', '.join(lost)} locked: word what was agreed, as an agreement with that point"


def _missing_points(draft: Digest, ground: Ground) -> Iterator[str]:
    there = {point.id for point in draft.points}
    for point in ground.open:
        if point.id not in there:
            yield f"{point.id} is still open and must stay: not every seat agrees"
    if closed := [name for name in ground.locked if name in there]:
        yield f"{', '.join(closed)} locked and must not stand among the points"
    taken = {one.point for one in ground.before.agreements if one.point}
    if again := sorted(taken & there):
        yield f"{', '.join(again)} was agreed before and is not reopened"


def _point_problems(point: Point, ground: Ground) -> Iterator[str]:
    before = ground.before.point(point.id)
    for slug, held in point.positions.items():
        earlier = before.positions.get(slug) if before else None
        allowed = {ground.said[slug]} if slug in ground.said else {earlier.message} if earlier else set()
        if slug not in ground.said and earlier is None:
            yield f"{point.id}: {slug} is no seat that said something about it"
        elif held.message not in allowed:
            yield f"{point.id}: the position of {slug} stands in {_cites(sorted(allowed))}, not in m{held.message}"
    if before and (left_out := sorted(set(ground.said) - set(point.positions))):
        yield f"{point.id} leaves out the position of {', '.join(left_out)}"
    if (
        not before
        and len({" ".join(one.position.split()).casefold() for one in point.positions.values()}) < 2
    ):
        yield f"{point.id}: all positions are the same, so it is an agreement"


def _named_seats(draft: Digest) -> Iterator[str]:
    """A statement that names a seat is not neutral."""
    for point in draft.points:
        if _TOKEN.search(point.statement):
            yield f"{point.id}: the statement is neutral and names nobody"


def _cites(seqs: Iterable[int]) -> str:
    return ", ".join(f"m{seq}" for seq in seqs)
