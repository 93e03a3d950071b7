"""What a debate reads in free text: digests, scores, votes, critiques, verdicts."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rt_moderator import who_is_who
from rt_moderator.engine.labels import labelled
from rt_moderator.formats.debating import critiques, digests, reading, validation, votes
from rt_moderator.formats.debating.scores import Scores, consensus, read_scores
from rt_moderator.formats.debating.validation import Verdict, recommended, verdict_of
from rt_moderator.formats.debating.votes import Ballot, ballots, tally

LABELS = {"skeptic": "Panelist A", "builder": "Panelist B"}
MANY = labelled([f"s{number}" for number in range(30)], "seed")


# Digests


@pytest.mark.parametrize(
    "head",
    [
        "## Self-digest",
        "## SELF-DIGEST",
        "**Self-digest**",
        "**Self-digest:**",
        "### 6. Self digest",
        "Self-digest:",
        "Self-Digest",
    ],
)
def test_the_digest_is_the_last_section(head: str) -> None:
    """S0.17: the digest is found under its heading, however that is written, without the lines of other keywords."""
    found = digests.digest_of(f"## Thesis\nYes.\n\n{head}\nWe should go,\nslowly.\nVOTE: go\n")
    assert found == digests.Digest("We should go,\nslowly.")


def test_a_digest_behind_its_name_is_found() -> None:
    """S0.17: `Self-digest: text` on one line is a digest; of two the last counts."""
    assert digests.digest_of("Self-digest: first\n\nmore\n\nSelf-digest: We go.").text == "We go."


@pytest.mark.parametrize("text", ["plain words", "## Self-digest\n", "My self-digest follows, maybe", ""])
def test_a_missing_digest_is_inferred_and_marked(text: str) -> None:
    """S0.17: no digest section, or an empty one: the first 200 words, marked [DIGEST INFERRED]."""
    found = digests.digest_of(text)
    assert found.inferred
    assert found.marked.startswith("[DIGEST INFERRED]")
    assert len(digests.digest_of("word " * 500).text.split()) == 200


# Scores


@pytest.mark.parametrize(
    "line",
    ["- Panelist A: 4/5 — sound", "* **Panelist A**: 4 / 5", "Panelist A – 4", "1. PANELIST A: **4**/5", "- Panelist A (m4): 4/5",
     "| Panelist A | 4 |", "- panelist a = 4 out of 5", "- `Panelist A`: [4/5]"],
)  # fmt: skip
def test_a_clean_score_line_is_read(line: str) -> None:
    """S0.23: `- <label>: N/5 — why`, and how models vary it."""
    found = read_scores(f"SCORES:\n{line}\n- Panelist B: 2/5 — no\n", LABELS)
    assert found == Scores({"skeptic": 4, "builder": 2})


@pytest.mark.parametrize(
    "text",
    ["I give Panelist A a 4 for the cost argument.\nPanelist B gets 2.", "4 to Panelist A, and 2 to Panelist B",
     "Panelist A (who said 30% in m3) earns 4 of 5\nfor Panelist B 2 points"],
)  # fmt: skip
def test_without_a_clean_line_the_nearest_digit_counts(text: str) -> None:
    """S0.23: the digit 1–5 nearest to the label, no part of a number, a percentage or a citation."""
    assert read_scores(text, LABELS) == Scores({"skeptic": 4, "builder": 2})


@pytest.mark.parametrize(
    "wrong", ["0/5", "6/5", "4.5/5", "45", "m4", "four", "1-5 scale", "4/10", "4%", "strong"]
)
def test_what_is_no_score_is_inferred_and_marked(wrong: str) -> None:
    """S0.23: a peer that is unreadable in a reply with a SCORES block gets 3, inferred."""
    found = read_scores(f"SCORES:\n- Panelist A: {wrong}\n- Panelist B: 5/5\n", LABELS)
    assert found == Scores({"builder": 5, "skeptic": 3}, frozenset({"skeptic"}))


def test_a_missing_peer_is_inferred_only_beside_a_block_or_a_score() -> None:
    """S0.23: with a block, or one readable score, a missing peer is 3; with neither the reply is not scored."""
    assert read_scores("SCORES:\n", LABELS) == Scores(dict.fromkeys(LABELS, 3), frozenset(LABELS))
    assert read_scores("Panelist A deserves 5.", LABELS) == Scores(
        {"skeptic": 5, "builder": 3}, frozenset({"builder"})
    )
    assert read_scores("I liked both, Panelist A more.", LABELS) is None
    assert read_scores("", LABELS) is None
    assert read_scores("SCORES:\n- Panelist A: 4/5", {}) is None


def test_labels_are_matched_whole_and_the_last_block_counts() -> None:
    """S0.19, S0.23: Panelist A is not found in Panelist AA; a block that is quoted earlier gives way to the reply's own."""
    labels = {"one": "Panelist A", "two": "Panelist AA"}
    text = "> SCORES:\n> - Panelist A: 1/5\n\nSCORES:\n- Panelist AA: 2/5\n- Panelist A: 5/5\n"
    assert read_scores(text, labels) == Scores({"two": 2, "one": 5})


