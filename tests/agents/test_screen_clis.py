"""Real agent CLIs on their own screen: rung, they ask rt for their turn and answer it, without a question to anybody."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
import pytest

from rt_deck import Deck
from rt_moderator import bells
from tests.agents.conftest import as_toml, configured, model_of
from tests.agents.stub_model import Asked, StubModel
from tests.cli.world import World
from tests.helpers import eventually

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]
# What a model calls to see its turn and to answer it; the names are the CLIs' own.
CALLS = {
    "claude": ("mcp__rt__roundtable_turn", "mcp__rt__roundtable_reply"),
    "codex": ("mcp__rt/roundtable_turn", "mcp__rt/roundtable_reply"),
    "gemini": ("mcp_rt_roundtable_turn", "mcp_rt_roundtable_reply"),
    "opencode": ("rt_roundtable_turn", "rt_roundtable_reply"),
    "copilot": ("rt-roundtable_turn", "rt-roundtable_reply"),
    "qwen": ("mcp__rt__roundtable_turn", "mcp__rt__roundtable_reply"),
}


class Seat:
    """A table with one such seat, and what its model does."""

    def __init__(self, world: World, model: StubModel, cli: str, *, start: bool = True) -> None:
        self.world, self.model, self.cli = world, model, cli
        self.answers = 0
        self.calls = CALLS[cli]
        model.script = self.script
        with Path(os.environ["RT_CONFIG"]).open("a", encoding="utf-8") as file:
            file.write(as_toml({cli: configured(model)[cli]}))
        self.table = ""
        if start:
            self.start()

    def start(self) -> None:
        """Lay the table, the first question asked."""
        self.table = self.world.start(
            "--seat",
            f"a={self.cli}:{model_of(self.cli)}@tui",
            "--turn-timeout",
            "100",
            topic="Which cache, QUOKKA?",
        )

    def script(self, asked: Asked) -> tuple[str, dict[str, Any]] | None:
        """Take the turn, then answer it."""
        said = [text for role, text in asked.conversation if role == "user"]
        if not any(bells.LINE in text for text in said) or len(asked.results) > 1:
            return None
        if not asked.results:
            return self.call(self.calls[0], {})
        self.answers += 1
        return self.call(self.calls[1], {"body": f"## Position\nscreen answer {self.answers}"})

    def call(self, tool: str, args: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """A call of one of our tools."""
        return tool, args

    def replies(self, wanted: int) -> list[str]:
        """The record's replies once there are so many."""

        def enough() -> list[str] | None:
            found = [one["body"] for one in self.world.record(self.table, "reply")]
            return found if len(found) >= wanted else None

        return eventually(enough, seconds=100, what=f"{wanted} replies")

    def nudges(self) -> list[tuple[str, str]]:
        """(turn, which nudge) of every line that was typed."""
        found = self.world.json("events")["events"]
        return [(one["turn"], one["nudge"]) for one in found if one["type"] == "nudged" and "nudge" in one]

    def row(self) -> dict[str, str]:
        """The seat as the host sees it."""
        found: dict[str, str] = self.world.snapshot(self.table)["seats"][0]
        return found

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = self.world.json("status")["seats"][0]
        return found


@pytest.fixture(name="world")
def world_with_agents(
    request: pytest.FixtureRequest, agent_home: Path, rt_home: Path, agents: Callable[[str], Path]
) -> Iterator[World]:
    """A world with the CLIs of `agent_home` on PATH. Gemini reads no settings below a folder that everybody may write."""
    cli = request.node.callspec.params["cli"]
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory(dir=agents(cli).parents[2]) as private:
        if cli == "gemini":
            patch.setenv("RT_HOME", f"{private}/h")
        found = World(rt_home.parent)
        try:
            yield found
        finally:
            found.end()


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
