"""A wait at a table whose host dies: it is noticed, and the host comes back or the wait says that it cannot."""

from __future__ import annotations

import subprocess

import anyio
import anyio.to_thread
import pytest

from tests.cli.mcp_world import person
from tests.cli.world import ECHO, World, world_of_its_own  # noqa: F401 (fixture)
from tests.helpers import eventually


def late_agent(world: World) -> str:
    """A CLI that answers when the test lets it."""
    return world.program("agent", f"while [ ! -f '{world.work}/go' ]; do sleep 0.1; done; {ECHO}")


def kill_host(world: World, table: str) -> int:
    """Kill it without anybody seeing an end of its session; its pid."""
    host = world.host(table)
    for shim in world.processes("shim.sh", "_host"):
        shim.kill()
    host.kill()
    return host.pid


def test_a_blocked_wait_starts_the_host_that_died(world: World) -> None:
    """S4.20: kill -9 of the host during a wait: the wait says so, starts another, and ends when the answer came."""
    table = world.start("--seat", f"a={late_agent(world)}")
    waiting = world.popen("wait", "--timeout", "60", stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    eventually(lambda: world.host(table), what="a host")
    gone = kill_host(world, table)
    eventually(lambda: world.snapshot(table)["host"].get("pid") != str(gone), seconds=20, what="another host")
    (world.work / "go").touch()
    out, err = waiting.communicate(timeout=30)
    assert (waiting.returncode, b"ready: " in out) == (0, True), (out, err)
    assert b"was not running; started it" in err


@pytest.mark.full
def test_a_wait_whose_host_cannot_come_back_says_so(world: World) -> None:
    """S4.20: no tmux, no host: exit 1 with host_down instead of a wait for ever."""
    table = world.start("--seat", f"a={late_agent(world)}")
    waiting = world.popen("wait", "--json", env={"PATH": "/nowhere"}, stderr=subprocess.PIPE)
    kill_host(world, table)
    _, err = waiting.communicate(timeout=40)
    assert (waiting.returncode, b"host_down" in err) == (1, True), err
    (world.work / "go").touch()


@pytest.mark.full
def test_a_wait_over_mcp_starts_the_host_that_died(world: World) -> None:
    """S4.20: the same over MCP."""
    table = world.start("--seat", f"a={late_agent(world)}")

    async def wait_and_kill() -> None:
        async with person(world.work) as me, anyio.create_task_group() as tasks:
            found: list[bool] = []

            async def wait() -> None:
                found.append((await me.call("roundtable_wait", timeout=60))["ready"])

            tasks.start_soon(wait)
            await anyio.sleep(0.5)  # it has looked once, and waits
            gone = await anyio.to_thread.run_sync(kill_host, world, table)
            while world.snapshot(table)["host"].get("pid") == str(gone):  # noqa: ASYNC110
                await anyio.sleep(0.05)
            (world.work / "go").touch()
        assert found == [True]

    anyio.run(wait_and_kill)
