"""`interpret` from request to report, with scripted seats on a real bus."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from rt_mailbox import groups, journal, tables
from rt_moderator.engine.gates import digest_of
from rt_moderator.formats.interpreting.seats import Place, packed
from rt_moderator.plan import SeatPlan
from tests.format_bench import Answer, FormatRun, rehearsed
from tests.helpers import Bus

SEATS = ("opus", "codex", "gemini", "kimi")
TOPIC = "Make the invoices ```faster``` please."
SECTIONS = [
    "Request",
    "Seats",
    "Rounds",
    "Agreed interpretation",
    "Unresolved disagreements",
    "Clarifying questions",
    "Confidence",
]


def begun(bus: Bus, answer: Answer, *slugs: str, **more: Any) -> FormatRun:
    """A table of four readers, or of `slugs`, moderated by the rehearsal."""
    options = {"moderator": "rehearsal", **more.pop("options", {})}
    return FormatRun(bus, "interpret", *(slugs or SEATS), answer=answer, options=options, topic=TOPIC, **more)


def changed(answer: Answer, **changes: Callable[[dict[str, Any]], Any]) -> Answer:
    """The same answers, with the JSON of some seats changed (or replaced by a text)."""

    def other(slug: str, request: str, turn: str) -> str | None:
        text = answer(slug, request, turn)
        if text is None or slug not in changes:
            return text
        found = changes[slug](json.loads(text) | {"_turn": turn})
        return found if found is None or isinstance(found, str) else json.dumps(found)

    return other


def result(run: FormatRun) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run.file("result.json"))
    return found


def asked(run: FormatRun) -> list[str]:
    """The discussion rounds and reminders that were asked."""
    return sorted({turn["step"] for turn in run.snapshot["turns"]})


def by_hand(run: FormatRun, digest: Any, text: str = "Sorted.") -> None:
    """What `rt synthesis --digest` writes: the digest first, and once more in the text."""
    whole = text if digest is None else f"{text}\n\n```json\n{json.dumps(digest)}\n```"
    if digest is not None:
        journal.put(run.door, run.table, digest_of(whole), digest)
    tables.conclude(run.door, run.table, run.group, whole)


def point(first: int = 2) -> dict[str, Any]:
    """A point on which all four differ, in the messages from `first` on."""
    held = {slug: {"position": f"scope {at}", "message": first + at} for at, slug in enumerate(SEATS)}
    return {"id": "D1", "statement": "What belongs to it", "positions": held}


def led(bus: Bus, answer: Answer, **more: Any) -> FormatRun:
    """A run that a person moderates to its end: one point after the blind round, then the positions as they are."""
    more["options"] = {"run": False, **more.get("options", {})}
    run = begun(bus, answer, **more)
    assert run.drive() == "awaiting_synthesis"
    by_hand(run, {"points": [point()], "agreements": []})
    while run.drive() == "awaiting_synthesis":
        by_hand(run, None)
    return run


def test_readers_who_agree_discuss_nothing(bus: Bus) -> None:
    """S3.19, S3.23, S3.24, S3.14: no point after the blind round: straight to the report, full consensus, seven sections."""
    run = begun(bus, rehearsed())
    assert run.drive() == "done"
    text = run.requests("r0")["opus"]
    heads = [line for line in text.splitlines() if line.startswith("## ")]
    assert heads == ["## The request", "## What this round is for", "## Your answer"]
    assert text.rstrip().endswith("Reply form: interpret_opening")
    assert asked(run) == ["r0"]
    assert [section.title for section in run.outcome.sections] == SECTIONS
    assert [line[3:] for line in run.file("report.md").splitlines() if line.startswith("## ")] == [
        *SECTIONS,
        "The run",
    ]
    found = result(run)
    assert (found["status"], found["result"], found["rounds"], found["confidence"]) == (
        "full_consensus",
        "full_consensus",
        0,
        "high",
    )
    assert found["stop_reason"] == "full_consensus: nothing is open"
    assert "- Moderation: one-shot jobs outside the panel: no seat, no vote" in run.file("report.md")


def test_every_request_of_a_round_is_the_same_for_all(bus: Bus) -> None:
    """S3.3, S3.6, S3.14, S3.18: equal bytes; the blind one holds the request and the schema, a later one the digest, no transcript."""
    fields = {"context_paths": "docs/invoices.md\nsrc/billing.py"}
    run = begun(bus, rehearsed(codex="abstain"), options={"run": False}, **fields)
    groups.send(run.door, run.table, run.group, "user", "I would cache it.")
    run.drive()
    by_hand(run, {"points": [point(3)], "agreements": []})
    run.drive()
    by_hand(run, None)
    run.drive()
    assert asked(run) == ["r0", "r1", "r2"]
    texts = {step: set(run.requests(step).values()) for step in ("r0", "r1", "r2")}
    assert [len(found) for found in texts.values()] == [1, 1, 1]
    first, second, third = (next(iter(found)) for found in texts.values())
    assert "Make the invoices ```faster``` please." in first
    assert "- docs/invoices.md\n- src/billing.py\n" in first
    assert "Do not answer it" in first
    assert "about a page" in first
    assert "cache it" not in first
    assert "cache it" in second
    assert "cache it" not in third
    assert not [slug for slug in SEATS if slug in first + second + third]
    assert "Panelist D" in second
    assert "restated_request" not in second
    assert "nobody weighed anything" not in third


def test_a_point_locks_when_all_agree(bus: Bus) -> None:
    """S3.21, S3.20, S3.17: one gives way in the second round; the ledger shows the locked point and who agreed where."""
    run = begun(bus, rehearsed(codex="abstain"))
    assert run.drive() == "done"
    found = result(run)
    assert (found["status"], found["rounds"]) == ("full_consensus", 2)
    assert [(one["id"], one["status"]) for one in found["points"]] == [("D1", "locked")]
    locked = [one for one in found["agreements"] if one["point"] == "D1"]
    assert len(locked[0]["messages"]) == 4
    labels = journal.read(run.door, run.table)["r1"]["labels"]
    assert sorted(labels) == sorted(SEATS)
    assert sorted(labels["opus"].values()) == ["Panelist A", "Panelist B", "Panelist C", "Panelist D"]
    assert all(labels[slug] == labels["opus"] for slug in SEATS)


def test_names_where_they_are_wanted(bus: Bus) -> None:
    """S3.20: with --named positions stand under the seats' names, still the same for all."""
    run = led(bus, rehearsed(codex="dissent"), options={"named": True})
    texts = set(run.requests("r1").values())
    assert len(texts) == 1
    assert "codex:" in next(iter(texts))
    assert "Panelist" not in next(iter(texts))


