"""How a discussion of the debate family ends: synthesis, validation, outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rt_moderator import panels
from rt_moderator.engine.model import Job, Outcome, Seat, Section
from rt_moderator.formats import structured
from rt_moderator.formats.debating import findings, rendered, synthesis, validation, votes
from rt_moderator.formats.debating.findings import Findings
from rt_moderator.formats.debating.synthesis import Draft
from rt_moderator.formats.debating.validation import Tally, Verdict
from rt_moderator.formats.debating.writers import bias, writers

if TYPE_CHECKING:
    from rt_moderator.engine.table import Table
    from rt_moderator.formats.debating.course import Course


@dataclass(frozen=True, slots=True)
class Closing:
    """What came of synthesis and validation."""

    job: Job
    draft: Draft | None
    tally: Tally = field(default_factory=lambda: Tally(None))
    verdicts: Mapping[str, Verdict] | None = None
    note: str = ""


async def close(table: Table, course: Course) -> Outcome:
    """Synthesis, validation if it was asked for, publication; the outcome with everything that was counted."""
    await table.phase("closing", "awaiting_synthesis")
    found = course.found
    closing = await _written(table, course, found)
    if table.options.validate_:
        closing = await _validated(table, course, found, closing)
    names = findings.names(table.seats)
    score = _score(found, course)
    if closing.draft is None:
        body = rendered.without_draft(found, names, score, closing.job.reasons)
        text = ""
    else:
        body = rendered.of_draft(closing.draft, names, score)
        text = rendered.as_text(body)
        await table.publish("synthesis", text)
    return _outcome(table, course, found, closing, body, text)


async def _written(
    table: Table, course: Course, found: Findings, *, name: str = "draft", draft: str = "", corrections: Any = ()
) -> Closing:  # fmt: skip
    """A synthesis by somebody outside the panel; without one the draft is None and the reasons say why."""
    names = findings.names(table.seats)
    seats = sorted(set(found.by_message.values()))
    job = await table.job(
        name,
        "debate_synthesis",
        writers((course.plan.synthesizer,), table.options, table.seats),
        seconds=table.options.synthesis_seconds,
        check=synthesis.check(found.by_message, found.dissents),
        ground=course.ground, context=table.options.context, prior=table.options.prior,
        positions=[{"seat": s.seat, "name": names.get(s.seat, s.seat), "seq": s.seq, "round": s.round, "text": s.plain}
                   for s in found.stands],
        critiques=found.critiques,
        votes=_votes(found),
        scores=_score(found, course) + "\n" + _matrix(found),
        dissents=found.dissents,
        draft=draft, corrections=corrections,
        seats=seats,
        shape=structured.example(Draft),
    )  # fmt: skip
    return Closing(job, job.parsed if job.done else None)


async def _validated(table: Table, course: Course, found: Findings, closing: Closing) -> Closing:
    """Each seat on whether the draft tells rightly what it holds; two who find it inaccurate get it rewritten, once."""
    if closing.draft is None:
        return replace(closing, note="validation skipped: there is no draft")
    names = findings.names(table.seats)
    text = rendered.as_text(rendered.of_draft(closing.draft, names, ""))
    own = {stand.seat: stand.text for stand in found.stands}
    step = await table.ask(
        "validation", tuple(own), "debate_validate", title="Validation: does the draft tell rightly what you hold?",
        seconds=table.options.validation_seconds, needed=False, draft=text,
        each={slug: {"own": own[slug], "name": names.get(slug, slug)} for slug in own},
    )  # fmt: skip
    verdicts: dict[str, Verdict] = step.read(validation.verdict_of).parsed()
    tally = validation.tally(verdicts)
    closing = replace(closing, tally=tally, verdicts=verdicts)
    if not tally.rewrite:
        return closing
    wrong = [{"seat": slug, "text": v.correction} for slug, v in sorted(verdicts.items()) if v.correction]
    again = await _written(table, course, found, name="draft.rewrite", draft=text, corrections=wrong)
    if again.draft is None:
        return replace(
            closing, note="the rewrite failed: the first draft stands, with what the seats find wrong"
        )
    return replace(closing, job=again.job, draft=again.draft, note="rewritten once; nobody re-checked it")


def _outcome(
    table: Table, course: Course, found: Findings, closing: Closing, body: list[Section], text: str
) -> Outcome:  # fmt: skip
    names = findings.names(table.seats)
    notes = _notes(table, course, found, closing, names)
    leaning = bias(closing.job, table.seats) if closing.draft else ""
    return Outcome(
        result=_result(found, closing, bool(table.options.panel_notes or course.plan.degraded)),
        stop_reason=course.stop_reason or ("" if closing.draft else "no_synthesis"),
        rounds=course.rounds,
        workflow=course.plan.type,
        consensus_pct=found.consensus.pct,
        agreement=found.consensus.agreement,
        validated=closing.tally.validated,
        synthesis=text,
        synthesis_model=":".join(filter(None, (closing.job.profile, closing.job.model))),
        header=[*_header(table, course), *([("Bias risk", leaning)] if leaning else [])],
        sections=[*body, rendered.votes_and_scores(found, names), rendered.meta(found, names, notes)],
        warnings=_warnings(table, course, closing),
        degraded=[dict(one) for one in course.plan.degraded],
        extra=_extra(table, course, found, closing),
    )


def _warnings(table: Table, course: Course, closing: Closing) -> list[str]:
    """What the reader has to know, each once."""
    families = {seat.family for seat in table.seats}
    said = [*table.options.panel_warnings, *course.warnings]
    if len(families) == 1 < len(table.seats):
        said.append(panels.alike(len(table.seats), families.pop()))
    return list(
        dict.fromkeys([*said, *([] if closing.draft else ["no synthesis: nobody who was asked wrote one"])])
    )


def _result(found: Findings, closing: Closing, degraded: bool) -> str:
    if closing.draft is None:
        return "no_synthesis"
    if len({ballot.seat for ballot in found.ballots}) < 2:
        return "answered"
    lost = [failure for _, failure in found.failures if failure.reason != "timeout"]
    if degraded or lost:
        return "degraded"
    return "consensus" if votes.unanimous(found.ballots) else "no_consensus"


def _header(table: Table, course: Course) -> list[tuple[str, str]]:
    plan = course.plan
    lines = [("Decided", plan.decided)] if plan.decided else []
    if plan.stage(2):
        lines += [(f"Stage {number}", ", ".join(plan.stage(number))) for number in (1, 2)]
    if len(course.first.answers) == 2 and not plan.stage(2):
        lines.append(("Seats", "two: what they agree on is the agreement of two"))
    search = f"a search of {course.ground['date']}" if course.ground["text"] else course.ground["note"]
    search = search if table.options.search else f"{search} (no search was wanted)"
    given = ["material given with the question"] if table.options.context else []
    given += ["another table's synthesis"] if table.options.prior else []
    if given and not course.ground["text"]:
        search = f"search: {search}" if table.options.search else "no search was wanted"
    return [*lines, ("Context", "; ".join([*given, search]))]


def _notes(
    table: Table, course: Course, found: Findings, closing: Closing, names: Mapping[str, str]
) -> list[str]:
    """Lines of the meta section that are not counted elsewhere."""
    lines = []
    if table.options.validate_:
        lines.append(f"Validated: {closing.tally.validated or 'N/A'}")
    for slug in closing.tally.flagged:
        verdict = (closing.verdicts or {})[slug]
        lines.append(
            f"⚠ {names.get(slug, slug)} flagged a misrepresentation: {verdict.correction or 'no correction given'}"
        )
    if closing.note:
        lines.append(closing.note)
    lines += [f"Synthesis: {reason}" for reason in closing.job.reasons if closing.draft]
    why = validation.recommended(
        topic=table.topic, mode=table.mode, quick=table.options.quick, consensus_pct=found.consensus.pct,
        integrators=len(course.plan.stage(2)),
    )  # fmt: skip
    if why and not table.options.validate_:
        lines.append(f"Recommended: run it with --validate, because {why}")
    return lines


def _extra(table: Table, course: Course, found: Findings, closing: Closing) -> dict[str, Any]:
    measured = found.consensus
    return {
        "stages": [_stage(table.seat(place.slug), place.task, place.stage) for place in course.plan.places],
        "meta_panel_recommendation": course.plan.meta or None,
        "decided": course.plan.decided,
        "scores": {seat: dict(given.given) for seat, given in sorted(found.scores.items())},
        "scores_inferred": list(measured.inferred),
        "consensus_pct_read": measured.pct_read,
        "agreement_read": measured.agreement_read,
        "not_scored": list(found.unscored),
        "votes": {
            b.seat: {"first": b.first or None, "final": b.final or None, "changed": b.changed, "cites": [f"m{n}" for n in b.cites]}
            for b in found.ballots
        },
        "minority": [ballot.seat for ballot in votes.minority(found.ballots)],
        "points": rendered.points(closing.draft) if closing.draft else [],
        "validation": {slug: verdict.said for slug, verdict in sorted((closing.verdicts or {}).items())},
        "synthesis_bias": bias(closing.job, table.seats) if closing.draft else "",
        "failures": [{"step": step, "seat": f.seat, "state": f.state, "reason": f.reason} for step, f in found.failures],
    }  # fmt: skip


def _stage(seat: Seat, task: str, stage: int) -> dict[str, Any]:
    model = ":".join(filter(None, (seat.profile, seat.model)))
    return {"model": model, "role": seat.role or seat.name, "task": task, "seat": seat.slug, "stage": stage}


def _score(found: Findings, course: Course) -> str:
    text = rendered.score_line(found)
    return f"{text} {course.stop_reason}." if course.stop_reason == "one_reply" else text


def _votes(found: Findings) -> str:
    lines = []
    for ballot in found.ballots:
        text = f"{ballot.seat}: {ballot.first or 'no vote'}"
        text += f" → {ballot.final or 'no final vote'}" if found.reread else ""
        cites = ", ".join(f"m{seq}" for seq in ballot.cites) or "nothing"
        lines.append(text + (f" (changed, citing {cites})" if ballot.changed else ""))
    return "\n".join(lines)


def _matrix(found: Findings) -> str:
    rows = []
    for seat, given in sorted(found.scores.items()):
        scored = ", ".join(
            f"{peer} {n}{' (inferred)' if peer in given.inferred else ''}"
            for peer, n in sorted(given.given.items())
        )
        rows.append(f"- {seat} gives: {scored or 'abstains'}")
    return "\n".join(rows)
