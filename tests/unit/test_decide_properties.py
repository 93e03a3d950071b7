"""Whatever moment a host wakes up in: it does not fail, repeats nothing, and may be killed between any two actions."""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rt_deck.records import Session
from rt_moderator.decide import Drop, Expire, NextAttempt, Reseat, Strike, Wake, decide
from tests.unit.test_decide import NOW, moment, seat, session, turn

SLUGS = ("a", "b", "c")
World = dict[str, Any]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """A snapshot, the deck's sessions and the deaths that were counted."""
    number = st.integers(0, 4).map(str)
    seats, turns, there, known = [], [], {}, {}
    for slug in SLUGS[: draw(st.integers(0, 3))]:
        state = draw(st.sampled_from(["starting", "idle", "busy", "blocked", "dropped"]))
        seats.append(seat(slug, state=state, failures=draw(st.sampled_from(["", "0", "1", "2", "3"]))))
        for n, step in enumerate(("m1", "m2", "m3")[: draw(st.integers(0, 3))]):
            attempt = draw(st.sampled_from(["1", "2", "3"]))
            fields = {
                "state": draw(
                    st.sampled_from(["open", "open", "answered", "failed", "cancelled", "dropped"])
                ),
                "attempt": attempt,
                "leased": draw(st.sampled_from([attempt, "0"])),
                "deadline": str(NOW + draw(st.sampled_from([-1, 0, 1, 1, 1]))),
                "started_at": str(NOW - 5) if n == 0 else draw(st.sampled_from(["", str(NOW - 5)])),
            }
            if draw(st.booleans()):
                fields["failed_attempt"] = draw(st.sampled_from([attempt, "0"]))
            turns.append(turn(slug, step, **fields))
        if draw(st.integers(0, 3)):
            code = draw(st.sampled_from([None, 0, 1, 75, 137]))
            one = session(slug, "dead" if draw(st.integers(0, 3)) else "running", code, mark=f"mark-{slug}")
            there[one.name] = one
            if draw(st.integers(0, 2)) == 0:
                known[one.name] = draw(st.sampled_from([one.mark, "other"]))
    rest = draw(st.lists(st.sampled_from([*SLUGS, "nobody"]), max_size=3))
    table = {
        "robin": draw(st.sampled_from(["", json.dumps({"key": "k", "text": "t", "rest": rest})])),
        "wake": draw(st.sampled_from(["here", "none", ""])),
        "wake_pane": draw(st.sampled_from(["%1", ""])),
        "wake_on": draw(st.sampled_from(["", "each", "all-replied", "quiet", "quiet:9", "other"])),
        "woken": draw(number),
    }
    head = draw(st.integers(0, 4))
    counts = {"head": head, "cursor": draw(st.integers(0, head)), "unread": draw(st.integers(0, head))}
    snapshot = moment(seats, turns, table=table, **counts)
    return {
        "snapshot": snapshot,
        "sessions": draw(st.sampled_from([there, there, there, None])),
        "known": known,
    }


def look(world: World) -> list[Any]:
    return list(decide(world["snapshot"], world["sessions"], world["known"], 3.0))


@given(worlds())
@settings(max_examples=300)
def test_no_moment_is_too_much(world: World) -> None:
    """It never raises, says the same twice, and names every attempt, seat to drop and seat to make at most once."""
    before = copy.deepcopy(world)
    found = look(world)
    assert look(world) == found
    assert world == before
    attempts: Counter[tuple[str, str]] = Counter(
        (a.turn, str(a.attempt)) for a in found if isinstance(a, Expire | NextAttempt | Strike) and a.turn
    )
    attempts.update((t, "dropped") for a in found if isinstance(a, Drop) for t in a.turns)
    attempts.update((a.seat, "strike") for a in found if isinstance(a, Strike))
    attempts.update((s, "made") for a in found if isinstance(a, Reseat) for s in a.seats)
    assert all(count == 1 for count in attempts.values())
    assert sum(isinstance(a, Wake) for a in found) <= 1
    assert not {a.seat for a in found if isinstance(a, Drop)} & {
        s for a in found if isinstance(a, Reseat) for s in a.seats
    }


@given(worlds(), st.data())
@settings(max_examples=300)
def test_a_host_may_die_between_any_two_actions(world: World, data: st.DataObject) -> None:
    """A host killed after any of its actions and started again ends where one ends that was never killed."""
    whole, cut = copy.deepcopy(world), copy.deepcopy(world)
    for _ in range(12):  # by then nothing is left to do
        run(whole, look(whole))
        todo = look(cut)
        run(cut, todo[: data.draw(st.integers(0, len(todo)))])
    for _ in range(12):
        run(cut, look(cut))
    strip = {"head", "cursor"}
    assert {k: v for k, v in cut["snapshot"].items() if k not in strip} == {
        k: v for k, v in whole["snapshot"].items() if k not in strip
    }


def run(world: World, todo: list[Any]) -> None:
    """What the scripts on the bus and the deck make of these actions, on a copy in memory."""
    for action in todo:
        _EFFECTS.get(type(action), _nothing)(world, action)


def _nothing(world: World, action: Any) -> None:
    """A question, a line in a pane: they have keys of their own."""


def _seat(world: World, slug: str) -> dict[str, str]:
    return next(one for one in world["snapshot"]["seats"] if one["slug"] == slug)


def _turn(world: World, name: str) -> dict[str, str]:
    return next(one for one in world["snapshot"]["turns"] if one["id"] == name)


def _failed(world: World, slug: str, name: str, attempt: int) -> None:
    one = _turn(world, name)
    if (
        one["state"] == "open"
        and one["attempt"] == str(attempt)
        and one.get("failed_attempt") != one["attempt"]
    ):
        one["failed_attempt"] = one["attempt"]
        _seat(world, slug)["failures"] = str(int(_seat(world, slug)["failures"] or 0) + 1)


def _expire(world: World, action: Expire) -> None:
    _failed(world, action.seat, action.turn, action.attempt)
    one = _turn(world, action.turn)
    if one["state"] == "open" and one["deadline"] == action.deadline:
        one["state"] = "failed"


def _next(world: World, action: NextAttempt) -> None:
    one = _turn(world, action.turn)
    if one["state"] == "open" and one["attempt"] == str(action.attempt):
        one["attempt"] = str(action.attempt + 1)


def _strike(world: World, action: Strike) -> None:
    if action.turn:
        _failed(world, action.seat, action.turn, action.attempt)
    else:
        _seat(world, action.seat)["failures"] = str(int(_seat(world, action.seat)["failures"] or 0) + 1)
    world["known"][f"rt-1--{action.seat}"] = action.mark


def _drop(world: World, action: Drop) -> None:
    for name in action.turns:
        _turn(world, name)["state"] = "failed"
    _seat(world, action.seat)["state"] = "dropped"


def _reseat(world: World, action: Reseat) -> None:
    made: dict[str, Session] = world["sessions"]
    for slug in action.seats:
        made[f"rt-1--{slug}"] = session(slug, mark="new")


_EFFECTS: dict[type, Any] = {
    Expire: _expire, NextAttempt: _next, Strike: _strike, Drop: _drop, Reseat: _reseat,
}  # fmt: skip
