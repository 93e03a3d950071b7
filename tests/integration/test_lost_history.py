"""A record that came back without its tail is noticed, also when new messages have the lost numbers since."""

from __future__ import annotations

import json

import pytest

from rt_mailbox import groups, keys, tables
from rt_mailbox.client import RedisDoor
from rt_mailbox.door import mapping
from rt_mailbox.mailbox import Mailbox
from rt_mailbox.memory import KEEP, Memory
from tests.integration.bus_fixtures import (
    GROUP,
    IDEAS,
    Table,
    fresh_space,  # noqa: F401 (fixtures)
    ideas,  # noqa: F401
    laid_table,  # noqa: F401
    library_door,  # noqa: F401
    module_server,  # noqa: F401
)


def lose(door: RedisDoor, space: str, group: str, first: int) -> None:
    """Take the record back to before `first`; cursors stay, as in a restore of the record alone."""
    log = keys.key(space, "log", group)
    for name, _ in door.command("XRANGE", log, f"{first}-0", "+"):
        door.command("XDEL", log, name)
    kept = door.command("XRANGE", log, "-", "+")
    door.command("DEL", log)
    for name, fields in kept:
        door.command("XADD", log, name, *fields)
    door.command("HSET", keys.key(space, "group", group), "head", first - 1)


def fall_back(door: RedisDoor, space: str, saved: dict[str, str]) -> None:
    """The whole space as it was: what a promoted replica holds that lagged behind."""
    for name in door.command("KEYS", f"rt:[{{]{space}[}}]:*"):
        door.command("DEL", name)
    for name, raw in saved.items():
        door.command("RESTORE", name, 0, raw)


def saved(door: RedisDoor, space: str) -> dict[str, str]:
    """The whole space, key by key."""
    return {name: _dump(door, name) for name in door.command("KEYS", f"rt:[{{]{space}[}}]:*")}


def _dump(door: RedisDoor, name: str) -> str:
    script = "local d, h = redis.call('DUMP', ARGV[1]), {} for i = 1, #d do h[i] = string.format('%02x', d:byte(i)) end return table.concat(h)"
    return bytes.fromhex(door.command("EVAL", script, 0, name)).decode("utf-8", "surrogateescape")


def fill(box: Mailbox, *bodies: str) -> None:
    """Ann says these."""
    for body in bodies:
        box.send(IDEAS, "ann", body)


def bodies(box: Mailbox, person: str) -> tuple[str, list[str]]:
    """What `person` is told to be lost, and reads; committed."""
    drained = box.drain(IDEAS, person)
    drained.commit()
    return drained.lost, [m.body for m in drained.messages]


def test_reused_numbers_are_not_taken_for_read(box: Mailbox, door: RedisDoor) -> None:
    """A cursor whose message is another one goes back to what was shared: nothing new is skipped, told once."""
    fill(box, "1", "2")
    bodies(box, "bob")
    fill(box, "3", "4")
    bodies(box, "bob")
    lose(door, box.space, IDEAS, 3)
    with Mailbox("", box.space, door=door) as other:
        fill(other, "new 3", "new 4", "new 5")
        assert bodies(other, "bob") == ("3-4", ["new 3", "new 4", "new 5"])
        assert bodies(other, "bob") == ("", [])


def test_own_messages_stay_read_on_the_new_branch(box: Mailbox, door: RedisDoor) -> None:
    """A cursor that goes back counts no message of its own person as unread."""
    fill(box, "1", "2")
    box.send(IDEAS, "bob", "3")
    bodies(box, "ann")
    lose(door, box.space, IDEAS, 3)
    box.send(IDEAS, "bob", "new 3")
    fill(box, "new 4")
    assert (box.unread(IDEAS, "ann"), bodies(box, "ann")[1]) == (1, ["new 3"])


def test_what_a_client_remembers_shows_a_promotion(box: Mailbox, door: RedisDoor) -> None:
    """S4.23: record and cursors fell back together, so that nothing in the space tells; an open Mailbox does, and everybody hears it once."""
    fill(box, "1", "2")
    bodies(box, "bob")
    before = saved(door, box.space)
    fill(box, "3", "4", "5")
    fall_back(door, box.space, before)
    with Mailbox("", box.space, door=door) as stranger:
        fill(stranger, "new 3")
        assert bodies(stranger, "bob") == ("", ["new 3"])
        assert bodies(box, "cy") == ("3-5", ["1", "2", "new 3"])
        assert [bodies(stranger, person) for person in ("bob", "cy")] == [("3-5", []), ("", [])]


