"""Rounds of `interpret`: what locks, when it stops, how sure the result is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rt_moderator.formats.interpreting.digest import EMPTY, Digest, Ground, digest, merged, problems
from rt_moderator.formats.interpreting.replies import Discussion, PointResponse
from rt_moderator.formats.interpreting.rounds import Heard, Round, confidence, counted, status, verdict

SEATS = ("a", "b", "c")


def points(*names: str) -> Digest:
    """A digest with these open points, on which three seats hold three things."""
    held = {slug: {"position": f"as {slug}", "message": 2 + at} for at, slug in enumerate(SEATS)}
    return digest(
        {
            "agreements": [],
            "points": [{"id": name, "statement": f"about {name}", "positions": held} for name in names],
        }
    )


def says(message: int, changed: bool = False, **agree: bool) -> Heard:
    rows = [
        PointResponse(point_id=name, position=f"m{message} on {name}", agree=value, reasoning="r")
        for name, value in agree.items()
    ]
    minds = [rows[0].point_id] if changed and rows else []
    return Heard(Discussion(point_responses=rows, changed_mind=minds, held=[], confidence=0.5), message)


def test_a_point_locks_when_every_available_seat_agrees() -> None:
    """S3.21: all three agree on D1, one does not on D2: D1 is an agreement in their words, D2 stays with new positions."""
    before = points("D1", "D2")
    heard = {
        "a": says(6, D1=True, D2=True),
        "b": says(7, D1=True, D2=True),
        "c": says(8, D1=True, D2=False),
    }
    found = counted(before, heard, SEATS, {})
    assert found.locked == ("D1",)
    assert [(one.point, one.messages) for one in found.draft.agreements] == [("D1", [6, 7, 8])]
    assert found.draft.points[0].positions["c"].position == "m8 on D2"
    assert verdict(before, found.draft, found) == "converging"
    said = {slug: one.message for slug, one in heard.items()}
    assert problems(found.draft, Ground(said, before, found.locked)) == []


def test_silence_locks_nothing() -> None:
    """A seat that holds a position and is silent keeps a point open; once dropped it no longer counts."""
    before = points("D1")
    heard = {"a": says(6, D1=True), "b": says(7, D1=True)}
    assert counted(before, heard, SEATS, {}).locked == ()
    assert counted(before, heard, ("a", "b"), {}).locked == ("D1",)
    assert counted(before, heard, SEATS, {"D1": {"c": True}}).locked == ("D1",)
    assert counted(before, {}, SEATS, {"D1": dict.fromkeys(SEATS, True)}).locked == ()
    assert counted(before, {"a": says(6, D1=True)}, ("a",), {}).locked == ()


def test_a_seat_without_a_position_and_without_an_answer_does_not_count() -> None:
    """S3.16: who was malformed from the start blocks nobody; who was and then answers has a say."""
    before = points("D1")
    heard = {slug: says(6 + at, D1=True) for at, slug in enumerate(SEATS)}
    assert counted(before, heard, (*SEATS, "d"), {}).locked == ("D1",)
    assert counted(before, {**heard, "d": says(9, D1=False)}, (*SEATS, "d"), {}).locked == ()


@pytest.mark.parametrize(
    ("locked", "changed", "left", "expected"),
    [
        (("D1", "D2"), (), (), "full_consensus"),
        (("D1",), (), ("D2",), "converging"),
        ((), ("a",), ("D1", "D2"), "moving"),
        ((), (), ("D1", "D2"), "stalled"),
        (("D1",), (), ("D2", "D3"), "moving"),
    ],
)
def test_the_verdict_of_a_round(
    locked: tuple[str, ...], changed: tuple[str, ...], left: tuple[str, ...], expected: str
) -> None:
    """S3.22: nothing open, fewer open, only minds changed, or nothing at all: the last one stalls."""
    assert verdict(points("D1", "D2"), points(*left), Round(locked, changed)) == expected


def test_the_status_of_a_run() -> None:
    """S3.23: one of three; two seats are no full consensus."""
    assert status(EMPTY, "full_consensus", 4, 3) == "full_consensus"
    assert status(EMPTY, None, 3, 3) == "full_consensus"
    assert status(EMPTY, None, 2, 3) == "partial"
    assert status(points("D1"), "converging", 4, 3) == "partial"
    assert status(points("D1"), "stalled", 4, 3) == "stalled"


@pytest.mark.parametrize(
    ("agreed", "left", "available", "missing", "stalled", "expected"),
    [
        (4, 0, 4, 0, False, "high"),
        (4, 0, 3, 0, False, "high"),
        (4, 1, 4, 0, False, "high"),
        (4, 1, 4, 0, True, "medium"),
        (4, 0, 3, 1, False, "medium"),
        (4, 2, 4, 0, False, "medium"),
        (4, 2, 3, 1, False, "low"),
        (1, 2, 4, 0, False, "low"),
        (4, 0, 2, 2, False, "low"),
        (0, 0, 4, 0, False, "low"),
    ],
)
def test_confidence(
    agreed: int, left: int, available: int, missing: int, stalled: bool, expected: str
) -> None:
    """S3.25, S3.9: high with a quorum and nearly all agreed; medium with something open or a seat missing; else low."""
    made = digest({"agreements": [{"text": f"{at}", "messages": [2]} for at in range(agreed)], "points": []})
    after = made.model_copy(update={"points": points(*(f"D{at + 1}" for at in range(left))).points})
    assert confidence(after, available=available, missing=missing, stalled=stalled) == expected


FLAGS = st.dictionaries(st.sampled_from(("a", "b", "c", "d")), st.tuples(st.booleans(), st.booleans()))


@given(FLAGS, st.sets(st.sampled_from(("a", "b", "c", "d"))), st.randoms())
def test_counting_is_fair(flags: dict[str, tuple[bool, bool]], live: set[str], random: object) -> None:
    """Nobody who was heard and disagreed is overruled, no order of seats changes a round, and its draft is always fair."""
    before = points("D1", "D2")
    heard = {slug: says(10 + ord(slug), D1=one, D2=two) for slug, (one, two) in sorted(flags.items())}
    found = counted(before, heard, live, {})
    shuffled = list(heard.items())
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert counted(before, dict(shuffled), sorted(live, reverse=True), {}) == found
    for at, name in enumerate(("D1", "D2")):
        if any(not pair[at] for pair in flags.values()):
            assert name not in found.locked
    said = {slug: one.message for slug, one in heard.items()}
    assert problems(found.draft, Ground(said, before, found.locked)) == []
    assert merged(found.draft, before) == found.draft
    assert len(found.draft.points) + len(found.locked) == 2
