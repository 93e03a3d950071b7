"""What drain shows: one point of each reply, what the seats marked, what to type next."""

from __future__ import annotations

import pytest

from rt_moderator.drain_text import new, nothing
from rt_moderator.draining import context
from rt_moderator.partings import partings
from rt_moderator.words import cells, clock, grid, hung, listed, seqs, span
from tests.snapshots import message, moment, seat, turn

ANSWERED = [
    turn("builder", state="answered", reply_seq="2"),
    turn("skeptic", state="answered", reply_seq="3"),
]
LONG = "First sentence of a long answer. " * 60


def test_replies_of_a_step_stand_under_one_header_aligned_by_participant() -> None:
    """S4.19: round, how many answered, which numbers, how long; then each participant's position."""
    said = [
        message(2, "builder", "## Position\n\nNot this quarter.\n\n## Reasons\n\nMarch."),
        message(3, "skeptic", "Replay is the risk."),
    ]
    text = new(moment([seat("builder"), seat("skeptic")], ANSWERED), said, 0)
    assert text.splitlines() == [
        "Round 1, 2 of 2 answered (m2–m3), 40 s",
        "",
        "  builder  m2  Not this quarter.",
        "  skeptic  m3  Replay is the risk.",
        "",
        '  rt show m2  the whole answer      rt say "…"      rt synthesis --file -',
    ]


def test_what_is_no_reply_is_marked() -> None:
    """S4.20: notes, late replies, time-outs and the moderator's own words are told apart from replies."""
    said = [
        message(2, "user", "mind the budget", "note"),
        message(3, "skeptic", "too late", "late"),
        message(4, "system", "[TIMEOUT] skeptic did not answer", "system", turn="m1/skeptic"),
        message(5, "moderator", "we agree on x", "synthesis"),
    ]
    lines = new(moment([seat("skeptic")]), said, 0).splitlines()
    assert lines[2:6] == [
        "  user       m2  note: mind the budget",
        "  skeptic    m3  late, does not count: too late",
        "  skeptic    m4  [TIMEOUT] skeptic did not answer",
        "  moderator  m5  synthesis, the moderator's own: we agree on x",
    ]


def test_five_long_replies_fit_a_screen() -> None:
    """S4.19: no long paste: five answers of 2,000 characters take fewer than 24 lines of 80 columns."""
    slugs = ["a", "b", "c", "d", "e"]
    turns = [turn(slug, state="answered") for slug in slugs]
    said = [message(2 + i, slug, LONG) for i, slug in enumerate(slugs)]
    lines = new(moment([seat(slug) for slug in slugs], turns), said, 0, width=80).splitlines()
    assert len(lines) < 24
    assert max(map(cells, lines)) <= 80


def test_replies_of_two_steps_stand_apart() -> None:
    """Each step has its own header; one that is too long ago for its turns to be known still names its numbers."""
    said = [message(2, "a", "one"), message(9, "a", "two", turn="m8/a")]
    lines = new(moment([seat("a")], [turn("a", "m8", "answered")]), said, 0).splitlines()
    assert lines[0] == "Round 1, answers to m1 (m2)"
    assert lines[4] == "Round 1, 1 of 1 answered (m9), 40 s"


def test_the_next_command_depends_on_what_is_left() -> None:
    """First the rest of the unread, then who is still answering, then steering; the table is named when it was."""
    said = [message(2, "builder", "x")]
    answered = turn("builder", state="answered")
    busy = moment([seat("builder"), seat("skeptic")], [answered, turn("skeptic")])
    assert "7 more unread: rt drain -t ID" in new(busy, said, 7, flag=" -t ID")
    assert "skeptic is still answering: rt wait && rt drain" in new(busy, said, 0)
    ended = moment([seat("builder")], [answered], table={"state": "ended"})
    assert "rt say" not in new(ended, said, 0)


def test_control_characters_never_reach_the_screen() -> None:
    """What participants wrote is shown without escapes, also in the points they part on."""
    said = [message(2, "a", "x\x1b[31m\x07red"), message(3, "b", "Challenge: \x1b[2Jcost \x9b5n (m2)")]
    text = new(moment([seat("a"), seat("b")], ANSWERED), said, 0)
    assert not {"\x1b", "\x07", "\x9b"} & set(text)
    assert "They part on: [2Jcost 5n (m2, m3)" in text


