"""The engine: steps are asked once, findings found once, and a driver that dies anywhere is replaced without a trace."""

from __future__ import annotations

import json

import pytest

from rt_mailbox import groups, journal
from rt_moderator.engine.driver import Driver
from tests.format_bench import FormatRun
from tests.helpers import Bus

NUMBERS = {"ann": "1", "bob": "2\nbecause", "cy": "many"}


def answer(slug: str, request: str, turn: str) -> str | None:
    """Numbers where they are asked for; cy misses the form twice."""
    return NUMBERS[slug] if "How many?" in request or "please" in request else f"{slug} says so"


def decide(run: FormatRun, choice: str = "continue") -> None:
    """What `rt decide` writes."""
    journal.put(run.door, run.table, "after.decision", {"choice": choice, "text": ""}, event="decided")


@pytest.fixture(name="run")
def toy_run(bus: Bus, toy: str) -> FormatRun:
    """A table of three with the toy format."""
    return FormatRun(bus, toy, "ann", "bob", "cy", answer=answer)


def test_a_format_runs_from_topic_to_report(run: FormatRun) -> None:
    """Asks, reminds, finds, waits at its gate, and leaves report, result and scorecard."""
    assert run.drive() == "awaiting_moderator"
    assert run.about["gate"] == "after"
    decide(run)
    assert run.drive() == "done"
    extra = run.outcome.extra
    assert extra["numbers"] == {"ann": 1, "bob": 2}
    assert extra["malformed"] == ["cy"]
    assert (extra["job"], extra["slow"]) == ("rehearsal", '{"slow": true}')
    assert "nobody" in extra["reasons"][0]
    assert run.steps() == [
        "r1",
        "chance",
        "slow",
        "helper",
        "r2",
        "r2.again",
        "r3.budget",
        "after",
        "synthesis",
    ]
    assert "ann says so" in run.file("report.md")
    result = json.loads(run.file("result.json"))
    assert (result["result"], result["rounds"], result["numbers"]) == ("continue", 2, {"ann": 1, "bob": 2})


def test_turns_of_a_step_are_blind_and_only_the_malformed_are_reminded(run: FormatRun) -> None:
    """One intent a step, byte-equal requests stand in the record as they were put, a reminder names the problem."""
    run.drive()
    assert set(run.requests("r1")) == {"ann", "bob", "cy"}
    assert list(run.requests("r2.again")) == ["cy"]
    assert "invalid literal" in run.requests("r2.again")["cy"]
    intents = [m["body"] for m in run.messages() if m["kind"] == "intent"]
    assert intents[0] == run.requests("r1")["ann"]
    assert intents[1] == "How many?"


def test_what_a_person_says_is_in_every_request_of_the_next_step_once(run: FormatRun) -> None:
    """A note is carried by the next step, fenced, and by no other; nothing falls between two steps."""
    run.step()
    groups.send(run.door, run.table, run.group, "user", "Mind the `invoices`\n```\nand ESC\x1b[201~")
    run.drive()
    assert all("Mind the `invoices`" in request for request in run.requests("r2").values())
    assert all("\x1b" not in request for request in run.requests("r2").values())
    assert "invoices" not in run.requests("r2.again")["cy"]
    assert "invoices" not in run.requests("r1")["ann"]


def test_a_new_driver_at_every_look_asks_nothing_twice_and_finds_nothing_twice(bus: Bus, toy: str) -> None:
    """Replay: every look begins with a new coroutine, and the run is the same."""
    run = FormatRun(bus, toy, "ann", "bob", "cy", answer=answer)
    assert run.drive(crashing=True) == "awaiting_moderator"
    decide(run)
    assert run.drive(crashing=True) == "done"
    assert len([m for m in run.messages() if m["kind"] == "intent"]) == 3
    assert len([m for m in run.messages() if m["kind"] == "synthesis"]) == 1
    from tests.formats import toy as module

    assert run.outcome.extra["drawn"] <= module.found


