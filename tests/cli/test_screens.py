"""Seats with a screen of their own: a fake agent whose screen is everything that a real one's can be."""

from __future__ import annotations

import sys
from pathlib import Path

from rt_moderator import bells
from tests.cli.world import World

AGENT = Path(__file__).parents[1] / "fake_tui_agent.py"


def profile(world: World, *tricks: str, name: str = "screen", more: str = "") -> None:
    """A profile of the user's own, for the fake agent with these tricks. No code knows it."""
    argv = [sys.executable, str(AGENT), str(world.work), *tricks]
    world.configure(
        f"""
[profiles.{name}]
extends = "command"
executable = "{sys.executable}"
default_transport = "tui"
{more}
[profiles.{name}.tui]
start = {argv!r}
unknown_seconds = 1
start_seconds = 2
[profiles.{name}.tui.signals]
busy_title = ['^\\* working']
busy = ['^working, esc']
dialog = ['^\\[1\\] no, exit']
ready = ['^> ']
draft = '^> (.*)$'
"""
    )


def entered(world: World) -> list[str]:
    path = world.work / "entered"
    return path.read_text().splitlines() if path.exists() else []


def replies(world: World, table: str) -> list[str]:
    return [message["body"] for message in world.record(table, "reply")]


def test_one_nudge_a_turn(world: World) -> None:
    """S2.4, S2.24: a seat on its own screen is rung once per turn, answers through rt, and its session goes on."""
    profile(world, "noise")
    table = world.start("--seat", "a=screen")
    world.answered(table)
    world.json("say", "Again?")
    world.answered(table)
    assert replies(world, table) == ["## Position\nscreen answer 1", "## Position\nscreen answer 2"]
    assert entered(world) == [bells.LINE] * 2
    seat = world.json("status")["seats"][0]
    assert (seat["state"], seat["transport"], seat["failures"]) == ("idle", "tui", 0)
    kinds = [event["type"] for event in world.json("events")["events"]]
    assert kinds.count("nudged") == kinds.count("replied") == 2
    assert "fake agent" in world.text("seat", "log", "a")
    assert (world.work / "started").read_text().count("a noise") == 1
