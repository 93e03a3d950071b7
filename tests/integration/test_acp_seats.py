"""A seat on the transport acp: one live session across turns, on the official package at both ends."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rt_config import launch_specs, processes
from rt_config.profile_model import Profile
from rt_mailbox import tables, turns
from rt_participant import launch
from tests.helpers import Bus, eventually
from tests.integration.seats import TABLE, Table

ROOT = Path(__file__).parents[2]
Said = dict[str, Any]


def full(*values: Any) -> Any:
    """A row for the long suite: each costs the start of two processes that import the package."""
    return pytest.param(*values, marks=pytest.mark.full)


class Seated:
    """A table of one seat `a`, whose agent follows a plan."""

    def __init__(self, bus: Bus, folder: Path, plan: Said, **changes: Any) -> None:
        self.agent = folder / "agent"
        self.agent.mkdir()
        (self.agent / "plan.json").write_text(json.dumps(plan))
        self.target = folder / "target"
        self.target.mkdir()
        fake = ["{python}", str(ROOT / "tests" / "fake_acp_agent.py"), str(self.agent)]
        profile = Profile.model_validate(
            {
                "name": "fake",
                "description": "fake",
                "family": "fake",
                "executable": sys.executable,
                "login": "run fake login",
                "default_transport": "acp",
                "acp": {"argv": fake, "auth_method": "key", "modes": {"read-only": "plan"}},
            }
        )
        found = launch_specs.launch_spec(
            profile, cwd=str(self.target), kill_grace_seconds=0.3, drain_timeout_seconds=0.5
        )
        self.spec = found | changes
        self.table = Table(bus, folder, {"a": self.spec})

    def saw(self, what: str) -> list[Said]:
        file = self.agent / "saw.jsonl"
        found = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        return [one for one in found if one["what"] == what]

    def asked(self, count: int = 1) -> list[Said]:
        """The prompts the agent has had, when there are that many."""

        def found() -> list[Said]:
            prompts = self.saw("prompt")
            assert len(prompts) >= count, self.table.log("a")
            return prompts

        return eventually(found, seconds=20, what=f"{count} prompts")

    def running(self) -> list[processes.Process]:
        return processes.marked(launch.MARK, launch.mark_of(os.environ["RT_HOME"], TABLE, "a"))

    def gone(self) -> bool:
        return not self.running()


Seat = Callable[..., Seated]


@pytest.fixture
def seat(bus: Bus, tmp_path: Path) -> Iterator[Seat]:
    made: list[Seated] = []

    def make(*planned: Said, plan: Said | None = None, **changes: Any) -> Seated:
        made.append(Seated(bus, tmp_path, {"turns": planned} | (plan or {}), **changes))
        return made[-1]

    yield make
    for one in made:
        processes.kill_tree(one.running(), 0)
        one.table.door.close()


def test_one_session_answers_turn_after_turn(seat: Seat) -> None:
    """S2.3, S2.34: one process, one session, one answer per turn; what it knows already is not told again."""
    one = seat()
    with one.table.runner("a"):
        one.table.ask("Which cache?", "a")
        one.table.replies(1)
        one.table.ask("And why?", "a")
        replies = one.table.replies(2)
        one.table.usage("a", 2)
    assert [m["body"] for m in replies] == [f"## Position\nI know {n} prompts." for n in (1, 2)]
    (begun,) = one.saw("initialize")
    assert begun["group"] == begun["pid"]
    assert [s["cwd"] for s in one.saw("new")] == [str(one.target)]
    assert [s["mode"] for s in one.saw("mode")] == ["plan"]
    first, second = one.saw("prompt")
    assert (first["session"], first["pid"]) == (second["session"], second["pid"])
    assert "Which cache?" in first["text"]
    assert "I know 1 prompts" not in second["text"]
    assert one.table.usage("a", 2) == {"calls": 2, "input": 20, "output": 10}
    assert one.gone()


@pytest.mark.full
def test_a_new_runner_loads_the_session_by_its_id(seat: Seat) -> None:
    """S2.3: kill -9 of the runner between turns: the agent it left is ended, and the session goes on where it was."""
    one = seat()
    with one.table.runner("a") as runner:
        one.table.ask("Which cache?", "a")
        one.table.replies(1)
        one.table.usage("a", 1)
        runner.kill()
        runner.wait()
    with one.table.runner("a"):
        one.table.ask("And why?", "a")
        replies = one.table.replies(2)
        eventually(lambda: len(one.running()) == 1, what="one agent")
    assert [s["session"] for s in one.saw("load")] == ["s0"]
    assert replies[1]["body"] == "## Position\nI know 2 prompts."


@pytest.mark.parametrize("plan", [full({"load": False}), full({"load_fails": True})])
def test_a_session_that_cannot_be_loaded_is_rebuilt(seat: Seat, plan: Said) -> None:
    """S2.21: without its session the agent gets the whole record in a fresh one, in the same attempt and without a strike."""
    one = seat(plan=plan)
    with one.table.runner("a"):
        one.table.ask("Which cache?", "a")
        one.table.replies(1)
        one.table.usage("a", 1)
    with one.table.runner("a"):
        one.table.ask("And why?", "a")
        one.table.replies(2)
    assert "I know 1 prompts" in one.asked(2)[1]["text"]
    assert one.table.event("resume_failed")
    assert not one.table.events("failed")


@pytest.mark.parametrize(
    "stop", ["max_tokens", full("max_turn_requests"), full("refusal"), full("cancelled")]
)
def test_a_stop_other_than_end_turn_is_a_failed_attempt(seat: Seat, stop: str) -> None:
    """S2.19: whatever was said before it is no reply; the next attempt starts from the record in a process of its own."""
    one = seat({"say": ["## Position\nHalf of"], "stop": stop})
    turn = one.table.ask("Which cache?", "a") + "/a"
    with one.table.runner("a"):
        assert one.table.event("failed")["reason"] == f"it stopped with {stop}"
        one.table.next_attempt(turn)
        (reply,) = one.table.replies(1)
    assert reply["body"] == "## Position\nI know 1 prompts."
    assert len({s["pid"] for s in one.asked(2)}) == 2


@pytest.mark.parametrize(
    ("planned", "reason"),
    [
        full({"die": 7}, "the agent ended (exit 7): the fake gives up"),
        full({"error": "overloaded"}, "overloaded"),
        full({"say": []}, "no answer"),
        full({"hang": True}, "inactivity: nothing came for 8 s"),
    ],
)
def test_a_failure_has_its_reason_and_the_turn_goes_on(seat: Seat, planned: Said, reason: str) -> None:
    """S2.19, S2.34: a crash, an error, silence and an empty answer each fail one attempt; the next one answers, once."""
    one = seat(planned, inactivity_seconds=8.0)
    turn = one.table.ask("Which cache?", "a") + "/a"
    with one.table.runner("a"):
        assert one.table.event("failed")["reason"] == reason
        one.table.next_attempt(turn)
        one.table.replies(1)
    assert len(one.table.replies(1)) == 1
    assert one.gone()


@pytest.mark.full
def test_an_agent_that_cannot_be_started_says_what_to_do(seat: Seat) -> None:
    """S2.12: a missing program is named with its fix."""
    one = seat(start=["no-such-agent"], install="get it there")
    one.table.ask("Which cache?", "a")
    with one.table.runner("a"):
        assert one.table.event("failed")["reason"] == "no-such-agent is not installed: get it there"


@pytest.mark.full
def test_a_login_that_is_wanted_is_named(seat: Seat) -> None:
    """S2.12: without an offered method that the profile names, the reason says how to log in."""
    one = seat(plan={"auth": "wanted"})
    one.table.ask("Which cache?", "a")
    with one.table.runner("a"):
        reason = one.table.event("failed")["reason"]
    assert reason == "not logged in (Authentication required): run fake login"
    assert not one.saw("authenticate")


@pytest.mark.full
def test_a_failure_that_comes_as_an_answer_is_none(seat: Seat) -> None:
    """S2.19: what the profile knows as an agent's report of a failure is a strike with its reason, and not in the record."""
    said = {"say": ["Error: Incorrect API key ", "(HTTP 401)."]}
    one = seat(said, failed_answer=["^Error: "], auth_failure=["HTTP 401"])
    one.table.ask("Which cache?", "a")
    with one.table.runner("a"):
        failed = one.table.event("failed")
    assert failed["reason"] == "not logged in (Error: Incorrect API key (HTTP 401).): run fake login"
    assert [m["kind"] for m in one.table.messages()] == ["intent"]


