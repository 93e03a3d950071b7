"""Seats with the real CLIs: two turns of one conversation, prompts that arrive whole, and failures that say why."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from rt_config import packed_spec, processes
from rt_mailbox import tables
from rt_participant import headless, launch
from rt_participant.results import Result
from tests.agents.conftest import KEYS, PACKAGES, agent_spec, model_of
from tests.agents.stub_model import Asked, StubModel
from tests.integration.conftest import Seated
from tests.integration.seats import TABLE

pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]
CLIS = list(PACKAGES)
SESSION = "0c9f6f1e-52f5-4d0c-9d53-0f7cb3a1a0"
# How a model writes a file with each CLI; the names are the CLIs' own.
WRITES = {
    "gemini": ("write_file", {"file_path": "{path}", "content": "x"}),
    "opencode": ("write", {"filePath": "{path}", "content": "x"}),
    "copilot": ("create", {"path": "{path}", "file_text": "x"}),
    "qwen": ("write_file", {"file_path": "{path}", "content": "x"}),
    "grok": ("write", {"file_path": "{path}", "content": "x"}),
}
NASTY = '‘q’ "d" $HOME ${PATH} `id`; rm -rf / && | > < \\ \\n %s 🙂 \u202e 日本語\n'


def call(
    spec: dict[str, Any],
    prompt: str,
    folder: Path,
    session: str = "",
    poll: headless.Poll = lambda: 120.0,
) -> Result:
    made = launch.prepare(spec, prompt, session, resume=False, mark=str(folder), folder=folder)
    return headless.run(spec, made, poll, lambda _text: None)


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
    if packed_spec.unpacked(seat["spec"])["output"]["usage"]:
        assert usage["input"] >= 20
        assert usage["output"] >= 10
    assert seat["effective_model"] in ("stub-1", model_of(cli))
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
    spec["env"] = {name: value for name, value in spec["env"].items() if name not in KEYS}
    model.status = 401  # what a server says to a call without a key
    result = call(spec, "hello", tmp_path, "0c9f6f1e-52f5-4d0c-9d53-0f7cb3a1a004")
    assert result.auth, (result.reason, result.detail)


@pytest.mark.parametrize("cli", ["claude", "codex", "gemini", "qwen"])
def test_a_read_only_seat_asks_for_no_more(
    cli: str, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S2.17: the CLI itself tells its model that nothing may be written."""
    call(agent_spec(cli, model, tmp_path / "w"), "hello quokka", tmp_path, SESSION + "05")
    told = json.dumps(model.main_requests("quokka")[-1].body).lower()
    assert "read-only" in told or "plan mode" in told


@pytest.mark.parametrize("access", ["read-only", "write"])
@pytest.mark.parametrize("cli", WRITES)
def test_a_read_only_seat_writes_nothing_even_when_its_model_tries(
    cli: str, access: Any, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S1.28, S2.17: a model that calls the writing tool all the same gets no file; with write access it does."""
    file = tmp_path / "w" / "written.txt"
    name, fields = WRITES[cli]
    model.tool = (name, {key: value.replace("{path}", str(file)) for key, value in fields.items()})
    spec = agent_spec(cli, model, tmp_path / "w", access=access)
    result = call(spec, "hello quokka", tmp_path, SESSION + "06")
    assert any(one.called for one in model.asked), (result.reason, result.detail)
    assert file.exists() == (access == "write"), model.asked[-1].body


@pytest.mark.parametrize("cli", CLIS)
def test_a_slow_model_is_waited_for(cli: str, model: StubModel, agent_home: Path, tmp_path: Path) -> None:
    """A model that takes its time is no failure."""

    def slowly(_asked: Asked) -> str:
        time.sleep(5)
        return "## Position\nat last"

    model.reply = slowly
    result = call(agent_spec(cli, model, tmp_path / "w"), "hello", tmp_path, SESSION + "07")
    assert (result.reason, result.answer.text) == ("", "## Position\nat last")


def hanging(model: StubModel) -> tuple[threading.Event, threading.Event]:
    """Make the model not answer; returns what tells that it was asked, and what lets go of it."""
    asked, never = threading.Event(), threading.Event()

    def reply(_asked: Asked) -> str:
        asked.set()
        never.wait(120)
        return ""

    model.reply = reply
    return asked, never


@pytest.mark.parametrize("cli", CLIS)
def test_a_model_that_never_answers_ends_at_the_deadline(
    cli: str, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S1.22: the call is over soon after its deadline, and none of its processes is left."""
    asked, never = hanging(model)
    ends: list[float] = []

    def left() -> float:
        if asked.is_set() and not ends:
            ends.append(time.monotonic() + 2)
        return ends[0] - time.monotonic() if ends else 60.0

    try:
        result = call(agent_spec(cli, model, tmp_path / "w"), "hello", tmp_path, SESSION + "08", left)
    finally:
        never.set()
    assert (result.stop, result.reason) == ("timeout", "timeout")
    assert time.monotonic() - ends[0] < 15
    assert headless.sweep(str(tmp_path), 0) == 0


@pytest.mark.parametrize("cli", CLIS)
def test_a_call_killed_in_the_middle_fails_and_the_next_one_answers(
    cli: str, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S2.19: a killed CLI is a failed attempt that says so, not an answer, and the next fresh call is not disturbed."""
    asked, never = hanging(model)

    def killing() -> float:
        if asked.is_set():
            processes.kill_tree(processes.marked(launch.MARK, str(tmp_path)), 0)
        return 60.0

    spec = agent_spec(cli, model, tmp_path / "w")
    try:
        result = call(spec, "hello", tmp_path, SESSION + "09", killing)
    finally:
        never.set()
    assert result.stop == ""
    assert result.reason.startswith(("signal ", "exit ")), result.reason
    assert result.answer.text == ""
    model.reply = lambda _asked: "## Position\nback"
    result = call(spec, "hello", tmp_path, SESSION + "10")
    assert (result.reason, result.answer.text) == ("", "## Position\nback")
