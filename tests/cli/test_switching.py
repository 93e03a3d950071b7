"""A seat whose transport fails goes on over the other one, and everybody is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rt_config import packed_spec
from rt_mailbox import tables
from tests.cli.world import World

FAKE = Path(__file__).parents[1] / "fake_acp_agent.py"
TWO_WAYS = """
[profiles.fake]
extends = "command"
executable = "{python}"
default_transport = "{transport}"

[profiles.fake.headless]
start = ["{headless}"]

[profiles.fake.acp]
argv = ["{{executable}}", "{fake}", "{folder}"]
"""


def two_ways(world: World, transport: str, plan: str) -> None:
    """A profile with both transports; without a plan the acp one ends at once."""
    folder = world.base / "agent"
    folder.mkdir()
    if plan:
        (folder / "plan.json").write_text(plan)
    done = f"[ -f '{world.work}/good' ] && echo '## Position yes'"
    world.program("headless", f"cat >/dev/null; {done}")
    fields = {"python": sys.executable, "transport": transport, "headless": world.work / "headless"}
    world.configure(TWO_WAYS.format(fake=FAKE, folder=folder, **fields))


@pytest.mark.parametrize("transport", ["headless", pytest.param("acp", marks=pytest.mark.full)])
def test_the_second_strike_goes_over_the_other_transport(world: World, transport: str) -> None:
    """S2.4, S2.21, S2.22: restart, switch, answer: three attempts in the events, one reply, and the table is degraded."""
    two_ways(world, transport, "{}" if transport == "headless" else "")
    if transport == "acp":
        (world.work / "good").touch()
    table = world.start("--seat", "a=fake", "--transport", transport)
    world.answered(table, 60)
    assert world.turns(table) == {"m1/a": "answered"}
    rungs = [event["rung"] for event in tables.events(world.door(), table) if event["type"] == "rung"]
    assert rungs == ["restart", "switch"]
    (seat,) = world.snapshot(table)["seats"]
    assert seat["transport"] == ("acp" if transport == "headless" else "headless")
    assert packed_spec.unpacked(seat["spec"])["other"] == {}
    (gone,) = world.json("status")["degraded"]
    assert gone["why"].startswith(f"switched from {transport} to {seat['transport']}: ")
    assert len(world.record(table, "reply")) == 1


def test_a_profile_without_the_transport_says_so(world: World) -> None:
    """S2.4: a transport that a profile does not have is refused before anything is made."""
    assert world.refused("start", "x", "--seat", "a=rehearsal@acp", "--yes", exit_code=2) == "bad_config"
