"""`rt run` with the debate family, as a person or a script runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rt_deck import Deck
from tests.cli.world import World

EVERYBODY = ",".join(
    f"rehearsal:{one}"
    for one in ("agree", "dissent", "malformed", "abstain", "echo", "impostor", "dying", "silent")
)


MINE = """
[panel.mine]
seats = [
    { role = "Yea", profile = "rehearsal", model = "agree" },
    { role = "Nay", profile = "rehearsal", model = "dissent" },
    { role = "Frail", profile = "rehearsal", model = "dying", fallback = "rehearsal:malformed" },
]
"""


@pytest.mark.full
def test_a_debate_on_the_command_line_and_a_question_after_it(world: World) -> None:
    """S0.5, S0.20, S0.29, S0.30: a panel by name debates; who breaks gives way to its fallback, said as degraded; the seats stay."""
    world.configure(MINE)
    found = world.json("run", "Should we cache rates?", "--panel", "mine", "--no-search")
    assert (found["format"], found["mode"], found["rounds"], found["result"]) == (
        "debate",
        "debate",
        2,
        "degraded",
    )
    assert [seat["slug"] for seat in found["seats"]] == ["yea", "nay", "frail", "frail-2"]
    whys = [one["why"] for one in found["degraded"] if one["seat"] == "frail"]
    assert (
        "rehearsal:malformed sits in as frail-2 for rehearsal (exit 3), the same family (rehearsal)" in whys
    )
    assert found["consensus_pct"] == 50.0
    assert Path(found["report_path"]).read_text().startswith("# Should we cache rates?")
    line = json.loads((world.base / "h" / "scorecard.jsonl").read_text())
    assert {
        "ts",
        "topic",
        "mode",
        "workflow_type",
        "elapsed_time_sec",
        "consensus_pct",
        "validated",
        "panel_degraded",
    } <= set(line)
    before = Deck().resolve(f"{found['table']}--yea")
    world.json("say", "And in a year?", "--to", "yea")
    world.json("wait", "--for", "all", "--timeout", "20")
    assert "rehearsal" in world.json("drain")["messages"][-1]["body"]
    after = Deck().resolve(f"{found['table']}--yea")
    assert before is not None
    assert after is not None
    assert after.id == before.id


@pytest.mark.parametrize(
    ("flags", "format_", "mode", "seats"),
    [
        (["--quick"], "debate", "vote", ["voter-1", "voter-2", "voter-3"]),
        (
            ["--build", "--format", "sequential"],
            "sequential",
            "build",
            ["architect", "reviewer", "engineer", "implementer"],
        ),
        (["--panel", "budget"], "debate", "vote", ["advocate", "devils-advocate", "analyst", "contrarian"]),
        (["--panel", "mine"], "hybrid", "vote", ["nay", "yea"]),
        (["--panel", "rehearsal,rehearsal:agree", "--redteam"], "debate", "redteam", ["defender", "analyst"]),
        ([], "auto", "vote", []),
        (["--debate"], "auto", "debate", []),
    ],
)
def test_who_would_sit(world: World, flags: list[str], format_: str, mode: str, seats: list[str]) -> None:
    """S0.1, S0.2, S0.4, S0.5: what flags make of format, mode and seats, without starting anything."""
    world.configure(
        '[panel.mine]\nformat = "hybrid"\nseats = [{ role = "Nay", profile = "rehearsal" }, { role = "Yea", profile = "*" }]\n'
    )
    done = world.inside("run", "Decide between A and B", *flags, "--dry-run", "--json")
    found = json.loads(done.stdout)
    assert (found["format"], found["mode"]) == (format_, mode)
    assert [seat["slug"] for seat in found["seats"]] == seats


def test_panels_are_listed_with_what_is_missing(world: World) -> None:
    """S0.34: which panels there are, who sits in them, and which CLIs are not installed."""
    rows = {
        row["panel"]: row for row in json.loads(world.inside("profiles", "panels", "--json").stdout)["panels"]
    }
    assert {"debate", "build", "redteam", "vote", "full", "budget"} == set(rows)
    assert rows["vote"]["missing"] == ["claude", "gemini", "grok", "codex"]
    assert "not installed: claude" in world.inside("profiles", "panels").stdout


@pytest.mark.full
def test_every_kind_of_trouble_at_one_table(world: World) -> None:
    """S0.30, S1.15: echo, another's voice, dying and silence cost their seat and nobody else; each is said, degraded first."""
    found = world.json(
        "run", "Should we shard?", "--panel", EVERYBODY, "--no-search", "--turn-timeout", "5", "--drain-timeout", "1",
    )  # fmt: skip
    assert found["result"] == "degraded"
    assert {one["seat"] for one in found["degraded"]} == {"seat-5", "seat-6", "seat-7"}
    report = Path(found["report_path"]).read_text()
    assert report.index("DEGRADED") < report.index("- Date")
    assert "[TIMEOUT\\] Seat 8 in r1" in report
    assert "[ERROR: exit 3\\] Seat 7 in r1" in report
    assert "Not scored: Analyst" in report
    assert found["rounds"] == 2


@pytest.mark.full
def test_both_a_seat_and_its_fallback_break(world: World) -> None:
    """S0.30: agent and fallback both dead: the seat is left out, said, and the others go on."""
    world.configure(MINE.replace("rehearsal:malformed", "rehearsal:dying"))
    found = world.json("run", "T", "--panel", "mine", "--no-search")
    assert (found["result"], found["rounds"]) == ("degraded", 2)
    report = Path(found["report_path"]).read_text()
    assert "[ERROR: exit 3\\] Frail in r1" in report
    assert "[ERROR: exit 3\\] Frail (fallback) in r1" in report


@pytest.mark.full
def test_nobody_answers(world: World) -> None:
    """S0.31: 0 agents: exit 1, and the command that tries again is printed."""
    done = world.run("run", "T", "--panel", "rehearsal:dying,rehearsal:dying", "--no-search", "--yes")
    assert done.returncode == 1
    assert "0 agents responded" in done.stdout
    assert "rt resume" in done.stdout
    assert "no_replies" in done.stdout


@pytest.mark.full
def test_the_synthesis_of_an_earlier_table_goes_into_round_1(world: World) -> None:
    """S0.7: --context-from puts it under a heading of its own; an unknown id is a warning, and it goes on."""
    first = world.json("run", "First?", "--panel", "rehearsal,rehearsal", "--no-search")
    later = world.json(
        "run", "Second?", "--panel", "rehearsal,rehearsal", "--no-search", "--context-from", first["table"]
    )
    prompt = world.text("show", "r1/advocate", "--prompt", "-t", later["table"])
    assert "PRIOR ROUNDTABLE CONTEXT" in prompt
    assert "How much is done at once" in prompt
    done = world.run(
        "run", "Third?", "--panel", "rehearsal,rehearsal", "--no-search", "--context-from", "rt-none", "--yes"
    )
    assert done.returncode == 0
    assert "no synthesis of rt-none was found" in done.stderr


@pytest.mark.full
def test_auto_on_a_machine_without_any_agent(world: World) -> None:
    """S0.1, S0.32: no flags at all: it warns, names what is missing, and runs from topic to report."""
    done = world.run("run", "Which one of two caches?", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["format"], found["mode"]) == ("auto", "vote")
    assert any("gemini is not installed: npm install" in warning for warning in found["warnings"])
    assert len(found["seats"]) == 4
