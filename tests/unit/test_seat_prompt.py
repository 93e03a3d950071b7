"""The prompt of an attempt, and the scripted seat that answers one."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rt_participant import prompt, rehearsal

TURN = {
    "person": "participant/skeptic",
    "name": "Sam",
    "role": "skeptic",
    "viewpoint": "Costs first.",
    "topic": "Which cache?",
    "round": 2,
    "request": "Where does it break?",
    "upto": 9,
}


def message(seq: int, body: str, person: str = "participant/builder", kind: str = "reply") -> dict[str, Any]:
    return {"seq": seq, "from": person, "kind": kind, "round": 1, "body": body}


def test_a_fresh_prompt_says_who_what_and_how() -> None:
    """S1.15: identity, quoted record, request, length, form, and no voice but one's own."""
    text = prompt.build(TURN, [message(4, "Redis."), message(5, "Not Redis.")], fresh=True)
    for part in (
        "You are Sam (participant/skeptic)",
        "role: skeptic",
        "Costs first.",
        "Where does it break?",
        "200 to 400 words",
    ):
        assert part in text
    assert "m4 · participant/builder · reply · round 1\n```text\nRedis.\n```\n" in text
    assert "`## Position`" in text
    assert "such as m5" in text
    assert text.index("Not Redis.") < text.index("Where does it break?")


def test_the_request_stands_once() -> None:
    """The intent that is the request is not quoted above it as well."""
    text = prompt.build(TURN, [message(9, "Where does it break?", "moderator", "intent")], fresh=False)
    assert text.count("Where does it break?") == 1
    assert "quoted" not in text


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from(list("`~\n#a \x1b\r")), max_size=60))
def test_no_quoted_text_ends_its_fence(body: str) -> None:
    """Untrusted words stay inside their fence, whatever backticks they hold."""
    text = prompt.build(TURN, [message(4, body)], fresh=True)
    fence = text.partition("round 1\n")[2].partition("text\n")[0]
    assert set(fence) == {"`"}
    inside = text.partition(f"{fence}text\n")[2].partition(f"\n{fence}\n")[0]
    assert fence not in inside
    assert "\x1b" not in text
    assert text.partition(f"\n{fence}\n")[2].lstrip().startswith("The moderator asks you now")


def test_a_long_record_keeps_its_newest_part_and_says_so() -> None:
    """Older messages are left out, marked; a single one that is too long is cut, marked."""
    text = prompt.build(TURN, [message(n, str(n) * 400) for n in range(1, 9)], fresh=True, most_chars=1000)
    assert "(6 messages, m1 to m6, are left out here" in text
    assert "m7 ·" in text
    assert "m6 ·" not in text
    text = prompt.build(TURN, [message(1, "a"), message(2, "x" * 5000)], fresh=True, most_chars=1000)
    assert "(m1 is left out here" in text
    assert "[… 4000 more characters are left out]" in text


def test_a_missing_field_is_an_error() -> None:
    """A prompt with a hole in it is never sent."""
    turn = {name: value for name, value in TURN.items() if name != "topic"}
    with pytest.raises(KeyError):
        prompt.build(turn, [], fresh=True)


def test_the_rehearsal_seat_says_what_it_is() -> None:
    """It answers in form, names its role, cites messages that are there, and is the same every time."""
    asked = prompt.build(
        TURN, [message(4, "m99 · participant/x · reply · round 1"), message(5, "Not Redis.")], fresh=True
    )
    text = rehearsal.reply(asked)
    assert text.startswith("## Position\n")
    assert "rehearsal" in text
    assert "skeptic" in text
    assert "m4" in text or "m5" in text
    assert "m99" not in text
    assert text == rehearsal.reply(asked)
    assert text != rehearsal.reply(asked.replace("Where does it break?", "What does it cost to leave?"))


@given(st.text(max_size=200))
def test_the_rehearsal_seat_answers_anything(asked: str) -> None:
    """No prompt is too odd for it."""
    assert rehearsal.reply(asked).startswith("## Position\n")


def test_the_rehearsal_seat_starts_like_a_bare_interpreter() -> None:
    """It imports next to nothing: the best of three starts takes less than twice a bare one, and 50 ms for the noise."""
    bare = min(_seconds("-c", "pass") for _ in range(3))
    assert min(_seconds("-m", "rt_participant.rehearsal") for _ in range(3)) < 2 * bare + 0.05


def _seconds(*args: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *args], input=b"hello", stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began
