"""Seats with a screen of their own: a fake agent whose screen is everything that a real one's can be."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from rt_deck import Deck
from rt_moderator import bells
from tests.cli.world import World
from tests.helpers import eventually

AGENT = Path(__file__).parents[1] / "fake_tui_agent.py"


def profile(world: World, *tricks: str, settings: str = "", more: str = "") -> None:
    """A profile of the user's own, for the fake agent with these tricks. No code knows it."""
    argv = [sys.executable, str(AGENT), str(world.work), *tricks]
    world.configure(
        f"""{settings}
[profiles.screen]
extends = "command"
executable = "{sys.executable}"
default_transport = "tui"
{more}
[profiles.screen.tui]
start = {[*argv, "session={session}"]!r}
resume = {[*argv, "resume={session}"]!r}
session = "set"
unknown_seconds = 1
start_seconds = 2
[profiles.screen.tui.signals]
busy_title = ['^\\* working']
busy = ['^working, esc']
dialog = ['^\\[1\\] no, exit']
ready = ['^> ']
draft = '^> (.*)$'
"""
    )


def lines(world: World, name: str) -> list[str]:
    """What the agent wrote into this file."""
    path = world.work / name
    return path.read_text().splitlines() if path.exists() else []


def replies(world: World, table: str) -> list[str]:
    return [message["body"].rpartition("\n")[2] for message in world.record(table, "reply")]


def seat(world: World) -> dict[str, Any]:
    found: dict[str, Any] = world.json("status")["seats"][0]
    return found


def keys(table: str, *given: str) -> None:
    """What a person does at the seat's pane."""
    deck = Deck()
    pane = deck.require(f"{table}--a").pane_id
    deck.tmux.run(given[0], *(["-t", pane] if given[0] == "copy-mode" else ["-t", pane, *given[1:]]))


def kinds(world: World) -> list[str]:
    return [event["type"] for event in world.json("events")["events"]]


def test_one_nudge_a_turn(world: World) -> None:
    """S2.4, S1.27: a seat on its own screen is rung once per turn, answers through rt, and its session goes on."""
    profile(world, "noise")
    table = world.start("--seat", "a=screen")
    world.answered(table)
    world.json("say", "Again?")
    world.answered(table)
    assert replies(world, table) == ["screen answer 1", "screen answer 2"]
    assert lines(world, "entered") == [bells.LINE] * 2
    assert (seat(world)["state"], seat(world)["transport"], seat(world)["failures"]) == ("idle", "tui", 0)
    assert kinds(world).count("nudged") == kinds(world).count("replied") == 2
    assert "fake agent" in world.text("seat", "log", "a")
    assert len(lines(world, "started")) == 1


@pytest.mark.full
def test_a_slow_start_and_a_swallowed_enter(world: World) -> None:
    """A screen that comes up late and takes no Enter at first gets the line once, and one answer."""
    profile(world, "slow=1", "swallow=1")
    table = world.start("--seat", "a=screen")
    world.answered(table, 30)
    assert lines(world, "entered") == [bells.LINE]
    assert replies(world, table) == ["screen answer 1"]


@pytest.mark.full
def test_a_draft_holds_the_nudge(world: World) -> None:
    """A person's half-typed line is neither entered nor changed; once it is gone the nudge comes."""
    profile(world, "draft=dear")
    table = world.start("--seat", "a=screen")
    eventually(lambda: "a draft stands" in (seat(world)["reason"] or ""), seconds=30, what="said why")
    assert lines(world, "entered") == []
    keys(table, "send-keys", *["BSpace"] * 4)
    world.answered(table)
    assert lines(world, "entered") == [bells.LINE]
    assert seat(world)["reason"] is None


@pytest.mark.full
def test_copy_mode_holds_the_nudge(world: World) -> None:
    """Nothing is typed while somebody reads the pane in copy mode."""
    profile(world)
    table = world.start("--seat", "a=screen")
    world.answered(table)
    keys(table, "copy-mode")
    world.json("say", "Again?")
    eventually(lambda: "copy mode" in (seat(world)["reason"] or ""), seconds=30, what="said why")
    assert len(lines(world, "entered")) == 1
    keys(table, "send-keys", "-X", "cancel")
    world.answered(table)
    assert lines(world, "entered") == [bells.LINE] * 2