def test_a_round_that_moves_nothing_is_the_last(bus: Bus) -> None:
    """S3.22, S3.23, S3.26: nothing resolved and no changed mind: stalled after one round, with a question for what is open."""
    run = begun(bus, rehearsed(codex="dissent"))
    assert run.drive() == "done"
    found = result(run)
    assert (found["status"], found["rounds"], asked(run)) == ("stalled", 1, ["r0", "r1"])
    assert found["points"][0]["positions"]["codex"]["position"] == "only the first step"
    assert any("scope in" in question for question in found["clarifying_questions"])
    report = run.file("report.md")
    assert "- only the first step (codex m" in report
    assert "because: This is a rehearsal" in report


def restless(found: dict[str, Any]) -> dict[str, Any]:
    """A seat that never agrees and always says that it changed its mind."""
    if "point_responses" in found:
        found["changed_mind"] = [one["point_id"] for one in found["point_responses"]]
    return found


def test_a_sixth_round_is_never_asked(bus: Bus) -> None:
    """S3.7, S3.22: minds change and nothing is settled: after five rounds it reports, partial."""
    run = led(bus, changed(rehearsed(codex="dissent"), codex=restless), options={"rounds": 7})
    found = result(run)
    assert (found["status"], found["rounds"]) == ("partial", 5)
    assert asked(run) == ["r0", "r1", "r2", "r3", "r4", "r5"]
    assert "after 5 it reports" in found["warnings"][0]


def test_fewer_rounds_where_fewer_are_wanted(bus: Bus) -> None:
    """S3.7: --rounds 0 ends with the digest of the blind round."""
    run = led(bus, rehearsed(codex="dissent"), options={"rounds": 0})
    assert (result(run)["status"], asked(run)) == ("partial", ["r0"])


def test_a_malformed_reply_gets_one_reminder(bus: Bus) -> None:
    """S3.16: one retry with the compact shape, then malformed; the others go on, and confidence is lower."""
    run = begun(bus, rehearsed(kimi="malformed"))
    assert run.drive() == "done"
    assert asked(run) == ["r0", "r0.again"]
    assert list(run.requests("r0.again")) == ["kimi"]
    reminder = run.requests("r0.again")["kimi"]
    assert "there is no JSON object in it" in reminder
    assert '{"restated_request": string, "intent": [string]' in reminder
    assert "Make the invoices" in reminder
    found = result(run)
    rows = {row["seat"]: row["status"] for row in found["seat_table"]}
    assert rows == {"opus": "answered", "codex": "answered", "gemini": "answered", "kimi": "malformed"}
    assert (found["status"], found["confidence"]) == ("full_consensus", "medium")