@pytest.mark.full
def test_the_profiles_method_logs_in_when_it_is_offered(seat: Seat) -> None:
    """S2.33: authenticate comes only after the agent asked for it."""
    one = seat(plan={"auth": "key"})
    one.table.ask("Which cache?", "a")
    with one.table.runner("a"):
        one.table.replies(1)
    assert [s["method"] for s in one.saw("authenticate")] == ["key"]


@pytest.mark.parametrize(
    "planned", [full({"hang": True}), full({"hang": True, "deaf": True}), {"hang": True, "late": "late"}]
)
def test_a_turn_that_is_over_is_cancelled_and_leaves_nothing(seat: Seat, planned: Said) -> None:
    """S2.20: cancel, wait, kill; whether the agent obeys, is deaf or answers late, its text counts for no turn."""
    one = seat(planned)
    turn = one.table.ask("Which cache?", "a") + "/a"
    with one.table.runner("a"):
        one.asked()
        turns.close(one.table.door, TABLE, turn, "cancelled", "by hand")
        eventually(lambda: "no longer wanted" in one.table.log("a"), seconds=10, what="the end of the turn")
        assert one.gone()
        one.table.ask("And why?", "a")
        (reply,) = one.table.replies(1)
    assert len(one.saw("cancel")) == 1
    assert reply["body"] == "## Position\nI know 1 prompts."
    assert not one.table.events("failed")


