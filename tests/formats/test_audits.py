"""Audits on a real bus: rounds, consensus, deadlock, synthesis, veto, and what they leave."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from rt_mailbox import groups, journal, tables
from rt_moderator import status_view
from rt_moderator.formats.audit import synthesis
from tests.format_bench import FormatRun, rehearsed
from tests.helpers import Bus

BLOCKING = {
    "id": "new",
    "title": "No undo",
    "severity": "blocking",
    "state": "open",
    "evidence": "nothing takes a batch back",
    "proposal": "a journal",
}
MINOR = {
    "id": "new",
    "title": "Names",
    "severity": "minor",
    "state": "open",
    "evidence": "a.py:3",
    "proposal": "rename",
}
APPROVE = '```roundtable-veto\n{"vote": "approve"}\n```'


def says(verdict: str, *findings: dict[str, Any], **changed: str) -> str:
    """A reply with its block; `changed` is put over every finding."""
    status = {"verdict": verdict, "confidence": 0.5, "findings": [{**one, **changed} for one in findings]}
    return f"## Position\nI {verdict}.\n\n```roundtable-status\n{json.dumps(status)}\n```\n"


def scripted(**scripts: list[str | None]) -> Callable[[str, str, str], str | None]:
    """Seats that say these things in turn, the last for ever; whoever is asked for a vote approves."""
    said = {slug: list(texts) for slug, texts in scripts.items()}

    def answer(slug: str, request: str, turn: str) -> str | None:
        if "Reply form: audit_veto" in request:
            return APPROVE
        return said[slug].pop(0) if len(said[slug]) > 1 else said[slug][0]

    return answer


STUCK: dict[str, list[str | None]] = {
    "ann": [says("object", BLOCKING), says("object", BLOCKING, id="F1", state="held")],
    "bob": [says("agree")],
}


def audit(bus: Bus, tmp_path: Path, format_: str = "panel", *slugs: str, **how: Any) -> FormatRun:
    """An audit of an empty folder, by ann and bob unless others are named."""
    target = tmp_path / "target"
    target.mkdir(exist_ok=True)
    how["options"] = {"target": str(target), **how.get("options", {})}
    return FormatRun(
        bus, format_, *(slugs or ("ann", "bob")), **{"cwd": str(target), "profile": "rehearsal", **how}
    )


def decide(run: FormatRun, choice: str, text: str = "") -> None:
    """What `rt decide` writes."""
    gate = run.about["gate"]
    if text:
        groups.send(run.door, run.table, run.group, "moderator", text, key=f"gate/{gate}")
    journal.put(run.door, run.table, f"{gate}.decision", {"choice": choice, "text": text}, event="decided")


def titles(report: str) -> list[str]:
    return [line.removeprefix("## ") for line in report.splitlines() if line.startswith("## ")]


def test_two_seats_reach_consensus(bus: Bus, tmp_path: Path) -> None:
    """S2.2, S2.10, S2.23, S2.32, S2.37: two seats agree in round 2, not before; the report has its sections and ends with the six facts."""
    run = audit(bus, tmp_path)
    assert run.drive() == "done"
    found, report = run.outcome, run.file("report.md")
    assert (found.result, found.rounds) == ("consensus", 2)
    assert found.stop_reason == "consensus: ann and bob agree, nothing blocking is open"
    assert titles(report) == [
        "Agreed spec", "Prioritised tasks", "Improvements", "Open disagreements", "Moderator notes", "Veto", "Round by round", "The run",
    ]  # fmt: skip
    last = report[report.index("## The run") :]
    for fact in (
        "- Seats: ann (rehearsal headless)",
        "- Result: consensus",
        "- Rounds: 2, stopped because of consensus",
        "- Veto: approve: ann and bob",
        "- Warnings: 1",
    ):
        assert fact in last
    assert [m["kind"] for m in run.messages()][-1] == "synthesis"
    result = json.loads(run.file("result.json"))
    assert [point["id"] for point in result["points"]] == ["F1"]
    assert result["verdicts"][1]["verdicts"] == {"ann": "agree", "bob": "agree"}
    assert not [
        m for m in run.messages() if m["kind"] == "reply" and m["from"] in ("moderator", "synthesizer")
    ]
    assert {seat for point in result["points"] for seat in point["raised_by"]} <= {"ann", "bob"}


def test_the_first_round_is_blind_and_byte_equal(bus: Bus, tmp_path: Path) -> None:
    """S2.9: a panel's first request is the same for all and holds the brief; later ones hold the peers' findings under labels."""
    run = audit(
        bus,
        tmp_path,
        "panel",
        "ann",
        "bob",
        "cy",
        options={"brief": "## Target\nThe `export`.", "veto": False},
    )
    run.drive()
    first = set(run.requests("r1").values())
    assert len(first) == 1
    assert "The `export`." in first.pop()
    second = run.requests("r2")["ann"]
    assert "raised by Panelist" in second
    assert "bob" not in second.lower().replace("bob read the brief", "").replace("bob accepts", "")
    assert run.outcome.extra["veto_skipped"] == "switched off"
    assert "No vote was taken: switched off." in run.file("report.md")
    assert "veto" not in run.steps()


def test_pingpong_asks_one_after_the_other(bus: Bus, tmp_path: Path) -> None:
    """S2.9: seats speak in turn, the second over what the first has just found; the order stands in the record."""
    run = audit(bus, tmp_path, "pingpong")
    assert run.drive() == "done"
    assert [step for step in run.steps() if step.startswith("r") and "." not in step] == [
        "r1-1",
        "r1-2",
        "r2-1",
        "r2-2",
    ]
    assert "raised by Panelist A" in run.requests("r1-2")["bob"]
    assert "What stands so far" not in run.requests("r1-1")["ann"]
    replies = [m["from"] for m in run.messages() if m["kind"] == "reply"]
    assert replies[:4] == ["participant/ann", "participant/bob"] * 2
    assert (run.outcome.result, run.outcome.rounds) == ("consensus", 2)


def test_roles_look_through_lenses(bus: Bus, tmp_path: Path) -> None:
    """S2.9: each seat's lens stands in its requests, in every round."""
    run = audit(bus, tmp_path, "roles")
    assert run.drive() == "done"
    assert "Your lens: Ann." in run.requests("r1")["ann"]
    assert "Your lens: Bob." in run.requests("r2")["bob"]