def test_a_reminder_that_helps(bus: Bus) -> None:
    """S3.16: the second try counts, under its own message."""

    def once(found: dict[str, Any]) -> Any:
        return found if "again" in found["_turn"] else "no form at all"

    run = begun(bus, changed(rehearsed(), kimi=once))
    run.drive()
    found = result(run)
    assert found["confidence"] == "high"
    again = next(t for t in run.snapshot["turns"] if t["step"] == "r0.again")
    assert all(f"m{again['reply_seq']}" in one["messages"] for one in found["agreements"])


def test_below_the_quorum_nothing_is_asked(bus: Bus) -> None:
    """S3.8, S3.9: with two seats it does not start, and says who is missing and why."""
    table = packed([Place(SeatPlan("kimi", profile="kimi"), "kimi", "kimi is not installed: npm i")])
    run = begun(bus, rehearsed(), "opus", "codex", seat_table=table)
    assert run.drive() == "failed"
    assert run.outcome.stop_reason == (
        "too_few_seats: interpret needs 3 seats, there are 2; missing: kimi (kimi is not installed: npm i)"
    )
    assert [m for m in run.messages() if m["kind"] == "intent"] == []


def test_three_of_four(bus: Bus) -> None:
    """S3.9, S3.13, S3.8: with three seats it runs at lower confidence; the one that is missing is named with its reason."""
    table = packed(
        [
            Place(SeatPlan("opus", profile="claude", model="opus"), "claude opus headless"),
            Place(SeatPlan("kimi", profile="kimi"), "kimi", "kimi is not installed"),
        ]
    )
    run = begun(bus, rehearsed(), *SEATS[:3], seat_table=table)
    assert run.drive() == "done"
    found = result(run)
    assert (found["status"], found["confidence"]) == ("full_consensus", "medium")
    rows = {row["seat"]: row for row in found["seat_table"]}
    assert rows["opus"]["path"] == "claude opus headless"
    assert (rows["kimi"]["status"], rows["kimi"]["reason"]) == ("blocked", "kimi is not installed")
    assert "kimi does not sit here: kimi is not installed" in found["warnings"]


def test_too_few_readings_are_not_sorted(bus: Bus) -> None:
    """Two readings are no shared reading: they stand side by side, nobody is asked again, and it counts as failed."""
    run = begun(bus, rehearsed(kimi="silent", gemini="silent"))
    assert run.drive() == "failed"
    found = result(run)
    assert found["stop_reason"] == "too_few_seats: 2 readings could be used, it takes 3"
    assert (found["status"], found["confidence"], asked(run)) == ("partial", "low", ["r0"])
    assert "*no synthesis*" in run.file("report.md")
    assert {row["status"] for row in found["seat_table"]} == {"answered", "failed"}


def test_silence_in_a_round_settles_nothing(bus: Bus) -> None:
    """A seat that held a point open and then runs out of time keeps it open; the report says which seat was not heard."""
    inner = rehearsed(codex="dissent")

    def answer(slug: str, request: str, turn: str) -> str | None:
        return None if (slug, turn) == ("codex", "r1/codex") else inner(slug, request, turn)

    run = led(bus, answer)
    found = result(run)
    assert (found["status"], found["points"][0]["status"]) == ("stalled", "open")
    assert found["points"][0]["positions"]["codex"]["message"] == "m3"
    assert {row["seat"] for row in found["seat_table"] if row["status"] == "failed"} == {"codex"}


def test_without_a_moderator_the_readings_stand_side_by_side(bus: Bus) -> None:
    """Nobody delivers a digest: no synthesis, every reading whole, a warning says who was asked, and it counts as failed."""
    run = begun(bus, rehearsed(), options={"moderator": "nobody"}, profile="nobody")
    run.door.command("HSET", f"rt:{{{run.table}}}:seat:opus", "profile", "nobody")
    for slug in SEATS:
        run.door.command("HSET", f"rt:{{{run.table}}}:seat:{slug}", "profile", "nobody")
    assert run.drive() == "failed"
    found = result(run)
    assert found["stop_reason"].startswith("no_synthesis")
    assert "no moderator delivered a digest of r0: nobody: no profile" in found["warnings"][0]
    assert run.file("report.md").count("restated_request") == 4


