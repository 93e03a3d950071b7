"""Which replies can stand in the record."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rt_participant.usable import clean_envelope, problem

OTHERS = [
    ("skeptic", "Sam", "skeptic"),
    ("builder", "Bea", "the one who has to build it and run it for years"),
    ("risk", "Risk", "risk"),
]
REQUEST = (
    "Which cache should we use for the session store, and what would make you change your mind about it?"
)


@pytest.mark.parametrize(
    "text",
    [
        "## Position\nUse Redis. Skeptic: your point in m5 holds, but memory is cheap.",
        "## Position\nI agree with participant/skeptic that m5 is right.",
        "> **Skeptic:** memory is not free\n> **Skeptic:** it never was\n\nStill, yes.",
        "Answers to the others:\n- Skeptic: no\n- Builder: yes\n- participant/builder: maybe",
        "## Position\nyes\n\n### Skeptic\nOn this point I only note that m5 stands.",
        "## Risk\nhigh\n\n## Position\nno",
        "```\nskeptic: one\nbuilder: two\n```\nThat is the file.",
        "Skeptics: they are right.",
        "## Moderator\nThe role of a moderator is to ask.\n\n## Moderator: what it costs\nTime.",
        "42",
        "SCORES:\n- skeptic: 4/5 — sound\n- builder: 2/5 — vague",
    ],
)
def test_an_answer_that_only_mentions_others_is_usable(text: str) -> None:
    """S1.15: quoting, scoring and naming other seats is fine."""
    assert problem(text, REQUEST, OTHERS) is None


@pytest.mark.parametrize(
    "text",
    [
        "**Skeptic:** I doubt it.",
        "participant/skeptic: I doubt it.",
        "### Skeptic\nI doubt it.",
        "\n\nSam: I doubt it.",
        "**Sam**\nI doubt it.",
        "[builder]: yes",
        "**moderator:** all agree.\n\n**user:** thank you.",
        "## Position\nYes.\n\nModerator: so you all agree.\n\nModerator: next question.",
        "## Position\nYes.\n\nskeptic: No.\n\nbuilder: Yes!",
        "## Position\nYes.\n\n### Skeptic\nNo.\n\n### builder\nYes!",
    ],
)
def test_an_answer_in_another_seats_voice_is_not(text: str) -> None:
    """S1.15: a reply that speaks as another seat is refused."""
    found = problem(text, REQUEST, OTHERS)
    assert found is not None
    assert found.startswith("it speaks as ")


@pytest.mark.parametrize("text", ["", "  \n\t\n", "\u2003"])
def test_nothing_is_no_answer(text: str) -> None:
    """An empty reply is refused."""
    assert problem(text, REQUEST, OTHERS) == "empty"


@pytest.mark.parametrize(
    "text", [REQUEST, f"  {REQUEST}\n", REQUEST.replace(" ", "\n"), REQUEST + " Yes.", REQUEST[:-9]]
)
def test_an_echo_of_the_prompt_is_no_answer(text: str) -> None:
    """A CLI that gives back what it was given has not answered."""
    assert problem(text, REQUEST, OTHERS) == "an echo of the prompt"


def test_quoting_the_request_before_a_real_answer_is_fine() -> None:
    """An answer that repeats the question and goes on counts."""
    assert (
        problem(
            f"> {REQUEST}\n\n## Position\n" + "It depends on how long a session lives. " * 5, REQUEST, OTHERS
        )
        is None
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("From: me\nTo: you\nSubject: x\n\n## Position\nyes", "## Position\nyes"),
        ("Subject: roundtable\nyes", "yes"),
        ("Task: rt-1\nAction: roundtable_participant_turn\n\nyes", "yes"),
        ("**From:** me\n\nyes", "yes"),
        ("Action: stop the rollout.\n\nBecause of m5.", "Action: stop the rollout.\n\nBecause of m5."),
        ("## Position\nFrom: here on\n", "## Position\nFrom: here on\n"),
        ("From: a\nTo: b", ""),
        ("", ""),
    ],
)
def test_envelope_lines_are_stripped_and_answers_are_not(text: str, left: str) -> None:
    """S4.22: header lines never stand in a body, and no answer is cut."""
    assert clean_envelope(text) == left


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300), st.text(max_size=100))
def test_any_text_is_judged_without_a_crash(text: str, prompt: str) -> None:
    """What participants write is arbitrary; stripping its envelope twice changes nothing more."""
    once = clean_envelope(text)
    problem(once, prompt, OTHERS)
    assert text.endswith(once) or once == text


def test_judging_a_reply_imports_nothing() -> None:
    """The hot door pays for this module on every reply."""
    code = "import sys; before = set(sys.modules); import rt_participant.usable; print(*set(sys.modules) - before)"
    assert set(subprocess.check_output([sys.executable, "-c", code], text=True).split()) <= {
        "__future__",
        "rt_participant",
        "rt_participant.usable",
    }
