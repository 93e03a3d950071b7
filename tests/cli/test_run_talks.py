"""`rt run` with `table` and `interpret`: real seats in tmux, a real host, from topic to report."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from rt_mailbox import tables
from tests.cli.world import World

pytestmark = pytest.mark.full

TALK = ["run", "A monorepo?", "--format", "table", "--moderator", "rehearsal"]
READ = ["run", "Make the invoices faster", "--format", "interpret", "--moderator", "rehearsal"]


def git(folder: Path, *args: str) -> str:
    quiet = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    return subprocess.run(
        ["git", *quiet, *args], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def test_a_table_in_a_plain_folder(world: World) -> None:
    """S1.1, S1.2, S1.6, S1.10, S1.20, S1.26: the project's list sits, one is skipped; the folder stays as it was; path shown."""
    notes = "## Multi-Agents\n\n- rehearsal: agree\n- rehearsal: dissent\n- rehearsal: abstain\n- nemo\n"
    (world.work / "AGENTS.md").write_text(notes)
    before = sorted(path.name for path in world.work.iterdir())
    done = world.run(*TALK, "--skip", "abstain", "--rounds", "2", "--json", timeout=60)
    assert done.returncode == 0, done.stderr
    assert "'nemo' is left out" in done.stderr
    found = json.loads(done.stdout)
    assert [seat["slug"] for seat in found["seats"]] == ["rehearsal-agree", "rehearsal-dissent"]
    assert (found["result"], found["rounds"], found["usage"]["calls"]) == ("answered", 2, 8)
    assert sorted(path.name for path in world.work.iterdir()) == before
    folder = Path(found["report_path"]).parent
    transcript = (folder / "transcript.md").read_text()
    assert "## Round 2: What would you give up for it?" in transcript
    assert "abstain" not in transcript
    assert str(folder / "transcript.md") in world.text("end", "-t", found["table"])


def test_an_unknown_name_to_skip(world: World) -> None:
    """S1.1: a name that is not in the roster is an error that lists it; nothing was made."""
    (world.work / "AGENTS.md").write_text("## Multi-Agents\n- rehearsal: agree\n- rehearsal: dissent\n")
    done = world.inside(*TALK, "--skip", "abstain")
    assert done.returncode == 2
    assert "the roster is: rehearsal-agree agree, rehearsal-dissent dissent" in done.stderr


def test_a_seat_of_a_table_that_dies(world: World) -> None:
    """S1.22, S1.21: an error stands in the transcript under its seat, the table is degraded, and the others go on."""
    seats = ["--seat", "a=rehearsal", "--seat", "b=rehearsal:dying", "--seat", "c=rehearsal"]
    found = world.json(*TALK, *seats, "--rounds", "1")
    transcript = (Path(found["report_path"]).parent / "transcript.md").read_text()
    assert "`[ERROR: exit 3] b did not answer r1/b`" in transcript
    assert [one["seat"] for one in found["degraded"]] == ["b"]
    assert found["result"] == "answered"


def test_a_reading_in_a_repository(world: World) -> None:
    """S3.1, S3.3, S3.5, S3.12, S3.14, S3.18, S3.27: nothing changes, nothing is executed; every prompt of a round is the same bytes."""
    git(world.work, "init", "-q")
    (world.work / "notes.txt").write_text("secret plan\n")
    git(world.work, "add", "-A")
    git(world.work, "commit", "-qm", "notes")
    before = git(world.work, "log", "--all", "--stat"), git(world.work, "status", "--porcelain")
    seats = ["--seat", "a=rehearsal", "--seat", "b=rehearsal:abstain", "--seat", "c=rehearsal"]
    found = world.json(*READ, *seats, "--context", "notes.txt")
    assert (git(world.work, "log", "--all", "--stat"), git(world.work, "status", "--porcelain")) == before
    assert (found["result"], found["rounds"]) == ("full_consensus", 2)
    result = json.loads(Path(found["result_path"]).read_text())
    assert [row["seat"] for row in result["seat_table"]] == ["a", "b", "c"]
    assert Path(found["report_path"]).parent == world.base / "h" / "tables" / found["table"]
    assert result["status"] == "full_consensus"
    assert "## Agreed interpretation" in found["synthesis"]
    prompts: dict[str, set[str]] = {}
    for event in tables.events(world.door(), found["table"]):
        if event["type"] == "prompt":
            prompts.setdefault(event["turn"].partition("/")[0], set()).add(event["prompt"])
    assert {step: len(texts) for step, texts in prompts.items()} == {"r0": 1, "r1": 1, "r2": 1}
    first = prompts["r0"].pop()
    assert str(world.work / "notes.txt") in first
    assert "secret plan" not in first


def test_too_few_to_read(world: World) -> None:
    """S3.8, S3.9: below the quorum nothing is made; who is missing is named with what to install."""
    done = world.inside(
        *READ, "--seat", "a=rehearsal", "--seat", "b=claude", "--seat", "c=rehearsal", "--json"
    )
    assert done.returncode == 1
    found = json.loads(done.stderr.splitlines()[-1])
    assert found["error_code"] == "too_few_seats"
    assert "b (claude is not installed: npm install" in found["message"]
    assert "rt-" not in world.text("list")
