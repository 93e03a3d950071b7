"""`rt start` killed at any moment: the next start, or a resume, completes it."""

from __future__ import annotations

import json
import platform
import signal
import subprocess
import time

import pytest

from rt_mailbox import directory
from rt_moderator import hosting
from tests.cli.world import World

SEATS = ("--seat", "a=rehearsal", "--seat", "b=rehearsal")
EVERY = [0.06, 0.14, 0.22, 0.33]
FINE = [0.012 * n for n in range(1, 90)]


@pytest.mark.parametrize(
    "delays", [pytest.param(EVERY, id="coarse"), pytest.param(FINE, id="fine", marks=pytest.mark.full)]
)
@pytest.mark.timeout(300)
def test_a_start_that_was_killed_is_completed(world: World, delays: list[float]) -> None:
    """S0.9, S4.12: SIGKILL or SIGINT at any moment; afterwards one opening message, one turn and session per seat."""
    world.text("bus", "start")
    for n, delay in enumerate(delays):
        topic = f"Question {n}"
        cut = world.popen("start", topic, *SEATS)
        try:
            cut.wait(delay)
        except subprocess.TimeoutExpired:
            cut.send_signal(signal.SIGINT if n % 3 == 2 else signal.SIGKILL)
        cut.wait(20)
        table = completed(world, topic, by_resume=n % 2 == 1)
        world.answered(table)
        assert [m["kind"] for m in world.record(table) if m["kind"] != "note"] == ["intent", "reply", "reply"]
        assert sorted(world.turns(table).items()) == [("m1/a", "answered"), ("m1/b", "answered")]
        assert len([name for name in world.sessions() if name.startswith(f"{table}--")]) == 3
        assert world.refused("start", topic, "--seat", "a=nothing", exit_code=2) == "unknown_profile"
        world.text("end", "-t", table, "--without-synthesis")
    states = [entry["state"] for entry in directory.entries(world.door(), "default").values()]
    assert states == ["ended"] * len(delays)


def completed(world: World, topic: str, *, by_resume: bool) -> str:
    """Run the start again, or resume what it left; where it left nothing a resume says so and the start is run again."""
    left = [
        table
        for table, entry in directory.entries(world.door(), "default").items()
        if entry["topic"] == topic
    ]
    if by_resume and left:
        done = world.run("resume", left[0])
        if done.returncode == 0:
            return left[0]
        assert "unknown_table" in done.stderr, done.stderr
    table = world.start(*SEATS, topic=topic)
    assert table in left or not left or by_resume
    return table


def test_starts_at_once_lay_one_table(world: World) -> None:
    """S0.9: of racing starts of one topic one lays the table, the others go on with it; one opening question, no strike."""
    world.text("bus", "start")
    racing = [
        world.popen("start", f"Which cache{end}", *SEATS, "--json", stdout=subprocess.PIPE)
        for end in ("?", "", " ?", "!")
    ]
    said = [json.loads(one.communicate(timeout=30)[0]) for one in racing]
    assert [one.returncode for one in racing] == [0] * 4
    (table,) = directory.entries(world.door(), "default")
    assert {one["table"] for one in said} == {table}
    assert sorted(one["duplicate"] for one in said) == [False, True, True, True]
    world.answered(table)
    assert [m["kind"] for m in world.record(table) if m["kind"] != "note"] == ["intent", "reply", "reply"]
    assert {seat["failures"] for seat in world.snapshot(table)["seats"]} == {"0"}
    assert world.start(*SEATS, "--new") != table


@pytest.mark.full
def test_a_start_that_died_half_way_is_not_waited_for(world: World) -> None:
    """S0.9: who finds the claim of a start that was killed completes it at once; that of one at work it waits for."""
    world.text("bus", "start")
    claim = {
        "topic": "Which cache?",
        "topic_key": "which cache",
        "mode": "",
        "format": "open",
        "state": "starting",
    }
    gone = {"pid": "1", "machine": platform.node(), "started": "-1.0"}
    directory.claim(
        world.door(), "default", "rt-1-cache", claim | {"created_at": time.time(), "starter": gone}
    )
    began = time.monotonic()
    assert world.start(*SEATS) == "rt-1-cache"
    assert time.monotonic() - began < 25
    held = {"topic": "Held?", "topic_key": "held", "created_at": time.time(), "starter": hosting.me()}
    directory.claim(world.door(), "default", "rt-2-held", claim | held)
    waiting = world.popen("start", "Held?", *SEATS, stderr=subprocess.PIPE)
    assert waiting.stderr is not None
    assert b"waiting for it" in waiting.stderr.readline()
    directory.write(world.door(), "default", "rt-2-held", claim | held | {"starter": gone})
    assert b"completing rt-2-held" in waiting.stderr.readline()
    waiting.communicate(timeout=30)
    assert waiting.returncode == 0
