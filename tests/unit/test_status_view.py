"""The status of a table: its state, what it waits for, who is late, what is degraded."""

from __future__ import annotations

import json

import pytest

from rt_moderator import hosting
from rt_moderator.status_text import render
from rt_moderator.status_view import degraded, seconds_left, state_of, view
from tests.snapshots import NOW, TABLE, Moment, moment, seat, turn


def screen(snapshot: Moment, quiet: dict[str, float] | None = None, flag: str = "") -> list[str]:
    """The status screen's lines."""
    return render(snapshot, view(snapshot), quiet or {}, flag).splitlines()


def hosted() -> Moment:
    """A lock that this process holds."""
    return {"holder": "h", "until": str(NOW + 5000), **hosting.me()}


@pytest.mark.parametrize(
    ("state", "turns", "shown", "waits_for"),
    [
        ("starting", [], "starting", "moderator"),
        ("open", [], "awaiting_moderator", "moderator"),
        ("open", [turn("a")], "debating", "seats"),
        ("ended", [], "ended", None),
        ("archived", [], "archived", None),
    ],
)
def test_state_follows_from_the_table_and_its_turns(
    state: str, turns: list[Moment], shown: str, waits_for: str | None
) -> None:
    """An open table is debating while a turn is open, else it awaits the moderator."""
    found = moment([seat("a")], turns, table={"state": state})
    assert state_of(found) == shown
    assert view(found)["waiting"]["for"] == waits_for


def test_json_has_exactly_the_fields_scripts_rely_on() -> None:
    """S2.15: the names and nesting are a contract."""
    found = view(moment([seat("a", usage='{"input": 3}')], [turn("a", state="answered")], host=hosted()))
    assert set(found) == {
        "table", "topic", "format", "mode", "state", "round", "result", "stop_reason", "waiting", "degraded", "deadlocks",
        "warnings", "stop_condition", "host", "seats", "turns", "record",
    }  # fmt: skip
    assert found["host"] == {"alive": True, "pid": int(hosting.me()["pid"])}
    assert found["seats"] == [
        {
            "slug": "a", "state": "idle", "reason": None, "turn": None, "transport": "headless", "failures": 0,
            "requested_model": None, "effective_model": None, "usage": {"input": 3},
        }
    ]  # fmt: skip
    assert found["turns"] == [
        {
            "turn": "m1/a", "seat": "a", "attempt": 1, "transport": "headless", "outcome": "answered", "stop_reason": None,
            "seconds": 40.0,
        }
    ]  # fmt: skip
    assert found["record"] == {"messages": 1, "last_seq": 1}


def test_a_table_in_the_middle_of_a_step() -> None:
    """One line a seat that has something to say, the idle ones together, what is left below."""
    seats = [seat("contrarian", profile="opencode", transport="acp"), seat("systems", profile="claude", model="opus"),
             seat("builder"), seat("advocate")]  # fmt: skip
    turns = [turn("contrarian", "m7"), turn("systems", "m7", "answered", reply_seq="8")]
    table = {"step": "m7", "goal": "a decision we can defend", "stop_when": "two options compared"}
    lines = screen(moment(seats, turns, head=8, unread=1, host=hosted(), table=table))
    assert lines == [
        f"{TABLE}   debating   round 1   goal: a decision we can defend",
        "  contrarian  answering  0:41  opencode acp",
        "  systems     answered   m8    claude opus headless",
        "  builder, advocate   idle",
        f"  unread 1: rt drain   host pid {hosting.me()['pid']}   record m1–m8   stop when: two options compared",
    ]


@pytest.mark.parametrize(
    ("fields", "quiet", "why"),
    [
        ({"deadline": str(NOW - 1)}, None, "past its deadline"),
        ({"leased": "0", "started_at": str(NOW - 61_000)}, None, "not taken yet"),
        ({"started_at": str(NOW - 130_000), "deadline": str(NOW + 470_000)}, 100.0, "2:10 of 10:00, no output for 1:40"),
        ({"started_at": str(NOW - 30_000)}, 100.0, None),
        ({}, None, None),
    ],
)  # fmt: skip
def test_a_late_seat_is_named_with_what_to_look_at(
    fields: dict[str, str], quiet: float | None, why: str | None
) -> None:
    """S4.19: late is past the deadline, not taken for a minute, or silent for 90 s of its own turn."""
    found = moment([seat("a")], [turn("a", **fields)])
    text = "\n".join(screen(found, {} if quiet is None else {"a": quiet}, " -t ID"))
    assert ("LATE" in text) == (why is not None)
    assert (why or "answering") in text
    assert ("→ rt seat log a -t ID" in text) == (why is not None)