def test_the_numbers(bus: Bus, tmp_path: Path) -> None:
    """S2.13: three rounds, a consensus not before the second, 900 s a turn; each can be given."""
    moving = [says("object", {**BLOCKING, "title": f"Another {n}"}) for n in range(5)]
    run = audit(bus, tmp_path, answer=scripted(ann=list(moving), bob=[says("agree")]))
    assert run.drive() == "done"
    assert (run.outcome.rounds, run.outcome.stop_reason, run.outcome.result) == (
        3,
        "rounds: 3 of 3",
        "no_consensus",
    )
    assert {turn["timeout_ms"] for turn in run.snapshot["turns"]} == {"900000"}
    from rt_moderator.cli.table_options import format_options
    from rt_moderator.formats import panel, pingpong, roles

    options = click.command()(format_options(lambda: None)).params
    shown = {str(one.name): str(one.to_info_dict()["help"]) for one in options}
    assert "audits 3" in shown["rounds"]
    assert "audits: 2" in shown["min_rounds"]
    assert "audits 60" in shown["budget_min"]
    assert "default 30" in shown["drain_timeout"]
    assert "default 5" in shown["kill_grace"]
    for module in (panel, pingpong, roles):
        assert module.DEFAULTS == {"rounds": 3, "min_rounds": 2, "turn_timeout": 900.0, "budget_min": 60.0}


@pytest.mark.parametrize(("options", "rounds"), [({"min_rounds": 1}, 1), ({"rounds": 1}, 1)])
def test_rounds_as_they_are_given(bus: Bus, tmp_path: Path, options: dict[str, Any], rounds: int) -> None:
    """S2.13: --min-rounds moves when agreement counts, --rounds ends it; one blind round alone is no consensus, which is said."""
    run = audit(bus, tmp_path, options={**options, "turn_timeout": 7, "veto": False})
    assert run.drive() == "done"
    assert run.outcome.rounds == rounds
    assert run.outcome.result == ("no_consensus" if options == {"rounds": 1} else "consensus")
    assert ("there can be none" in " ".join(run.outcome.warnings)) == (options == {"rounds": 1})
    assert {turn["timeout_ms"] for turn in run.snapshot["turns"]} == {"7000"}