@pytest.mark.full
def test_a_deadline_ends_the_prompt(seat: Seat) -> None:
    """S2.20: the runner keeps the deadline by itself, though no host is there."""
    one = seat({"hang": True, "late": "## Position\nToo late."})
    one.table.ask("Which cache?", "a", seconds=1)
    with one.table.runner("a"):
        assert one.table.event("failed")["reason"] == "timeout"
        assert one.gone()
    assert not [m for m in one.table.messages() if m["kind"] == "reply"]


@pytest.mark.parametrize("how", [full("agent"), full("runner"), full("both"), full("told")])
def test_a_crash_at_any_time_leaves_one_answer(seat: Seat, how: str) -> None:
    """S2.34: kill -9 of the agent, of the runner, of both, or a SIGHUP in mid-turn: rebuilt, answered once."""
    one = seat({"wait": "go"}, {"wait": "go"})
    turn = one.table.ask("Which cache?", "a") + "/a"
    with one.table.runner("a") as runner:
        pid = one.asked()[0]["pid"]
        if how in ("agent", "both"):
            os.kill(pid, signal.SIGKILL)
        if how == "agent":
            assert one.table.event("failed")["reason"] == "the agent ended (signal 9)"
            one.table.next_attempt(turn)
            (one.agent / "go").touch()
            one.table.replies(1)
        else:
            os.kill(runner.pid, signal.SIGHUP if how == "told" else signal.SIGKILL)
            assert runner.wait(10) == (129 if how == "told" else -9)
            assert how != "told" or one.gone()
    if how != "agent":
        with one.table.runner("a"):
            one.asked(2)
            (one.agent / "go").touch()
            one.table.replies(1)
    assert len(one.table.replies(1)) == 1
    assert one.table.turn(turn)["state"] == "answered"


@pytest.mark.full
def test_a_runner_told_to_stop_between_turns_takes_its_agent_along(seat: Seat) -> None:
    """The end of a seat's session ends the live session too, whenever it comes."""
    one = seat()
    one.table.ask("Which cache?", "a")
    with one.table.runner("a") as runner:
        one.table.usage("a", 1)
        tables.drop_seat(one.table.door, TABLE, "a", "by hand", "dropped")
        assert runner.wait(10) == 0
    assert one.gone()


@pytest.mark.parametrize(
    ("kind", "inside", "options", "outcome"),
    [
        ("edit", True, None, "o-reject_once"),
        full("edit", False, None, "o-allow_once"),
        full("read", True, None, "o-allow_once"),
        full("edit", False, ["allow_always"], None),
    ],
)
def test_leave_is_given_by_path(
    seat: Seat, tmp_path: Path, kind: str, inside: bool, options: list[str] | None, outcome: str | None
) -> None:
    """S2.16, S2.27: the paths named at the call's begin count, a leave is for this once, and both are events."""
    tool: Said = {"kind": kind, "locations": ["x.txt" if inside else str(tmp_path / "elsewhere.txt")]}
    one = seat({"tool": tool | ({"options": options} if options else {})})
    one.table.ask("Which cache?", "a")
    with one.table.runner("a"):
        one.table.replies(1)
    found = one.saw("leave")[0]["outcome"]
    assert found.get("option_id", found.get("optionId")) == outcome
    event = one.table.event("permission")
    assert event["decision"] == ("allowed" if outcome == "o-allow_once" else "denied")
    assert (event["seat"], event["tool"], event["title"]) == ("a", kind, "harmless")
    assert one.table.event("tool_call")["status"] == "pending"
