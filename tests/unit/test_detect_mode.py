"""Which mode a topic asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rt_moderator.formats.debating.mode import KEYWORDS, detect_mode

INFLECTED = [
    ("choosing", "vote"), ("decided", "vote"), ("selects", "vote"), ("best  options", "vote"),
    ("recommending between", "vote"), ("which one", "vote"),
    ("vulnerabilities", "redteam"), ("attacked", "redteam"), ("failures", "redteam"), ("breaking", "redteam"),
    ("implements", "build"), ("coding", "build"), ("architectures", "build"), ("created", "build"),
    ("pros and cons", "debate"), ("pros/cons", "debate"), ("trade-offs", "debate"), ("comparing", "debate"),
    ("opinions", "debate"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "mode"), [(word, mode) for mode, words in KEYWORDS.items() for word in words]
)
def test_every_keyword_gives_its_mode(word: str, mode: str) -> None:
    """S0.3: each keyword alone, in any case of letters, gives the mode of its row."""
    assert detect_mode(f"About X: {word.upper()} Y?") == mode


@pytest.mark.parametrize(("word", "mode"), INFLECTED)
def test_a_keyword_counts_in_its_other_forms(word: str, mode: str) -> None:
    """S0.3: plural, -s, -ed and -ing of a keyword count as the keyword."""
    assert detect_mode(f"the thing, {word}, today") == mode


@pytest.mark.parametrize(
    "topic",
    ["", "What is the capital of France", "betterment and riskless encoder", "unbroken", "decoder ring"],
)
def test_a_topic_without_keyword_has_the_default_mode(topic: str) -> None:
    """S0.3: no keyword as a whole word: mode default."""
    assert detect_mode(topic) == "default"


@pytest.mark.parametrize(
    ("topic", "mode"),
    [
        ("compare the risk of an attack", "redteam"),
        ("should we build it", "build"),
        ("decide whether we build or break it", "vote"),
        ("is the risk better than the design", "redteam"),
    ],
)
def test_most_hits_win_and_ties_go_by_order(topic: str, mode: str) -> None:
    """S0.3: most hits win; a tie goes to vote, then redteam, then build, then debate."""
    assert detect_mode(topic) == mode


@given(st.text())
def test_no_topic_crashes_it(topic: str) -> None:
    """S0.3: whatever the topic, one of the five modes."""
    assert detect_mode(topic) in {*KEYWORDS, "default"}
