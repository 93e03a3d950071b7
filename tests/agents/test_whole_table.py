"""A whole table with the real Claude Code and Codex, from the command line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.conftest import as_toml, configured
from tests.agents.stub_model import StubModel
from tests.helpers import rt

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]
SEATS = {"anna": "claude", "ben": "codex"}


@pytest.fixture(name="table")
def started_table(agent_home: Path, model: StubModel, rt_home: Path, tmp_path: Path) -> Iterator[str]:
    """A table of the two, its first question asked; afterwards everything is stopped."""
    Path(os.environ["RT_CONFIG"]).write_text(as_toml(configured(model)), encoding="utf-8")
    work = tmp_path / "work"
    work.mkdir()
    seats = [part for slug, profile in SEATS.items() for part in ("--seat", f"{slug}={profile}:stub-1")]
    try:
        yield str(_json("start", "Which cache, QUESTION-ONE?", *seats, "--cwd", str(work))["table"])
    finally:
        rt("bus", "stop", "--force", timeout=60)


def test_two_rounds_with_real_agents(table: str, model: StubModel) -> None:
    """S1.11: both answer twice through the group; round 2 is a native resume, so the model sees round 1 in the conversation."""
    assert _drained() == {("participant/anna", "reply"), ("participant/ben", "reply")}
    first = len(model.asked)
    _json("say", "And for writes, QUESTION-TWO?")
    assert _drained() == {("participant/anna", "reply"), ("participant/ben", "reply")}
    later = [one.conversation for one in model.asked[first:]]
    resumed = [
        talk
        for talk in later
        if _holds(talk, "user", "QUESTION-ONE") and _holds(talk, "user", "QUESTION-TWO")
    ]
    assert len(resumed) >= len(SEATS)
    assert all(_holds(talk, "assistant", "## Position") for talk in resumed)
    states = {seat["slug"]: seat for seat in _json("status")["seats"]}
    assert {slug: seat["failures"] for slug, seat in states.items()} == dict.fromkeys(SEATS, 0)
    assert all(states[slug]["usage"]["calls"] == 2 for slug in SEATS)


def test_a_lost_conversation_does_not_lose_the_turn(table: str, model: StubModel, agent_home: Path) -> None:
    """S1.24: with the CLIs' own sessions deleted the next round is answered from the record."""
    _drained()
    for folder in (agent_home / ".claude" / "projects", agent_home / ".codex" / "sessions"):
        for file in sorted(folder.rglob("*.jsonl")):
            file.unlink()
    _json("say", "And for writes, QUESTION-TWO?")
    assert _drained() == {("participant/anna", "reply"), ("participant/ben", "reply")}
    assert any(
        _holds(one.conversation, "user", "QUESTION-ONE") for one in model.main_requests("QUESTION-TWO")
    )


def _drained() -> set[tuple[str, str]]:
    assert _json("wait", "--for", "all", "--timeout", "100")["ready"] is True
    return {(one["from"], one["kind"]) for one in _json("drain")["messages"]}


def _holds(talk: list[tuple[str, str]], role: str, text: str) -> bool:
    return any(who == role and text in said for who, said in talk)


def _json(*words: str) -> dict[str, Any]:
    done = rt(*words, "--json", timeout=120)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found
