"""The rounds of an audit: who says what about which finding, until the seats agree, are stuck, or have no rounds left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rt_moderator import words
from rt_moderator.engine.table import NobodyAnsweredError
from rt_moderator.formats.audit import case as cases
from rt_moderator.formats.audit import fingerprint, status, views, voices
from rt_moderator.formats.audit.consensus import Assessment, assess, deadlocked, in_order
from rt_moderator.formats.audit.ledger import Ledger, Said
from rt_participant.show import gist

if TYPE_CHECKING:
    from rt_moderator.engine.model import Step
    from rt_moderator.engine.table import Table
    from rt_moderator.formats.audit.case import Case


class Debate:
    """What an audit has come to so far. Changes by rounds only."""

    def __init__(self, table: Table, case: Case, *, in_turn: bool, lensed: bool) -> None:
        """Nobody has said anything; `in_turn` asks one seat after the other, `lensed` puts a seat's role into its request."""
        self.table, self.case, self.in_turn, self.lensed = table, case, in_turn, lensed
        self.seats = tuple(seat.slug for seat in table.seats)
        self.live = self.seats
        self.ledger = Ledger()
        self.statuses: dict[str, status.Status | None] = {}
        self.gists: dict[str, str] = {}
        self.blocking: list[frozenset[str]] = []
        self.rounds = 0
        self.warnings = list(case.warnings)
        self.deadlocks: list[str] = []
        self.history: list[dict[str, Any]] = []
        self.found = Assessment(False, ("nothing was said",))
        self._print = case.print

    async def run(self) -> str:
        """All rounds; returns why they stopped.

        Raises:
            NobodyAnsweredError: in the first round.
        """
        last = self.case.rounds
        while True:
            try:
                answered = await self._round(self.rounds + 1)
            except NobodyAnsweredError:
                if not self.rounds:
                    raise
                return f"no_replies: nobody answered round {self.rounds + 1}"
            if why := await self._over(answered, last):
                return why
            last = max(last, self.rounds + 1)
            if spent := await self.table.budget(f"r{self.rounds + 1}", cases.BUDGET_MINUTES):
                return spent

    async def _over(self, answered: int, last: int) -> str:
        """Why there is no further round; empty when there is one."""
        if self.found.reached:
            return f"consensus: {self.found.why}"
        if self.rounds == 1 and answered < 2:
            return "one_reply: a single seat answered, there is nobody to agree with"
        choice, why = await self._gate(last)
        if choice != "steer" and self.rounds >= last and not why:
            return f"rounds: {self.rounds} of {last}"
        return why

    async def _round(self, number: int) -> int:
        """One round; returns how many answered. A seat's vote of an earlier round is gone when it begins."""
        groups = [(slug,) for slug in self.live] if self.in_turn else [self.live]
        statuses, live, answered = self.statuses, [], 0
        self.statuses = {}
        try:
            for at, group in enumerate(groups, 1):
                name = f"r{number}-{at}" if self.in_turn else f"r{number}"
                step = await self._asked(name, number, group, needed=at == len(groups) and not answered)
                answered += len(step.answers)
                live += [slug for slug in group if slug in _still_there(step)]
        except NobodyAnsweredError:
            self.statuses = statuses
            raise
        self.live, self.rounds = tuple(live), number
        await self.watch(f"r{number}.target", f"round {number}")
        self._assess()
        self.history.append(self._summary())
        await self.table.once(f"r{number}.summary", self._summary)
        return answered

    async def _asked(self, name: str, number: int, group: Sequence[str], *, needed: bool) -> Step:
        """One step, taken into the ledger."""
        labels = self.table.labels(name, self.seats)
        first = not self.ledger.entries
        alike = first and not self.lensed and not self.in_turn
        each = {
            slug: {
                "lens": self._lens(slug),
                "findings": views.findings(self.ledger, slug, labels[slug], self.seats),
            }
            for slug in group
        }
        step = await self.table.collect(
            name, group, "audit_first" if first else "audit_round",
            parse=status.status, reminder="audit_again", title="" if alike else self._title(number, group),
            each=each, round=number, seconds=self.case.seconds, again=True, labels={s: labels[s] for s in group},
            needed=needed, brief=self.case.brief, number=number, rounds=max(self.case.rounds, number), schema=status.schema(status.Status),
        )  # fmt: skip
        said = []
        for answer in step:
            found = None if answer.malformed else voices.status_named(answer.parsed, labels[answer.seat])
            self.statuses[answer.seat] = found
            self.gists[answer.seat] = voices.named(gist(answer.text), labels[answer.seat])
            said += [Said(answer.seat, found, answer.cite)] if found else []
        self.ledger = self.ledger.folded(number, said)
        return step

    def _title(self, number: int, group: Sequence[str]) -> str:
        ids = in_order(self.ledger.blocking())
        what = (
            f"{len(self.ledger.entries)} findings, blocking: {words.listed(ids) or 'none'}"
            if number > 1
            else self.table.topic
        )
        return f"Audit, round {number}" + (f", {group[0]}" if self.in_turn else "") + f": {what}"

    def _lens(self, slug: str) -> str:
        seat = self.table.seat(slug)
        return ": ".join(filter(None, (seat.role, seat.viewpoint))) if self.lensed else ""

    def _assess(self) -> None:
        blocking = self.ledger.blocking(self.live)
        self.blocking.append(blocking)
        self.found = assess(
            self.statuses, self.live, blocking, round=self.rounds, min_rounds=self.case.min_rounds
        )

    def _summary(self) -> dict[str, Any]:
        return {
            "round": self.rounds,
            "verdicts": {slug: found.verdict if (found := self.statuses.get(slug)) else None for slug in self.live},
            "blocking": in_order(self.blocking[-1]), "consensus": self.found.reached, "why": self.found.why,
        }  # fmt: skip

    async def watch(self, name: str, when: str) -> None:
        """Look whether the target is still what it was; what changed is a warning."""
        where = (self.case.target, self.table.options.out, self.table.fields.get("cwd", ""))
        now = await self.table.once(name, lambda: cases.looked(*where), slow=True)
        if changed := fingerprint.changed(self._print, now):
            self.warnings.append(
                f"The target changed during {when}: {changed}. What was found before may no longer hold."
            )
            await self.table.tell(f"{name}.changed", self.warnings[-1])
        self._print = now

    async def _gate(self, last: int) -> tuple[str, str]:
        """What a person decides, where one is asked: (continue, steer or stop; why it stops, if it does)."""
        options = self.table.options
        stuck = deadlocked(self.blocking)
        if stuck:
            ids = words.listed(in_order(self.blocking[-1]))
            self.deadlocks.append(f"round {self.rounds}: {ids}")
            await self.table.tell(f"r{self.rounds}.deadlock", self.deadlocks[-1], "deadlocks")
            if options.on_deadlock == "stop":
                return "stop", f"deadlock: {ids} blocked two rounds running"
        if not stuck and options.steering != "active":
            return "continue", ""
        reason = "deadlock" if stuck else "round"
        decided = await self.table.gate(f"r{self.rounds}.gate", reason, self._details(last, stuck=stuck))
        return (
            decided.choice,
            f"decision: stop after round {self.rounds}" if decided.choice == "stop" else "",
        )

    def _details(self, last: int, *, stuck: bool) -> str:
        """The disagreements, and nothing that is agreed."""
        contested = [
            entry for entry in self.ledger
            if entry in self.ledger.contested(self.live) or (stuck and entry.id in self.blocking[-1])
        ]  # fmt: skip
        head = f"Round {self.rounds} of {last} is over; no consensus: {self.found.why}."
        if stuck:
            head += f" {words.listed(in_order(self.blocking[-1]))} blocked two rounds running: say which to settle, and what would settle it."
        if self.rounds >= last:
            head += " No round is left: continue goes on to the synthesis, steer adds one round."
        return f"{head}\n\n{views.disagreements(contested, self.live, self.seats) or 'The seats do not disagree on any finding.'}\n"


def _still_there(step: Step) -> list[str]:
    return [*step.seats, *(failure.seat for failure in step.failures if failure.state != "dropped")]
