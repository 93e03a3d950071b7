"""Audits from the command line, with real sessions: seats that die, hang, miss the form or disagree; gates; what is left."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.world import World
from tests.helpers import eventually

TOPIC = "Audit the plan"


def seats(**behaviours: str) -> list[str]:
    return [
        word for slug, behaviour in behaviours.items() for word in ("--seat", f"{slug}=rehearsal:{behaviour}")
    ]


def audit(world: World, *args: str, exit_code: int = 0, format_: str = "panel") -> dict[str, Any]:
    """`rt run` of an audit: its JSON."""
    done = world.run("run", TOPIC, "--format", format_, "--yes", "--json", *args, timeout=60)
    assert done.returncode == exit_code, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.full
def test_an_audit_with_a_dying_seat_ends_degraded(world: World, tmp_path: Path) -> None:
    """S2.14, S2.21, S2.22, S2.24, S2.27, S2.32: three strikes and a drop stand in the events; degraded, not consensus; final.md in --out."""
    out = tmp_path / "target" / "docs"
    out.parent.mkdir()
    how = [*seats(ann="agree", bob="agree", cy="dying"), "--target", str(out.parent), "--out", str(out)]
    found = audit(world, *how)
    table = found["table"]
    assert (found["result"], found["rounds"]) == ("degraded", 2)
    assert [gone["seat"] for gone in found["degraded"]] == ["cy"]
    final = (out / "final.md").read_text()
    assert final.index("DEGRADED") < final.index("## Agreed spec")
    assert "cy (rehearsal headless: dropped: exit 3)" in final[final.index("## The run") :]
    assert "The target changed" not in final
    seat = world.snapshot(table)["seats"][0]
    assert seat["workdir"] == str(out.parent)
    events = world.text("events", "-t", table, "--seat", "cy")
    assert events.count("rung=restart") == 2
    assert "dropped" in events
    assert "raised by Panelist" in world.text("show", "r2/bob", "--prompt", "-t", table)
    again = world.run(
        "run", "Another", "--format", "panel", "--yes", *seats(ann="agree", bob="agree"), "--out", str(out)
    )
    assert again.returncode == 2
    assert "holds the results of" in again.stderr


@pytest.mark.full
def test_a_deadlock_leaves_the_run_at_a_gate(world: World) -> None:
    """S2.29, S2.15: without a terminal the run ends with 3 and the disagreement; `rt decide stop` then brings the report."""
    done = world.run(
        "run", TOPIC, "--format", "panel", "--yes", *seats(ann="agree", bob="dissent"), timeout=60
    )
    assert done.returncode == 3, done.stderr
    assert "**F2** The premise is not shown" in done.stdout
    assert "waits for you: deadlock\n  rt decide continue -t rt-" in done.stdout
    status = world.json("status")
    assert (status["state"], status["deadlocks"]) == ("awaiting_moderator", ["round 2: F2"])
    assert world.json("wait", "--for", "gate")["ready"] is True
    world.json("drain")
    waited = world.run("wait", "--timeout", "5")  # nothing is unread, and yet somebody is waited for
    assert (waited.returncode, "a decision of yours is wanted" in waited.stdout) == (0, True)
    assert "**F2** The premise is not shown" in world.text("status")
    world.json("decide", "stop")
    eventually(lambda: world.json("status")["state"] == "done", what="the report")
    report = world.text("show", "report", "-t", status["table"])
    assert "Bob still finds no line in the brief" in report


@pytest.mark.full
@pytest.mark.parametrize(("format_", "behaviour", "result"), [
    ("panel", "malformed", "no_consensus"), ("panel", "abstain", "consensus"), ("pingpong", "echo", "degraded"),
    ("roles", "impostor", "degraded"), ("pingpong", "agree", "consensus"), ("roles", "agree", "consensus"),
])  # fmt: skip
def test_seats_of_every_kind(world: World, format_: str, behaviour: str, result: str) -> None:
    """S2.9, S2.22, S2.36: whatever a seat does, the audit ends, and only a real agreement is called one."""
    words = seats(ann="agree", bob="agree", cy=behaviour)
    roles = (
        ["--role", "ann=Auditor", "--role", "bob=QA", "--role", "cy=Architect"] if format_ == "roles" else []
    )
    assert audit(world, *words, *roles, format_=format_)["result"] == result


@pytest.mark.full
def test_a_silent_seat_is_asked_again_with_a_fresh_deadline(world: World) -> None:
    """S2.20, S2.21: a seat that hangs is stopped at each deadline, asked again until its strikes are used up, and dropped."""
    found = audit(
        world, *seats(ann="agree", bob="agree", cy="silent"), "--turn-timeout", "2", "--kill-grace", "0.2"
    )
    assert found["result"] == "degraded"
    turn = next(turn for turn in world.snapshot(found["table"])["turns"] if turn["id"] == "r1/cy")
    assert (turn["state"], turn["attempt"]) == ("failed", "3")


@pytest.mark.full
def test_a_working_tree_stays_as_it_was(world: World, tmp_path: Path) -> None:
    """S2.18, S1.26: an audit of a repository leaves index, files and log as they were."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("1\n")
    who = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*who, *words], cwd=tree, check=True)

    def look() -> str:
        return subprocess.run(
            ["git", "status", "--porcelain"], cwd=tree, check=True, capture_output=True, text=True
        ).stdout

    assert audit(world, "--target", str(tree))["result"] == "consensus"
    assert look() == ""