def test_a_malformed_block_is_reminded_once_then_not_scored(bus: Bus, tmp_path: Path) -> None:
    """S2.36: who misses the form is asked once more, with what is wrong; then it is not scored, and there is no consensus."""
    run = audit(bus, tmp_path, "panel", "ann", "bob", "cy", answer=rehearsed(cy="malformed"))
    assert run.drive() == "done"
    assert list(run.requests("r1.again")) == ["cy"]
    assert "there is no fenced block roundtable-status" in run.requests("r1.again")["cy"]
    assert run.outcome.result == "no_consensus"
    assert run.outcome.extra["verdicts"][2]["verdicts"]["cy"] is None
    assert run.outcome.extra["not_scored"] == ["cy"]
    assert run.outcome.extra["veto"]["cy"] is None
    assert "cy gave no vote on the draft that could be read." in run.outcome.warnings


def test_an_abstention_is_no_opposition(bus: Bus, tmp_path: Path) -> None:
    """S2.35: two agree and one abstains: consensus of those who voted, and the abstention is reported."""
    run = audit(bus, tmp_path, "panel", "ann", "bob", "cy", answer=rehearsed(cy="abstain"))
    assert run.drive() == "done"
    assert (run.outcome.result, run.outcome.extra["abstained"], run.outcome.extra["veto"]["cy"]) == (
        "consensus",
        ["cy"],
        "abstain",
    )


def test_a_failed_seat_has_no_vote(bus: Bus, tmp_path: Path) -> None:
    """S2.22: who does not answer a round has no vote in it, whatever it said before, so that round is no consensus."""
    script = scripted(ann=[says("agree")], bob=[says("agree")], cy=[says("agree"), None])
    run = audit(
        bus,
        tmp_path,
        "panel",
        "ann",
        "bob",
        "cy",
        answer=script,
        options={"turn_timeout": 0.2, "veto": False},
    )
    tables.set_seat(run.door, run.table, "cy", {"failures": "2"})
    assert run.drive() == "done"
    votes = [one["verdicts"].get("cy") for one in run.outcome.extra["verdicts"]]
    assert votes[:2] == ["agree", None]
    assert "not scored: cy" in run.outcome.extra["verdicts"][1]["why"]
    assert run.outcome.result != "consensus"


def test_a_dropped_seat_makes_it_degraded(bus: Bus, tmp_path: Path) -> None:
    """S2.22: the others go on and agree; the result is degraded, first in the report, and the draft must say so."""
    run = audit(bus, tmp_path, "panel", "ann", "bob", "cy")
    run.step()
    for _ in range(200):
        run.step()
        run._answer_all()
        if run.requests("r1"):
            break
        run._wait()
    tables.set_seat(run.door, run.table, "cy", {"state": "dropped", "reason": "quota"})
    assert run.drive() == "done"
    found, report = run.outcome, run.file("report.md")
    assert found.result == "degraded"
    why = "agreement: ann and bob agree, nothing blocking is open; degraded by cy, so it is no full consensus"
    assert found.stop_reason == why
    assert report.index("DEGRADED") < report.index("## Agreed spec")
    assert "The run is degraded by cy (dropped: quota)" in found.synthesis
    assert "cy (rehearsal headless: dropped: quota)" in report[report.index("## The run") :]
    assert "cy" not in run.requests("r2")


def test_one_answer_is_no_debate(bus: Bus, tmp_path: Path) -> None:
    """Quorum: a single reply has nobody to agree with: no second round, no consensus, a report all the same."""
    run = audit(bus, tmp_path, answer=rehearsed(bob="silent"), options={"turn_timeout": 0.2})
    tables.set_seat(run.door, run.table, "bob", {"failures": "2"})
    run.drive()
    assert run.outcome.stop_reason.startswith("one_reply")
    assert (run.outcome.result, run.outcome.rounds) == ("no_consensus", 1)
    assert "r2" not in run.steps()


