"""Seats with the real CLIs over ACP: two turns in one live session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rt_config import profiles
from rt_config import settings as configuration
from tests.agents.conftest import configured, model_of
from tests.agents.stub_model import StubModel
from tests.integration.conftest import Seated

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]


@pytest.mark.parametrize("cli", ["gemini", "opencode", "qwen", "copilot"])
def test_two_turns_in_one_live_session(
    cli: str, seated: Seated, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S2.3: the agent answers twice, the second time with the first question in its conversation; nothing is struck."""
    cwd = tmp_path / "work"
    cwd.mkdir()
    found = configured(model)
    asked = ""
    if cli == "opencode":  # its model over ACP stands in its configuration
        content = json.loads(found[cli]["env"]["OPENCODE_CONFIG_CONTENT"]) | {"model": model_of(cli)}
        found[cli]["env"]["OPENCODE_CONFIG_CONTENT"] = json.dumps(content)
    elif cli != "copilot":
        asked = model_of(cli)
    catalog = profiles.load(configuration.Settings(profiles=found))
    table = seated({"a": profiles.launch_spec(catalog[cli], asked, cwd=str(cwd), transport="acp")})
    table.ask("Which cache, quokka?", "a", seconds=120)
    with table.runner("a"):
        table.replies(1, seconds=100)
        table.usage("a", 1)
        table.ask("And why, wombat?", "a", seconds=120)
        table.replies(2, seconds=100)
    later = [one.conversation for one in model.main_requests("wombat")]
    assert any("quokka" in text for talk in later for role, text in talk if role == "user")
    assert table.seat("a")["failures"] == "0"
