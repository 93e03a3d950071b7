"""Turns: opened together with their intent and control mail, closed once (S4.6: ask, answer, time-out, each on record)."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from rt_config.errors import (
    BadTokenError,
    BodyTooLargeError,
    EmptyBodyError,
    GroupExistsError,
    IdempotencyConflictError,
    NoTurnError,
    SeatExistsError,
    UnknownSeatError,
    UnknownTableError,
    UnknownTurnError,
)
from rt_mailbox import keys, tables, turns
from rt_mailbox.client import RedisDoor
from tests.integration.bus_fixtures import (
    GROUP,
    TABLE,
    Table,
    dump,
    fresh_space,  # noqa: F401 (fixtures)
    laid_table,  # noqa: F401
    library_door,  # noqa: F401
    module_server,  # noqa: F401
)

TOKEN, OTHER = "test", "other"


def current(table: Table, slug: str) -> str:
    """The seat's current turn."""
    return str(turns.peek(table.door, table.space, slug)["turn"])


def show(table: Table, slug: str) -> list[int]:
    """Show a seat its turn, and return the seqs it sees."""
    found = turns.show(table.door, table.space, slug)
    assert found
    return [m["seq"] for m in found["messages"]]


def test_a_step_is_opened_in_one_piece(table: Table) -> None:
    """The intent, a turn for each seat and its control mail are there when the call returns."""
    opened = table.ask("a", "b")
    assert (opened["seq"], opened["step"], opened["turns"]) == (1, "m1", ["m1/a", "m1/b"])
    assert table.record() == [(1, "moderator", "intent")]
    assert [table.turn(name)["state"] for name in opened["turns"]] == ["open", "open"]
    assert [table.mail(name)["state"] for name in opened["turns"]] == ["queued", "queued"]
    assert [(e["turn"], e["intent"]) for e in table.events("asked")] == [("m1/a", "1"), ("m1/b", "1")]


def test_a_refused_step_leaves_no_trace(table: Table) -> None:
    """One unknown seat among the asked, or a body that cannot be stored, and nothing is written at all."""
    before = dump(table.door, table.space)
    with pytest.raises(UnknownSeatError) as caught:
        table.ask("a", "nobody")
    assert "a, b" in str(caught.value)
    with pytest.raises(EmptyBodyError):
        table.ask("a", body=" ")
    with pytest.raises(BodyTooLargeError):
        table.ask("a", body="x" * (1024 * 1024 + 1))
    assert dump(table.door, table.space) == before


def test_the_same_key_asks_once(table: Table) -> None:
    """A repeated say with its key opens nothing new and tells the first seq and turns; another body is a conflict."""
    first = table.ask("a", "b", key="k")
    again = table.ask("a", "b", key="k")
    assert (again["seq"], again["turns"], again["duplicate"]) == (1, first["turns"], 1)
    with pytest.raises(IdempotencyConflictError):
        table.ask("a", body="another question", key="k")
    assert len(table.record()) == 1


def test_the_same_step_is_opened_once_for_each_seat(table: Table) -> None:
    """A format that replays asks again: what was asked is left as it is, a seat that was missing gets its turn."""
    table.ask("a", step="r1")
    table.reply("a", turn="r1/a")
    again = table.ask("a", step="r1")
    assert (again["seq"], again["step"], again["turns"], again["duplicate"]) == (1, "r1", ["r1/a"], 1)
    assert table.turn("r1/a")["state"] == "answered"
    more = table.ask("a", "b", step="r1")
    assert (more["turns"], more["duplicate"]) == (["r1/a", "r1/b"], 0)
    assert [table.turn(t)["state"] for t in more["turns"]] == ["answered", "open"]


def test_a_reply_is_one_step(table: Table) -> None:
    """A reply is in the record, closes the turn, settles its control mail, marks what was shown as read, resets strikes."""
    table.ask("a", "b")
    show(table, "a")
    turns.attempt_failed(table.door, table.space, "a", "m1/a", 1, "crash")
    found = table.reply("a", "My answer.", subject="s")
    assert (found["seq"], found["turn"], found["duplicate"], found["late"]) == (2, "m1/a", 0, 0)
    [_, message] = table.box.history(GROUP)
    assert message[1:7] == ("participant/a", "reply", 1, "m1/a", "s", "My answer.")
    assert (table.turn("m1/a")["state"], table.mail("m1/a")["state"]) == ("answered", "acked")
    assert table.seat("a")["failures"] == "0"
    assert table.box.unread(GROUP, "participant/a") == 0
    assert current(table, "a") == ""


