"""What a format can wait for. Each command has a name that is unique in its run: under it the journal keeps how it ended."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rt_moderator.plan import SeatPlan


@dataclass(frozen=True, slots=True)
class Command:
    """One awaitable of a format; the driver carries it out and sends its value back."""

    name: str
    kind: ClassVar[str] = ""

    def __await__(self) -> Generator[Command, Any, Any]:
        """Hand this command to the driver."""
        return (yield self)


@dataclass(frozen=True, slots=True)
class Ask(Command):
    """Put a request to seats, all at once, and wait until every turn is closed → `model.Step`."""

    kind: ClassVar[str] = "ask"
    seats: tuple[str, ...] = ()
    intent: str = ""  # what stands in the record
    request: Callable[[str], str] = str  # slug → its request
    round: int | None = None  # None: the table keeps its round
    timeout: float | None = None  # seconds; None: the table's turn timeout
    again: bool = (
        False  # a seat that ran out of time is asked again with a fresh deadline, within its strikes
    )
    notes: bool = True  # what a person said since the last step goes into the requests
    labels: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict
    )  # reader → {peer: label}, kept in the event


@dataclass(frozen=True, slots=True)
class Retry(Command):
    """Open the failed turns of a step again and wait once more → `model.Step`."""

    kind: ClassVar[str] = "retry"
    step: str = ""


@dataclass(frozen=True, slots=True)
class Once(Command):
    """A finding that is no reply (clock, search, budget, chance): `fn` runs once, its JSON value stays → that value."""

    kind: ClassVar[str] = "once"
    fn: Callable[[], Any] = dict
    slow: bool = False  # runs beside the host, which goes on


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One one-shot call: who may make it, in order, and how its text is judged."""

    name: str
    prompt: str
    candidates: tuple[str, ...]  # PROFILE[:MODEL[:EFFORT]], the first that delivers counts
    timeout: float = 180.0  # seconds, for each candidate
    check: Callable[[str], Any] | None = (
        None  # ValueError: one more try with the reason, then the next candidate
    )


@dataclass(frozen=True, slots=True)
class Jobs(Command):
    """One-shot calls in parallel, outside the panel → a list of `model.Job` in their order."""

    kind: ClassVar[str] = "jobs"
    jobs: tuple[JobSpec, ...] = ()


@dataclass(frozen=True, slots=True)
class Sit(Command):
    """Seat more participants → their slugs."""

    kind: ClassVar[str] = "sit"
    seats: tuple[SeatPlan, ...] = ()


@dataclass(frozen=True, slots=True)
class Gate(Command):
    """Wait for a person's decision, for days if need be, without a process → `model.Decision`."""

    kind: ClassVar[str] = "gate"
    reason: str = ""  # one word: no_replies, round, deadlock …
    details: str = ""  # what to decide about, Markdown
    options: tuple[str, ...] = ("continue", "steer", "stop")


@dataclass(frozen=True, slots=True)
class Moderate(Command):
    """Wait for the moderator's synthesis of what was said so far → {seq, text, digest}."""

    kind: ClassVar[str] = "moderate"
    asks: str = ""  # what it should hold


@dataclass(frozen=True, slots=True)
class Publish(Command):
    """Write a message of the moderation into the record → its seq."""

    kind: ClassVar[str] = "publish"
    text: str = ""
    person: str = "synthesizer"
    final: bool = True  # the round stays


@dataclass(frozen=True, slots=True)
class Phase(Command):
    """Say what the table is doing: debating, awaiting_synthesis, veto → None."""

    kind: ClassVar[str] = "phase"
    phase: str = ""


@dataclass(frozen=True, slots=True)
class Conclude(Command):
    """Write report and results, and say that the format is over → None."""

    kind: ClassVar[str] = "conclude"
    outcome: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Budget(Command):
    """Whether the budget allows one more step → why not, or ''."""

    kind: ClassVar[str] = "budget"
    minutes: float = 0.0  # when nobody set any; 0: no limit


@dataclass(frozen=True, slots=True)
class Look(Command):
    """How the table is now, as it stays known to the run → {head, degraded, seats}."""

    kind: ClassVar[str] = "look"


@dataclass(frozen=True, slots=True)
class Tell(Command):
    """Add to what the status says while the run goes on: a warning, or a deadlock → None."""

    kind: ClassVar[str] = "tell"
    what: str = "warnings"  # or deadlocks
    text: str = ""
