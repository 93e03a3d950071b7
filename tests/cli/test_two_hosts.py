"""One host per table: a second one waits, takes over when the first is gone, and a late one changes nothing."""

from __future__ import annotations

import signal
import subprocess

import pytest

from tests.cli.world import World
from tests.helpers import eventually

TWO = ("--seat", "a=rehearsal", "--seat", "b=rehearsal")
SUPERSEDED = 3


@pytest.mark.full
def test_a_second_host_waits_and_takes_over(world: World) -> None:
    """Two hosts for one table: one holds the lock; when its process is gone the other has it at once, with a new epoch."""
    table = world.start(*TWO)
    world.answered(table)
    first = world.host(table)
    epoch = world.snapshot(table)["host"]["epoch"]
    second = world.popen("host", table, stdout=subprocess.PIPE)
    assert second.stdout is not None
    eventually(lambda: b"waiting for the host" in second.stdout.readline(), what="the second waits")  # type: ignore[union-attr]
    assert world.host(table) == first
    world.processes("shim.sh", "_host")[0].kill()  # so that nobody sees an end of the host's session
    first.kill()
    eventually(lambda: world.snapshot(table)["host"]["pid"] == str(second.pid), seconds=5, what="taken over")
    assert int(world.snapshot(table)["host"]["epoch"]) > int(epoch)
    world.json("say", "And now?")
    world.answered(table)
    assert [m["kind"] for m in world.record(table)] == ["intent", "reply", "reply"] * 2
    world.json("end", "--without-synthesis")
    second.communicate(timeout=10)
    assert second.returncode == 0


@pytest.mark.full
@pytest.mark.timeout(120)
def test_a_host_that_slept_past_its_lock_changes_nothing(world: World) -> None:
    """A host stopped for longer than its lock loses it; woken, it sees the new epoch and goes, and nothing is doubled."""
    table = world.start(*TWO)
    world.answered(table)
    first = world.host(table)
    first.send_signal(signal.SIGSTOP)
    second = world.popen("host", table)
    eventually(
        lambda: world.snapshot(table)["host"]["pid"] == str(second.pid),
        seconds=20,
        what="the lock has run out",
    )
    world.json("say", "While it sleeps?")
    world.answered(table)
    before = world.record(table)
    first.send_signal(signal.SIGCONT)
    dead = eventually(lambda: _dead(world, f"{table}--_host"), seconds=10, what="the first one went")
    assert dead["exit_code"] == SUPERSEDED
    assert world.record(table) == before
    assert world.snapshot(table)["host"]["pid"] == str(second.pid)
    world.json("say", "And now?")
    world.answered(table)
    assert [m["kind"] for m in world.record(table)] == ["intent", "reply", "reply"] * 3
    world.json("end", "--without-synthesis")
    assert second.wait(10) == 0


def _dead(world: World, name: str) -> dict[str, object] | None:
    found = [one for one in world.json("deck", "list")["sessions"] if one["name"] == name]
    return found[0] if found and found[0]["state"] == "dead" else None


@pytest.mark.full
def test_a_stopped_host_is_replaced_by_the_next_command(world: World) -> None:
    """A host that is killed outright is replaced by whatever command comes next, which says so; nothing is asked twice."""
    table = world.start(*TWO)
    world.answered(table)
    for args in (
        ("say", "And now?"),
        ("drain",),
        ("status",),
        ("wait", "--for", "all", "--timeout", "10"),
        ("resume", table),
    ):
        host = world.host(table)
        host.kill()
        eventually(lambda gone=host: not gone.is_running(), what="the host is gone")  # type: ignore[misc]
        done = world.run(*args)
        assert done.returncode == 0, done.stderr
        assert args[0] == "resume" or "started it" in done.stderr, args
        assert world.host(table) != host
    world.answered(table)
    assert [m["kind"] for m in world.record(table)] == ["intent", "reply", "reply"] * 2
