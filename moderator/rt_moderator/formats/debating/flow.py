"""How a discussion of the debate family goes: ground, blind round, critiques, second stage, close."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rt_moderator.engine.labels import named as relabelled
from rt_moderator.engine.model import Outcome, Step
from rt_moderator.engine.table import NobodyAnsweredError, Table
from rt_moderator.formats.debating import closing, findings, grounding, substitutes, votes
from rt_moderator.formats.debating.course import Course
from rt_moderator.formats.debating.findings import Reread, Stand
from rt_moderator.formats.debating.workflow import Type, Workflow, laid_out, rounds_of

USES = frozenset(
    {"quick", "validate", "search", "rounds", "steering", "dissent", "named", "moderator", "require_consensus", "turn_timeout",
     "budget_min", "budget_usd", "out"}
)  # fmt: skip


async def carry_out(table: Table, plan: Workflow, known: Mapping[str, str] | None = None) -> Outcome:
    """The whole discussion of a workflow; `known` is what a search found already."""
    course = Course(plan, known or await ground(table), warnings=list(plan.warnings))
    await blind(table, course)
    for number in range(2, plan.rounds + 1):
        if not await _goes_on(table, course, number):
            break
        await critique(table, course, number)
    if plan.stage(2) and not course.stop_reason.startswith("stopped"):
        await second_stage(table, course)
    return await table.conclude(await closing.close(table, course))


async def ground(table: Table) -> Mapping[str, str]:
    """What a search says about the topic, made once for a table."""
    if not table.options.search:
        return grounding.off()
    topic, cwd = table.topic, table.fields.get("cwd", "")
    found: dict[str, str] = await table.once("search", lambda: grounding.found(topic, cwd), slow=True)
    return found


async def asked_for(
    table: Table, kind: Type, rounds: int, decided: str = "asked for, no meta-panel"
) -> Outcome:
    """The whole discussion of a workflow that was named; `rounds` unless others were asked for."""
    held, said = rounds_of(table.options, rounds)
    return await carry_out(
        table, Workflow(kind, laid_out(kind, table.seats), held, decided, warnings=tuple(said))
    )


async def blind(table: Table, course: Course) -> None:
    """Round 1: every seat of stage 1, in parallel, blind to each other; a seat that breaks gives way to its fallback."""
    seats = course.plan.stage(1)
    replaceable = any(table.seat(slug).fallback for slug in seats)
    course.first = await _first(table, course, "r1", seats, needed=not replaceable)
    broken = substitutes.lost(course.first.failures, table.seats)
    if broken:
        sat = await table.sit("r1.fallback.seats", [substitutes.plan_of(seat) for seat, _ in broken])
        course.plan = substitutes.reseated(
            course.plan, broken, sat, [table.seat(slug) for slug in course.first.seats]
        )
        more = await _first(table, course, "r1.fallback", [seat.slug for seat in sat], needed=False)
        course.first = replace(
            course.first,
            answers=(*course.first.answers, *more.answers),
            failures=(*course.first.failures, *more.failures),
        )
    if not course.first.answers:
        raise NobodyAnsweredError(course.first.name)


async def _first(table: Table, course: Course, name: str, seats: Sequence[str], *, needed: bool) -> Step:
    if not seats:
        return Step(name, 0, 1)
    return await table.ask(
        name, tuple(seats), "debate_round1", title="Round 1: everybody on their own, blind to each other.", round=1,
        each={slug: {"task": course.plan.task(slug)} for slug in seats}, needed=needed, **about(table, course),
    )  # fmt: skip


async def critique(table: Table, course: Course, number: int) -> None:
    """One round in which those who answered the first read each other's digests, criticise, and score."""
    stands = findings.latest(course.first, course.rereads)
    labels = called(table, f"r{number}", tuple(stands))
    options = votes.tally({ballot.seat: ballot.final or ballot.first for ballot in course.found.ballots})
    each = {
        reader: {"own": stands[reader].text, "peers": [_shown(stands[peer], reader, mine) for peer in mine]}
        for reader, mine in labels.items()
    }
    step = await table.ask(
        f"r{number}", tuple(stands), "debate_critique", title=f"Round {number}: everybody on the others' digests.",
        round=number, each=each, labels=labels, needed=False, number=number, dissent=table.options.dissent,
        options="\n".join(sorted(option.text for option in options)),
    )  # fmt: skip
    course.rereads.append(Reread(number, step, labels))


