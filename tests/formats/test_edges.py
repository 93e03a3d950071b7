"""Edge rows that every format shares: what a budget counts, late replies, failed turns tried again, who counts when seats die."""

from __future__ import annotations

import json
import time

import pytest

from rt_config.errors import BadChoiceError, NoGateError
from rt_mailbox import journal, tables, turns
from rt_moderator import deciding
from rt_moderator.shell import Shell
from tests.format_bench import Answer, FormatRun, rehearsed
from tests.helpers import Bus

WORKING = {"moderator": "rehearsal", "synthesizer": "rehearsal", "search": False}


def debate(bus: Bus, answer: Answer, *slugs: str, **options: object) -> FormatRun:
    """A debate of `slugs`."""
    return FormatRun(bus, "debate", *slugs, answer=answer, options={**WORKING, **options})


def slowly(seconds: float) -> Answer:
    """Seats that take their time."""
    answer = rehearsed()

    def later(slug: str, request: str, turn: str) -> str | None:
        time.sleep(seconds)
        return answer(slug, request, turn)

    return later


def test_a_budget_counts_the_time_in_which_seats_answer(bus: Bus) -> None:
    """S2.13: real seconds of open turns are over the budget, so no second round; hours in which nobody was awake are not counted."""
    run = debate(bus, slowly(0.2), "ann", "bob", budget_min=0.003)
    assert run.drive() == "done"
    assert run.outcome.stop_reason.startswith("budget_min: 0.0 of 0.003 minutes")
    assert not run.requests("r2")
    run.door.script("delete_space", run.table, run.table)

    again = debate(bus, slowly(0.05), "ann", "bob", budget_min=1)
    again.step()
    eight_hours = 8 * 3_600_000
    for turn in (
        "r1/ann",
        "r1/bob",
    ):  # as after a machine that slept: asked long ago, and nobody was awake since
        began = int(next(t for t in again.snapshot["turns"] if t["id"] == turn)["started_at"])
        again.door.script(
            "set_fields", again.table, f"turn:{turn}", "", "", "started_at", began - eight_hours
        )
    turns.extend(again.door, again.table, ["r1/ann", "r1/bob"], gap_ms=eight_hours)
    assert again.drive() == "done"
    assert not again.outcome.stop_reason.startswith("budget")
    assert again.requests("r2")


def test_a_budget_counts_the_money_that_is_named(bus: Bus) -> None:
    """S0.35: what CLIs say they cost is added up; over the limit no further round begins, and the report says how much."""
    run = debate(bus, rehearsed(), "ann", "bob", budget_usd=0.4)
    run.step()
    tables.set_seat(run.door, run.table, "ann", {"usage": json.dumps({"calls": 1, "cost_usd": 0.5})})
    assert run.drive() == "done"
    assert run.outcome.stop_reason == "budget_usd: $0.50 of $0.4 are spent"
    assert "$0.5000" in run.file("report.md")


def test_one_reply_is_no_consensus(bus: Bus) -> None:
    """S0.31: one reply: no second round, consensus N/A, a synthesis of one all the same."""
    run = debate(bus, rehearsed(bob="silent", cy="silent"), "ann", "bob", "cy")
    assert run.drive() == "done"
    assert not run.requests("r2")
    assert (run.outcome.consensus_pct, run.outcome.result) != (None, "consensus")
    assert run.outcome.consensus_pct is None
    assert "[TIMEOUT]" in run.file("transcript.md")


def test_a_late_reply_counts_for_nothing(bus: Bus) -> None:
    """S0.30, S2.20: kept in the record as late; next round's requests, scores and report do not have it."""
    run = debate(bus, rehearsed(cy="silent"), "ann", "bob", "cy")
    run.step()
    run._answer_all()
    late = turns.reply(run.door, run.table, "cy", "LATE WORDS", turn="r1/cy")
    assert late["late"]
    assert run.drive() == "done"
    assert [m["kind"] for m in run.messages() if "LATE WORDS" in m["body"]] == ["late"]
    assert not any("LATE WORDS" in request for request in run.requests("r2").values())
    assert "LATE WORDS" not in run.file("report.md")
    assert set(run.outcome.extra["scores"]) <= {"ann", "bob"}


def test_a_seat_that_dies_in_a_later_round_loses_its_scores(bus: Bus) -> None:
    """S2.22, S0.30: it keeps what it said in round 1, gives no scores any more, and two seats claim no more than two can."""
    answer = rehearsed()

    def dies(slug: str, request: str, turn: str) -> str | None:
        return None if turn == "r2/cy" else answer(slug, request, turn)

    run = debate(bus, dies, "ann", "bob", "cy")
    assert run.drive() == "done"
    scores = run.outcome.extra["scores"]
    assert set(scores) == {"ann", "bob"}
    count = sum(len(given) for given in scores.values())
    assert run.outcome.consensus_pct == pytest.approx(
        sum(sum(given.values()) for given in scores.values()) / (count * 5) * 100
    )
    assert "cy" in run.file("report.md")


def test_a_failed_turn_is_tried_again_by_hand(bus: Bus) -> None:
    """retry: refused where a gate offers other things; after the end the failed turn is opened once more, the report stays as it was."""
    shell = Shell(bus.settings, lambda _line: None)
    run = FormatRun(bus, "table", "ann", "bob", answer=rehearsed(bob="silent"), options={"run": False})
    assert run.drive() == "awaiting_synthesis"
    with pytest.raises(NoGateError):
        deciding.decide(shell, run.table, "continue")
    tables.conclude(run.door, run.table, run.group, "Ann says so (m2).", person="moderator")
    assert run.drive() == "awaiting_moderator"
    with pytest.raises(BadChoiceError):
        deciding.decide(shell, run.table, "retry")
    journal.put(run.door, run.table, "r1.gate.decision", {"choice": "stop", "text": ""})
    run.drive()
    tables.conclude(run.door, run.table, run.group, "It depends (m2).", person="moderator")
    assert run.drive() == "done"
    before = run.file("report.md")
    assert deciding.decide(shell, run.table, "retry")["retried"] == ["r1/bob"]
    assert not turns.reply(run.door, run.table, "bob", "Here after all.", turn="r1/bob")["late"]
    assert run.file("report.md") == before
    shell.door.close()
