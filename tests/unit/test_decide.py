"""What a host does next, as a table of moments and actions."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest

from rt_deck.records import Session
from rt_moderator.decide import (
    AskNext,
    Drop,
    EndRobin,
    Expire,
    NextAttempt,
    Reseat,
    Strike,
    Switch,
    Wake,
    decide,
)

NOW = 1_000_000
Moment = dict[str, Any]


def seat(slug: str, **fields: str) -> Moment:
    return {"slug": slug, "tmux": f"rt-1--{slug}", "state": "busy", "failures": "0"} | fields


def turn(slug: str, step: str = "m1", **fields: str) -> Moment:
    start = {"started_at": str(NOW - 5000), "deadline": str(NOW + 5000)}
    return {
        "id": f"{step}/{slug}", "step": step, "seat": slug, "state": "open", "attempt": "1", "leased": "1", **start,
    } | fields  # fmt: skip


def moment(seats: list[Moment], turns: list[Moment] | None = None, **fields: Any) -> Moment:
    table = {"id": "rt-1", "wake": "none"} | fields.pop("table", {})
    return {
        "table": table, "seats": seats, "turns": turns or [], "clock_ms": NOW, "head": 5, "cursor": 2, "unread": 3,
    } | fields  # fmt: skip


def session(
    slug: str, state: Literal["running", "dead"] = "running", exit_code: int | None = None, mark: str = "k1"
) -> Session:
    return Session(
        id="$1", pane_id="%1", pane_pid=1, server_pid=2, name=f"rt-1--{slug}", title="", group="", workdir="/",
        command="", state=state, exit_code=exit_code, pane_title="", activity=0, in_mode=False, viewers=0, mark=mark,
    )  # fmt: skip


def sessions(*found: Session) -> dict[str, Session]:
    return {one.name: one for one in found}


def actions(snapshot: Moment, there: dict[str, Session] | None = None, **known: str) -> list[Any]:
    names = {f"rt-1--{slug}": mark for slug, mark in known.items()}
    return list(decide(snapshot, there, names, 0.0))


def test_a_table_in_order_needs_nothing() -> None:
    """Seats that run and turns within their deadline ask for no action."""
    assert actions(moment([seat("a")], [turn("a")]), sessions(session("a"))) == []


@pytest.mark.parametrize("failures", ["1", "2"])
def test_the_first_and_second_failure_start_the_next_attempt(failures: str) -> None:
    """S1.24: a failed attempt is followed by the next one of the same turn."""
    failed = turn("a", attempt=failures, leased=failures, failed_attempt=failures)
    found = actions(moment([seat("a", failures=failures)], [failed]), sessions(session("a")))
    assert found == [NextAttempt("m1/a", int(failures))]


TWO = json.dumps({"transport": "acp", "other": {"transport": "headless"}})
ONE = json.dumps({"transport": "headless", "other": {}})


@pytest.mark.parametrize(
    ("failures", "spec", "expected"),
    [
        ("1", TWO, [NextAttempt("m1/a", 1)]),
        ("2", ONE, [NextAttempt("m1/a", 2)]),
        ("2", TWO, [Switch("a", "headless", "exit 1"), NextAttempt("m1/a", 2, "switch")]),
        ("3", TWO, [Drop("a", "exit 1", ("m1/a",))]),
    ],
)
def test_the_ladder_switches_on_the_second_strike(failures: str, spec: str, expected: list[Any]) -> None:
    """S2.21: restart, the other transport when there is one, drop."""
    failed = turn("a", attempt=failures, leased=failures, failed_attempt=failures)
    found = moment([seat("a", failures=failures, spec=spec, reason="exit 1")], [failed])
    assert actions(found, sessions(session("a"))) == expected


def test_a_second_strike_outside_an_attempt_switches_too() -> None:
    """S2.21: before the deadline's turn is closed, or with a death between turns; an attempt that runs is left alone."""
    once = seat("a", failures="1", spec=TWO)
    late = actions(moment([once], [turn("a", deadline=str(NOW))]), sessions(session("a")))
    assert late == [Switch("a", "headless", "it failed twice"), Expire("m1/a", "a", 1, str(NOW), 5)]
    died = actions(moment([once]), sessions(session("a", "dead", 3)))
    assert [type(one) for one in died] == [Switch, Strike, Reseat]
    in_turn = actions(moment([once], [turn("a")]), sessions(session("a", "dead", 3)))
    assert [type(one) for one in in_turn] == [Strike, Reseat]
    assert actions(moment([seat("a", failures="2", spec=TWO)], [turn("a")]), None) == []


