"""What a round table has come to so far, and the outcome it makes of that. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rt_moderator.engine.model import Outcome, Seat, Section, Step
from rt_moderator.engine.prompts import words
from rt_moderator.formats.tabling.syntheses import Synthesis, document
from rt_moderator.quoting import inline, quoted

FALLBACK_QUESTION = "Where do you part from what was said so far, and what would settle it?"
_SIDE_BY_SIDE = 80  # words of a reply where nobody summed up


@dataclass(frozen=True, slots=True)
class Round:
    """A round: its question, how its step ended, and its summary as text (seq 0: nobody wrote one)."""

    number: int
    question: str
    step: Step
    text: str = ""
    seq: int = 0
    summary: Synthesis | None = None  # of a job; a person's is text


@dataclass
class Talk:
    """All rounds so far."""

    seats: tuple[Seat, ...]
    rounds: list[Round] = field(default_factory=list)
    by: str = ""
    warnings: list[str] = field(default_factory=list)

    @property
    def last(self) -> Round:
        """The latest round."""
        return self.rounds[-1]

    @property
    def known(self) -> set[int]:
        """Every reply that may be cited."""
        return {answer.seq for one in self.rounds for answer in one.step}

    @property
    def contested(self) -> list[int]:
        """The messages of the last tensions."""
        summary = self.last.summary
        return sorted({seq for claim in summary.tensions for seq in claim.messages}) if summary else []

    def of(self, seq: int) -> str:
        """Whose reply that is; '' when nobody's."""
        found = (answer.seat for one in self.rounds for answer in one.step if answer.seq == seq)
        return next(found, "")

    def cite(self, seq: int, names: Mapping[str, str] | None = None) -> str:
        """A message and whose it is: by slug, or as `names` calls that seat."""
        slug = self.of(seq)
        who = slug if names is None else names.get(slug, "")
        return f"{who} m{seq}" if who else f"m{seq}"


def side_by_side(step: Step, names: Mapping[str, str]) -> str:
    """The replies one after the other, cut, for when nobody summed up."""
    said = [
        f"{names.get(answer.seat, answer.seat)} ({answer.cite}): {words(answer.text, _SIDE_BY_SIDE)}"
        for answer in step
    ]
    return "\n\n".join(["*no synthesis*: nobody summed up; the replies stand side by side.", *said]) + "\n"


def outcome(talk: Talk, wrap: Mapping[str, str] | None, stop: str) -> Outcome:
    """How the table ended. `wrap` is title → Markdown; None when nobody wrote it: then the last replies stand side by side."""
    sections = [Section(title=title, body=body) for title, body in (wrap or {}).items()]
    if wrap is None:
        sections = [Section(title="No synthesis", body=_quoted_side_by_side(talk.last.step))]
    return Outcome(
        status="done" if wrap is not None else "failed",
        result="answered" if wrap is not None else "failed",
        stop_reason=stop if wrap is not None else f"no_synthesis; {stop}",
        rounds=len(talk.rounds),
        synthesis=document(wrap) if wrap else "",
        synthesis_model=talk.by,
        sections=[*sections, Section(title="Rounds", body=_rounds(talk))],
        warnings=talk.warnings,
        extra={"table_rounds": [_round(one) for one in talk.rounds], "points": _points(talk)},
    )


def _quoted_side_by_side(step: Step) -> str:
    said = [f"**{inline(answer.seat)}** ({answer.cite})\n\n{quoted(answer.text)}" for answer in step]
    return "\n\n".join(["*no synthesis*: nobody summed up; the last replies stand side by side.", *said])


def _rounds(talk: Talk) -> str:
    lines = []
    for one in talk.rounds:
        cites = ", ".join(f"{inline(answer.seat)} {answer.cite}" for answer in one.step)
        summed = f"; summed up in m{one.seq}" if one.seq else ""
        lines.append(f"- Round {one.number}: {inline(one.question)} ({cites or 'nobody answered'}{summed})")
        lines += [f"  - {inline(fail.seat)}: {_mark(fail.reason)}" for fail in one.step.failures]
    return "\n".join(lines)


def _mark(reason: str) -> str:
    """`[TIMEOUT]` or `[ERROR: …]`, as the record has it."""
    words_ = inline("TIMEOUT" if reason == "timeout" else f"ERROR: {reason or 'no reply'}")
    return f"\\[{words_}\\]"


def _round(one: Round) -> dict[str, Any]:
    return {
        "round": one.number,
        "question": one.question,
        "replies": {answer.seat: answer.cite for answer in one.step},
        "failures": {fail.seat: fail.reason for fail in one.step.failures},
        "synthesis": f"m{one.seq}" if one.seq else None,
    }


def _points(talk: Talk) -> list[dict[str, Any]]:
    """The last tensions as points: who stands in them, with the message."""
    summary = talk.last.summary
    return [
        {
            "id": f"T{at}",
            "statement": claim.text,
            "status": "open",
            "positions": {talk.of(seq): f"m{seq}" for seq in sorted(set(claim.messages)) if talk.of(seq)},
        }
        for at, claim in enumerate(summary.tensions if summary else (), 1)
    ]


def panel(seats: Sequence[Seat]) -> list[dict[str, str]]:
    """Roles without names, for a prompt of the moderator."""
    return [{"role": seat.role, "focus": seat.viewpoint} for seat in seats]