def test_a_person_moderates(bus: Bus) -> None:
    """S3.2, S3.17: without a digest it is asked for; an unfair one is not taken, with the reason; a fair one is."""
    run = begun(bus, rehearsed(codex="abstain"), options={"run": False})
    assert run.drive() == "awaiting_synthesis"
    assert "a digest of m2, m3, m4, m5" in run.about["asks"]
    by_hand(run, None)
    assert run.drive() == "awaiting_synthesis"
    assert "there is no digest in it" in run.about["asks"]
    by_hand(run, {"points": [point()], "agreements": [{"text": "Speed.", "messages": ["m2"]}]})
    assert run.drive() == "awaiting_synthesis"
    assert "m3, m4, m5 must share it" in run.about["asks"]
    by_hand(run, {"points": [point()], "agreements": []})
    assert run.drive() == "awaiting_synthesis"
    assert "r1: nothing was settled, D1 stay open" in run.about["asks"]
    assert len(set(run.requests("r1").values())) == 1
    by_hand(run, None, "Go on.")
    assert run.drive() == "awaiting_synthesis"
    assert "r2: D1 was settled" in run.about["asks"]
    agreed = {"text": "All of it, the first step named.", "messages": ["m2"], "point": "D1"}
    by_hand(run, {"agreements": [agreed], "points": []})
    assert run.drive() == "done"
    found = result(run)
    assert [one["text"] for one in found["agreements"]] == ["All of it, the first step named."]
    assert not [m for m in run.messages() if m["from"] == "synthesizer"]


def test_a_long_reading_is_cut_for_the_moderator_and_whole_in_the_record(bus: Bus) -> None:
    """S3.28: what is too long enters the moderator's prompt cut and marked."""
    long = " ".join(["word"] * 500)

    def wordy(found: dict[str, Any]) -> dict[str, Any]:
        return found | {"restated_request": long}

    run = begun(bus, changed(rehearsed(), opus=wordy))
    run.drive()
    assert long in next(m["body"] for m in run.messages() if m["from"] == "participant/opus")
    shown = journal.read(run.door, run.table)["r0.moderator"]["prompts"]["r0.moderator"]
    assert "[… cut]" in shown
    assert long not in shown


def test_a_new_driver_at_every_look_changes_nothing(bus: Bus) -> None:
    """A run whose driver is replaced at every look asks the same and ends the same."""
    run = begun(bus, rehearsed(codex="abstain"))
    assert run.drive(crashing=True) == "done"
    found = result(run)
    assert (found["status"], found["rounds"]) == ("full_consensus", 2)
    assert len([m for m in run.messages() if m["kind"] == "intent"]) == 3
    assert len([m for m in run.messages() if m["kind"] == "synthesis"]) == 3


def test_the_budget_ends_it_between_rounds(bus: Bus) -> None:
    """What is spent is looked at before every round; the report is made of what there is."""
    run = led(bus, rehearsed(codex="dissent"), options={"budget_min": 0.000001})
    found = result(run)
    assert (found["status"], asked(run)) == ("partial", ["r0"])
    assert "budget_min" in found["stop_reason"]


@pytest.mark.full
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("call", range(1, 60))
def test_a_driver_may_die_at_every_write(bus: Bus, call: int, *, before: bool) -> None:
    """Killed right before or after any write, the run is finished by another driver as it would have been."""
    run = begun(bus, rehearsed(codex="abstain"))
    run.dies_at(call, before=before)
    assert run.drive() == "done"
    found = result(run)
    assert (found["status"], found["rounds"]) == ("full_consensus", 2)
    assert len([m for m in run.messages() if m["kind"] == "intent"]) == 3
    assert len([m for m in run.messages() if m["kind"] == "synthesis"]) == 3


def test_what_a_person_says_early_waits_for_the_first_discussion(bus: Bus) -> None:
    """S3.6: said before and during the blind round it is in none of that round's requests, and once in every one of the next."""
    run = begun(bus, rehearsed(codex="dissent", gemini="abstain"))
    groups.send(run.door, run.table, run.group, "user", "Only the nightly ones.")
    run.step()
    groups.send(run.door, run.table, run.group, "moderator", "And no rewrite.")
    run.drive()
    for text in ("Only the nightly ones.", "And no rewrite."):
        assert not any(text in request for request in run.requests("r0").values())
        assert {request.count(text) for request in run.requests("r1").values()} == {1}
        assert not any(text in request for request in run.requests("r2").values())
