"""Seats with the real CLIs over ACP: turns of one live session, prompts that arrive whole, and failures that say why."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rt_config import processes, profiles
from rt_config import settings as configuration
from rt_config.profile_model import Access
from rt_participant import launch
from rt_participant.acp_session import LiveSession
from rt_participant.results import Result
from tests.agents.conftest import KEYS, configured, model_of
from tests.agents.stub_model import Asked, StubModel
from tests.agents.test_headless_seats import NASTY, WRITES, hanging
from tests.integration.conftest import Seated

pytestmark = [pytest.mark.agents, pytest.mark.timeout(240)]
CLIS = ["gemini", "opencode", "qwen", "copilot", "kimi", "grok"]
LONG = 120.0


def acp_spec(cli: str, model: StubModel, cwd: Path, access: Access = "read-only") -> dict[str, Any]:
    """The launch spec of a seat with this CLI over ACP."""
    cwd.mkdir(exist_ok=True)
    found = configured(model)
    if cli == "opencode":  # its model over ACP stands in its configuration
        content = json.loads(found[cli]["env"]["OPENCODE_CONFIG_CONTENT"]) | {"model": model_of(cli)}
        found[cli]["env"]["OPENCODE_CONFIG_CONTENT"] = json.dumps(content)
    profile = profiles.load(configuration.Settings(profiles=found))[cli]
    asked = model_of(cli) if profile.acp and profile.acp.model else ""
    return profiles.launch_spec(
        profile, asked, access=access, cwd=str(cwd), transport="acp", drain_timeout_seconds=5.0
    )


class Seat:
    """One live session, and what its agent was allowed and refused."""

    def __init__(self, spec: dict[str, Any], mark: str) -> None:
        self.spec, self.mark = spec, mark
        self.notes: list[tuple[str, dict[str, str]]] = []
        self.live = LiveSession(spec, mark, [] if spec["access"] == "write" else [spec["cwd"]])

    def ask(self, text: str, poll: Callable[[], float | None] = lambda: LONG) -> Result:
        """Put `text` to it, in a session that is opened first when there is none."""
        if not self.live.session and (failed := self.live.open("", poll)):
            return failed
        return self.live.ask(
            text, poll, lambda _text: None, lambda kind, fields: self.notes.append((kind, fields))
        )

    def again(self) -> None:
        """A new process, as after a failure."""
        self.live.close()
        self.live = LiveSession(self.spec, self.mark, [])

    def left(self) -> list[processes.Process]:
        return processes.marked(launch.MARK, self.mark)


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Callable[[dict[str, Any]], Seat]]:
    """Makes the seat of a spec; closed afterwards."""
    made: list[Seat] = []

    def make(spec: dict[str, Any]) -> Seat:
        made.append(Seat(spec, str(tmp_path)))
        return made[-1]

    yield make
    for one in made:
        one.live.close(0.5)


@pytest.mark.parametrize("cli", CLIS)
def test_three_turns_in_a_session_that_is_loaded_again(
    cli: str, seated: Seated, model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S2.3, S1.11: two turns in one live session, and a third after a new runner has loaded it; nothing is struck."""
    cwd = tmp_path / "work"
    table = seated({"a": acp_spec(cli, model, cwd)})
    table.ask("Which cache, quokka?", "a", seconds=120)
    with table.runner("a"):
        table.replies(1, seconds=100)
        table.usage("a", 1)
        table.ask("And why, wombat?", "a", seconds=120)
        table.replies(2, seconds=100)
        table.usage("a", 2)
    table.ask("And when, numbat?", "a", seconds=120)
    with table.runner("a"):
        table.replies(3, seconds=100)
    for asked in ("wombat", "numbat"):
        later = [one.conversation for one in model.main_requests(asked)]
        assert any("quokka" in text for talk in later for role, text in talk if role == "user"), asked
    loads = cli != "gemini"  # 0.61 says that it can, and finds no session of its own: the record stands in
    assert [event["fresh"] for event in table.events("prompt")] == ["1", "0", "0" if loads else "1"]
    assert len(table.events("resume_failed")) == (0 if loads else 1)
    assert table.seat("a")["failures"] == "0"
    assert list(cwd.iterdir()) == []


