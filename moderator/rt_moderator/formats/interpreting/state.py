"""What a run of `interpret` has come to so far, and the outcome it makes of that. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rt_moderator.engine.model import Outcome, Seat, Step
from rt_moderator.formats.interpreting import report
from rt_moderator.formats.interpreting import rounds as counting
from rt_moderator.formats.interpreting.digest import EMPTY, Digest
from rt_moderator.formats.interpreting.moderating import Moderated
from rt_moderator.formats.interpreting.replies import Discussion
from rt_moderator.formats.interpreting.seats import QUORUM

Rows = list[dict[str, str]]  # the seat table as it was planned


@dataclass
class Run:
    """One run. `done` counts discussion rounds, `known` holds every usable message of a seat."""

    paths: tuple[str, ...]
    rounds: int
    planned: Rows
    first: Step = field(default_factory=lambda: Step("", 0, 0))
    last: Step = field(default_factory=lambda: Step("", 0, 0))
    digest: Digest = EMPTY
    verdict: counting.Verdict | None = None
    agrees: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    known: dict[str, frozenset[int]] = field(default_factory=dict)
    reasons: dict[str, dict[str, str]] = field(default_factory=dict)
    done: int = 0
    by: str = ""
    sorted: bool = False  # whether there is a digest
    warnings: list[str] = field(default_factory=list)

    @property
    def live(self) -> list[str]:
        """Seats that still sit there, as far as the last step tells."""
        return [*self.last.seats, *(one.seat for one in self.last.failures if one.state != "dropped")]

    def heard(self, step: Step) -> dict[str, int]:
        """Keep a step; slug → seq of its usable answers."""
        self.last = step
        said = {answer.seat: answer.seq for answer in step if not answer.malformed}
        for slug, seq in said.items():
            self.known[slug] = self.known.get(slug, frozenset()) | {seq}
        return said

    def reasoned(self, heard: Mapping[str, Discussion]) -> None:
        """Keep why seats hold what they hold."""
        for slug, reply in heard.items():
            for one in reply.point_responses:
                self.reasons.setdefault(one.point_id, {})[slug] = one.reasoning

    def take(self, found: Moderated) -> None:
        """Keep a digest, if one was made."""
        self.warnings += found.warnings
        self.by = found.by or self.by
        if found.digest is not None:
            self.digest, self.sorted = found.digest, True

    def ended(self) -> str:
        """Why there is no further round; empty when there is one."""
        if not self.sorted:
            return "no_synthesis: nobody sorted the readings"
        if not self.digest.points:
            return "full_consensus: nothing is open"
        if self.verdict == "stalled":
            return "stalled: a whole round resolved nothing and changed no mind"
        if len(self.live) < QUORUM:
            return f"too_few_seats: {len(self.live)} seats are left, it takes {QUORUM}"
        return (
            "" if self.done < self.rounds else f"rounds: {self.done} discussion rounds, and points are open"
        )

    def outcome(self, request: str, seats: tuple[Seat, ...], stop: str) -> Outcome:
        """The report and its result."""
        rows = _rows(self.last, seats, self.planned)
        heard = sum(row.status == "answered" for row in rows)
        stalled = self.verdict == "stalled"
        unsorted = (
            {answer.seat: (answer.seq, answer.text) for answer in self.first} if not self.sorted else {}
        )
        blocked = [f"{row.seat} does not sit here: {row.reason}" for row in rows if row.status == "blocked"]
        found = report.Reading(
            request=request,
            status=counting.status(self.digest, self.verdict, heard, QUORUM) if self.sorted else "partial",
            stop_reason=stop,
            rounds=self.done,
            seats=rows,
            digest=self.digest,
            confidence=counting.confidence(
                self.digest, available=heard, missing=len(rows) - heard, stalled=stalled, quorum=QUORUM
            ),
            reasons=self.reasons,
            openings=unsorted,
            by=self.by,
            warnings=[*blocked, *self.warnings],
            failed=not self.sorted,
        )
        return report.outcome(found)


def _rows(step: Step, seats: tuple[Seat, ...], planned: Rows) -> list[report.SeatRow]:
    """Every planned seat, as it was in the last step; those that never sat last, with what blocked them."""
    paths = {row["seat"]: row.get("path", "") for row in planned}
    rows = [
        _row(step, seat.slug, paths.get(seat.slug) or f"{seat.profile} {seat.model}".strip())
        for seat in seats
    ]
    sits = {seat.slug for seat in seats}
    blocked = [row for row in planned if row["seat"] not in sits]
    return [
        *rows,
        *(
            report.SeatRow(one["seat"], one.get("path", ""), "blocked", one.get("blocked_reason", ""))
            for one in blocked
        ),
    ]


def _row(step: Step, slug: str, path: str) -> report.SeatRow:
    answer = step.of(slug)
    if answer is not None:
        return report.SeatRow(slug, path, "malformed" if answer.malformed else "answered", answer.malformed)
    failed = next((one for one in step.failures if one.seat == slug), None)
    return report.SeatRow(slug, path, failed.state if failed else "dropped", failed.reason if failed else "")
