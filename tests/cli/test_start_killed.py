"""`rt start` killed at any moment: the next start, or a resume, completes it."""

from __future__ import annotations

import signal
import subprocess

import pytest

from rt_mailbox import directory
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


def test_starts_at_once_do_not_harm_each_other(world: World) -> None:
    """Racing starts of one topic: every table has one opening question, and every seat can use its token."""
    world.text("bus", "start")
    racing = [world.popen("start", "Which cache?", *SEATS, stdout=subprocess.PIPE) for _ in range(3)]
    for one in racing:
        one.communicate(timeout=30)
    assert [one.returncode for one in racing] == [0, 0, 0]
    entries = directory.entries(world.door(), "default")
    for table in entries:
        world.answered(table)
        assert [m["kind"] for m in world.record(table) if m["kind"] != "note"] == ["intent", "reply", "reply"]
        assert {seat["failures"] for seat in world.snapshot(table)["seats"]} == {"0"}