@pytest.mark.parametrize("cli", CLIS)
def test_a_large_prompt_arrives_as_it_was(
    cli: str, seat: Callable[..., Seat], model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """Fifty KB with quotes, dollars, semicolons, emoji and an end of a paste reach the model whole."""
    prompt = "BEGIN-QUOKKA\n" + NASTY * 600 + "\x1b[201~\nEND-QUOKKA"
    result = seat(acp_spec(cli, model, tmp_path / "w")).ask(prompt)
    assert result.reason == ""
    said = [text for _role, text in model.main_requests("BEGIN-QUOKKA")[-1].conversation]
    assert any(prompt in text for text in said)


@pytest.mark.parametrize("cli", CLIS)
def test_a_refused_login_says_so_and_how_to_log_in(
    cli: str, seat: Callable[..., Seat], model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """401 fails the attempt within seconds, with what to do; the refusal is no answer."""
    model.status = 401
    spec = acp_spec(cli, model, tmp_path / "w")
    result = seat(spec).ask("hello")
    assert result.auth, (result.reason, result.detail, result.answer.text)
    assert result.reason.startswith("not logged in (")
    assert str(spec["login"]) in result.reason


@pytest.mark.parametrize("cli", CLIS)
def test_without_any_login_a_seat_fails_with_a_useful_reason(
    cli: str, seat: Callable[..., Seat], model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """A CLI that was never logged in is named as such."""
    spec = acp_spec(cli, model, tmp_path / "w")
    spec["env"] = {name: value for name, value in spec["env"].items() if name not in KEYS}
    model.status = 401  # what a server says to a call without a key
    result = seat(spec).ask("hello")
    assert result.auth, (result.reason, result.detail, result.answer.text)


@pytest.mark.parametrize("cli", CLIS)
def test_a_slow_model_is_waited_for(
    cli: str, seat: Callable[..., Seat], model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """A model that takes its time is no failure."""

    def slowly(_asked: Asked) -> str:
        time.sleep(5)
        return "## Position\nat last"

    model.reply = slowly
    result = seat(acp_spec(cli, model, tmp_path / "w")).ask("hello")
    assert (result.reason, result.answer.text) == ("", "## Position\nat last")


@pytest.mark.parametrize("cli", CLIS)
def test_a_model_that_never_answers_ends_at_the_deadline(
    cli: str, seat: Callable[..., Seat], model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S1.22, S2.20: cancelled soon after the deadline, none of its processes is left, and the next session answers."""
    asked, never = hanging(model)
    one = seat(acp_spec(cli, model, tmp_path / "w"))
    ends: list[float] = []

    def left() -> float:
        if asked.is_set() and not ends:
            ends.append(time.monotonic() + 2)
        return ends[0] - time.monotonic() if ends else 60.0

    try:
        result = one.ask("hello", left)
        assert (result.stop, result.reason, result.answer.text) == ("timeout", "timeout", "")
        assert time.monotonic() - ends[0] < 20
        assert one.left() == []
    finally:
        never.set()
    model.reply = lambda _asked: "## Position\nback"
    one.again()
    result = one.ask("hello")
    assert (result.reason, result.answer.text) == ("", "## Position\nback")


@pytest.mark.parametrize("cli", CLIS)
def test_an_agent_killed_in_the_middle_fails_and_the_next_one_answers(
    cli: str, seat: Callable[..., Seat], model: StubModel, agent_home: Path, tmp_path: Path
) -> None:
    """S2.19: a killed agent is a failed attempt that says so, not an answer, and a new session is not disturbed."""
    asked, never = hanging(model)
    one = seat(acp_spec(cli, model, tmp_path / "w"))

    def killing() -> float:
        if asked.is_set():
            processes.kill_tree(one.left(), 0)
        return 60.0

    try:
        result = one.ask("hello", killing)
    finally:
        never.set()
    assert result.stop == "died"
    assert result.reason.startswith("the agent ended"), result.reason
    assert result.answer.text == ""
    model.reply = lambda _asked: "## Position\nback"
    one.again()
    result = one.ask("hello")
    assert (result.reason, result.answer.text) == ("", "## Position\nback")


@pytest.mark.parametrize("access", ["read-only", "write"])
@pytest.mark.parametrize("cli", WRITES)
def test_a_read_only_seat_writes_nothing_even_when_its_model_tries(
    cli: str,
    access: Access,
    seat: Callable[..., Seat],
    model: StubModel,
    agent_home: Path,
    tmp_path: Path,
) -> None:
    """S2.16, S1.28: a model that calls the writing tool all the same gets no file; with write access it does."""
    file = tmp_path / "w" / "written.txt"
    name, fields = WRITES[cli]
    model.tool = (name, {key: value.replace("{path}", str(file)) for key, value in fields.items()})
    one = seat(acp_spec(cli, model, tmp_path / "w", access))
    result = one.ask("hello quokka")
    tried = any(asked.called for asked in model.asked) or any(kind == "permission" for kind, _ in one.notes)
    assert tried, (result.reason, result.detail, one.notes)
    assert file.exists() == (access == "write"), (one.notes, model.asked[-1].body)
