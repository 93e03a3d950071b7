"""Real agent CLIs on their own screen: rung, they ask rt for their turn and answer it, without a question to anybody."""

from __future__ import annotations

import json

import psutil
import pytest

from rt_deck import Deck
from tests.agents.screens import CALLS, Seat, world_with_agents  # noqa: F401
from tests.agents.stub_model import Asked, StubModel
from tests.cli.world import World
from tests.helpers import eventually

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]


@pytest.mark.parametrize("cli", list(CALLS))
def test_two_turns_on_its_own_screen(cli: str, world: World, model: StubModel) -> None:
    """S1.11, S2.4: the agent starts past every question, is rung once a turn and answers both in one conversation."""
    seat = Seat(world, model, cli)
    assert seat.replies(1) == ["## Position\nscreen answer 1"]
    world.json("say", "And why, WOMBAT?")
    assert seat.replies(2)[1] == "## Position\nscreen answer 2"
    world.answered(seat.table)
    assert seat.nudges() == [("m1/a", "1"), ("m3/a", "1")], world.json("events")
    assert (seat.status()["failures"], seat.status()["transport"]) == (0, "tui")
    later = json.dumps(model.asked[-1].body)
    assert "QUOKKA" in later
    assert "WOMBAT" in later


RESUMES = [cli for cli in CALLS if cli != "opencode"]


@pytest.mark.parametrize("cli", list(CALLS))
def test_a_screen_that_was_killed_with_everything_else_goes_on(
    cli: str, world: World, model: StubModel
) -> None:
    """S1.11, S1.24: resumed by its session's id where the CLI can, else with the record; one answer per turn."""
    seat = Seat(world, model, cli)
    seat.replies(1)
    if cli == "codex":  # it tells its session's id after its turn
        eventually(lambda: seat.row()["native_session"], seconds=30, what="the session's id")
    world.run("bus", "stop", "--force")
    found = world.json("resume", seat.table)
    assert found["seats"] == {"a": "resumed" if cli in RESUMES else "rebuilt from the record"}
    world.json("say", "And why, WOMBAT?")
    assert seat.replies(2) == ["## Position\nscreen answer 1", "## Position\nscreen answer 2"]
    later = json.dumps(model.asked[-1].body)
    assert "screen answer 1" in later
    assert seat.status()["failures"] == 0
    assert seat.row()["launched"] == ("resumed" if cli in RESUMES else "fresh")


@pytest.mark.parametrize("cli", list(CALLS))
def test_an_agent_killed_in_its_turn_is_restarted(cli: str, world: World, model: StubModel) -> None:
    """S2.21: killed after it has taken its turn, it is a strike, and a new session answers the same turn once."""
    killed: list[int] = []

    def slow(asked: Asked) -> str:
        if len(asked.results) == 1 and not killed:
            session = next(one for one in Deck().list() if one.name.endswith("--a"))
            killed.append(session.pane_pid)
            for process in psutil.Process(session.pane_pid).children(recursive=True):
                process.kill()
        return "## Position\ndone"

    seat = Seat(world, model, cli, start=False)
    model.reply = slow
    seat.start()
    seat.replies(1)
    assert killed
    world.answered(seat.table)
    assert len(seat.replies(1)) == 1
    turn = world.json("status")["turns"][0]
    assert (turn["outcome"], turn["attempt"]) == ("answered", 2)
