"""The synthesis as a form: what the synthesizer fills in, what is wrong with a draft, how it reads (S0.26). Pure.

A draft whose claims cite nothing, or messages that do not exist, or that leaves a dissent out, is refused with the reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from rt_moderator.formats import structured


def _number(value: Any) -> Any:
    """12, 'm12', '[m12]' → 'm12'; anything else as it is, for the pattern to refuse."""
    text = str(value).strip(" []()`").casefold()
    return f"m{text}" if text.isdigit() else text


_Message = Annotated[str, BeforeValidator(_number), Field(pattern=r"^m[1-9][0-9]{0,17}$")]
_Messages = Annotated[list[_Message], Field(min_length=1, max_length=20, description="m2")]
_Text = Annotated[str, Field(min_length=1, description="one or two sentences")]


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, str_strip_whitespace=True)


class Claim(_Form):
    """Something that the discussion holds, and the messages it stands in."""

    text: _Text
    messages: _Messages


class Position(_Form):
    """What one seat holds, in its own terms; the messages are its own."""

    seat: str = Field(min_length=1, description="slug of the seat")
    text: _Text
    messages: _Messages


class Divergence(_Form):
    """A point on which seats part."""

    point: str = Field(min_length=1, description="the point, neutrally")
    positions: list[Position] = Field(min_length=1)


class RedFlag(_Form):
    """A risk that somebody named, and what would reduce it."""

    risk: _Text
    mitigation: _Text
    messages: _Messages


class Action(_Form):
    """One step, in the order in which to take it."""

    step: _Text
    messages: _Messages


class Draft(_Form):
    """The synthesis, without the parts that need no judgement."""

    consensus: list[Claim] = Field(default_factory=list)
    divergences: list[Divergence] = Field(default_factory=list)
    blind_spots: list[Claim] = Field(default_factory=list)
    recommendation: Claim
    outlier: Position | None = None
    red_flags: list[RedFlag] = Field(default_factory=list)
    action_plan: list[Action] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Dissent:
    """Somebody who holds something else than the rest: it has to stand under divergences or as the outlier."""

    seat: str
    what: str


def check(by_message: Mapping[int, str], dissents: Sequence[Dissent]) -> Callable[[str], Draft]:
    """A reader of drafts for a job: text → Draft, ValueError with everything that is wrong."""

    def checked(text: str) -> Draft:
        draft = structured.read(Draft, text)
        if found := problems(draft, by_message, dissents):
            raise ValueError("; ".join(found))
        return draft

    return checked


def problems(draft: Draft, by_message: Mapping[int, str], dissents: Sequence[Dissent]) -> list[str]:
    """What is wrong with a draft, in words for who wrote it; empty when it can stand.

    Args:
        draft: the draft.
        by_message: message number of every reply → its seat.
        dissents: who has to be heard.
    """
    known = {f"m{seq}": seat for seq, seat in by_message.items()}
    found = [
        f"{message} is no reply of this discussion ({where})"
        for where, messages in _cited(draft)
        for message in messages
        if message not in known
    ]
    for position in positions(draft):
        if position.seat not in by_message.values():
            found.append(f"no seat is called {position.seat}")
        elif not any(known.get(message) == position.seat for message in position.messages):
            found.append(f"the position of {position.seat} cites no message of {position.seat}")
    heard = {position.seat for position in positions(draft)}
    found += [
        f"the dissent of {dissent.seat} is left out ({dissent.what}): put it under divergences, in its own terms"
        for dissent in dissents
        if dissent.seat not in heard
    ]
    return list(dict.fromkeys(found))


def positions(draft: Draft) -> list[Position]:
    """Everything that is said to be one seat's."""
    every = [position for divergence in draft.divergences for position in divergence.positions]
    return [*every, draft.outlier] if draft.outlier else every


def cited(draft: Draft) -> list[int]:
    """The message numbers that the draft cites, each once, in order."""
    return sorted({int(message[1:]) for _, messages in _cited(draft) for message in messages})


def _cited(draft: Draft) -> Iterator[tuple[str, Sequence[str]]]:
    for name in ("consensus", "blind_spots", "red_flags", "action_plan"):
        for one in getattr(draft, name):
            yield name, one.messages
    yield "recommendation", draft.recommendation.messages
    for position in positions(draft):
        yield f"position of {position.seat}", position.messages
