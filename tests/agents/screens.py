"""Tables whose seats are real agents on their own screen, and what their model does when it is rung."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from rt_moderator import bells
from tests.agents.conftest import as_toml, configured, model_of
from tests.agents.stub_model import Asked, StubModel
from tests.cli.world import World
from tests.helpers import eventually

CALLS = {
    "claude": ("mcp__rt__roundtable_turn", "mcp__rt__roundtable_reply"),
    "codex": ("mcp__rt/roundtable_turn", "mcp__rt/roundtable_reply"),
    "gemini": ("mcp_rt_roundtable_turn", "mcp_rt_roundtable_reply"),
    "opencode": ("rt_roundtable_turn", "rt_roundtable_reply"),
    "copilot": ("rt-roundtable_turn", "rt-roundtable_reply"),
    "qwen": ("mcp__rt__roundtable_turn", "mcp__rt__roundtable_reply"),
}
"""CLI → what a model calls to see its turn and to answer it; the names are the CLIs' own."""

BY_SHELL = {"claude": ("Bash", "command")}
"""CLI that is ready before its MCP servers are → its shell tool: a model that is offered no tool of rt runs `rt`."""


def rung(asked: Asked) -> bool:
    """Whether this conversation was begun by the bell, not by a prompt with the request in it."""
    return any(bells.LINE in text for role, text in asked.conversation if role == "user")


def turn_in(result: str) -> dict[str, Any]:
    """The turn, or the part of one, that a tool's result shows, whatever a CLI put around it; {} when it shows none."""
    decoder = json.JSONDecoder(strict=False)

    def texts(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from texts(one)

    for text in texts(json.loads(result)):
        at = text.find('{"turn":')
        with suppress(ValueError):
            found = decoder.raw_decode(text, at)[0] if at >= 0 else {}
            if "request" in found:
                return dict(found)
    return {}


def next_call(asked: Asked, cli: str, answer: str, more: int = 0) -> tuple[str, dict[str, Any]] | None:
    """The call that comes next in this turn, which makes `more` calls of its own, or None when it is over or nobody rang."""
    parts = [found["next"] for found in map(turn_in, asked.results) if "next" in found]
    done = len(asked.results) - len(parts)
    if not rung(asked) or done > 1 + more:
        return None
    see, reply = CALLS[cli]
    if cli in BY_SHELL and see not in asked.tools:
        tool, field = BY_SHELL[cli]
        return tool, {field: f"rt reply -m {shlex.quote(answer)}" if asked.results else "rt turn"}
    if not done and parts:
        return see, {"from": parts[-1]}
    return (reply, {"body": answer}) if asked.results else (see, {})


class Seat:
    """A table with one such seat, and what its model does."""

    def __init__(self, world: World, model: StubModel, cli: str, *, start: bool = True) -> None:
        self.world, self.model, self.cli = world, model, cli
        self.answers = 0
        self.between: tuple[str, dict[str, Any]] | None = None
        model.script = self.script
        with Path(os.environ["RT_CONFIG"]).open("a", encoding="utf-8") as file:
            file.write(as_toml({cli: configured(model)[cli]}))
        self.table = ""
        if start:
            self.start()

    def start(self, *how: str, timeout: int = 100) -> None:
        """Lay the table, the first question asked."""
        seat = f"a={self.cli}:{model_of(self.cli)}@tui"
        how = ("--seat", seat, "--turn-timeout", str(timeout), *how)
        self.table = self.world.start(*how, topic="Which cache, QUOKKA?")

    def script(self, asked: Asked) -> tuple[str, dict[str, Any]] | None:
        """Take the turn, call what is to be called `between`, answer."""
        done = len(asked.results)
        if self.between and done == 1 and rung(asked):
            return self.between
        call = next_call(
            asked, self.cli, f"## Position\nscreen answer {self.answers + 1}", bool(self.between)
        )
        self.answers += call is not None and call[0] != CALLS[self.cli][0] and done > 0
        return call

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