def test_a_send_into_lost_numbers_is_noticed(box: Mailbox, door: RedisDoor) -> None:
    """A sender whose new message got a number that was another one's before tells everybody."""
    fill(box, "1")
    before = saved(door, box.space)
    fill(box, "2", "3")
    fall_back(door, box.space, before)
    fill(box, "new 2")
    with Mailbox("", box.space, door=door) as other:
        assert bodies(other, "bob") == ("2-3", ["1", "new 2"])


def test_many_who_remember_tell_it_once(box: Mailbox, door: RedisDoor) -> None:
    """The second client that notices the same loss raises no epoch and tells nobody again."""
    others = [Mailbox("", box.space, door=door) for _ in range(2)]
    fill(box, "1")
    before = saved(door, box.space)
    fill(box, "2", "3")
    for other in others:
        other.peek(IDEAS, "bob")
    fall_back(door, box.space, before)
    assert bodies(box, "bob")[0] == "2-3"
    epoch = door.command("HGET", keys.key(box.space, "space"), "epoch")
    assert [bodies(other, "bob")[0] for other in others] == ["", ""]
    assert door.command("HGET", keys.key(box.space, "space"), "epoch") == epoch


def test_a_receipt_for_messages_of_the_lost_branch_moves_nothing(box: Mailbox, door: RedisDoor) -> None:
    """Who was shown messages that are other ones now does not mark those as read, though nobody has noticed yet."""
    before = saved(door, box.space)
    fill(box, "1", "2")
    drained = box.drain(IDEAS, "bob")
    fall_back(door, box.space, before)
    with Mailbox("", box.space, door=door) as other:
        fill(other, "new 1", "new 2", "new 3")
        assert not drained.commit()
        assert bodies(other, "bob")[1] == ["new 1", "new 2", "new 3"]


def test_a_table_that_lost_its_tail_is_degraded(table: Table, door: RedisDoor) -> None:
    """S4.23: its host remembers: an event with the range, once, and a line in status."""
    memory = Memory()
    before = saved(door, table.space)
    table.ask("a", "b")
    table.reply("a", turn="m1/a")
    assert memory.look(door, table.space, GROUP, wanted=KEEP) == ""
    fall_back(door, table.space, before)
    assert memory.look(door, table.space, GROUP, wanted=KEEP) == "1-2"
    assert memory.look(door, table.space, GROUP, wanted=KEEP) == ""
    (event,) = table.events("history_lost")
    assert (event["from"], event["to"]) == ("1", "2")
    fields = mapping(door.command("HGETALL", keys.key(table.space, "table")))
    (entry,) = json.loads(fields["degraded"])
    assert set(entry) == {"seat", "why", "action"}
    assert "m1–m2" in entry["why"]
    assert groups.read(door, table.space, GROUP, "moderator")["lost"] == "1-2"


@pytest.mark.parametrize("lost", [None, (2, 3)])
def test_a_restore_says_so_itself(box: Mailbox, door: RedisDoor, lost: tuple[int, int] | None) -> None:
    """After `bump_epoch` no receipt from before moves a cursor; with a range everybody hears it."""
    fill(box, "1")
    drained = box.drain(IDEAS, "bob")
    assert tables.bump_epoch(door, box.space, "restored", group=IDEAS, lost=lost) == "2"
    assert not drained.commit()
    told = "2-3" if lost else ""
    assert [bodies(box, person) for person in ("bob", "cy")] == [(told, ["1"])] * 2


def test_memory_is_bounded_and_false_alarms_are_none(box: Mailbox) -> None:
    """Only the latest marks are kept, and messages that come in any order are no loss."""
    memory = Memory()
    for seq in range(1, 3 * KEEP):
        assert not memory.sent(IDEAS, seq, seq, "x", "ann")
    assert len(memory._groups[IDEAS].marks) <= 2 * KEEP
    assert not memory.sent(IDEAS, 3 * KEEP - 2, 3 * KEEP - 2, "x", "ann")
    fill(box, *map(str, range(5)))
    assert box.drain(IDEAS, "bob").lost == ""
    assert Memory().look(box.door, box.space, IDEAS) == ""
