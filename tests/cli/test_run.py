"""rt run, rt decide and start --format, as a person or a script calls them; seats are scripted, everything else is real."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import anyio

from tests.cli.mcp_world import person
from tests.cli.world import World
from tests.helpers import BIN, eventually

THREE = [
    "--seat",
    "a=rehearsal:agree",
    "--seat",
    "b=rehearsal:dissent",
    "--seat",
    "c=rehearsal",
    "--moderator",
    "rehearsal",
]


def test_a_run_ends_with_a_report_that_cites_what_exists(world: World) -> None:
    """S0.1, S3.34: one command from topic to report; --json is one object with paths; --out holds copies, and only of this table."""
    found = world.json("run", "Should we cache?", "--format", "debate", *THREE, "--out", "review")
    assert (found["status"], found["rounds"], found["format"]) == ("done", 2, "debate")
    assert 0 < found["consensus_pct"] <= 100
    result = json.loads(Path(found["result_path"]).read_text())
    seqs = [int(cite[1:]) for cite in result["citations"]]
    assert seqs
    assert max(seqs) < world.json("status")["record"]["last_seq"]
    assert (world.work / "review" / "final.md").read_text() == Path(found["report_path"]).read_text()
    refused = world.run("run", "Something else?", "--format", "debate", *THREE, "--out", "review", "--json")
    assert json.loads(refused.stderr.splitlines()[-1])["error_code"] == "bad_config"
    assert "## Consensus" in world.text("show", "report")
    said = world.json("say", "Which first?", "--to", "a")
    assert said["asked"] == ["a"]  # a concluded table takes questions again


def test_a_run_left_at_a_gate_goes_on_when_somebody_decides(world: World) -> None:
    """S2.14: without a terminal a deadlock waits: exit 3, the reason, the line to type; what is said reaches every seat once."""
    done = world.run("run", "Is the plan sound?", "--format", "panel", "--seat", "a=rehearsal:agree", "--seat", "b=rehearsal:dissent",
                     "--moderator", "rehearsal", "--rounds", "4", "--json")  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout)["waiting"]["for"] == "gate"
    assert world.json("wait", "--for", "gate")["ready"]
    refused = world.run("say", "Only you", "--to", "a", "--json")
    assert json.loads(refused.stderr)["error_code"] in ("format_running",)
    bad = world.run("decide", "retry", "--json")
    assert json.loads(bad.stderr)["error_code"] == "bad_choice"
    decided = world.json("decide", "steer", "Look at the invoices.")
    assert decided["choice"] == "steer"
    eventually(lambda: world.json("status")["round"] >= 3 or None, seconds=20, what="the next round")
    requests = [t["request"] for t in map(world_turn(world), ("r3/a", "r3/b"))]
    assert all(request.count("Look at the invoices.") == 1 for request in requests)


def world_turn(world: World) -> Any:
    """A turn as `rt show` gives it."""
    return lambda turn: world.json("show", turn)


def test_a_run_that_is_interrupted_goes_on(world: World) -> None:
    """Ctrl-C leaves the table at work and says how to come back; the report is there afterwards."""
    slow = world.program(
        "slow", "cat >/dev/null; while [ ! -e go ]; do sleep 0.05; done; echo '## Position'; echo Here."
    )
    seats = [word for slug in "ab" for word in ("--seat", f"{slug}={slow}", "--role", f"{slug}={slug}")]
    process = subprocess.Popen(
        [BIN / "rt", "run", "Slowly?", "--format", "debate", *seats, "--moderator", "rehearsal"],
        cwd=world.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ),
    )  # fmt: skip
    eventually(
        lambda: (world.run("status", "--json").returncode == 0 and world.json("status")["turns"]) or None,
        seconds=20,
    )
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "rt resume" in said
    (world.work / "go").touch()
    assert world.json("wait", "--for", "gate", "--timeout", "30")["ready"]
    assert world.json("show", "report")["status"] == "done"


def test_options_that_a_format_does_not_take_are_a_usage_error(world: World) -> None:
    """DESIGN: start --format F takes what F uses, anything else is exit 2 and nothing is made."""
    for words in (
        ("--format", "interpret", "--lenses", "a,b"),
        ("--format", "debate", "--on-deadlock", "stop"),
        ("--rounds", "2"),
    ):
        done = world.run("start", "What?", *THREE[:-2], *words, "--json")
        assert (done.returncode, json.loads(done.stderr)["error_code"]) == (2, "bad_config"), words
    assert world.json("list")["tables"] == []


def test_a_format_is_started_and_decided_over_mcp(world: World) -> None:
    """The same procedure for an agent that moderates: start with a format, wait for its gate, decide, read the report."""

    async def act() -> None:
        async with person(world.work) as me:
            seats = ["a=rehearsal", "b=rehearsal:dissent"]
            started = await me.call(
                "roundtable_start", topic="Over MCP?", format="table", seats=seats, rounds=1
            )
            assert started["format"] == "table"
            await me.call("roundtable_wait", **{"for": "gate", "timeout": 30})
            status = await me.call("roundtable_status")
            assert status["state"] == "awaiting_synthesis"
            assert await me.refused("roundtable_report") == "no_report"
            await me.call("roundtable_synthesis", text="Both agree (m2, m3).")
            await me.call("roundtable_wait", **{"for": "gate", "timeout": 30})
            assert await me.refused("roundtable_decide", choice="veto") == "bad_choice"

    anyio.run(act)
