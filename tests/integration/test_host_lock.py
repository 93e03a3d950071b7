"""One host a table: the lock by the server's clock, and every write of a host that was replaced refused (S4.7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rt_config.errors import StaleHostError
from rt_mailbox import journal, keys, lua, tables, turns
from tests.integration.bus_fixtures import (
    Table,
    dump,
    fresh_space,  # noqa: F401 (fixtures)
    laid_table,  # noqa: F401
    library_door,  # noqa: F401
    module_server,  # noqa: F401
)

Write = Callable[[Table, str], Any]


WRITES: dict[str, Write] = {
    "attempt_failed": lambda t, e: turns.attempt_failed(t.door, t.space, "a", "m1/a", 1, "crash", epoch=e),
    "close_turn": lambda t, e: turns.close(
        t.door, t.space, "m1/a", "failed", "why", message="[TIMEOUT]", epoch=e
    ),
    "drop_seat": lambda t, e: tables.drop_seat(t.door, t.space, "a", "strikes", "[DROPPED]", epoch=e),
    "extend_turns": lambda t, e: turns.extend(t.door, t.space, ["m1/a"], seconds=60, epoch=e),
    "journal": lambda t, e: journal.put(t.door, t.space, "r1", {"n": 1}, event="step", epoch=e),
    "next_attempt": lambda t, e: turns.next_attempt(t.door, t.space, "m1/a", 1, "rebuild", epoch=e),
    "open": lambda t, e: t.ask("b", epoch=e),
    "record_event": lambda t, e: tables.note(t.door, t.space, "nudged", {"seat": "a"}, epoch=e),
    "set_fields": lambda t, e: tables.set_table(t.door, t.space, {"state": "done"}, epoch=e),
}


def take(table: Table, holder: str, **who: str) -> dict[str, Any]:
    """Try to take the host's lock."""
    found = {"pid": "100", "machine": "here", "started": "1.5"} | who
    return tables.lock(table.door, table.space, "take", holder, **found)


def _expire(table: Table) -> None:
    table.door.command("HINCRBY", keys.key(table.space, "host"), "until", -tables.LOCK_MS)


def test_a_second_host_does_not_get_the_lock(table: Table) -> None:
    """It is told who holds it and for how long, so that it can look whether that one is alive."""
    assert take(table, "h1")["held"] == 1
    second = take(table, "h2", pid="200")
    assert (second["held"], second["holder"], second["pid"], second["machine"]) == (0, "h1", "100", "here")
    assert second["started"] == "1.5"
    assert 0 < second["left_ms"] <= tables.LOCK_MS


def test_a_lock_that_ran_out_is_taken_with_a_new_epoch(table: Table) -> None:
    """After its 10 seconds another host has it, and the first one's keep is refused."""
    first = take(table, "h1")
    _expire(table)
    second = take(table, "h2")
    assert (second["held"], int(second["epoch"])) == (1, int(first["epoch"]) + 1)
    with pytest.raises(StaleHostError):
        tables.lock(table.door, table.space, "keep", "h1", epoch=first["epoch"])


def test_the_lock_of_a_holder_that_is_gone_is_taken_at_once(table: Table) -> None:
    """Whoever knows the holder to be gone names it; another holder's lock is not taken that way."""
    take(table, "h1")
    assert take(table, "h2", gone="h0")["held"] == 0
    assert take(table, "h2", gone="h1")["held"] == 1


def test_keeping_the_lock_prolongs_it(table: Table) -> None:
    """A keep gives it 10 seconds again under the same epoch, and tells how long ago the last one was."""
    mine = take(table, "h1")
    table.door.command("HINCRBY", keys.key(table.space, "host"), "until", -9_000)
    table.door.command("HINCRBY", keys.key(table.space, "host"), "seen", -70_000)
    kept = tables.lock(table.door, table.space, "keep", "h1", epoch=mine["epoch"])
    assert (kept["held"], kept["epoch"]) == (1, mine["epoch"])
    assert 70_000 <= kept["gap_ms"] < 75_000
    assert take(table, "h2")["left_ms"] > tables.LOCK_MS - 2_000


def test_a_lock_given_up_is_free(table: Table) -> None:
    """The next host has it at once, and hears how long nobody did."""
    mine = take(table, "h1")
    tables.lock(table.door, table.space, "give", "h1", epoch=mine["epoch"])
    table.door.command("HINCRBY", keys.key(table.space, "host"), "seen", -5_000)
    second = take(table, "h2")
    assert second["held"] == 1
    assert 5_000 <= second["gap_ms"] < 8_000


@pytest.mark.parametrize("name", WRITES)
def test_a_write_of_a_replaced_host_is_refused(table: Table, name: str) -> None:
    """With the old epoch it is stale_host and changes nothing; with the new one, or by hand (none), it is done."""
    table.ask("a")
    old = take(table, "h1")["epoch"]
    new = take(table, "h2", gone="h1")["epoch"]
    before = dump(table.door, table.space)
    with pytest.raises(StaleHostError) as caught:
        WRITES[name](table, old)
    assert dump(table.door, table.space) == before
    assert caught.value.epoch == new
    WRITES[name](table, new)
    assert dump(table.door, table.space) != before


@pytest.mark.parametrize("name", WRITES)
def test_a_write_by_hand_needs_no_lock(table: Table, name: str) -> None:
    """What a person does has no epoch and is done whoever holds the lock."""
    table.ask("a")
    take(table, "h1")
    before = dump(table.door, table.space)
    WRITES[name](table, "")
    assert dump(table.door, table.space) != before


def test_every_script_that_takes_an_epoch_is_tried_here() -> None:
    """None that checks the epoch is missing above."""
    checking = {name for name in lua.names() if "stale(" in lua.text(name).rpartition("-- Guarantee")[2]}
    assert checking == {*WRITES, "reopen_turn"}  # which has a test of its own


def test_a_replaced_host_opens_no_failed_turn_again(table: Table) -> None:
    """The one way back from a closed turn is fenced as well; by hand, and for the host of now, it works once."""
    mine = str(take(table, "h1")["epoch"])
    table.ask("a")
    turns.close(table.door, table.space, "m1/a", "failed", "by hand")
    _expire(table)
    now = str(take(table, "h2")["epoch"])
    with pytest.raises(StaleHostError):
        turns.reopen(table.door, table.space, "m1/a", "again", "subject", "body", epoch=mine)
    assert turns.reopen(table.door, table.space, "m1/a", "again", "subject", "body", epoch=now)
    assert not turns.reopen(table.door, table.space, "m1/a", "again", "subject", "body", epoch=now)
