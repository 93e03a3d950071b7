"""What the prompts of `interpret` are filled with: agreements and points under this step's labels, readings kept short. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from rt_moderator.engine.labels import labelled, named
from rt_moderator.engine.prompts import words
from rt_moderator.formats import structured
from rt_moderator.formats.interpreting.digest import Digest, relabelled
from rt_moderator.formats.interpreting.replies import Discussion

_MOST_WORDS = 80  # of one text of a reading, where it enters the moderator's prompt
_MOST_ITEMS = 12


def step_labels(slugs: Iterable[str], table: str, step: str, *, named: bool) -> dict[str, str]:
    """Slug → label, the same for every reader of a step, so that requests are equal; slugs themselves with --named."""
    return {slug: slug for slug in slugs} if named else labelled(slugs, table, step)


def points(found: Digest, labels: Mapping[str, str]) -> dict[str, Any]:
    """Agreements, open points and questions as `interpret_points` shows them, positions in the order of the labels."""
    return {
        "agreements": [relabelled(one.text, labels) for one in found.agreements],
        "points": [
            {
                "id": point.id,
                "statement": relabelled(point.statement, labels),
                "positions": [
                    {
                        "label": labels.get(slug, slug),
                        "position": relabelled(point.positions[slug].position, labels),
                    }
                    for slug in sorted(point.positions, key=lambda slug: (labels.get(slug, slug), slug))
                ],
            }
            for point in found.points
        ],
        "questions": [relabelled(one, labels) for one in found.open_questions],
    }


def form(model: type[BaseModel]) -> dict[str, str]:
    """The schema that a prompt shows, and its shape for a reminder; both of what is validated."""
    return {"schema": structured.schema(model), "shape": structured.shape(model)}


def compact(reply: BaseModel) -> str:
    """A reply as it enters the moderator's prompt: long texts and lists cut, marked; the record has it whole."""
    return json.dumps(_cut(reply.model_dump(mode="json")), ensure_ascii=False, indent=1)


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return words(value, _MOST_WORDS)
    if isinstance(value, list):
        rest = len(value) - _MOST_ITEMS
        return [*map(_cut, value[:_MOST_ITEMS]), *([f"[… {rest} more cut]"] if rest > 0 else [])]
    return {key: _cut(one) for key, one in value.items()} if isinstance(value, dict) else value


def shown(found: Digest, labels: Mapping[str, str]) -> str:
    """A digest as JSON with labels in place of seats, for the moderator's prompt."""
    points_ = [
        {
            "id": point["id"],
            "statement": point["statement"],
            "positions": {held["label"]: held["position"] for held in point["positions"]},
        }
        for point in points(found, labels)["points"]
    ]
    agreed = [relabelled(one.text, labels) for one in found.agreements]
    questions = [relabelled(one, labels) for one in found.open_questions]
    return json.dumps(
        {"agreements": agreed, "points": points_, "open_questions": questions}, ensure_ascii=False, indent=1
    )


def unlabelled(reply: Discussion, labels: Mapping[str, str]) -> Discussion:
    """The reply with seats in place of this step's labels, as ⟨slug⟩: the next step has other labels."""
    tokens = {slug: f"⟨{slug}⟩" for slug in labels}
    responses = [
        one.model_copy(
            update={
                "position": named(one.position, labels, tokens),
                "reasoning": named(one.reasoning, labels, tokens),
            }
        )
        for one in reply.point_responses
    ]
    return reply.model_copy(update={"point_responses": responses})
