"""What a user is promised and no other test looks at: killed runs, hand-over by a bot, the record as it was, numbers that take effect."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from rt_config import packed_spec
from tests.cli.world import ECHO, World
from tests.helpers import eventually

SOON = 20.0


def test_a_bot_hands_over_a_topic(world: World) -> None:
    """S0.10: `rt run - --detach` takes the message from stdin and gives the id at once, before anybody has answered."""
    slow = world.program("slow", "cat >/dev/null; sleep 60")
    seats = ["--seat", f"a={slow}", "--seat", f"b={slow}", "--role", "b=Other"]
    asked = ["run", "-", "--format", "debate", "--no-search", *seats, "--moderator", "rehearsal", "--detach"]
    done = world.run(*asked, stdin="Should we cache?\n")
    assert (done.returncode, done.stderr) == (0, "")
    table = done.stdout.strip()
    assert world.snapshot(table)["table"]["topic"] == "Should we cache?"
    found = world.json(*asked, "--new", stdin="Something else?")
    assert found["table"] != table
    assert {turn["state"] for turn in world.snapshot(table)["turns"]} <= {"open"}


def test_a_killed_run_leaves_its_rounds(world: World) -> None:
    """S1.8, S3.12: after each round the transcript is in RT_HOME, whatever is killed later; the working folder stays as it was."""
    body = f"if [ -e once-$RT_SEAT ]; then cat >/dev/null; sleep 60; fi; touch once-$RT_SEAT; {ECHO}"
    twice = world.program("twice", body)
    seats = ["--seat", f"a={twice}", "--seat", f"b={twice}", "--role", "a=One", "--role", "b=Two"]
    table = world.json(
        "run",
        "A monorepo?",
        "--format",
        "table",
        "--rounds",
        "3",
        "--moderator",
        "rehearsal",
        *seats,
        "--detach",
    )["table"]
    eventually(lambda: "r2/a" in world.turns(table) or None, seconds=SOON, what="round 2")
    world.host_looked(table)
    os.kill(world.host(table).pid, signal.SIGKILL)
    path = Path(os.environ["RT_HOME"]) / "tables" / table / "transcript.md"
    text = path.read_text()
    for word in ("A monorepo?", "## Round 1", "a speaks", "b speaks", "Agreements"):
        assert word in text
    assert not list(world.work.glob("*.md"))


def test_what_was_said_stays_as_it_was(world: World) -> None:
    """S4.2, S4.9: what the moderator concludes is a message of its own kind beside the replies, and shows the stop condition."""
    table = world.start(
        "--seat", "a=rehearsal", "--stop-when", "one option we defend", "--goal", "G", "--audience", "A"
    )
    world.answered(table)
    before = world.record(table)
    shown = world.text("synthesis", "-m", "Small first: m2.")
    assert "stop when: one option we defend" in shown
    after = world.record(table)
    assert after[: len(before)] == before
    assert (after[-1]["kind"], after[-1]["from"]) == ("synthesis", "moderator")
    assert "Moderator synthesis" in world.text("transcript")


def test_a_budget_that_is_set_counts_from_the_next_step(world: World) -> None:
    """S2.13, S1.19: `rt set budget-min` while a format runs ends it at the next round, with what was said so far written up."""
    seats = ["--seat", "a=rehearsal:agree", "--seat", "b=rehearsal:dissent"]
    started = [
        "run",
        "Is it right?",
        "--format",
        "panel",
        *seats,
        "--mode",
        "active",
        "--no-veto",
        "--detach",
    ]
    table = world.json(*started)["table"]
    assert world.json("wait", "--for", "gate", "--timeout", "20")["needs"] == "gate"
    world.json("set", "budget-min=0.00001")
    world.json("decide", "continue")
    eventually(lambda: world.json("status")["state"] == "done" or None, seconds=SOON, what="the end")
    found = world.json("status")
    assert found["stop_reason"].startswith("budget_min")
    assert found["round"] == 1
    assert (Path(os.environ["RT_HOME"]) / "tables" / table / "report.md").exists()


def test_grace_periods_are_those_that_were_given(world: World) -> None:
    """S2.13: --drain-timeout and --kill-grace reach the seat's runner; they are seconds."""
    table = world.start("--seat", "a=rehearsal", "--drain-timeout", "7", "--kill-grace", "2")
    spec = packed_spec.unpacked(world.snapshot(table)["seats"][0]["spec"])
    assert (spec["drain_timeout_seconds"], spec["kill_grace_seconds"]) == (7, 2)
