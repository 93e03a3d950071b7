"""Small pure parts of the inspecting commands: fields to set, attempts of a turn, events as lines."""

from __future__ import annotations

import pytest

from rt_config.errors import BadConfigError
from rt_moderator import event_lines, table_fields
from rt_moderator.showing import attempts, names_turn, turn_text

EVENTS = [
    {"id": "1-0", "type": "asked", "at": "1000", "seat": "a", "turn": "m1/a", "intent": "1"},
    {"id": "2-0", "type": "leased", "at": "2000", "seat": "a", "turn": "m1/a", "attempt": "1", "holder": "a"},
    {"id": "3-0", "type": "prompt", "at": "2000", "seat": "a", "turn": "m1/a", "attempt": "1", "prompt": "resumed"},
    {"id": "4-0", "type": "prompt", "at": "2000", "seat": "a", "turn": "m1/a", "attempt": "1", "prompt": "fresh"},
    {"id": "5-0", "type": "failed", "at": "3000", "seat": "a", "turn": "m1/a", "attempt": "1", "reason": "crash",
     "detail": "exit 3"},
    {"id": "6-0", "type": "rung", "at": "3000", "seat": "a", "turn": "m1/a", "attempt": "2", "rung": "rebuild"},
    {"id": "7-0", "type": "replied", "at": "9000", "seat": "a", "turn": "m1/a", "attempt": "2", "seq": "2", "ms": "8200"},
]  # fmt: skip


def test_attempts_come_from_the_events() -> None:
    """S2.24: each attempt with its outcome, its reason, and every exact prompt it was asked with."""
    first, second = attempts(EVENTS, with_prompts=True)
    assert first == {
        "attempt": 1, "outcome": "failed", "reason": "crash", "detail": "exit 3", "seconds": None,
        "prompts": ["resumed", "fresh"],
    }  # fmt: skip
    assert second["outcome"] == "answered"
    assert second["seconds"] == 8.2
    assert second["prompts"] == []
    assert "prompts" not in attempts(EVENTS, with_prompts=False)[0]
    assert attempts(EVENTS[:1], with_prompts=False)[0]["outcome"] == "open"


def test_a_turn_reads_as_a_screen() -> None:
    """What was asked, then each attempt; control characters are gone."""
    turn = {
        "turn": "m1/a", "round": 1, "state": "answered", "reason": None, "reply": "rt-1/m2", "late": None,
        "request": "Why?\x1b[1m", "attempts": attempts(EVENTS, with_prompts=False),
    }  # fmt: skip
    assert turn_text(turn).splitlines() == [
        "m1/a · round 1 · answered · reply m2",
        "",
        "Asked:",
        "Why?[1m",
        "",
        "attempt 1  failed  crash: exit 3",
        "attempt 2  answered, 8.2 s",
    ]


def test_turns_and_messages_are_told_apart() -> None:
    """A table's id begins with rt-, a step's name never does."""
    assert [names_turn(ref) for ref in ("m7/skeptic", "r2/m12", "m7", "7", "rt-1/m7")] == [
        True, True, False, False, False,
    ]  # fmt: skip


def test_an_event_line_is_short_and_plain() -> None:
    """S2.27: long texts such as prompts are cut with their length in text, whole in JSON."""
    event = {**EVENTS[2], "prompt": "\x1b[31m" + "x" * 5000}
    text = event_lines.to_text(event)
    assert len(text) < 200
    assert "(5,005 characters)" in text
    assert "\x1b" not in text
    assert event_lines.to_json(event)["prompt"] == event["prompt"]
    assert event_lines.to_json(EVENTS[6]) == {
        "id": "7-0", "type": "replied", "at": "1970-01-01T00:00:09.000Z", "seat": "a", "turn": "m1/a", "attempt": 2,
        "seq": 2, "ms": 8200,
    }  # fmt: skip
    assert event_lines.of_seat(EVENTS, "b") == []


def test_fields_to_set_are_validated_together() -> None:
    """Keys as typed become fields of the table; texts and budgets can be cleared."""
    words = ["goal=a = b", "stop-when=", "turn-timeout=900", "wake-on=quiet:30", "access=write", "budget-usd=2.5",
             "budget-min=", "wake=none"]  # fmt: skip
    fields, given = table_fields.parse(words)
    assert fields == {
        "goal": "a = b", "stop_when": "", "turn_timeout": "900", "wake_on": "quiet:30", "access": "write",
        "budget_usd": "2.5", "budget_min": "", "wake": "none", "wake_tmux": "", "wake_pane": "",
    }  # fmt: skip
    assert given["stop-when"] == ""


@pytest.mark.parametrize(
    "word",
    ["colour=red", "goal", "turn-timeout=0", "turn-timeout=nan", "turn-timeout=soon", "wake=there", "wake=here",
     "wake-on=often", "wake-on=quiet:-1", "access=all", "budget-usd=-1", "budget-min=inf"],
)  # fmt: skip
def test_what_cannot_be_set_is_refused(word: str) -> None:
    """The first wrong word is named; `wake=here` needs a tmux pane."""
    with pytest.raises(BadConfigError):
        table_fields.parse(["goal=fine", word])