@pytest.mark.full
def test_a_dialog_is_blocked_until_a_person_answers_it(world: World) -> None:
    """A screen that asks something is never typed into; the status shows its last lines."""
    profile(world, "dialog")
    table = world.start("--seat", "a=screen")
    eventually(lambda: seat(world)["state"] == "blocked", seconds=30, what="blocked")
    assert seat(world)["reason"] == "its screen asks something: Do you trust this folder? / [1] no, exit"
    assert "BLOCKED" in world.text("status")
    assert lines(world, "entered") == []
    keys(table, "send-keys", "Enter")
    world.answered(table)
    assert replies(world, table) == ["screen answer 1"]
    assert seat(world)["state"] == "idle"


@pytest.mark.full
def test_an_unknown_screen_is_blocked(world: World) -> None:
    """A screen that fits no pattern is blocked after its time, and its turn ends at its deadline, degraded or not."""
    profile(world, "unknown")
    table = world.start("--seat", "a=screen", "--turn-timeout", "6")
    eventually(lambda: seat(world)["state"] == "blocked", seconds=30, what="blocked")
    assert seat(world)["reason"] == "its screen shows something unknown: WHAT IS THIS"
    world.answered(table, 30)
    assert world.turns(table) == {"m1/a": "failed"}
    assert lines(world, "entered") == []


@pytest.mark.full
def test_a_death_restarts_the_session_with_the_record(world: World) -> None:
    """S2.21, S1.24: an agent that dies in its turn gets a new session that is shown the whole record; one answer."""
    profile(world, "dies=1")
    (world.work / "dies").write_text("1")  # not in the first turn
    table = world.start("--seat", "a=screen")
    world.answered(table)
    (world.work / "dies").write_text("0")
    world.json("say", "Again?")
    world.answered(table, 30)
    assert replies(world, table) == ["screen answer 1", "screen answer 2"]
    assert [turn["attempt"] for turn in world.json("status")["turns"]] == [1, 2]
    assert len(lines(world, "started")) == 2
    first, _, second = "\n".join(lines(world, "asked")).rpartition("Task: ")
    assert "screen answer 1" not in first  # the session wrote it
    assert "screen answer 1" in second
    assert seat(world)["failures"] == 0


@pytest.mark.full
def test_two_deaths_switch_the_transport(world: World) -> None:
    """S2.21, S2.22: the second strike puts the seat on its profile's other transport, which answers: degraded."""
    echo = world.program("echo", "cat >/dev/null; echo '## Position'; echo headless answer")[1:].strip("'")
    profile(world, "dies=9", more=f"[profiles.screen.headless]\nstart = [{echo!r}]")
    table = world.start("--seat", "a=screen")
    world.answered(table, 40)
    assert replies(world, table) == ["headless answer"]
    assert seat(world)["transport"] == "headless"
    assert "switched from tui to headless" in world.json("status")["degraded"][0]["why"]
    assert world.json("status")["turns"][0]["attempt"] == 3
    world.json("say", "Again?")
    world.answered(table)
    assert replies(world, table) == ["headless answer"] * 2


@pytest.mark.full
def test_a_deadline_ends_the_session_after_its_drain(world: World) -> None:
    """S2.20: an agent that hangs meets its deadline, may drain, and its session is replaced; the next turn is answered."""
    profile(world, "deaf=1", settings="drain_timeout_seconds = 1.0")
    table = world.start("--seat", "a=screen", "--turn-timeout", "4")
    world.answered(table, 30)
    assert world.turns(table) == {"m1/a": "failed"}
    eventually(lambda: len(lines(world, "started")) == 2, seconds=20, what="a new session")
    world.json("set", "turn-timeout=30")
    step = world.json("say", "Again?")["seq"]
    world.answered(table, 30)
    assert world.turns(table)[f"m{step}/a"] == "answered"
    assert replies(world, table) == ["screen answer 1"]


@pytest.mark.full
@pytest.mark.parametrize("lost", [False, True])
def test_resume_goes_on_in_the_same_conversation(world: World, *, lost: bool) -> None:
    """S1.11, S1.24: after everything was killed the agent is started with its session's id; a lost one gets the record."""
    profile(world, *(["lost"] if lost else []))
    table = world.start("--seat", "a=screen")
    world.answered(table)
    first = lines(world, "started")[0].rpartition("session=")[2]
    world.run("bus", "stop", "--force")
    found = world.json("resume", table)
    assert found["seats"] == {"a": "resumed"}
    world.json("say", "Again?")
    world.answered(table, 30)
    assert replies(world, table) == ["screen answer 1", "screen answer 2"]
    assert f"resume={first}" in lines(world, "started")[1]
    assert seat(world)["failures"] == 0
    if lost:
        assert "resume_failed" in kinds(world)
    else:
        assert len(lines(world, "started")) == 2