def test_no_self_score_and_nobody_unknown() -> None:
    """S0.23: a score for oneself or a stranger counts for nothing."""
    text = "SCORES:\n- Panelist A: 4/5\n- Panelist B: 4/5\n- Panelist C: 1/5\n- Me: 5/5\n"
    assert read_scores(text, LABELS) == Scores({"skeptic": 4, "builder": 4})


def test_abstaining_on_a_peer_is_no_opposition() -> None:
    """An abstention is its own value: it is neither inferred nor counted."""
    found = read_scores("SCORES:\n- Panelist A: abstain\n- Panelist B: 5/5\n", LABELS)
    assert found == Scores({"builder": 5})


def test_named_labels_may_be_roles() -> None:
    """S0.19: with --named the labels are role names, with punctuation of their own."""
    labels = {"da": "Devil's advocate", "ad": "Advocate"}
    assert read_scores("SCORES:\n- Devil's advocate: 2/5\n- Advocate: 5/5", labels) == Scores(
        {"da": 2, "ad": 5}
    )


@settings(max_examples=40)
@given(st.text() | st.from_regex(r"(SCORES:)?(\n- Panelist [A-D]{1,2}[:=-] ?[0-9./]{0,5}.{0,9}){0,6}"))
def test_no_reply_crashes_the_score_reader(text: str) -> None:
    """S0.23: any reply gives scores of 1 to 5 for known peers, or none."""
    found = read_scores(text, MANY)
    if found is not None:
        assert set(found.given.values()) <= {1, 2, 3, 4, 5}
        assert found.inferred <= set(found.given) <= set(MANY)


def test_both_percentages() -> None:
    """S0.24: consensus = sum / (n × 5) × 100, agreement = (mean − 1) / 4 × 100."""
    found = consensus({"a": Scores({"b": 4, "c": 5}), "b": Scores({"a": 2, "c": 3})})
    assert (found.pct, found.agreement) == (70.0, 62.5)
    assert (found.pct_read, found.agreement_read) == (None, None)
    assert consensus({"a": Scores({"b": 1})}).agreement == 0.0


def test_inferred_scores_are_taken_out_beside() -> None:
    """S0.24: with inferred scores both percentages stand without them, too, and who was inferred is listed."""
    found = consensus({"a": Scores({"b": 5, "c": 3}, frozenset({"c"}))})
    assert (found.pct, found.pct_read, found.agreement, found.agreement_read) == (80.0, 100.0, 75.0, 100.0)
    assert found.inferred == ("a → c",)


@pytest.mark.parametrize("found", [{}, {"a": Scores({"b": 3}, frozenset({"b"}))}, {"a": Scores()}])
def test_nothing_read_is_not_scored(found: dict[str, Scores]) -> None:
    """S0.24: nothing parsed is not scored: never 0 %, never a consensus of inferred scores alone."""
    assert consensus(found).pct is None


_SCORED = st.dictionaries(
    st.sampled_from("abcdef"),
    st.builds(
        lambda given, odd: Scores(given, frozenset(sorted(given)[:odd])),
        st.dictionaries(st.sampled_from("uvwxyz"), st.integers(1, 5)),
        st.integers(0, 3),
    ),
)