def test_a_deadlock_waits_for_a_person(bus: Bus, tmp_path: Path) -> None:
    """S2.29, S2.15: the same blocking ids two rounds running stop the run in auto too; the status says why and how to go on."""
    run = audit(bus, tmp_path, answer=scripted(**STUCK))
    assert run.drive() == "awaiting_moderator"
    shown = status_view.view(run.snapshot)
    assert (shown["waiting"]["for"], shown["waiting"]["reason"]) == (
        "gate",
        "deadlock: rt decide continue|steer|stop",
    )
    assert shown["deadlocks"] == ["round 2: F1"]
    details = run.about["gate_details"]
    assert "**F1** No undo" in details
    assert "- ann (m" in details
    assert "nothing takes a batch back" in details
    decide(run, "steer", "Settle F1 by an experiment.")
    assert run.drive() == "awaiting_moderator"
    assert all("Settle F1 by an experiment." in text for text in run.requests("r3").values())
    assert "steer adds one round" in run.about["gate_details"]
    decide(run, "continue")
    assert run.drive() == "done"
    assert (run.outcome.rounds, run.outcome.stop_reason, run.outcome.result) == (
        3,
        "rounds: 3 of 3",
        "no_consensus",
    )
    assert "> nothing takes a batch back" in run.file("report.md")


@pytest.mark.parametrize("how", ["stop at the gate", "--on-deadlock stop"])
def test_a_deadlock_can_end_it(bus: Bus, tmp_path: Path, how: str) -> None:
    """S2.29, S2.25: decide stop, or --on-deadlock stop, goes on to the synthesis, without consensus."""
    options = {"on_deadlock": "stop"} if how != "stop at the gate" else {}
    run = audit(bus, tmp_path, answer=scripted(**STUCK), options=options)
    if not options:
        assert run.drive() == "awaiting_moderator"
        decide(run, "stop")
    assert run.drive() == "done"
    assert (run.outcome.rounds, run.outcome.result, run.outcome.extra["deadlocks"]) == (
        2,
        "no_consensus",
        ["round 2: F1"],
    )
    assert run.outcome.stop_reason == (
        "deadlock: F1 blocked two rounds running" if options else "decision: stop after round 2"
    )


def test_active_mode_shows_disagreements_only(bus: Bus, tmp_path: Path) -> None:
    """S2.28, S2.6: a gate after each round; what all hold alike, or nobody any more, is not on its screen."""
    shared = {**MINOR, "title": "Both see this"}
    script = scripted(
        ann=[says("object", BLOCKING, shared), says("agree", BLOCKING, id="F1", state="resolved")],
        bob=[says("object", shared), says("agree", BLOCKING, id="F1", state="resolved")],
    )
    run = audit(bus, tmp_path, answer=script, options={"steering": "active"})
    assert run.drive() == "awaiting_moderator"
    assert run.about["gate_reason"] == "round"
    assert "No undo" in run.about["gate_details"]
    assert "Both see this" not in run.about["gate_details"]
    decide(run, "continue")
    assert run.drive() == "done"
    assert run.outcome.result == "consensus"


def test_a_note_is_injected_once(bus: Bus, tmp_path: Path) -> None:
    """S2.25: what the moderator says in auto mode is in every request of the next round, and in no later one."""
    run = audit(bus, tmp_path, options={"min_rounds": 3})
    for _ in range(200):
        run.step()
        if run.requests("r1"):
            break
        run._wait()
    groups.send(run.door, run.table, run.group, "moderator", "Mind the invoices.")
    assert run.drive() == "done"
    assert [("Mind the invoices." in run.requests(step)["ann"]) for step in ("r1", "r2", "r3")] == [
        False,
        True,
        False,
    ]


def test_a_change_of_the_target_is_reported(bus: Bus, tmp_path: Path) -> None:
    """S2.18: a file that is edited while the audit runs is a warning in the status at once, and in the report."""
    plain = rehearsed()

    def meddling(slug: str, request: str, turn: str) -> str | None:
        if turn == "r2/bob":
            (tmp_path / "target" / "a.py").write_text("changed")
        return plain(slug, request, turn)

    run = audit(bus, tmp_path, answer=meddling)
    assert run.drive() == "done"
    warning = "The target changed during round 2: a.py. What was found before may no longer hold."
    assert warning in run.outcome.warnings
    assert warning in status_view.view(run.snapshot)["warnings"]
    assert "The target changed during round 2: a.py" in run.file("report.md")
    assert "veto.target" in run.steps()


def test_a_dishonest_synthesis_is_refused(bus: Bus, tmp_path: Path) -> None:
    """S2.30: a synthesizer that leaves the disagreement out is refused twice, then the next candidate writes."""
    options = {"moderator": "rehearsal:dissent", "on_deadlock": "stop", "veto": False}
    run = audit(bus, tmp_path, answer=scripted(**STUCK), options=options)
    assert run.drive() == "done"
    jobs = journal.get(run.door, run.table, "draft.done")
    assert [("leaves out F1" in reason) for reason in jobs[0]["reasons"]] == [True, True]
    assert "> nothing takes a batch back" in run.file("report.md")