def test_a_second_reply_is_not_stored(table: Table) -> None:
    """It returns the first seq as a duplicate, and says when the body differs."""
    table.ask("a")
    show(table, "a")
    table.reply("a", "first")
    found = [table.reply("a", body) for body in ("first", "second")]
    assert [(f["seq"], f["duplicate"], f["body_differs"], f["late"]) for f in found] == [
        (2, 1, 0, 0),
        (2, 1, 1, 0),
    ]
    assert len(table.record()) == 2


@pytest.mark.parametrize("state", ["failed", "cancelled", "dropped"])
def test_a_reply_after_closing_is_late(table: Table, state: str) -> None:
    """It is stored as kind late, never counts, and is stored once."""
    table.ask("a")
    show(table, "a")
    turns.close(table.door, table.space, "m1/a", state, "no answer", message="[TIMEOUT]")
    found = [table.reply("a", "too late") for _ in range(2)]
    assert [(f["seq"], f["late"], f["duplicate"]) for f in found] == [(3, 1, 0), (3, 1, 1)]
    assert table.record()[1:] == [(2, "system", "system"), (3, "participant/a", "late")]
    assert table.turn("m1/a")["state"] == state
    assert len(table.events("late")) == 1


def test_a_reply_before_any_turn_was_shown_is_refused(table: Table) -> None:
    """An open turn is not answered by a seat that never saw it: no_turn."""
    table.ask("a")
    with pytest.raises(NoTurnError):
        table.reply("a")
    assert len(table.record()) == 1


def test_a_reply_answers_the_turn_last_shown(table: Table) -> None:
    """Not the one that became current meanwhile: that would answer a question nobody read."""
    table.ask("a")
    show(table, "a")
    table.ask("a")
    turns.close(table.door, table.space, "m1/a", "cancelled", "by hand")
    found = table.reply("a")
    assert (found["turn"], found["late"]) == ("m1/a", 1)
    assert table.turn("m2/a")["state"] == "open"


def test_a_named_turn_can_be_answered_unseen(table: Table) -> None:
    """With its name, also one that waits in line; messages that were never shown stay unread."""
    table.ask("a")
    table.ask("a")
    assert table.reply("a", turn="m2/a")["seq"] == 3
    assert [table.turn(t)["state"] for t in ("m1/a", "m2/a")] == ["open", "answered"]
    assert table.box.unread(GROUP, "participant/a") == 2
    assert show(table, "a") == [1]


def test_a_turn_of_another_seat_is_unknown(table: Table) -> None:
    """A seat answers its own turns only."""
    table.ask("a")
    for name in ("m1/a", "m9/b"):
        with pytest.raises(UnknownTurnError):
            table.reply("b", turn=name)
    assert len(table.record()) == 1


def test_an_empty_or_huge_reply_is_refused(table: Table) -> None:
    """Nothing is stored and the turn stays open."""
    table.ask("a")
    show(table, "a")
    with pytest.raises(EmptyBodyError):
        table.reply("a", "  ")
    with pytest.raises(BodyTooLargeError):
        table.reply("a", "x" * (1024 * 1024 + 1))
    assert (len(table.record()), table.turn("m1/a")["state"]) == (1, "open")


def test_turns_opened_together_are_blind_to_each_other(table: Table) -> None:
    """A seat sees the record up to the intent, though another has answered; its next turn shows that answer."""
    table.ask("a", "b")
    show(table, "b")
    table.reply("b")
    assert show(table, "a") == [1]
    table.reply("a")
    table.ask("a", "b")
    assert show(table, "a") == [2, 4]
    assert show(table, "b") == [3, 4]


def test_a_turn_shows_the_same_on_every_call(table: Table) -> None:
    """Its range is fixed at the first call, whatever is read or said in between."""
    table.ask("a")
    first = show(table, "a")
    table.box.drain(GROUP, "participant/a").commit()
    table.box.send(GROUP, "moderator", "a note")
    assert show(table, "a") == first == [1]


def test_the_lease_belongs_to_the_seat_until_the_deadline(table: Table) -> None:
    """Taking the turn again is no second delivery, and nobody else gets the control mail."""
    table.ask("a")
    for _ in range(3):
        show(table, "a")
    mail = table.mail("m1/a")
    assert (mail["state"], mail["deliveries"], mail["until"]) == (
        "leased",
        "1",
        table.turn("m1/a")["deadline"],
    )
    assert table.box.recv("agent-deck/rt-20260102-0304-topic--a") == []
    assert len(table.events("leased")) == 1


