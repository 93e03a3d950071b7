"""A table as a format sees it. A format is an async function over one; it reads like its description.

Everything it awaits is durable: what has happened comes back at once, what is open is awaited, what is missing is begun. So a
format may compute only from what it was given here; the clock, chance and anything outside go through `once`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rt_moderator.engine import commands, labels, prompts
from rt_moderator.engine.model import Decision, Job, Outcome, Seat, Step
from rt_moderator.engine.options import Options
from rt_moderator.plan import SeatPlan


class NobodyAnsweredError(Exception):
    """A step that nobody answered, and that was not tried again: the run ends as failed, `no_replies`."""

    def __init__(self, step: str) -> None:
        """Of that step."""
        super().__init__(step)
        self.step = step


class Table:
    """One run of a format over one table."""

    def __init__(self, facts: Mapping[str, str], seats: Sequence[Seat], options: Options) -> None:
        """From the table's fields, its seats when the run began, and what was asked for."""
        self.id = facts["id"]
        self.topic = facts["topic"]
        self.fields = facts
        self.seats = tuple(seats)
        self.options = options
        self.mode = facts.get("mode", "")
        self._labels: dict[str, Mapping[str, Mapping[str, str]]] = {}

    def seat(self, slug: str) -> Seat:
        """The seat of that slug.

        Raises:
            KeyError.
        """
        return {seat.slug: seat for seat in self.seats}[slug]

    def labels(self, step: str, slugs: Sequence[str]) -> dict[str, dict[str, str]]:
        """Reader → {peer: label} for a step, shuffled per reader; slugs themselves with --named. Goes into `ask(labels=)`."""
        return labels.by_seat(slugs, step, self.id, hidden=not self.options.named)

    async def ask(  # noqa: PLR0913 (the options of a step; all but three are keywords)
        self,
        name: str,
        seats: Sequence[str] | Sequence[Seat],
        template: str,
        *,
        title: str = "",
        each: Mapping[str, Mapping[str, Any]] | None = None,
        round: int | None = None,  # noqa: A002 (the word of the contract)
        seconds: float | None = None,
        again: bool = False,
        notes: bool = True,
        labels: Mapping[str, Mapping[str, str]] | None = None,
        needed: bool = True,
        **values: Any,
    ) -> Step:
        """Put `template` to the live ones of `seats`, in parallel and blind to each other, and wait until all turns are closed.

        Args:
            name: of the step, unique in the run; a turn is `<name>/<slug>`.
            seats: slugs or seats; those dropped since are left out.
            template: of `prompts/formats`; gets `topic`, `seat` (a model.Seat), `values`, and what `each[slug]` adds.
            title: what stands in the record as the step's intent; without one every request must be the same text, which then is
                the intent itself.
            each: slug → values of its own.
            round: what the table's round becomes.
            seconds: for each turn; None: the option turn_timeout, else the table's.
            again: a seat that ran out of time is asked again with a fresh deadline until its strikes are used up.
            notes: whether what a person said since the last step is put into every request.
            labels: reader → {peer: label}, kept with the step's event.
            needed: whether a step without any answer goes to a gate (retry, or stop).
            values: for the template.

        Raises:
            NobodyAnsweredError: needed, and it was decided to stop.
        """
        slugs = tuple(seat if isinstance(seat, str) else seat.slug for seat in seats)

        def request(slug: str) -> str:
            own = dict((each or {}).get(slug, {}))
            return prompts.render(template, topic=self.topic, seat=self._known(slug), **{**values, **own})

        step: Step = await commands.Ask(
            name,
            slugs,
            title,
            request,
            round,
            seconds or self.options.turn_timeout,
            again,
            notes,
            labels or {},
        )
        tries = 1
        while needed and not step.answers:
            reasons = [f"- {failure.seat}: {failure.reason}" for failure in step.failures]
            details = "\n".join(["0 agents responded", *reasons])
            decided = await self.gate(f"{name}.nobody{tries}", "no_replies", details, ("retry", "stop"))
            if decided.choice != "retry":
                raise NobodyAnsweredError(name)
            step = await commands.Retry(f"{name}.retry{tries}", name)
            tries += 1
        return step

    def _known(self, slug: str) -> Seat:
        return next((seat for seat in self.seats if seat.slug == slug), Seat(slug))

    async def collect(
        self,
        name: str,
        seats: Sequence[str] | Sequence[Seat],
        template: str,
        *,
        parse: Callable[[str], Any],
        reminder: str,
        **how: Any,
    ) -> Step:
        """`ask` for a structured reply: `parse` reads each (ValueError says what is wrong), who is malformed gets one reminder.

        The reminder is the template `reminder` with `problem` (and all values of `how`), as step `<name>.again`. An answer that
        is still malformed stays, marked: never a guess. The seq is the one of the answer that counts.
        """  # fmt: skip
        step = (await self.ask(name, seats, template, **how)).read(parse)
        bad = {answer.seat: answer.malformed for answer in step if answer.malformed}
        if not bad:
            return step
        kept = {key: value for key, value in how.items() if key not in ("title", "each", "round", "needed")}
        each = {
            slug: {**(how.get("each") or {}).get(slug, {}), "problem": problem}
            for slug, problem in bad.items()
        }
        title = f"{', '.join(bad)}: the form was missed, once more"
        second = await self.ask(
            f"{name}.again", tuple(bad), reminder, title=title, each=each, needed=False, **kept
        )
        better = {answer.seat: answer for answer in second.read(parse) if not answer.malformed}
        return replace(step, answers=tuple(better.get(answer.seat, answer) for answer in step))

    async def once(self, name: str, fn: Callable[[], Any], *, slow: bool = False) -> Any:
        """The JSON value of `fn`, found once and the same for ever; `slow` runs it beside the host (no bus, no table in it)."""
        return await commands.Once(name, fn, slow)

    async def jobs(self, name: str, *jobs: commands.JobSpec) -> list[Job]:
        """One-shot calls in parallel, outside the panel, each with candidates in order; a late or failed one has no text."""
        found: list[Job] = await commands.Jobs(name, jobs)
        return found

    async def job(
        self,
        name: str,
        template: str,
        candidates: Sequence[str],
        *,
        seconds: float = 180.0,
        check: Callable[[str], Any] | None = None,
        **values: Any,
    ) -> Job:
        """One one-shot call; the template gets `topic` and `values`."""
        prompt = prompts.render(template, topic=self.topic, **values)
        return (await self.jobs(name, commands.JobSpec(name, prompt, tuple(candidates), seconds, check)))[0]

    async def sit(self, name: str, seats: Sequence[SeatPlan]) -> tuple[Seat, ...]:
        """Seat more participants; those that cannot run here are left out (a warning says why). They join `table.seats`."""
        found = await commands.Sit(name, tuple(seats))
        new = tuple(Seat(**one) for one in found)
        self.seats = (*self.seats, *(seat for seat in new if seat.slug not in {s.slug for s in self.seats}))
        return new

    async def gate(
        self,
        name: str,
        reason: str,
        details: str = "",
        options: Sequence[str] = ("continue", "steer", "stop"),
    ) -> Decision:
        """Wait for a person: `rt decide`, the terminal of `rt run`, the page. What is said with it is in the record already."""
        found: Decision = await commands.Gate(name, reason, details, tuple(options))
        return found

    async def moderate(self, name: str, asks: str) -> dict[str, Any]:
        """Wait for the moderator's synthesis (`rt synthesis`): {seq, text, digest}, digest None unless one was given."""
        found: dict[str, Any] = await commands.Moderate(name, asks)
        return found

    async def publish(self, name: str, text: str, person: str = "synthesizer", *, final: bool = True) -> int:
        """Write a synthesis into the record, once; returns its seq. With `final` False the round rises."""
        found: int = await commands.Publish(name, text, person, final)
        return found

    async def phase(self, name: str, phase: str) -> None:
        """Say what the table is doing now: debating, awaiting_synthesis or veto."""
        await commands.Phase(name, phase)

    async def budget(self, name: str, minutes: float = 0.0) -> str:
        """Why no further step may be asked: budget_min or budget_usd with numbers; empty while both hold.

        `minutes` is the format's own limit, for when nobody set one.
        """
        found: str = await commands.Budget(f"{name}.budget", minutes)
        return found

    async def look(self, name: str) -> dict[str, Any]:
        """How the table is now: {head, degraded: [{seat, why, action}], seats: {slug: {state, transport, switched}}}."""
        found: dict[str, Any] = await commands.Look(name)
        return found

    async def tell(self, name: str, text: str, what: str = "warnings") -> None:
        """Add a warning, or one of the `deadlocks`, to the table's status; the report gets it by the outcome."""
        await commands.Tell(name, what, text)

    async def conclude(self, outcome: Outcome) -> Outcome:
        """Write report.md, result.json and a scorecard line, once; afterwards the table takes `say` again."""
        await commands.Conclude("conclude", outcome.model_dump(mode="json"))
        return outcome
