"""Seats with the real CLIs: two turns of one conversation, prompts that arrive whole, and failures that say why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rt_mailbox import tables
from rt_participant import headless, launch
from rt_participant.results import Result
from tests.agents.conftest import agent_spec
from tests.agents.stub_model import StubModel
from tests.integration.conftest import Seated
from tests.integration.seats import TABLE

pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]
CLIS = ["claude", "codex"]
NASTY = '‘q’ "d" $HOME ${PATH} `id`; rm -rf / && | > < \\ \\n %s 🙂 \u202e 日本語\n'


def call(
    spec: dict[str, Any], prompt: str, folder: Path, session: str = "", *, resume: bool = False
) -> Result:
    made = launch.prepare(spec, prompt, session, resume=resume, mark=str(folder), folder=folder)
    return headless.run(spec, made, lambda: 120.0, lambda _text: None)


@pytest.mark.parametrize("cli", CLIS)
def test_the_second_turn_is_the_same_conversation(
    cli: str, seated: Seated, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S1.11, S1.6: round 2 resumes the native session, in a folder without git in which nothing is created."""
    model.reply = lambda asked: (
        f"## Position\nI have been asked {sum(r == 'assistant' for r, _ in asked.conversation)} times."
    )
    cwd = tmp_path / "work"
    table = seated({"a": agent_spec(cli, model, cwd)})
    table.ask("Which cache, quokka?", "a", seconds=120)
    with table.runner("a"):
        first = table.replies(1, seconds=100)[0]
        assert first["body"] == "## Position\nI have been asked 0 times."
        table.usage("a", 1)
        table.ask("And why, wombat?", "a", seconds=120)
        second = table.replies(2, seconds=100)[1]
        usage = table.usage("a", 2)
    assert second["body"] == "## Position\nI have been asked 1 times."
    last = model.main_requests("wombat")[-1]
    said = [text for _role, text in last.conversation]
    assert any("quokka" in text for text in said)
    assert any("asked 0 times" in text for text in said)
    assert [e["fresh"] for e in table.events("prompt")] == ["1", "0"]
    seat = table.seat("a")
    assert usage["input"] >= 20
    assert usage["output"] >= 10
    assert seat["effective_model"] == "stub-1"
    assert last.model == "stub-1"
    assert list(cwd.iterdir()) == []


@pytest.mark.parametrize("cli", CLIS)
def test_a_large_prompt_arrives_as_it_was(
    cli: str, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """Fifty KB with quotes, dollars, semicolons, emoji and an end-of-paste mark without its escape reach the model whole."""
    prompt = "BEGIN-QUOKKA\n" + NASTY * 600 + "[201~\nEND-QUOKKA"
    result = call(
        agent_spec(cli, model, tmp_path / "w"), prompt, tmp_path, "0c9f6f1e-52f5-4d0c-9d53-0f7cb3a1a001"
    )
    assert result.reason == ""
    said = [text for _role, text in model.main_requests("BEGIN-QUOKKA")[-1].conversation]
    assert any(prompt in text for text in said)


@pytest.mark.parametrize("cli", CLIS)
def test_a_refused_login_says_so_and_how_to_log_in(
    cli: str, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """401 fails the attempt within seconds, with what to do."""
    model.status = 401
    spec = agent_spec(cli, model, tmp_path / "w")
    result = call(spec, "hello", tmp_path, "0c9f6f1e-52f5-4d0c-9d53-0f7cb3a1a002")
    assert result.auth, (result.reason, result.detail)
    assert result.reason.startswith("not logged in (")
    assert str(spec["login"]) in result.reason


@pytest.mark.parametrize("cli", CLIS)
def test_a_lost_native_session_is_rebuilt_within_the_attempt(
    cli: str, seated: Seated, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S1.24: the CLI does not know the session any more; the turn is answered all the same."""
    table = seated({"a": agent_spec(cli, model, tmp_path / "w")})
    lost = {"native_session": "0c9f6f1e-52f5-4d0c-9d53-0f7cb3a1a003", "native_ready": "1", "native_upto": "0"}
    tables.set_seat(table.door, TABLE, "a", lost)
    table.ask("Which cache, quokka?", "a", seconds=120)
    with table.runner("a"):
        table.replies(1, seconds=100)
    assert table.events("resume_failed")
    assert [e["fresh"] for e in table.events("prompt")] == ["0", "1"]
    assert not table.events("failed")


@pytest.mark.parametrize("cli", CLIS)
def test_without_any_login_a_seat_fails_with_a_useful_reason(
    cli: str, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """A CLI that was never logged in is named as such."""
    spec = agent_spec(cli, model, tmp_path / "w")
    spec["env"] = {
        name: value for name, value in spec["env"].items() if name not in ("ANTHROPIC_AUTH_TOKEN", "STUB_KEY")
    }
    result = call(spec, "hello", tmp_path, "0c9f6f1e-52f5-4d0c-9d53-0f7cb3a1a004")
    assert result.auth, (result.reason, result.detail)


@pytest.mark.parametrize("cli", CLIS)
def test_a_read_only_seat_asks_for_no_more(
    cli: str, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S2.17: the CLI itself tells its model that nothing may be written."""
    call(
        agent_spec(cli, model, tmp_path / "w"),
        "hello quokka",
        tmp_path,
        "0c9f6f1e-52f5-4d0c-9d53-0f7cb3a1a005",
    )
    told = json.dumps(model.main_requests("quokka")[-1].body).lower()
    assert "read-only" in told or "plan mode is active" in told
