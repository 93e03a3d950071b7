"""A bus that is killed, a full disk, full memory: what is acknowledged is kept, what is not is refused in words."""

from __future__ import annotations

import signal
import subprocess

import pytest

from rt_mailbox import groups
from rt_mailbox.addresses import group_of
from tests.cli.world import World
from tests.helpers import eventually

TWO = ("--seat", "a=rehearsal", "--seat", "b=rehearsal")


def kill_bus(world: World) -> None:
    pid = world.json("bus", "status")["pid"]
    (server,) = [one for one in world.processes() if one.pid == pid]
    server.send_signal(signal.SIGKILL)
    server.wait(5)


@pytest.mark.full
def test_the_bus_is_killed_between_commands(world: World) -> None:
    """The next command starts it again with all that was said; host and seats wait for it and no seat is struck."""
    table = world.start(*TWO)
    world.answered(table)
    host = world.host(table)
    kill_bus(world)
    assert len(world.json("drain")["messages"]) == 2
    world.json("say", "And now?")
    world.answered(table)
    assert world.host(table) == host
    assert {seat["failures"] for seat in world.snapshot(table)["seats"]} == {"0"}


@pytest.mark.full
def test_the_bus_is_killed_during_a_drain(world: World) -> None:
    """A drain whose bus dies before it commits has read nothing for good: the next one shows the same again."""
    table = world.start(*TWO)
    world.answered(table)
    for n in range(40):
        groups.send(world.door(), table, group_of(table), "user", f"{n} " + "x" * 50_000)
    drain = world.popen("drain", "--full", "--max-chars", "0", stdout=subprocess.PIPE)
    assert drain.stdout is not None
    drain.stdout.read(10)  # it stands in the pipe, its reader being slow
    kill_bus(world)
    with drain.stdout as pipe:
        pipe.read()
    drain.wait(20)
    found = world.json("drain", "--max-chars", "0")
    assert len(found["messages"]) == 42


def test_the_disk_is_full(world: World) -> None:
    """Below the floor of free bytes nothing is stored and no table begun; what is there can be read."""
    table = world.start(*TWO)
    world.answered(table)
    world.configure(f"min_free_bytes = {2**60}\n")
    for args in (
        ("say", "More?"), ("say", "x", "--note"), ("post", "-m", "x"), ("synthesis", "-m", "x"),
        ("start", "Other", *TWO), ("end", "--file", "-"),
    ):  # fmt: skip
        assert world.refused(*args, stdin="x") == "disk_full", args
    assert len(world.json("drain")["messages"]) == 2
    assert world.json("status")["state"] == "awaiting_moderator"
    assert len(world.json("list")["tables"]) == 1
    world.configure()
    world.json("say", "More?")
    world.answered(table)
    assert len(world.record(table)) == 6


@pytest.mark.full
def test_memory_is_full(world: World) -> None:
    """A full bus stores nothing and says so; cursors, end and archive still work, and there is room again afterwards."""
    table = world.start(*TWO)
    world.answered(table)
    world.door().command("CONFIG", "SET", "maxmemory", 1_000_000)
    for args in (("say", "More?"), ("say", "x", "--note"), ("post", "-m", "x"), ("synthesis", "-m", "x")):
        assert world.refused(*args) == "bus_full", args
    assert len(world.record(table)) == 3
    assert len(world.json("drain")["messages"]) == 2
    assert world.json("drain")["messages"] == []
    assert len(world.json("status")["warnings"]) >= 1
    world.json("archive", "--without-synthesis")
    assert not world.sessions()


def test_the_bus_stays_away(world: World) -> None:
    """A seat's command does not start a server: without one it says bus_down; an operator's command starts it."""
    table = world.start("--seat", "a=rehearsal")
    world.answered(table)
    assert world.refused("bus", "stop") == "bus_busy"
    world.json("bus", "stop", "--force")
    eventually(lambda: not world.processes(), what="nothing runs")
    seat = {
        "RT_TABLE": table,
        "RT_SEAT": "a",
        "RT_TOKEN_FILE": str(world.base / "h/tables" / table / "a.seat"),
    }
    assert world.refused("turn", env=seat) == "bus_down"
    assert not world.processes()
    assert world.json("resume")["table"] == table
    assert world.json("say", "And now?")["turns"] == ["m3/a"]
    world.answered(table)
