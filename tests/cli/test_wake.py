"""The moderator's own pane is woken with one line: only when allowed, once, and again after a drain."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from tests.cli.world import World
from tests.helpers import eventually

TWO = ("--seat", "a=rehearsal", "--seat", "b=rehearsal")


class Pane:
    """A person's tmux on a socket of its own, with one pane that shows what is typed."""

    def __init__(self, world: World) -> None:
        self.socket = str(world.base / "mine")
        self.tmux("new-session", "-d", "-s", "mine", "-x", "150", "-y", "40", "cat")
        seen = self.tmux("display-message", "-p", "-t", "mine", "#{pid} #{session_id} #{pane_id}").split()
        self.env = {"TMUX": f"{self.socket},{seen[0]},{seen[1].strip('$')}", "TMUX_PANE": seen[2]}

    def tmux(self, *args: str) -> str:
        return subprocess.run(
            ["tmux", "-S", self.socket, "-f", "/dev/null", *args], capture_output=True, text=True, check=True
        ).stdout

    def typed(self, line: str) -> int:
        """How often the line was entered: the terminal shows it, and then cat."""
        return self.tmux("capture-pane", "-p", "-t", "mine").split("\n").count(line) // 2


@pytest.fixture(name="pane")
def pane_of_a_person(world: World) -> Iterator[Pane]:
    """A pane, ended with its server."""
    pane = Pane(world)
    try:
        yield pane
    finally:
        subprocess.run(["tmux", "-S", pane.socket, "kill-server"], check=False, capture_output=True)


def test_the_moderators_pane_is_woken(world: World, pane: Pane) -> None:
    """S4.16: one line when all have answered, none while it was not acted on, the next one after a drain."""
    table = world.start(*TWO, "--wake", "here", env=pane.env)
    line = f"rt drain -t {table}"
    eventually(lambda: pane.typed(line) == 1, what="woken")
    world.json("say", "And now?")
    world.answered(table)
    world.host_looked(table)
    assert pane.typed(line) == 1
    assert len(world.json("drain")["messages"]) == 4
    world.json("say", "And then?")
    world.answered(table)
    eventually(lambda: pane.typed(line) == 2, what="woken again")


def test_a_pane_that_is_gone_is_let_be(world: World, pane: Pane) -> None:
    """S4.16: when the pane is gone the table goes on without it, and nothing is typed anywhere else."""
    pane.tmux("new-session", "-d", "-s", "other", "cat")
    pane.tmux("kill-session", "-t", "mine")
    table = world.start(*TWO, "--wake", "here", "--wake-on", "each", env=pane.env)
    world.answered(table)
    eventually(lambda: world.snapshot(table)["table"]["wake"] == "none", what="the wake is given up")
    assert "rt drain" not in pane.tmux("capture-pane", "-p", "-t", "other")


@pytest.mark.full
def test_nobody_is_woken_unasked(world: World, pane: Pane) -> None:
    """S4.16: without --wake and without a terminal to ask on, no pane is ever typed into."""
    table = world.start(*TWO, env=pane.env)
    world.answered(table)
    world.json("say", "And now?")
    world.answered(table)
    world.host_looked(table)
    assert world.snapshot(table)["table"]["wake"] == "none"
    assert pane.typed(f"rt drain -t {table}") == 0