async def second_stage(table: Table, course: Course) -> None:
    """New seats get every output of stage 1 in full."""
    names = findings.names(table.seats)
    outputs = [
        {"name": names[answer.seat], "seq": answer.seq, "text": answer.text}
        for answer in _latest_outputs(course)
    ]
    seats = course.plan.stage(2)
    step = await table.ask(
        "stage2", seats, "debate_stage2", title="Stage 2: the outputs of stage 1, in full, to new seats.",
        round=course.rounds + 1, needed=False, outputs=outputs, kind=course.plan.type,
        each={slug: {"task": course.plan.task(slug)} for slug in seats}, **about(table, course),
    )  # fmt: skip
    course.second = step
    if not step.answers:
        course.warnings.append("stage 2 failed: nobody answered it; the synthesis rests on stage 1")


def about(table: Table, course: Course) -> dict[str, Any]:
    """What every first prompt of a seat holds beside its own part."""
    return {
        "ground": course.ground, "context": table.options.context, "prior": table.options.prior, "mode": table.mode,
        "dissent": table.options.dissent,
    }  # fmt: skip


def called(table: Table, step: str, slugs: Sequence[str]) -> dict[str, dict[str, str]]:
    """Reader → {peer: what it is called}: labels in an order of the reader's own, or with --named the seats' names."""
    labels = table.labels(step, slugs)
    if not table.options.named:
        return labels
    names = findings.names(seat for seat in table.seats if seat.slug in slugs)
    plain = names if len({name.casefold() for name in names.values()}) == len(names) else {}
    return {reader: {peer: plain.get(peer, peer) for peer in mine} for reader, mine in labels.items()}


def _shown(stand: Stand, reader: str, labels: Mapping[str, str]) -> dict[str, Any]:
    """A peer's stand as a reader sees it: what its writer called others becomes what the reader calls them."""
    text = relabelled(stand.text, stand.labels, {**labels, reader: "you"})
    return {"label": labels[stand.seat], "seq": stand.seq, "text": text}


def _latest_outputs(course: Course) -> list[Any]:
    """Stage 1's full outputs; a critique that revised something follows its own."""
    found = list(course.first)
    revised = {stand.seq for stand in findings.latest(course.first, course.rereads).values()}
    return found + [answer for one in course.rereads for answer in one.step if answer.seq in revised]


async def _goes_on(table: Table, course: Course, number: int) -> bool:
    """Whether another round can be held; says why not."""
    last = course.rereads[-1].step if course.rereads else course.first
    if len(course.first.answers) < 2:
        course.stop_reason = "one_reply"
        course.warnings.append("one seat answered: nobody to criticise, so consensus is N/A")
    elif not last.answers:
        course.stop_reason = "no_replies"
        course.warnings.append(f"nobody answered {last.name}: no cross-critique")
    elif why := await table.budget(f"r{number}"):
        course.stop_reason = why
        course.warnings.append(f"no round {number}: {why}")
    elif table.options.steering == "active":
        await _asked(table, course, number)
    return not course.stop_reason


async def _asked(table: Table, course: Course, number: int) -> None:
    """Under `--mode active` a person says whether there is another round; what they say with it is in the next requests."""
    from rt_moderator.formats.debating import rendered

    details = rendered.votes_and_scores(course.found, findings.names(table.seats)).body
    decided = await table.gate(f"before.r{number}", "round", details)
    if decided.choice == "stop":
        course.stop_reason = "stopped by the moderator"