def test_nobodys_synthesis_is_better_than_a_false_one(
    bus: Bus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S2.30: when no candidate delivers an honest one the run failed, with the findings side by side and no vote over them."""
    monkeypatch.setattr(synthesis, "writers", lambda *_: ("rehearsal:dissent",))
    run = audit(bus, tmp_path, answer=scripted(**STUCK), options={"on_deadlock": "stop"})
    assert run.drive() == "failed"
    found = run.outcome
    assert (found.status, found.result) == ("failed", "failed")
    assert "leaves out F1" in " ".join(found.warnings)
    assert found.header[-1] == ("Synthesis", "no synthesis; the findings stand side by side")
    assert "> nothing takes a batch back" in run.file("report.md")
    assert found.extra["veto_skipped"] == "there is no draft"
    assert not [m for m in run.messages() if m["kind"] == "synthesis"]


def test_an_objection_is_moved_and_that_is_no_consensus(bus: Bus, tmp_path: Path) -> None:
    """S2.31: one vote over the draft, with final statuses and a summary of the last replies; an objection is moved, a note says so."""
    agree = says("agree")
    plain = rehearsed(bob="dissent")

    def answer(slug: str, request: str, turn: str) -> str | None:
        return plain(slug, request, turn) if "Reply form: audit_veto" in request else agree

    run = audit(bus, tmp_path, answer=answer)
    assert run.drive() == "done"
    found, asked = run.outcome, run.requests("veto")
    assert "you: agree, confidence 0.5\n    | I agree." in asked["ann"]
    assert found.result == "no_consensus"
    assert found.extra["veto"] == {"ann": "approve", "bob": "object"}
    assert found.extra["objections"][0]["became"] == "moved"
    report = run.file("report.md")
    assert "Bob misses in this draft" in report[report.index("## Open") : report.index("## Veto")]
    assert "| bob | object | V1 on Agreed spec: Bob misses" in report
    assert "- V1 (bob): moved" in report
    assert [step for step in run.steps() if "veto" in step] == [
        "veto.phase",
        "veto",
        "veto.revision",
        "veto.target",
    ]


def test_a_second_vote_only_when_asked_for(bus: Bus, tmp_path: Path) -> None:
    """S2.31: in active mode the person sees the vote and may ask for another (decide veto)."""
    answer = rehearsed(bob="dissent")
    run = audit(bus, tmp_path, answer=answer, options={"steering": "active", "rounds": 1, "min_rounds": 1})
    assert run.drive() == "awaiting_moderator"
    decide(run, "continue")
    assert run.drive() == "awaiting_moderator"
    assert (run.about["gate"], run.about["gate_reason"]) == ("veto.gate", "veto")
    assert "| bob | object |" in run.about["gate_details"]
    decide(run, "veto")
    assert run.drive() == "awaiting_moderator"
    assert set(run.requests("veto2")) == {"ann", "bob"}
    assert "V1 on Agreed spec" in run.about["gate_details"]
    assert "V2 on Agreed spec" in run.about["gate_details"]
    decide(run, "continue")
    assert run.drive() == "done"


def without_dissent(text: str) -> str:
    """A draft with the open disagreements taken out."""
    start, end = text.index("## Open disagreements"), text.index("## Moderator notes")
    return f"{text[:start]}## Open disagreements\n\nnone\n\n{text[end:]}"


def test_a_moderator_writes_the_synthesis_by_hand(bus: Bus, tmp_path: Path) -> None:
    """S2.26, S2.30: under start the table waits for `rt synthesis`; a draft without the dissent is refused with what is missing."""
    run = audit(bus, tmp_path, answer=scripted(**STUCK), options={"run": False, "on_deadlock": "stop"})
    assert run.drive() == "awaiting_synthesis"
    listing = next(m for m in run.messages() if m["kind"] == "synthesis")
    assert f"m{listing['seq']} lists it in the form that is needed" in run.about["asks"]
    empty = without_dissent(listing["body"])
    tables.conclude(run.door, run.table, run.group, empty, subject="s", final=True)
    assert run.drive() == "awaiting_synthesis"
    assert "leaves out F1, which @ann held as blocking to the end" in run.about["asks"]
    tables.conclude(
        run.door, run.table, run.group, listing["body"] + "\nI would ask legal.\n", subject="s", final=True
    )
    assert run.drive() == "done"
    assert run.outcome.synthesis_model == "the moderator"
    assert len([m for m in run.messages() if m["kind"] == "synthesis"]) == 3
    assert "I would ask legal." in run.file("report.md")


def test_a_moderator_that_cannot_is_not_asked_for_ever(bus: Bus, tmp_path: Path) -> None:
    """S2.30: after the third refusal the findings stand as they are, and the moderator's text under its notes."""
    run = audit(bus, tmp_path, answer=scripted(**STUCK), options={"run": False, "on_deadlock": "stop"})
    for at in range(3):
        assert run.drive() == "awaiting_synthesis"
        tables.conclude(run.door, run.table, run.group, f"All is well, {at}.", subject="s", final=True)
    assert run.drive() == "done"
    report = run.file("report.md")
    assert report.index("> nothing takes a batch back") < report.index("> All is well, 2.")
    assert any("refused 3 times" in warning for warning in run.outcome.warnings)


def test_nobody_answers(bus: Bus, tmp_path: Path) -> None:
    """0 replies: a gate in round 1; in a later round what was said so far is written up."""
    script = scripted(ann=[says("object", BLOCKING), None], bob=[says("object", MINOR), None])
    run = audit(bus, tmp_path, answer=script, options={"turn_timeout": 0.2})
    for slug in ("ann", "bob"):
        tables.set_seat(run.door, run.table, slug, {"failures": "2"})
    assert run.drive() == "awaiting_moderator"
    assert run.about["gate_reason"] == "no_replies"
    decide(run, "stop")
    assert run.drive() == "done"
    assert run.outcome.stop_reason == "no_replies: nobody answered round 2"
    assert "No undo" in run.file("report.md")


@pytest.mark.parametrize("format_", ["panel", pytest.param("pingpong", marks=pytest.mark.full)])
def test_a_crash_anywhere_changes_nothing(bus: Bus, tmp_path: Path, format_: str) -> None:
    """A new driver at every look: each step is asked once, and the result is the one of a run without a crash."""
    run = audit(bus, tmp_path, format_, answer=rehearsed(bob="dissent"), options={"on_deadlock": "stop"})
    assert run.drive(crashing=True) == "done"
    steps = [m["subject"] for m in run.messages() if m["kind"] == "intent"]
    assert len(steps) == len(set(steps)) == (3 if format_ == "panel" else 5)
    assert len([m for m in run.messages() if m["kind"] == "synthesis"]) == 1
    assert run.outcome.result == "no_consensus"


def test_the_budget_ends_it(bus: Bus, tmp_path: Path) -> None:
    """S2.13: between rounds the budget is looked at; what was said so far is written up."""
    run = audit(bus, tmp_path, options={"budget_min": 1e-9, "veto": False})
    assert run.drive() == "done"
    assert run.outcome.stop_reason.startswith("budget_min: ")
    assert (run.outcome.rounds, run.outcome.result) == (1, "no_consensus")


def dies_and_recovers(bus: Bus, tmp_path: Path, call: int, *, before: bool) -> None:
    """The driver dies at its n-th write; another one brings the run to the same end."""
    run = audit(bus, tmp_path, answer=rehearsed(bob="dissent"), options={"on_deadlock": "stop"})
    run.dies_at(call, before=before)
    assert run.drive() == "done"
    assert len([m for m in run.messages() if m["kind"] == "intent"]) == 3
    assert len([m for m in run.messages() if m["kind"] == "synthesis"]) == 1
    assert (run.outcome.result, run.outcome.rounds, run.outcome.extra["veto"]["bob"]) == (
        "no_consensus",
        2,
        "object",
    )


@pytest.mark.parametrize(("call", "before"), [(5, True), (17, False)])
def test_a_driver_that_dies_at_a_write_is_replaced(
    bus: Bus, tmp_path: Path, call: int, *, before: bool
) -> None:
    """Killed right before or right after a write: each step asked once, one synthesis, the same result."""
    dies_and_recovers(bus, tmp_path, call, before=before)


@pytest.mark.full
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("call", range(1, 45))
def test_a_driver_may_die_at_every_write(bus: Bus, tmp_path: Path, call: int, *, before: bool) -> None:
    """Every write of an audit as a place to die."""
    dies_and_recovers(bus, tmp_path, call, before=before)