@settings(max_examples=40)
@given(_SCORED, st.randoms(use_true_random=False))
def test_percentages_stay_in_bounds_whatever_the_order(
    found: dict[str, Scores], chance: random.Random
) -> None:
    """S0.24: consensus is 20–100, agreement 0–100, and the order of seats is irrelevant."""
    once = consensus(found)
    seats = list(found.items())
    chance.shuffle(seats)
    assert consensus(dict(seats)) == once
    if once.pct is not None and once.agreement is not None:
        assert 20 <= once.pct <= 100
        assert 0 <= once.agreement <= 100


# Votes

FIRST = {"a": "VOTE: Ship it.", "b": "**VOTE:** ship it", "c": "VOTE: wait", "d": "nothing"}


def test_votes_are_compared_without_case_and_punctuation() -> None:
    """The options of round 1, the most held first; a reply without a vote holds none."""
    found = tally({slug: votes.vote_of(text) for slug, text in FIRST.items()})
    assert [(option.text, option.seats) for option in found] == [("Ship it.", ("a", "b")), ("wait", ("c",))]


def test_a_changed_mind_cites_what_changed_it() -> None:
    """Round-1 vote against final vote: who moved, why, and the message they cite."""
    second = {
        "a": "CHANGED: yes, m4 — the cost is higher\nVOTE: wait",
        "b": "CHANGED: no\nVOTE: ship it",
        "c": "VOTE: wait.",
        "d": "VOTE: wait",
    }
    found = {ballot.seat: ballot for ballot in ballots([FIRST, second])}
    assert found["a"] == Ballot("a", "Ship it.", "wait", True, (4,), "m4 — the cost is higher")
    assert not found["b"].changed
    assert not found["c"].changed
    assert found["d"] == Ballot("d", "", "wait", True)
    assert [ballot.seat for ballot in votes.minority(found.values())] == ["b"]


def test_a_failed_seat_has_no_final_vote_and_a_silent_one_keeps_its_own() -> None:
    """S0.30: who did not answer round 2 keeps the round-1 vote only as that; who answered without a vote holds on to it."""
    found = {ballot.seat: ballot for ballot in ballots([FIRST, {"b": "no vote here", "c": "CHANGED: yes"}])}
    assert (found["a"].first, found["a"].final) == ("Ship it.", "")
    assert found["b"].final == "ship it"
    assert (found["c"].final, found["c"].changed) == ("", True)


def test_a_tie_has_no_minority_and_abstaining_opposes_nothing() -> None:
    """Minority positions need a leading option; an abstention is neither one nor in the way of unanimity."""
    assert votes.minority([Ballot("a", final="x"), Ballot("b", final="y")]) == []
    assert votes.unanimous([Ballot("a", final="x"), Ballot("b", final="X."), Ballot("c", final="abstain")])
    assert not votes.unanimous([Ballot("a", final="x"), Ballot("b", final="abstain")])
    assert not votes.unanimous([Ballot("a", final="x"), Ballot("b", final="x"), Ballot("c", final="")])
    assert votes.vote_of("VOTE: Abstention") == "abstain"


@settings(max_examples=40)
@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcd"), st.text() | st.sampled_from(list(FIRST.values()))),
        max_size=3,
    )
)
def test_no_reply_crashes_the_ballots(rounds: list[dict[str, str]]) -> None:
    """Whatever seats write, each of round 1 has one ballot, and the tally counts every vote once."""
    found = ballots(rounds)
    assert [ballot.seat for ballot in found] == sorted(rounds[0] if rounds else {})
    counted = [seat for option in tally({b.seat: b.final for b in found}) for seat in option.seats]
    assert len(counted) == len(set(counted))


# Critiques and verdicts


def test_critiques_say_who_criticised_whom() -> None:
    """S0.26: each line of the critique that begins with a peer is one, with its target and its reason."""
    text = "## Critique\n- **Panelist B**, m3: the estimate — nobody measured it\n- Panelist A: a slogan\nOr so.\n\n## Defence\n- Panelist A: x"
    found = critiques.read_critiques(text, "me", 7, LABELS)
    assert [(one.to, one.text, one.seq) for one in found] == [
        ("builder", "m3: the estimate — nobody measured it", 7), ("skeptic", "a slogan", 7),
    ]  # fmt: skip


