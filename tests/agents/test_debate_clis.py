"""A whole debate of three real CLIs against a stub model that fills in the forms a prompt asks for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rt_participant import rehearsal
from tests.agents.conftest import as_toml, configured
from tests.agents.stub_model import Asked, StubModel
from tests.cli.world import World, world_of_its_own  # noqa: F401

pytestmark = [
    pytest.mark.agents,
    pytest.mark.timeout(600),
    pytest.mark.parametrize("cli", [("claude", "codex", "opencode")], ids=["three"]),
]


def filled_in(asked: Asked) -> str:
    """The form that the last message of the conversation asks for."""
    return rehearsal.answer(asked.conversation[-1][1]) if asked.conversation else "ok"


def test_three_different_agents_debate(
    cli: tuple[str, ...], agent_home: Path, world: World, model: StubModel
) -> None:
    """S0.17, S0.18, S0.26: blind round, critique in the same conversation, validation, a synthesis by a real CLI, and its report."""
    model.reply = filled_in
    profiles = configured(model)
    content = json.loads(profiles["opencode"]["env"]["OPENCODE_CONFIG_CONTENT"]) | {"model": "stub/stub-1"}
    profiles["opencode"]["env"]["OPENCODE_CONFIG_CONTENT"] = json.dumps(content)
    world.configure(as_toml(profiles))
    done = world.run(
        "run", "Should we compare QUESTION-ONE?", "--panel", "claude:stub-1,codex:stub-1,opencode", "--validate", "--no-search",
        "--json", timeout=400,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["rounds"], found["validated"], found["degraded"]) == (2, "yes", [])
    assert found["consensus_pct"] is not None
    assert [seat["profile"] for seat in found["seats"]] == ["claude", "codex", "opencode"]
    result = json.loads(Path(found["result_path"]).read_text())
    assert set(result["scores"]) == {"advocate", "devils-advocate", "analyst"}
    assert result["synthesis_model"].startswith("claude")
    assert "- Bias risk: claude" in Path(found["report_path"]).read_text()
    for who in ("advocate", "devils-advocate", "analyst"):
        second = [
            one.conversation
            for one in model.main_requests("This is round 2")
            if f"(participant/{who})" in json.dumps(one.conversation)
        ]
        assert any("This is round 1" in json.dumps(talk) for talk in second), who
        assert any(
            role == "assistant" and "## Self-digest" in said for talk in second for role, said in talk
        ), who