def dies_and_recovers(bus: Bus, toy: str, call: int, *, before: bool) -> bool:
    """Whether the driver got as far as its n-th write, died there, and another one finished the run as it would have been."""
    run = FormatRun(bus, toy, "ann", "bob", "cy", answer=answer)
    decide(run)
    died = run.dies_at(call, before=before)
    assert run.drive() == "done"
    assert run.steps()[-1] == "synthesis"
    assert len([m for m in run.messages() if m["kind"] == "intent"]) == 3
    assert run.outcome.extra["numbers"] == {"ann": 1, "bob": 2}
    return died


@pytest.mark.parametrize(("call", "before"), [(2, False), (7, True), (12, False), (19, True)])
def test_a_driver_that_dies_at_a_write_is_replaced_without_a_trace(
    bus: Bus, toy: str, call: int, *, before: bool
) -> None:
    """Killed right before or right after the n-th write: the same steps, each asked once, the same result."""
    assert dies_and_recovers(bus, toy, call, before=before)


@pytest.mark.full
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("call", range(1, 40))
def test_a_driver_may_die_at_every_write(bus: Bus, toy: str, call: int, *, before: bool) -> None:
    """Every write of the run as a place to die."""
    dies_and_recovers(bus, toy, call, before=before)


def test_a_format_that_asks_another_step_than_recorded_is_stuck_and_readable(
    run: FormatRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an upgrade that renamed a step nothing is asked: format_changed, and everything stays readable."""
    from rt_moderator.engine.table import Table

    run.step()
    kept = Table.ask

    async def renamed(self: Table, name: str, *args: object, **how: object) -> object:
        return await kept(self, f"new-{name}", *args, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(Table, "ask", renamed)
    run.crash()
    run.step()
    assert run.about["phase"] == "stuck"
    assert run.about["stop_reason"].startswith("format_changed")
    assert len([m for m in run.messages() if m["kind"] == "intent"]) == 1


def test_nobody_answers_and_a_person_decides(bus: Bus, toy: str) -> None:
    """0 replies: the step waits at a gate; retry opens the same turns again, stop ends the run as failed."""
    silent = {"on": True}
    run = FormatRun(bus, toy, "ann", "bob", answer=lambda *a: None if silent["on"] else answer(*a))
    assert run.drive() == "awaiting_moderator"
    assert run.about["gate_reason"] == "no_replies"
    silent["on"] = False
    journal.put(run.door, run.table, "r1.nobody1.decision", {"choice": "retry", "text": ""})
    decide(run)
    assert run.drive() == "done"
    assert {t["attempt"] for t in run.snapshot["turns"] if t["step"] == "r1"} == {"2"}


def test_nobody_answers_and_it_is_stopped(bus: Bus, toy: str) -> None:
    """Stop at the gate ends the run: failed, no_replies, with a report."""
    run = FormatRun(bus, toy, "ann", "bob", answer=lambda *_: None)
    run.drive()
    journal.put(run.door, run.table, "r1.nobody1.decision", {"choice": "stop", "text": ""})
    assert run.drive() == "failed"
    assert run.outcome.stop_reason.startswith("no_replies")


def test_a_budget_that_is_used_up_stops_before_the_next_step(bus: Bus, toy: str) -> None:
    """Minutes count while a turn is open; the reason has its numbers."""
    run = FormatRun(bus, toy, "ann", "bob", "cy", answer=answer, options={"budget_min": 1e-9})
    assert run.drive() == "done"
    assert run.outcome.stop_reason.startswith("budget_min")


def test_a_stale_host_drives_nothing(run: FormatRun) -> None:
    """A driver whose lock has passed to another writes nothing more."""
    from rt_config.errors import StaleHostError

    stale = Driver(run.door, run.table, lambda: "99", run.said.append)
    with pytest.raises(StaleHostError):
        stale.advance(run.snapshot)
    assert run.messages() == []