def test_a_critique_without_names_is_kept_as_a_whole() -> None:
    """S0.26: a critique that names nobody is cut to 80 words, never lost."""
    found = critiques.read_critiques("## Critique\n" + "word " * 200, "me", 7, LABELS)
    assert [(one.to, len(one.text.split())) for one in found] == [("", 82)]


@pytest.mark.parametrize(
    ("text", "said"),
    [("VERDICT: ACCURATE", "accurate"), ("**Verdict:** INACCURATE\nCORRECTION: I never said so.", "inaccurate"),
     ("Partially accurate, because", "partially"), ("It is not accurate", "inaccurate"), ("VERDICT: abstain", "abstain")],
)  # fmt: skip
def test_a_verdict_is_read(text: str, said: str) -> None:
    """S0.25: ACCURATE, PARTIALLY or INACCURATE, on its line or in the first words."""
    assert verdict_of(text).said == said


def test_a_verdict_that_says_nothing_is_malformed() -> None:
    """S0.25: no verdict is none, never a yes."""
    with pytest.raises(ValueError, match="VERDICT"):
        verdict_of("Looks fine to me")


@pytest.mark.parametrize(
    ("said", "validated", "rewrite"),
    [("aaa", "yes", False), ("aap", "partial", False), ("aai", "partial", False), ("aii", "no", True), ("iii", "no", True),
     ("", None, False), ("~~", None, False), ("a~", "yes", False)],
)  # fmt: skip
def test_the_tally(said: str, validated: str | None, rewrite: bool) -> None:
    """S0.25: two inaccurate rewrite, one is flagged, any partly is partial, all accurate yes; abstaining counts for nothing."""
    names = {"a": "accurate", "p": "partially", "i": "inaccurate", "~": "abstain"}
    found = validation.tally({str(n): Verdict(names[one]) for n, one in enumerate(said)})  # type: ignore[arg-type]
    assert (found.validated, found.rewrite) == (validated, rewrite)
    assert len(found.flagged) == said.count("i")


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ({"topic": "T", "mode": "build", "consensus_pct": 39.9}, True),
        ({"topic": "T", "mode": "build", "consensus_pct": 40.0}, False),
        ({"topic": "T", "mode": "redteam"}, True),
        ({"topic": "T", "mode": "build", "integrators": 2}, True),
        ({"topic": "T", "mode": "build", "integrators": 1}, False),
        ({"topic": "T", "mode": "vote", "integrators": 2}, False),
        ({"topic": "A final decision on X", "mode": "vote"}, True),
        ({"topic": "high-stakes move", "mode": "debate"}, True),
        ({"topic": "before publishing this", "mode": "default"}, True),
        ({"topic": "T", "mode": "redteam", "quick": True}, False),
        (
            {"topic": "your favourite colour, a final decision", "mode": "debate", "consensus_pct": 20.0},
            False,
        ),
    ],
)
def test_when_validation_is_recommended(how: dict[str, object], wanted: bool) -> None:
    """S0.25: under 40 %, red team, build with two integrators, or stakes in the topic; never quick or a matter of taste."""
    assert bool(recommended(**how)) is wanted  # type: ignore[arg-type]


@settings(max_examples=40)
@given(st.text(), st.sampled_from(reading.KEYS))
def test_no_text_crashes_the_readers(text: str, key: str) -> None:
    """Whatever a seat writes, the readers of lines and sections give text or nothing."""
    assert reading.field(text, key) is None or isinstance(reading.field(text, key), str)
    assert digests.digest_of(text).text is not None
    assert critiques.read_critiques(text, "me", 1, LABELS)


def test_labels_are_told_to_the_person() -> None:
    """S0.19: who a reply means by its labels, of its own step and reader alone; names of --named need no telling."""
    labels = {"r2": {"ann": {"bob": "Panelist A", "cy": "Panelist AA"}, "bob": {"ann": "ann"}}}
    assert who_is_who.legend(labels, "r2/ann", "Panelist AA errs") == "Panelist AA is cy"
    assert who_is_who.told(labels, "r2/ann", "Panelist AA, Panelist A") == "cy, bob"
    for turn in ("r2/cy", "r1/ann", "m7/ann", ""):
        assert who_is_who.legend(labels, turn, "Panelist A errs") == ""
    assert who_is_who.legend(labels, "r2/bob", "ann errs") == ""