def test_silence_says_nothing_about_a_cli_that_prints_only_at_the_end() -> None:
    """A profile without an inactivity limit is not called late for being silent."""
    silent = seat("a", spec=json.dumps({"inactivity_seconds": 0.0}))
    started = {"started_at": str(NOW - 300_000)}
    assert "LATE" not in "\n".join(screen(moment([silent], [turn("a", **started)]), {"a": 299.0}))


def test_a_gate_says_what_it_is_about() -> None:
    """S2.15, S2.28: what a person has to decide stands in the status, a screen of it at most, in the JSON whole."""
    told = "\n".join(f"- **F{number}** not shown\x1b[1m" for number in range(30))
    about = {
        "format": "panel", "gate": "r1.gate", "gate_reason": "round", "gate_details": f"Round 1 is over.\n\n{told}",
        "gate_options": json.dumps(["continue", "stop"]), "phase": "awaiting_moderator",
    }  # fmt: skip
    found = moment([seat("a")], table=about, host=hosted())
    lines = screen(found, flag=" -t ID")
    at = lines.index("  waits for you: a round is over   → rt decide continue|stop -t ID")
    assert lines[at + 1 : at + 3] == ["    Round 1 is over.", "    - **F0** not shown[1m"]
    assert lines[at + 17] == "    … 15 more lines: rt status --json"
    assert view(found)["waiting"]["details"] == about["gate_details"]


def test_degraded_names_every_change_of_a_seat() -> None:
    """S2.22: who, why, what to do: what the table recorded, and every drop and switch since; a substitute may be dropped, too."""
    recorded = json.dumps([{"seat": "a", "why": "switched to codex", "action": "top up the key"}])
    seats = [
        seat("a", state="dropped"),
        seat("b", state="dropped", reason="quota", profile="gemini"),
        seat("c"),
        seat("d", switched="switched from acp to headless: refusal"),
    ]
    found = moment(seats, table={"degraded": recorded})
    assert degraded(found) == [
        {"seat": "a", "why": "switched to codex", "action": "top up the key"},
        {"seat": "a", "why": "dropped: no reason given", "action": "rt seat add a=rehearsal"},
        {
            "seat": "b",
            "why": "dropped: quota",
            "action": "check key and quota of gemini, then rt seat add b=gemini",
        },
        {
            "seat": "d",
            "why": "switched from acp to headless: refusal",
            "action": "rt seat log d -t " + found["table"]["id"],
        },
    ]
    lines = screen(found)
    assert lines[:5] == [
        "DEGRADED: a switched to codex",
        "          → top up the key",
        "DEGRADED: a dropped: no reason given",
        "          → rt seat add a=rehearsal",
        "DEGRADED: b dropped: quota",
    ]


def test_a_failed_turn_and_waiting_turns_show() -> None:
    """S1.22: a time-out stands at its seat until the next step; turns behind the current one are counted."""
    turns = [
        turn("a", state="failed", reason="timeout"),
        turn("b"),
        turn("b", "m3", started_at="", deadline=""),
    ]
    for field in ("started_at", "deadline"):
        del turns[2][field]
    text = "\n".join(screen(moment([seat("a"), seat("b")], turns)))
    assert "FAILED" in text
    assert "timeout" in text
    assert "0:41, 1 more waiting" in text


def test_a_missing_host_and_a_lost_seat_are_warnings() -> None:
    """An open table without a host says so; so does one whose seat cannot answer."""
    found = moment([seat("a", state="blocked", reason="waits for a login\x1b[1m")])
    warnings = view(found)["warnings"]
    assert [warning.split(" ")[0:3] for warning in warnings] == [
        ["no", "host", "runs:"],
        ["a", "cannot", "answer:"],
    ]
    text = "\n".join(screen(found))
    assert text.startswith("WARNING: no host runs")
    assert "→ rt attach a" in text
    assert "\x1b" not in text


def test_time_left_of_a_turn() -> None:
    """A current turn has what is left of it, a waiting one all of its time, a closed one nothing."""
    waiting = turn("b")
    del waiting["deadline"]
    found = moment([], [turn("a"), waiting, turn("c", state="answered")])
    assert [seconds_left(found, f"m1/{slug}") for slug in "abcd"] == [559.0, 600.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("asked", "answers", "warned"),
    [
        ("opus", "claude-opus-4-1", False),
        ("stub/stub-1", "stub-1", False),
        ("", "x", False),
        ("x", "", False),
        ("opus", "claude-sonnet-4", True),
    ],
)
def test_another_model_than_asked_for_is_said(asked: str, answers: str, warned: bool) -> None:
    """S3.8: a seat whose CLI answers with another model is named in the warnings; an alias of the same is not."""
    found = moment([seat("a", requested_model=asked, effective_model=answers)], [], host=hosted())
    warnings = [line for line in view(found)["warnings"] if "was asked for" in line]
    assert warnings == ([f"a was asked for {asked} and answers with {answers}"] if warned else [])