def test_later_turns_wait_and_their_deadline_starts_when_they_become_current(table: Table) -> None:
    """The oldest open turn is current; the next has no deadline until it is its turn."""
    table.ask("a", timeout_ms=60_000)
    table.ask("a", timeout_ms=30_000)
    assert current(table, "a") == "m1/a"
    assert "deadline" not in table.turn("m2/a")
    table.reply("a", turn="m1/a")
    waiting = table.turn("m2/a")
    assert current(table, "a") == "m2/a"
    assert int(waiting["deadline"]) - int(waiting["started_at"]) == 30_000
    assert waiting["started_at"] >= table.turn("m1/a")["closed_at"]


def test_turns_are_current_in_the_order_they_opened(table: Table) -> None:
    """Also beyond ten, where text order would differ."""
    names = [table.ask("a")["turns"][0] for _ in range(12)]
    seen = []
    while name := current(table, "a"):
        seen.append(name)
        turns.close(table.door, table.space, name, "cancelled", "by hand")
    assert seen == names


@pytest.mark.parametrize("first", ["1", "2"])
def test_either_of_two_attempts_may_answer(table: Table, first: str) -> None:
    """The first usable reply of any attempt answers the turn; the other is a duplicate."""
    table.ask("a")
    show(table, "a")
    turns.attempt_failed(table.door, table.space, "a", "m1/a", 1, "hang")
    turns.next_attempt(table.door, table.space, "m1/a", 1, "rebuild")
    show(table, "a")
    other = "2" if first == "1" else "1"
    found = [table.reply("a", f"attempt {n}", attempt=n) for n in (first, other)]
    assert [(f["seq"], f["duplicate"]) for f in found] == [(2, 0), (2, 1)]
    assert table.turn("m1/a")["answered_by"] == first


