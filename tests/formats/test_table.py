"""`table` from topic to wrap-up, with scripted seats on a real bus."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rt_mailbox import groups, journal, tables
from rt_mailbox.keys import decision
from tests.format_bench import FormatRun, rehearsed
from tests.helpers import Bus

SEATS = ("ann", "bob", "cy")
FOUR = ["Key takeaways", "Points of consensus", "Unresolved debates", "Recommended next steps", "Rounds"]
BY_HAND = """## Agreements
Both want it small (m2, m3).

## Disagreements and tensions
- When (m2, m4).

## Novel insights
- None.

## Next questions
1. Who pays for it?
2. When?
"""


def begun(bus: Bus, *slugs: str, **more: Any) -> FormatRun:
    """A table of three, moderated by the rehearsal."""
    options = {"moderator": "rehearsal", **more.pop("options", {})}
    answer = more.pop("answer", rehearsed())
    return FormatRun(
        bus, "table", *(slugs or SEATS), answer=answer, options=options, topic="A monorepo?", **more
    )


def attended(bus: Bus, **more: Any) -> FormatRun:
    return begun(bus, options={"run": False, **more.pop("options", {})}, **more)


def decide(run: FormatRun, gate: str, choice: str, text: str = "") -> None:
    """What `rt decide` writes: what is said with it is in the record first."""
    if text:
        groups.send(run.door, run.table, run.group, "moderator", text)
    journal.put(run.door, run.table, decision(gate), {"choice": choice, "text": text}, event="decided")


def sums_up(run: FormatRun, text: str = BY_HAND) -> int:
    """What `rt synthesis` does."""
    return int(tables.conclude(run.door, run.table, run.group, text)["seq"])


def result(run: FormatRun) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run.file("result.json"))
    return found


def test_a_table_without_attention(bus: Bus) -> None:
    """S1.9, S1.16, S1.17, S1.18, S1.20: a question a round before its turns, three rounds, summaries with four parts, a wrap-up."""
    run = begun(bus)
    assert run.drive() == "done"
    found = result(run)
    assert (found["rounds"], found["stop_reason"]) == (3, "nothing_left: the summary asks nothing more")
    assert [section.title for section in run.outcome.sections] == FOUR
    said = run.messages()
    intents = [m for m in said if m["kind"] == "intent"]
    assert "asked by a rehearsal" in intents[0]["body"]
    assert [m["body"] for m in intents[1:]] == ["What would you give up for it?", "What has to happen first?"]
    assert [m["round"] for m in intents] == [1, 2, 3]
    summaries = [m for m in said if m["kind"] == "synthesis"]
    assert [m["from"] for m in summaries] == ["synthesizer"] * 4
    heads = [line[4:] for line in summaries[0]["body"].splitlines() if line.startswith("### ")]
    assert heads == ["Agreements", "Tensions", "Novel insights", "Next questions"]
    assert all(slug in summaries[0]["body"] for slug in SEATS)
    first = run.requests("r1")["ann"]
    for part in (
        "one of 3 panelists",
        "A monorepo?",
        "asked by a rehearsal",
        "200 to 400 words",
        "Your role: Ann",
    ):
        assert part in first
    assert "- Panelist A: " in first
    assert "- Panelist B: " in first
    assert "bob" not in first
    third = run.requests("r3")["ann"]
    assert "What has to happen first?" in third
    assert "Your role: Ann" in third
    assert "you m" in third
    assert "asked by a rehearsal" not in third
    assert "bob" not in third.casefold()


def test_the_number_of_rounds_is_kept(bus: Bus) -> None:
    """S1.19 under run: without gates it goes on for the rounds that were asked for."""
    run = begun(bus, options={"rounds": 1})
    assert run.drive() == "done"
    assert (result(run)["rounds"], result(run)["stop_reason"]) == (1, "rounds: 1 of 1")


def test_a_person_leads(bus: Bus) -> None:
    """S1.14, S1.18, S1.19, S1.20: 600 s a turn; a gate after every summary: on, elsewhere, or to the wrap-up."""
    run = attended(bus)
    assert run.drive() == "awaiting_synthesis"
    assert {int(turn["timeout_ms"]) for turn in run.snapshot["turns"]} == {600_000}
    assert [m["body"] for m in run.messages() if m["kind"] == "intent"] == ["A monorepo?"]
    assert "sum up round 1 (m2, m3, m4): Agreements, Tensions" in run.about["asks"]
    sums_up(run)
    assert run.drive() == "awaiting_moderator"
    assert json.loads(run.about["gate_options"]) == ["continue", "steer", "stop"]
    assert "Next: Who pays for it?" in run.about["gate_details"]
    decide(run, "r1.gate", "continue")
    assert run.drive(crashing=True) == "awaiting_synthesis"
    assert "Who pays for it?" in run.requests("r2")["bob"]
    assert "Both want it small (m2, m3)." in run.requests("r2")["bob"]
    sums_up(run, "No headings here.")
    run.drive()
    decide(run, "r2.gate", "steer", "Look at the build times.")
    assert run.drive() == "awaiting_synthesis"
    third = run.requests("r3")["cy"]
    assert "Look at the build times." in third
    assert "No headings here." in third
    assert "Both want it small" not in third
    sums_up(run)
    run.drive()
    decide(run, "r3.gate", "stop")
    assert run.drive() == "awaiting_synthesis"
    assert run.about["asks"].startswith("wrap up: Key takeaways")
    sums_up(run, "Short:\n\n**Key takeaways**\n- It depends.\n\n### Open debates\n- When (m2).\n")
    assert run.drive() == "done"
    found = result(run)
    assert (found["rounds"], found["stop_reason"]) == (3, "stopped by the moderator")
    assert [(s.title, s.body) for s in run.outcome.sections[:3]] == [
        ("Summary", "Short:"),
        ("Key takeaways", "- It depends."),
        ("Unresolved debates", "- When (m2)."),
    ]


def test_a_seat_that_fails_is_named_and_the_others_go_on(bus: Bus) -> None:
    """S1.22, S1.25: `[TIMEOUT]` stands under its seat in the transcript; the round and its summary go on with the rest."""
    run = begun(bus, answer=rehearsed(cy="silent"), options={"rounds": 1})
    assert run.drive() == "done"
    transcript = run.file("transcript.md")
    assert "### cy, Cy (m4)\n\n`[TIMEOUT] cy`" in transcript
    assert "## Round 1" in transcript
    assert "| Participant | Role | Tool |" in transcript
    assert "### Synthesis by the synthesizer (m5)" in transcript
    assert result(run)["table_rounds"][0]["failures"] == {"cy": "timeout"}
    assert "TIMEOUT" in run.outcome.sections[-1].body


def test_nobody_answers(bus: Bus) -> None:
    """S1.23: a round without any answer offers retry or end; retry asks the same turns, end keeps what there was."""
    silent = {"r2", "r2.retry"}
    inner = rehearsed()
    run = attended(bus, answer=lambda *a: None if a[2].partition("/")[0] in silent else inner(*a))
    run.drive()
    sums_up(run)
    run.drive()
    decide(run, "r1.gate", "continue")
    assert run.drive() == "awaiting_moderator"
    assert run.about["gate_reason"] == "no_replies"
    assert json.loads(run.about["gate_options"]) == ["retry", "stop"]
    decide(run, "r2.nobody1", "retry")
    assert run.drive() == "awaiting_moderator"
    turns = [turn for turn in run.snapshot["turns"] if turn["step"] == "r2"]
    assert {turn["attempt"] for turn in turns} == {"2"}
    decide(run, "r2.nobody2", "stop")
    assert run.drive() == "awaiting_synthesis"
    sums_up(run, "It ended early.")
    assert run.drive() == "done"
    assert result(run)["stop_reason"] == "no_replies: nobody answered round 2"


def test_one_reply_is_no_table(bus: Bus) -> None:
    """S1.23: with one reply there is no second round; it is summed up and said."""
    run = begun(bus, answer=rehearsed(bob="silent", cy="dying"))
    assert run.drive() == "done"
    assert (result(run)["rounds"], result(run)["stop_reason"]) == (1, "one_reply: there is nobody to talk to")


def test_without_a_moderator_the_replies_stand_side_by_side(bus: Bus) -> None:
    """Nobody sums up: the next round sees the replies, cut; the end is failed, with the last replies whole and who was asked."""
    run = begun(bus, options={"moderator": "nobody", "rounds": 2})
    for slug in SEATS:
        run.door.command("HSET", f"rt:{{{run.table}}}:seat:{slug}", "profile", "command")
    assert run.drive() == "failed"
    assert "*no synthesis*" in run.requests("r2")["ann"]
    assert "Panelist A (m" in run.requests("r2")["ann"]
    assert "bob (m" not in run.requests("r2")["ann"]
    assert len(run.outcome.warnings) == 4
    assert run.outcome.sections[0].title == "No synthesis"
    assert run.outcome.stop_reason == "no_synthesis; rounds: 2 of 2"


def test_the_host_seat_is_one_more_seat(bus: Bus) -> None:
    """S1.3, S1.18: it sits down before the first question, blind like the rest, and is counted in the summary as any other."""
    run = begun(bus, options={"host_seat": "rehearsal", "rounds": 1}, cwd="/")
    assert run.drive() == "done"
    assert sorted(run.requests("r1")) == ["ann", "bob", "cy", "host"]
    assert "one of 4 panelists" in run.requests("r1")["host"]
    assert "host m" in next(m["body"] for m in run.messages() if m["kind"] == "synthesis")
    assert "Host seat" not in run.requests("r1")["ann"]


def test_a_new_driver_at_every_look_changes_nothing(bus: Bus) -> None:
    """A run whose driver is replaced at every look asks the same and ends the same."""
    run = begun(bus)
    assert run.drive(crashing=True) == "done"
    assert (result(run)["rounds"], result(run)["stop_reason"]) == (
        3,
        "nothing_left: the summary asks nothing more",
    )
    assert len([m for m in run.messages() if m["kind"] == "synthesis"]) == 4


@pytest.mark.full
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("call", range(1, 60))
def test_a_driver_may_die_at_every_write(bus: Bus, call: int, *, before: bool) -> None:
    """Killed right before or after any write, the run is finished by another driver as it would have been."""
    run = begun(bus)
    run.dies_at(call, before=before)
    assert run.drive() == "done"
    assert (result(run)["rounds"], result(run)["stop_reason"]) == (
        3,
        "nothing_left: the summary asks nothing more",
    )
    assert len([m for m in run.messages() if m["kind"] == "intent"]) == 3
    assert len([m for m in run.messages() if m["kind"] == "synthesis"]) == 4
