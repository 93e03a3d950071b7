"""What seats reply in `interpret`. The models are the schema that the request shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from rt_moderator.formats import structured

Words = Annotated[str, Field(min_length=1)]
PointId = Annotated[str, Field(pattern=r"^D[1-9][0-9]{0,3}$")]
Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, str_strip_whitespace=True)


class Opening(_Reply):
    """A reading of the request, made alone."""

    restated_request: Words
    intent: list[Words] = Field(min_length=1)
    scope_in: list[Words]
    scope_out: list[Words]
    assumptions: list[Words]
    ambiguities: list[Words]
    open_questions: list[Words]
    confidence: Confidence


class PointResponse(_Reply):
    """What a seat holds of one open point. `agree`: it and every position shown can stand as one reading, the one in `position`."""

    point_id: PointId
    position: Words
    agree: bool
    reasoning: Words


class Discussion(_Reply):
    """A seat's part in a discussion round."""

    point_responses: list[PointResponse]
    changed_mind: list[PointId]
    held: list[PointId]
    confidence: Confidence

    def of(self, point: str) -> PointResponse | None:
        """Its response to that point."""
        return next((one for one in self.point_responses if one.point_id == point), None)


def opening(text: str) -> Opening:
    """A reply to the blind round.

    Raises:
        ValueError: says what does not fit the schema.
    """
    return structured.read(Opening, text)


def discussion(points: Iterable[str]) -> Callable[[str], Discussion]:
    """A reader of replies about these open points: each of them answered once, and no other one named.

    The reader raises ValueError: says what does not fit.
    """
    open_points = tuple(points)

    def parse(text: str) -> Discussion:
        found = structured.read(Discussion, text)
        given = [one.point_id for one in found.point_responses]
        if missing := [point for point in open_points if point not in given]:
            msg = f"point_responses: nothing about {', '.join(missing)}"
            raise ValueError(msg)
        if twice := [point for point in open_points if given.count(point) > 1]:
            msg = f"point_responses: more than one response to {', '.join(twice)}"
            raise ValueError(msg)
        if unknown := set(given + found.changed_mind + found.held) - set(open_points):
            msg = f"{', '.join(sorted(unknown))}: no such open point; there are {', '.join(open_points)}"
            raise ValueError(msg)
        return found

    return parse