def test_the_third_failure_drops_the_seat_with_its_open_turns() -> None:
    """S1.24: three strikes end the seat: every open turn of it goes along, waiting ones too, and no session is made."""
    open_turns = [
        turn("a", attempt="3", failed_attempt="3"),
        turn("a", "m7", started_at=""),
        turn("b", "m7"),
        turn("a", "m0", state="answered"),
    ]
    found = actions(
        moment([seat("a", failures="3", reason="exit 1"), seat("b")], open_turns), sessions(session("b"))
    )
    assert found == [Drop("a", "exit 1", ("m1/a", "m7/a"))]


def test_an_attempt_that_is_running_is_left_alone() -> None:
    """An attempt after a failed one is not failed again."""
    assert actions(moment([seat("a")], [turn("a", attempt="2", failed_attempt="1")]), None) == []


def test_only_the_current_turn_expires() -> None:
    """A deadline counts from the moment the turn becomes its seat's current one; a waiting turn has none."""
    late = turn("a", deadline=str(NOW))
    waiting = turn("a", "m4", started_at="", deadline="")
    assert actions(moment([seat("a")], [late, waiting])) == [Expire("m1/a", "a", 1, str(NOW), 5)]
    assert actions(moment([seat("a")], [turn("a", deadline=str(NOW + 1)), waiting])) == []
    assert actions(moment([seat("a")], [turn("a", deadline="1", state="answered"), waiting])) == []


def test_a_deadline_comes_before_the_next_attempt() -> None:
    """The next rung serves the seat's next turn when the deadline has passed."""
    late = turn("a", failed_attempt="1", deadline=str(NOW - 1))
    assert [type(one) for one in actions(moment([seat("a", failures="1")], [late]))] == [Expire]


def test_a_silent_tmux_proves_nothing() -> None:
    """When tmux could not be asked no session counts as missing or dead."""
    assert actions(moment([seat("a"), seat("b")], [turn("a")]), None) == []


def test_a_missing_session_is_made_and_is_no_strike() -> None:
    """The death of tmux or of the machine is not the seat's failure: its session is made anew."""
    found = actions(moment([seat("a"), seat("b"), seat("c", state="dropped")], [turn("a")]), {})
    assert found == [Reseat(("a", "b"))]


@pytest.mark.parametrize("code", [1, 2, 74, 127, 134, 137, 139, None])
def test_a_session_that_died_is_a_strike(code: int | None) -> None:
    """A crash is the seat's own failure; it is counted against the attempt that ran, and the session is made anew."""
    dead = sessions(session("a", "dead", code, mark="k9"))
    reason = f"its session ended (exit {'unknown' if code is None else code})"
    snapshot = moment([seat("a")], [turn("a", attempt="2", leased="2")])
    assert actions(snapshot, dead) == [Strike("a", reason, "m1/a", 2, "k9"), Reseat(("a",))]


@pytest.mark.parametrize("code", [0, 75, 129, 130, 143])
def test_an_end_that_is_nobodys_fault_is_no_strike(code: int) -> None:
    """Done, no bus, or told to stop by hand or by the machine: the session is made anew, nothing is counted."""
    assert actions(moment([seat("a")], [turn("a")]), sessions(session("a", "dead", code))) == [Reseat(("a",))]


@pytest.mark.parametrize("open_turn", [[], [turn("a", leased="0")], [turn("a", attempt="2", leased="1")]])
def test_a_death_between_attempts_is_the_seats_alone(open_turn: list[Moment]) -> None:
    """A session that dies before it took the turn fails no attempt; it is a strike all the same."""
    found = actions(moment([seat("a")], open_turn), sessions(session("a", "dead", 3)))
    assert found == [Strike("a", "its session ended (exit 3)", mark="k1"), Reseat(("a",))]


