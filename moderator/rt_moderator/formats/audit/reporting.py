"""The result of an audit as sections of a report and as JSON. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from rt_moderator import words
from rt_moderator.engine.model import Outcome, Section
from rt_moderator.formats.audit import draft, veto, views, voices
from rt_moderator.quoting import harmless

if TYPE_CHECKING:
    from rt_moderator.formats.audit.debate import Debate
    from rt_moderator.formats.audit.synthesis import Written
    from rt_moderator.formats.audit.veto import Vetoed

_TITLES = {draft.TASKS: "Prioritised tasks"}


def result(debate: Debate, degraded: Collection[str], vote: Vetoed | None = None) -> str:
    """consensus, no_consensus or degraded: who was switched or dropped makes it degraded, an objection that stays open no consensus."""
    if degraded:
        return "degraded"
    return "consensus" if debate.found.reached and not (vote and vote.moved) else "no_consensus"


def reason(debate: Debate, degraded: Collection[str], stopped: str) -> str:
    """Why it stopped; an agreement of those who are left is never called consensus."""
    if not degraded or not debate.found.reached:
        return stopped
    return f"agreement: {debate.found.why}; degraded by {words.listed(sorted(degraded))}, so it is no full consensus"


def outcome(
    debate: Debate, written: Written, vote: Vetoed, there: Mapping[str, Any], stopped: str
) -> Outcome:
    """How the audit ended; without a synthesis it failed, and shows the findings all the same."""
    degraded = {one["seat"]: one["why"] for one in there["degraded"]}
    done, stopped = written.whole, reason(debate, degraded, stopped)
    text = readable(vote.written.text, debate.seats)
    warnings = [*debate.warnings, *dict.fromkeys([*written.warnings, *vote.written.warnings])]
    warnings += [
        f"{slug} gave no vote on the draft that could be read."
        for slug, one in vote.votes.items()
        if one is None
    ]
    ended = result(debate, degraded, vote) if done else "failed"
    header = [("Target", f"{debate.case.target.kind}: {debate.case.target.what}")]
    if debate.case.print["covered"]:
        header.append(("Watched for changes", str(debate.case.print["covered"])))
    if not done:
        header.append(("Synthesis", "no synthesis; the findings stand side by side"))
    return Outcome(
        status="done" if done else "failed", result=ended, stop_reason=stopped, rounds=debate.rounds,
        workflow=_workflow(debate), synthesis=text, synthesis_model=(vote.written.by or written.by) if done else "", header=header,
        sections=_sections(debate, text, vote), warnings=warnings, extra=_extra(debate, vote),
        run=_facts(debate, vote, there, ended, stopped, warnings),
    )  # fmt: skip


def readable(text: str, seats: Collection[str]) -> str:
    """A draft for people: seats by their slug."""
    return voices.for_person(text, seats)


def _workflow(debate: Debate) -> str:
    how = "in turn" if debate.in_turn else "in parallel, through lenses" if debate.lensed else "in parallel"
    return f"audit, {len(debate.seats)} seats {how}"


def _sections(debate: Debate, text: str, vote: Vetoed) -> list[Section]:
    parts = draft.sections(text)
    found = [
        Section(title=_TITLES.get(title, title), body=harmless(parts.get(title, "")) or "none")
        for title in (*draft.LISTS, draft.OPEN)
    ]
    if notes := parts.get(draft.NOTES, ""):
        found.append(Section(title=draft.NOTES, body=harmless(notes)))
    changes = parts.get(draft.CHANGES, "")
    body = veto.table_of(vote, debate.seats) + (
        f"\n\nWhat changed after it:\n\n{harmless(changes)}" if changes else ""
    )
    found.append(Section(title="Veto", body=body))
    if debate.history:
        found.append(Section(title="Round by round", body=_rounds(debate)))
    return found


def _rounds(debate: Debate) -> str:
    rows = [
        "| Round | " + " | ".join(debate.seats) + " | Blocking | Consensus |",
        "|---" * (len(debate.seats) + 3) + "|",
    ]
    for one in debate.history:
        verdicts = [
            (one["verdicts"][slug] or "not scored") if slug in one["verdicts"] else "–"
            for slug in debate.seats
        ]
        blocking = ", ".join(one["blocking"]) or "–"
        rows.append(
            f"| {one['round']} | {' | '.join(verdicts)} | {blocking} | {'yes' if one['consensus'] else one['why']} |"
        )
    return "\n".join(rows)


def _facts(
    debate: Debate, vote: Vetoed, there: Mapping[str, Any], ended: str, stopped: str, warnings: list[str]
) -> list[tuple[str, str]]:
    """The six facts that end every audit report."""
    degraded = {one["seat"]: one["why"] for one in there["degraded"]}
    seats = []
    for slug in debate.seats:
        seat = there["seats"].get(slug, {})
        on = " ".join(filter(None, (seat.get("profile", ""), seat.get("transport", ""))))
        seats.append(f"{slug} ({on}{': ' + degraded[slug] if slug in degraded else ''})")
    return [
        ("Seats", words.listed(seats)),
        ("Result", ended),
        ("Rounds", f"{debate.rounds}, stopped because of {stopped}"),
        ("Deadlocks", "; ".join(debate.deadlocks) or "none"),
        ("Veto", vote.summary),
        ("Warnings", f"{len(warnings)}: {' · '.join(warnings)}" if warnings else "none"),
    ]


def _extra(debate: Debate, vote: Vetoed) -> dict[str, Any]:
    return {
        "target": debate.case.target.as_json(),
        "points": views.points(debate.ledger, debate.seats),
        "verdicts": debate.history,
        "deadlocks": debate.deadlocks,
        "abstained": list(debate.found.abstain),
        "not_scored": list(debate.found.unscored),
        "veto": {slug: one.vote if one else None for slug, one in vote.votes.items()},
        "veto_skipped": vote.skipped or None,
        "objections": [
            {"id": number, "seat": slug, "where": one.where, "why": voices.for_person(one.why, debate.seats),
             "wants": voices.for_person(one.wants, debate.seats), "became": vote.fates[number]}
            for number, slug, one in vote.objections
        ],
    }  # fmt: skip
