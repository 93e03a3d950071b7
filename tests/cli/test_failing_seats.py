"""Seats that fail in every way: each costs itself, never the others."""

from __future__ import annotations

import time

import pytest

from tests.cli.world import ECHO, World
from tests.helpers import eventually

SILENT, EXITS, FLOODS = "cat >/dev/null", "echo no >&2; exit 3", "cat >/dev/null; yes | head -c 100000000"
STEP_SECONDS = 12.0


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param(SILENT, "no answer", id="silent", marks=pytest.mark.full),
        pytest.param(EXITS, "exit 3", id="exits"),
        pytest.param(FLOODS, "flood", id="floods", marks=pytest.mark.full),
    ],
)
def test_three_strikes_drop_a_seat(world: World, body: str, reason: str) -> None:
    """S1.24: a CLI that prints nothing, exits at once or floods is tried three times, then dropped: [ERROR: …], degraded."""
    bad = world.program("bad", f"echo x >> '{world.work}/calls'; {body}")
    table = world.start("--seat", f"a={bad}", "--seat", "b=rehearsal")
    world.answered(table, 30)
    assert world.turns(table) == {"m1/a": "failed", "m1/b": "answered"}
    (said,) = world.record(table, "system")
    assert said["body"].startswith("[ERROR: ")
    assert reason in said["body"]
    assert (world.work / "calls").read_text() == "x\n" * 3
    eventually(lambda: world.json("status")["seats"][0]["state"] == "dropped", what="dropped")
    found = world.json("status")
    assert [gone["seat"] for gone in found["degraded"]] == ["a"]
    assert reason in found["degraded"][0]["why"]
    assert found["seats"][0]["failures"] == 3
    assert world.json("say", "Go on?")["asked"] == ["b"]
    world.answered(table)


@pytest.mark.full
def test_a_seat_that_recovers_starts_anew(world: World) -> None:
    """S1.24: strikes count since the last good reply: twice wrong, then right, and the next two failures do not drop."""
    good = f'n=$(cat "{world.work}/n" 2>/dev/null || echo 0); echo $((n+1)) > "{world.work}/n"'
    flaky = world.program("flaky", f"{good}; [ $((n % 3)) = 2 ] || exit 1; {ECHO}")
    table = world.start("--seat", f"a={flaky}")
    world.answered(table)
    world.json("say", "Again?")
    world.answered(table)
    assert world.turns(table) == {"m1/a": "answered", "m3/a": "answered"}
    assert [one["attempt"] for one in world.json("status")["turns"]] == [3, 3]
    assert (world.work / "n").read_text().strip() == "6"
    assert world.json("status")["degraded"] == []


def test_a_cli_that_hangs_meets_its_deadline(world: World) -> None:
    """S1.24: at the deadline the turn fails with [TIMEOUT], its CLI is ended, and a reply after it never counts."""
    hang = world.program("hang", "cat >/dev/null; exec sleep 300")
    table = world.start("--seat", f"a={hang}", "--seat", "b=rehearsal", "--turn-timeout", "1.5")
    world.answered(table)
    assert world.turns(table) == {"m1/a": "failed", "m1/b": "answered"}
    assert world.record(table, "system")[0]["body"].startswith("[TIMEOUT] a did not answer m1/a within 1 s")
    eventually(lambda: not world.processes("sleep 300"), what="the CLI is gone")
    late = world.json("reply", "-m", "## Position\nToo late.", "--as", "participant/a", "--turn", "m1/a")
    assert late["late"] is True
    assert world.record(table)[-1]["kind"] == "late"
    assert world.turns(table)["m1/a"] == "failed"
    assert world.json("status")["seats"][0]["failures"] == 1


def test_what_a_cli_leaves_behind_is_ended(world: World) -> None:
    """A background child of a CLI, in a session of its own, is gone after the turn."""
    parent = world.program("parent", f"setsid sleep 299 </dev/null >/dev/null 2>&1 & {ECHO}")
    table = world.start("--seat", f"a={parent}")
    world.answered(table)
    assert world.turns(table) == {"m1/a": "answered"}
    eventually(lambda: not world.processes("sleep 299"), what="the child is gone")


def test_a_cli_that_vanished(world: World) -> None:
    """A CLI that was uninstalled after the start is named in the reason, and the seat dropped after three tries."""
    agent = world.program("agent", ECHO)
    table = world.start("--seat", f"a={agent}")
    world.answered(table)
    (world.work / "agent").unlink()
    world.json("say", "Still there?")
    world.answered(table)
    assert "agent is not installed" in world.record(table, "system")[0]["body"]


@pytest.mark.full
def test_one_failing_seat_blocks_nobody(world: World) -> None:
    """S3.10: seats that hang, crash and flood cost the others no time worth speaking of."""
    quick = world.program("quick", ECHO)
    alone = elapsed(world, "Alone?", {"a": quick, "b": quick})
    bad = {
        "hang": world.program("hang", "cat >/dev/null; exec sleep 300"),
        "exit": world.program("exit", EXITS),
        "quiet": world.program("quiet", SILENT),
    }
    beside = elapsed(world, "Beside?", {"a": quick, **bad, "b": quick})
    assert beside < alone * 2 + 3.0


def elapsed(world: World, topic: str, seats: dict[str, str]) -> float:
    """Seconds from the start until a and b have answered."""
    began = time.monotonic()
    args = [word for slug, argv in seats.items() for word in ("--seat", f"{slug}={argv}")]
    table = world.start(*args, "--detach", topic=topic)
    eventually(
        lambda: all(world.turns(table)[f"m1/{slug}"] == "answered" for slug in ("a", "b")),
        seconds=STEP_SECONDS,
        what="a and b answered",
    )
    return time.monotonic() - began


def test_two_attempts_that_both_reply(world: World) -> None:
    """S1.24: the first usable reply answers the turn; the other attempt's is not stored, and says so."""
    hang = world.program("hang", "cat >/dev/null; exec sleep 300")
    table = world.start("--seat", f"a={hang}")
    eventually(lambda: world.processes("sleep 300"), what="the CLI hangs")
    mine = ("--as", "participant/a", "--turn", "m1/a")
    first = world.json("reply", "-m", "## Position\nOne.", *mine)
    second = world.json("reply", "-m", "## Position\nTwo.", *mine)
    same = world.json("reply", "-m", "## Position\nOne.", *mine)
    assert (first["duplicate"], second["duplicate"], second["body_differs"]) == (False, True, True)
    assert (same["duplicate"], same["seq"], "body_differs" in same) == (True, first["seq"], False)
    assert second["seq"] == first["seq"]
    assert [m["kind"] for m in world.record(table)] == ["intent", "reply"]
    eventually(lambda: not world.processes("sleep 300"), what="the slower attempt is ended")
    assert world.json("status")["seats"][0]["failures"] == 0
