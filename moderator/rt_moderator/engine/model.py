"""What a format works with: seats, answers, steps, decisions, and how it ends. Plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


@dataclass(frozen=True, slots=True)
class Seat:
    """A participant as it was when the format began; `family` is whose models answer."""

    slug: str
    name: str = ""
    role: str = ""
    viewpoint: str = ""
    profile: str = ""
    model: str = ""
    family: str = ""
    fallback: str = ""  # PROFILE[:MODEL] that may sit in for it


@dataclass(frozen=True, slots=True)
class Answer:
    """One seat's answer to a step. `parsed` is what `collect` read in it, `malformed` why it could not (then parsed is None)."""

    seat: str
    seq: int
    text: str
    seconds: float = 0.0
    parsed: Any = None
    malformed: str = ""

    @property
    def cite(self) -> str:
        """Its message number, such as m12."""
        return f"m{self.seq}"


@dataclass(frozen=True, slots=True)
class Failure:
    """A seat that did not answer a step: how its turn closed (failed, dropped, cancelled) and why."""

    seat: str
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class Step:
    """One question as it ended: the answers in the order of the seats asked, and who failed. Never changes once it is closed."""

    name: str
    seq: int
    round: int
    answers: tuple[Answer, ...] = ()
    failures: tuple[Failure, ...] = ()
    seconds: float = 0.0  # of the slowest seat

    @property
    def seats(self) -> tuple[str, ...]:
        """The slugs that answered."""
        return tuple(answer.seat for answer in self.answers)

    def __iter__(self) -> Iterator[Answer]:
        """The answers."""
        return iter(self.answers)

    def of(self, slug: str) -> Answer | None:
        """That seat's answer; None when it failed or was not asked."""
        return next((answer for answer in self.answers if answer.seat == slug), None)

    def parsed(self) -> dict[str, Any]:
        """Slug → what was read in its answer, without those that were malformed."""
        return {answer.seat: answer.parsed for answer in self.answers if not answer.malformed}

    def read(self, parse: Callable[[str], Any]) -> Step:
        """The same step with every answer read; ValueError of `parse` makes an answer malformed, never a crash."""
        return replace(self, answers=tuple(_read(answer, parse) for answer in self.answers))


def _read(answer: Answer, parse: Callable[[str], Any]) -> Answer:
    try:
        return replace(answer, parsed=parse(answer.text), malformed="")
    except ValueError as exc:
        return replace(answer, parsed=None, malformed=str(exc) or "not readable")


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided at a gate: continue, steer, stop, retry or veto; `text` is what was said with it."""

    choice: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """A one-shot call outside the panel: no seat, no vote. `text` is empty when no candidate delivered, `reasons` say why."""

    text: str = ""
    parsed: Any = None
    profile: str = ""
    model: str = ""
    family: str = ""
    seconds: float = 0.0
    usage: Mapping[str, Any] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether some candidate delivered."""
        return bool(self.text)


class Section(BaseModel):
    """A part of a report. `body` is Markdown of ours; what participants wrote in it was quoted when it was made."""

    model_config = ConfigDict(frozen=True)

    title: str
    body: str


class Outcome(BaseModel):
    """How a format ended; reports and result.json are made of it, the record and the journal.

    `rounds` counts as the format's rules say, percentages are 0–100 or None (not scored), `sections` stand in their order
    below the header that the report makes itself (degraded first). `extra` goes into result.json as it is.
    """

    status: Literal["done", "failed"] = "done"
    result: str = (
        ""  # consensus | no_consensus | degraded | failed | full_consensus | partial | stalled | answered …
    )
    stop_reason: str = ""
    rounds: int = 0
    workflow: str = ""
    consensus_pct: float | None = None
    agreement: float | None = None
    validated: Literal["yes", "partial", "no"] | None = None
    synthesis: str = ""
    synthesis_model: str = ""
    header: list[tuple[str, str]] = Field(
        default_factory=list
    )  # more lines for the report's header: name, text
    sections: list[Section] = Field(default_factory=list)
    run: list[tuple[str, str]] = Field(default_factory=list)  # more lines of the report's last section
    warnings: list[str] = Field(default_factory=list)
    degraded: list[dict[str, str]] = Field(
        default_factory=list
    )  # {seat, why, action} beside what the host saw
    extra: dict[str, Any] = Field(default_factory=dict)
