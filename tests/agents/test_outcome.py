"""`rt start TOPIC` on a machine with six agent CLIs: what a developer gets who knows nothing else of rt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rt_config import profiles
from rt_config import settings as configuration
from tests.agents.conftest import as_toml, configured
from tests.agents.stub_model import StubModel
from tests.cli.world import World, world_of_its_own  # noqa: F401
from tests.killing import finished

INSTALLED = ("claude", "codex", "gemini", "opencode", "copilot", "qwen")
pytestmark = [
    pytest.mark.agents,
    pytest.mark.timeout(600),
    pytest.mark.parametrize("cli", [INSTALLED], ids=["six"]),
]


def on_this_machine(model: StubModel) -> dict[str, Any]:
    """Every CLI as its user has set it up, its model chosen by itself."""
    found = {name: one for name, one in configured(model).items() if name in INSTALLED}
    content = json.loads(found["opencode"]["env"]["OPENCODE_CONFIG_CONTENT"]) | {"model": "stub/stub-1"}
    found["opencode"]["env"]["OPENCODE_CONFIG_CONTENT"] = json.dumps(content)
    return found


def test_start_finds_the_agents_seats_them_and_gets_an_answer_from_each(
    cli: tuple[str, ...], agent_home: Path, world: World, model: StubModel
) -> None:
    """S1.2, S1.12: five seats over five families in tmux, past every first-run question, and all of them answer."""
    world.configure(as_toml(on_this_machine(model)))
    started = json.loads(world.run("start", "Which cache, QUOKKA?", "--yes", "--json", timeout=60).stdout)
    used = [seat["profile"] for seat in started["seats"]]
    known = profiles.load(configuration.load(world.work))
    assert len(used) == 5
    assert set(used) <= set(INSTALLED)
    assert len({known[name].family for name in used}) >= 2
    assert len(world.sessions()) == 6  # the host's, too
    done = world.run("wait", "--for", "all", "--timeout", "240", timeout=270)
    assert done.returncode == 0, done.stderr
    assert set(finished(world, started["table"]).values()) == {"answered"}
    assert {m["from"] for m in world.record(started["table"], "reply")} == {
        seat["person"] for seat in started["seats"]
    }
    assert {seat["failures"] for seat in world.json("status")["seats"]} == {0}
    assert not world.json("status")["degraded"]


def test_start_says_of_an_agent_that_cannot_answer_why_and_what_to_do(
    cli: tuple[str, ...], agent_home: Path, world: World, model: StubModel
) -> None:
    """S2.12, S2.22: two of the five have no key; the three others answer, and one line each names reason and fix."""
    found = on_this_machine(model)
    del found["codex"]["env"]["STUB_KEY"]
    del found["gemini"]["env"]["GEMINI_API_KEY"]
    world.configure(as_toml(found))
    started = json.loads(world.run("start", "Which cache?", "--yes", "--json", timeout=60).stdout)
    table = str(started["table"])
    done = world.run("wait", "--for", "all", "--timeout", "240", timeout=270)
    assert done.returncode == 0, done.stderr
    assert sorted(finished(world, table).values()) == ["answered"] * 3 + ["failed"] * 2
    status = world.json("status")
    profile = {seat["slug"]: seat["profile"] for seat in started["seats"]}
    gone = {profile[one["seat"]]: one for one in status["degraded"]}
    assert sorted(gone) == ["codex", "gemini"]
    known = profiles.load(configuration.load(world.work))
    lines = world.text("status").splitlines()
    for name, one in gone.items():
        assert "not logged in (" in one["why"], one
        assert known[name].login in f"{one['why']} {one['action']}", one
        assert any(one["seat"] in line and "not logged in" in line for line in lines), lines