def test_nothing_new_says_since_when_and_who_still_answers() -> None:
    """S4.18: the last number, when it was read, and whose turn is open."""
    busy = moment([seat("a"), seat("b")], [turn("a"), turn("b")], head=9)
    assert nothing(busy, 725.0, 0) == "nothing new since m9 (read 12 min ago). a and b are still answering.\n"
    assert nothing(moment([], head=9), None, 0) == "nothing new since m9.\n"
    assert nothing(moment([], head=0), None, 0) == "nothing new, nothing has been said yet.\n"


def test_seats_part_only_on_what_they_marked_themselves() -> None:
    """Challenge sections and lines that name messages are listed; the same point once, with everybody on it."""
    found = partings(
        [
            message(2, "a", "m1 is wrong about cost, I disagree with everything."),
            message(3, "b", "## Position\n\nYes.\n\n## Challenge\n\n- m2: when to start\n- no number here\n\n## Evidence\n\nm2 says x"),
            message(5, "c", "Challenge: When to start (m2).\n\nMore about m3."),
            message(6, "d", "**Challenges:**\n\n1. replay is the point\n   and no risk (m3, m5)\n2. m9: not said yet"),
            message(7, "moderator", "Challenge: m2 is nonsense", "synthesis"),
            message(8, "e", "Challenge everything that m2 says."),
        ]
    )  # fmt: skip
    assert [(one.point, one.seqs) for one in found] == [
        ("when to start", (2, 3, 5)),
        ("replay is the point and no risk", (3, 5, 6)),
    ]


def test_unmarked_replies_part_on_nothing() -> None:
    """Without marks nothing is inferred: drain has no opinion."""
    said = [message(2, "builder", "I disagree with m1."), message(3, "skeptic", "So do I, see m2.")]
    assert partings(said) == []
    assert "They part on" not in new(moment([seat("a")], ANSWERED), said, 0)


def test_who_parts_is_who_is_asked_next() -> None:
    """The suggested question goes to the seats on either side of a challenge."""
    said = [message(2, "builder", "Yes."), message(3, "skeptic", "Challenge: cost (m2)")]
    assert "--to builder,skeptic" in new(moment([], ANSWERED), said, 0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59, "59 s"), (60, "1 min"), (108, "1 min 48 s"), (725, "12 min"), (7500, "2 h 5 min"),
     (36_000, "10 h"), (90_000, "1 day"), (260_000, "3 days")],
)  # fmt: skip
def test_durations_are_as_exact_as_they_make_sense(seconds: float, text: str) -> None:
    """Seconds up to ten minutes, minutes up to some hours, then days."""
    assert span(seconds) == text


def test_small_words() -> None:
    """Clocks, runs of numbers, lists of names and grids read as people write them."""
    assert [clock(41), clock(600), clock(3723)] == ["0:41", "10:00", "1:02:03"]
    assert seqs([6, 2, 3, 4, 4]) == "m2–m4, m6"
    assert [listed([]), listed(["a"]), listed(["a", "b", "c"])] == ["", "a", "a, b and c"]
    assert grid([("a", "", "x"), ("日本", "", "y")]) == ["  a     x", "  日本  y"]


def test_wrapping_counts_columns_and_breaks_scripts_without_spaces() -> None:
    """A hanging indent holds for wide characters too, and no line is wider than the terminal."""
    lines = hung("  a  ", "停止" * 30, 40).splitlines()
    assert len(lines) == 4
    assert all(cells(line) <= 40 for line in lines)
    assert all(line.startswith("     ") for line in lines[1:])


def test_search_shows_one_line_around_the_first_place() -> None:
    """Case and line breaks do not matter; long surroundings are cut."""
    body = "word " * 40 + "The Replay\nCase matters " + "tail " * 40
    found = context(body, "replay case")
    assert "The Replay Case matters" in found
    assert found.startswith("…")
    assert found.endswith("…")
    assert len(found) < 130
    assert context(body, "absent") == ""