def test_racing_replies_are_one(table: Table, bus_url: str) -> None:
    """Eight attempts that reply at the same moment leave one answer in the record."""
    table.ask("a")
    show(table, "a")
    found = []

    def race(n: int) -> None:
        door = RedisDoor(bus_url)
        found.append(turns.reply(door, table.space, "a", f"attempt {n}"))
        door.close()

    threads = [threading.Thread(target=race, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(f["duplicate"] for f in found) == [0] + [1] * 7
    assert len(table.record()) == 2


def test_a_failed_attempt_is_one_strike_however_often_it_is_told(table: Table) -> None:
    """Told twice it counts once; of an attempt that is not the latest, or a closed turn, it does not count."""
    table.ask("a")

    def fail(attempt: int) -> tuple[int, int]:
        found = turns.attempt_failed(table.door, table.space, "a", "m1/a", attempt, "crash", detail="exit 1")
        return found["counted"], found["failures"]

    assert [fail(1), fail(1)] == [(1, 1), (0, 1)]
    turns.next_attempt(table.door, table.space, "m1/a", 1, "rebuild")
    assert [fail(1), fail(2)] == [(0, 1), (1, 2)]
    turns.close(table.door, table.space, "m1/a", "failed", "no rung left")
    assert fail(3) == (0, 2)
    assert [(e["attempt"], e["strike"]) for e in table.events("failed") if "attempt" in e] == [
        ("1", "1"),
        ("2", "2"),
    ]


def test_the_next_attempt_starts_once(table: Table) -> None:
    """Asked twice it starts once, within the same deadline, and its control mail is free for the seat at once."""
    table.ask("a")
    show(table, "a")
    deadline = table.turn("m1/a")["deadline"]
    found = [turns.next_attempt(table.door, table.space, "m1/a", 1, "rebuild") for _ in range(2)]
    assert [(f["attempt"], f["started"]) for f in found] == [(2, 1), (2, 0)]
    assert (table.turn("m1/a")["deadline"], table.mail("m1/a")["state"]) == (deadline, "queued")
    again = turns.show(table.door, table.space, "a")
    assert again
    assert (again["attempt"], again["rebuild"]) == (2, "1")
    assert [e["attempt"] for e in table.events("leased")] == ["1", "2"]


def test_a_turn_is_closed_once(table: Table) -> None:
    """The second close changes nothing and tells the state; the system message is in the record once."""
    table.ask("a")
    states = ("failed", "cancelled")
    found = [turns.close(table.door, table.space, "m1/a", s, "why", message="[TIMEOUT]") for s in states]
    assert [(f["closed"], f["state"]) for f in found] == [(1, "failed"), (0, "failed")]
    assert table.record()[1:] == [(2, "system", "system")]
    assert table.mail("m1/a")["state"] == "acked"


def test_an_answered_turn_cannot_be_closed(table: Table) -> None:
    """A time-out that comes too late does not take an answer back."""
    table.ask("a")
    table.reply("a", turn="m1/a")
    assert turns.close(table.door, table.space, "m1/a", "failed", "why", message="[TIMEOUT]")["closed"] == 0
    assert table.turn("m1/a")["state"] == "answered"
    assert len(table.record()) == 2


def test_a_turn_that_was_extended_meanwhile_stays_open(table: Table) -> None:
    """Closing expects the deadline that was seen to pass."""
    table.ask("a")
    seen = table.turn("m1/a")["deadline"]
    assert turns.extend(table.door, table.space, ["m1/a"], seconds=60) == ["m1/a"]
    assert int(table.turn("m1/a")["deadline"]) == int(seen) + 60_000
    assert turns.close(table.door, table.space, "m1/a", "failed", "late", deadline=seen)["closed"] == 0
    assert table.turn("m1/a")["state"] == "open"


def test_a_turn_closed_at_its_deadline_is_a_strike_in_the_same_step(table: Table) -> None:
    """A time-out counts once, with its close, also when its attempt had failed before; by hand it is no strike."""
    table.ask("a", "b")
    for slug in ("a", "b"):
        seen = table.turn(f"m1/{slug}")["deadline"]
        if slug == "b":
            turns.attempt_failed(table.door, table.space, slug, "m1/b", 1, "exit 1")
        turns.close(table.door, table.space, f"m1/{slug}", "failed", "timeout", deadline=seen)
        turns.close(table.door, table.space, f"m1/{slug}", "failed", "timeout", deadline=seen)
        seat = table.seat(slug)
        assert (seat["failures"], seat["native_ready"]) == ("1", "0")
    table.ask("a")
    turns.close(table.door, table.space, "m2/a", "cancelled", "by hand")
    assert table.seat("a")["failures"] == "1"


def test_extending_keeps_the_lease_and_leaves_closed_and_waiting_turns_alone(table: Table) -> None:
    """The lease of a shown turn ends with the new deadline; a waiting turn gets its time later; a closed one none."""
    table.ask("a", timeout_ms=1_000)
    table.reply("a", turn="m1/a")
    table.ask("a", timeout_ms=1_000)
    table.ask("a", timeout_ms=1_000)
    show(table, "a")
    assert turns.extend(table.door, table.space, ["m1/a", "m3/a", "m4/a"], seconds=60) == ["m3/a", "m4/a"]
    assert table.mail("m3/a")["until"] == table.turn("m3/a")["deadline"]
    assert ("deadline" in table.turn("m4/a"), table.turn("m4/a")["timeout_ms"]) == (False, "61000")


def test_a_fresh_deadline_is_the_turns_own_time_from_now(table: Table) -> None:
    """Without seconds an open turn has its whole time again."""
    table.ask("a", timeout_ms=60_000)
    before = int(table.turn("m1/a")["deadline"])
    turns.extend(table.door, table.space, ["m1/a"], seconds=-50)
    turns.extend(table.door, table.space, ["m1/a"])
    clock = turns.peek(table.door, table.space, "a")["clock_ms"]
    assert before <= int(table.turn("m1/a")["deadline"]) <= clock + 60_000


def test_extending_an_unknown_turn_changes_nothing(table: Table) -> None:
    """All or nothing."""
    table.ask("a")
    before = dump(table.door, table.space)
    with pytest.raises(UnknownTurnError):
        turns.extend(table.door, table.space, ["m1/a", "m9/a"], seconds=60)
    assert dump(table.door, table.space) == before


def test_dropping_a_seat_closes_its_turns(table: Table) -> None:
    """All its open turns are dropped, each with a system message; others go on; a second drop changes nothing."""
    table.ask("a", "b")
    table.ask("a")
    assert tables.drop_seat(table.door, table.space, "a", "by hand", "[DROPPED]")
    assert [table.turn(t)["state"] for t in ("m1/a", "m1/b", "m2/a")] == ["dropped", "open", "dropped"]
    assert [kind for _, _, kind in table.record()] == ["intent", "intent", "system", "system"]
    assert {table.mail(t)["state"] for t in ("m1/a", "m2/a")} == {"acked"}
    assert not tables.drop_seat(table.door, table.space, "a", "by hand", "[DROPPED]")
    assert len(table.record()) == 4
    assert turns.show(table.door, table.space, "a") is None


def test_a_dropped_seat_stays_dropped(table: Table) -> None:
    """A turn that closes afterwards does not make it idle; only seating it again does."""
    tables.drop_seat(table.door, table.space, "a", "by hand", "[DROPPED]")
    table.ask("a")
    turns.close(table.door, table.space, "m1/a", "cancelled", "by hand")
    assert table.seat("a")["state"] == "dropped"
    seat = {"slug": "a", "person": "participant/a", "address": "agent-deck/x"}
    assert tables.add_seat(table.door, table.space, GROUP, seat)
    assert table.seat("a")["state"] == "starting"


def test_a_new_seat_sees_everything(table: Table) -> None:
    """A seat that sits down later is a member with the whole history; a taken slug is refused."""
    table.ask("a")
    seat = {"slug": "c", "person": "participant/c", "address": "agent-deck/c"}
    assert not tables.add_seat(table.door, table.space, GROUP, seat)
    assert table.box.unread(GROUP, "participant/c") == 1
    with pytest.raises(SeatExistsError):
        tables.add_seat(table.door, table.space, GROUP, seat)


def test_a_token_speaks_for_its_own_seat_only(table: Table) -> None:
    """With another token a seat neither sees its turn, nor answers, reads or fails."""
    tables.set_seat(
        table.door, table.space, "a", {"token_sha": "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3"}
    )  # of "test"
    table.ask("a")
    assert turns.show(table.door, table.space, "a", TOKEN)
    calls: list[Callable[[], object]] = [
        lambda: turns.show(table.door, table.space, "a", OTHER),
        lambda: table.reply("a", token=OTHER),
        lambda: turns.attempt_failed(table.door, table.space, "a", "m1/a", 1, "why", token=OTHER),
    ]
    for call in calls:
        with pytest.raises(BadTokenError):
            call()
    assert table.reply("a", token=TOKEN)["seq"] == 2


def test_a_synthesis_raises_the_round_once(table: Table) -> None:
    """Repeated with its key it raises nothing; a final one raises nothing at all."""
    found = [tables.conclude(table.door, table.space, GROUP, "In short.", key="k") for _ in range(2)]
    assert [(f["seq"], f["round"], f["duplicate"]) for f in found] == [(1, 2, 0), (1, 2, 1)]
    assert tables.conclude(table.door, table.space, GROUP, "At last.", final=True)["round"] == 2
    with pytest.raises(IdempotencyConflictError):
        tables.conclude(table.door, table.space, GROUP, "Otherwise.", key="k")
    table.ask("a")
    assert [m.round for m in table.box.history(GROUP)] == [1, 2, 2]


def test_a_table_is_laid_once(table: Table) -> None:
    """Laying it again leaves it as it is, so that an unfinished start can be completed."""
    before = dump(table.door, table.space)
    assert not tables.create(table.door, table.space, GROUP, {"id": "other"}, [], [])
    assert dump(table.door, table.space) == before


def test_a_table_takes_no_group_that_is_there(door: RedisDoor, space: str) -> None:
    """A group of that name with a record is not overwritten."""
    box = Table(door, space).box
    box.create_group(GROUP)
    box.add_member(GROUP, "ann")
    box.send(GROUP, "ann", "hello")
    with pytest.raises(GroupExistsError):
        tables.create(door, space, GROUP, {"id": TABLE}, ["moderator"], [])
    assert len(list(box.history(GROUP))) == 1


def test_a_topic_of_any_bytes_is_kept(door: RedisDoor, space: str) -> None:
    """Text that is no UTF-8 and values that are no text do not stop a start half-way."""
    topic = bytes(range(1, 256)).decode("utf-8", "surrogateescape")
    tables.create(door, space, GROUP, {"id": TABLE, "topic": topic, "limit": 3}, ["moderator"], [])
    found = tables.snapshot(door, space)
    assert found
    assert (found["table"]["topic"], found["table"]["limit"]) == (topic, "3")


def test_a_snapshot_holds_every_open_turn(table: Table) -> None:
    """Also those older than the latest it was asked for; it changes nothing."""
    for _ in range(4):
        table.ask("a", "b")
    turns.close(table.door, table.space, "m2/b", "cancelled", "by hand")
    before = dump(table.door, table.space)
    found = tables.snapshot(table.door, table.space, 2)
    assert found
    assert {t["id"] for t in found["turns"]} == {f"m{n}/{s}" for n in range(1, 5) for s in "ab"} - {"m2/b"}
    assert (found["head"], found["unread"]) == (4, 0)
    assert dump(table.door, table.space) == before


def test_fields_of_what_is_not_there_are_refused(table: Table, door: RedisDoor) -> None:
    """Unknown seat and unknown table are errors, and make no key."""
    with pytest.raises(UnknownSeatError) as caught:
        tables.set_seat(table.door, table.space, "nobody", {"state": "idle"})
    assert caught.value.seat == "nobody"
    with pytest.raises(UnknownTableError):
        tables.set_table(door, "elsewhere", {"state": "open"})
    assert not door.command("EXISTS", keys.key("elsewhere", "table"))