def test_the_same_death_is_counted_once() -> None:
    """A death that was counted is known by its mark; the next one of the same seat counts again."""
    snapshot = moment([seat("a", failures="1")], [turn("a")])
    assert actions(snapshot, sessions(session("a", "dead", 1)), a="k1") == [Reseat(("a",))]
    assert isinstance(actions(snapshot, sessions(session("a", "dead", 1)), a="k0")[0], Strike)


def test_a_death_and_a_failure_of_one_attempt_are_one() -> None:
    """A runner that reported its failure and then died, or died at its deadline, has failed once."""
    dead = sessions(session("a", "dead", 1))
    for fields in ({"failed_attempt": "1"}, {"deadline": str(NOW - 1)}):
        found = actions(moment([seat("a")], [turn("a", **fields)]), dead)
        assert [type(one) for one in found] == [Strike, Reseat]


def test_a_turn_asked_of_a_seat_that_was_dropped_is_closed() -> None:
    """A question that crossed the drop of its seat waits for nobody; no session is made for it."""
    gone = seat("a", state="dropped", reason="by hand")
    assert actions(moment([gone], [turn("a")]), {}) == [Drop("a", "by hand", ("m1/a",))]
    assert actions(moment([gone]), {}) == []


ROBIN = {"robin": json.dumps({"key": "k", "text": "next?", "rest": ["b", "gone", "c"]})}


def test_a_round_robin_asks_the_next_seat() -> None:
    """S4.14: one after the other in the given order, without seats that left, and only when nothing is open."""
    seats = [seat("a"), seat("b"), seat("c"), seat("gone", state="dropped")]
    assert actions(moment(seats, [turn("a")], table=ROBIN)) == []
    assert actions(moment(seats, [turn("a", state="answered")], table=ROBIN)) == [
        AskNext("k", "next?", "b", ("c",))
    ]
    own = {"robin": json.dumps({"key": "k", "text": "next?", "person": "user", "rest": ["c"]})}
    assert actions(moment(seats, table=own)) == [AskNext("k", "next?", "c", (), "user")]
    for over in ({"robin": json.dumps({"key": "k", "text": "x", "rest": []})}, {"robin": ""}, {}):
        assert actions(moment(seats, table=over)) == []
    left = {"robin": json.dumps({"key": "k", "text": "x", "rest": ["gone"]})}
    assert actions(moment(seats, table=left)) == [EndRobin()]


def wakes(policy: str, *, busy: bool, quiet: float = 0.0, **fields: Any) -> list[Any]:
    table = {"wake": "here", "wake_pane": "%1", "wake_on": policy} | fields.pop("table", {})
    state = "open" if busy else "answered"
    return decide(moment([seat("a")], [turn("a", state=state)], table=table, **fields), None, {}, quiet)


@pytest.mark.parametrize(
    ("policy", "busy", "quiet", "due"),
    [
        ("each", True, 0, True),
        ("each", False, 0, True),
        ("all-replied", True, 99, False),
        ("all-replied", False, 0, True),
        ("", False, 0, True),
        ("", True, 0, False),
        ("quiet:20", True, 19.9, False),
        ("quiet:20", True, 20, True),
        ("quiet:20", False, 5, False),
        ("quiet", False, 59, False),
        ("quiet", False, 60, True),
    ],
)
def test_when_the_moderator_is_woken(policy: str, busy: bool, quiet: float, due: bool) -> None:
    """Each reply, all of a step, or silence for so many seconds: as the policy says."""
    assert wakes(policy, busy=busy, quiet=quiet) == ([Wake(5)] if due else [])


@pytest.mark.parametrize(
    "fields",
    [
        {"unread": 0},
        {"table": {"wake": "none"}},
        {"table": {"wake_pane": ""}},
        {"table": {"woken": "5"}},
        {"table": {"woken": "3"}},
    ],
)
def test_when_the_moderator_is_left_alone(fields: Moment) -> None:
    """Not without news, permission or pane, and not again before the last line was answered by a drain."""
    assert wakes("each", busy=False, **fields) == []


def test_the_next_wake_comes_after_the_drain() -> None:
    """A wake whose messages were drained is not outstanding any more."""
    assert wakes("each", busy=False, table={"woken": "2"}) == [Wake(5)]
