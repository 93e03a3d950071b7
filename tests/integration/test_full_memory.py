"""A server whose memory is full stores nothing new, and lets everything end that has begun."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from rt_config.errors import BusFullError
from rt_mailbox import tables, turns
from rt_mailbox.client import RedisDoor
from rt_mailbox.hot import HotDoor
from tests.integration.bus_fixtures import (
    GROUP,
    Table,
    dump,
    fresh_space,  # noqa: F401 (fixtures)
    laid_table,  # noqa: F401
    library_door,  # noqa: F401
    module_server,  # noqa: F401
)

if TYPE_CHECKING:
    from rt_mailbox.door import Door

INBOX = "agent-deck/one"

STORING: dict[str, Callable[[Table], object]] = {
    "send": lambda t: t.box.send(GROUP, "user", "hello", key="k"),
    "ask": lambda t: t.ask("b"),
    "reply": lambda t: t.reply("a", turn="m1/a"),
    "synthesis": lambda t: tables.conclude(t.door, t.space, GROUP, "In short."),
    "send_mail": lambda t: t.box.send_mail(INBOX, "ann", "hello"),
    "create_group": lambda t: t.box.create_group("group/other"),
    "add_member": lambda t: t.box.add_member(GROUP, "dee"),
    "table": lambda t: tables.create(t.door, t.space + "x", GROUP, {"id": "x"}, [], []),
}


@contextmanager
def full(door: Door) -> Iterator[None]:
    """No memory left for anything new."""
    before = door.command("CONFIG", "GET", "maxmemory")
    limit = before["maxmemory"] if isinstance(before, dict) else before[1]
    door.command("CONFIG", "SET", "maxmemory", 1)
    try:
        yield
    finally:
        door.command("CONFIG", "SET", "maxmemory", limit)


@pytest.mark.parametrize("kind", [RedisDoor, HotDoor])
@pytest.mark.parametrize("name", STORING)
def test_nothing_new_is_stored(
    table: Table, bus_url: str, name: str, kind: type[RedisDoor | HotDoor]
) -> None:
    """Both doors say bus_full, and no key changes; with memory again the same call succeeds."""
    table.ask("a")
    before = dump(table.door, table.space)
    mine = Table(kind(bus_url), table.space)
    with full(table.door):
        with pytest.raises(BusFullError):
            STORING[name](mine)
        assert dump(table.door, table.space) == before
    STORING[name](mine)
    mine.door.close()


def test_reading_and_committing_still_work(table: Table) -> None:
    """A drain is read and marked as read."""
    table.box.send(GROUP, "user", "hello")
    with full(table.door):
        assert table.box.wait(GROUP, "moderator", 0)
        drained = table.box.drain(GROUP, "moderator")
        assert ([m.body for m in drained.messages], drained.commit()) == (["hello"], True)
        assert table.box.unread(GROUP, "moderator") == 0


def test_leases_can_be_taken_and_ended(table: Table) -> None:
    """Mail is received, acked, released and failed."""
    for _ in range(3):
        table.box.send_mail(INBOX, "ann", "hello")
    with full(table.door):
        first, second, third = table.box.recv(INBOX, max_messages=3)
        table.box.ack(first.id, first.lease)
        table.box.release(second.id, second.lease)
        table.box.fail(third.id, third.lease)
        assert [m.id for m in table.box.recv(INBOX, max_messages=3)] == [second.id]


def test_turns_are_shown_and_closed(table: Table) -> None:
    """The host goes on: it shows, extends, closes and drops, each with its system message, and keeps its lock."""
    table.ask("a", "b")
    with full(table.door):
        epoch = tables.lock(table.door, table.space, "take", "h1")["epoch"]
        assert turns.show(table.door, table.space, "a")
        turns.extend(table.door, table.space, ["m1/a"], seconds=60, epoch=epoch)
        assert turns.attempt_failed(table.door, table.space, "a", "m1/a", 1, "crash", epoch=epoch)["counted"]
        assert turns.next_attempt(table.door, table.space, "m1/a", 1, "rebuild", epoch=epoch)["started"]
        assert turns.close(
            table.door, table.space, "m1/a", "failed", "why", message="[TIMEOUT]", epoch=epoch
        )["closed"]
        assert tables.drop_seat(table.door, table.space, "b", "strikes", "[DROPPED]", epoch=epoch)
        assert tables.lock(table.door, table.space, "keep", "h1", epoch=epoch)["held"]
        assert tables.snapshot(table.door, table.space)
    assert [kind for _, _, kind in table.record()] == ["intent", "system", "system"]
