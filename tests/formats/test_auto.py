"""`sequential`, `hybrid` and `auto` from topic to report."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from rt_mailbox import journal
from rt_moderator.engine import jobs
from rt_moderator.engine.model import Job
from rt_participant import rehearsal
from tests.format_bench import FormatRun, rehearsed
from tests.helpers import Bus

DESIGN = {
    "type": "hybrid", "rounds": 1, "synthesizer": "", "reasoning": "parts", "antipattern": "none",
    "stages": [{"seat": "rehearsal", "role": "Costs", "task": "what it costs"},
               {"seat": "rehearsal", "role": "Risks", "task": "what it risks"},
               {"seat": "rehearsal", "role": "Joiner", "task": "make one of it", "stage": 2}],
}  # fmt: skip


def result_of(run: FormatRun) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run.file("result.json"))
    return found


def analysts_say(monkeypatch: pytest.MonkeyPatch, *designs: dict[str, Any] | None) -> list[str]:
    """Let the four analysts answer these, None being late; other jobs are rehearsed. Returns the prompts of analysts."""
    prompts: list[str] = []

    def run(job: Any, _cwd: str) -> dict[str, Any]:
        if not job.name.startswith("analyst"):
            return jobs._plain(Job(rehearsal.answer(job.prompt), profile="rehearsal", family="rehearsal"), [])
        prompts.append(job.prompt)
        assert job.timeout == 90
        design = designs[int(job.name.removeprefix("analyst")) - 1]
        if design is None:
            return jobs._plain(Job(), [f"{job.candidates[0]}: timeout"])
        text = json.dumps(design)
        job.check(text)
        return jobs._plain(Job(text, profile="rehearsal"), [])

    monkeypatch.setattr(jobs, "run", run)
    return prompts


def test_sequential_quotes_stage_1_in_full_to_new_seats(bus: Bus) -> None:
    """S0.21: the reviewer gets every output in full with its role and number; consensus N/A without scores."""
    run = FormatRun(bus, "sequential", "drafter", "writer", "reviewer")
    assert run.drive() == "done", run.said
    assert set(run.requests("r1")) == {"drafter", "writer"}
    request = run.requests("stage2")["reviewer"]
    outputs = [
        m["body"] for m in run.messages() if m["kind"] == "reply" and m["from"] != "participant/reviewer"
    ]
    assert len(outputs) == 2
    assert all(output.strip() in request for output in outputs)
    assert "STAGE 1 OUTPUT from drafter, m2:" in request
    assert "You review" in request
    found = result_of(run)
    assert (found["workflow_type"], found["consensus_pct"], found["rounds"]) == ("sequential", None, 1)
    assert "Stage 2: reviewer" in run.file("report.md")


@pytest.mark.full
def test_sequential_with_two_rounds_has_a_critique_inside_stage_1(bus: Bus) -> None:
    """S0.21: --rounds 2 adds the critique, with scores, before stage 2."""
    run = FormatRun(
        bus, "sequential", "drafter", "writer", "reviewer", options={"rounds": 2, "search": False}
    )
    assert run.drive() == "done"
    assert [step for step in run.steps() if step in ("r1", "r2", "stage2")] == ["r1", "r2", "stage2"]
    assert set(run.requests("r2")) == {"drafter", "writer"}
    assert result_of(run)["consensus_pct"] is not None


def test_hybrid_parts_integrators_and_a_stage_2_that_fails(bus: Bus) -> None:
    """S0.22, S0.30: each stage-1 prompt carries only its own part, the integrator sees all outputs; it fails: noted, synthesis from stage 1."""
    run = FormatRun(bus, "hybrid", "costs", "risks", "integrator", answer=rehearsed(integrator="dying"))
    assert run.drive() == "done"
    parts = run.requests("r1")
    assert "belongs to Costs" in parts["costs"]
    assert "belongs to Risks" not in parts["costs"]
    request = run.requests("stage2")["integrator"]
    assert "STAGE 1 OUTPUT from costs" in request
    assert "STAGE 1 OUTPUT from risks" in request
    assert "You integrate" in request
    found = result_of(run)
    assert any("stage 2 failed" in warning for warning in found["warnings"])
    assert found["synthesis"]
    assert {"step": "stage2", "seat": "integrator", "state": "failed", "reason": "timeout"} in found[
        "failures"
    ]


@pytest.fixture
def searched(tmp_path: Path) -> Path:
    """A search is configured; the file keeps what it was asked."""
    log = tmp_path / "log"
    search = ["/bin/sh", "-c", f'echo "$0" >> {log}; echo "Rates rose."', "{query}"]
    Path(os.environ["RT_CONFIG"]).write_text(f"[context]\nsearch = {json.dumps(search)}\n")
    return log


def test_auto_from_topic_to_report(bus: Bus, searched: Path) -> None:
    """S0.1, S0.12, S0.13, S0.16: one search, four analysts with it, seats later, and the header says what was designed by whom."""
    run = FormatRun(bus, "auto", mode="default")
    assert run.drive() == "done", run.said
    assert [step for step in run.steps() if step in ("search", "panel", "analysts", "seats", "r1", "r2")] == [
        "search", "panel", "analysts", "seats", "r1", "r2",
    ]  # fmt: skip
    found, report = result_of(run), run.file("report.md")
    assert (
        "- Decided: designed by 4 of 4 analysts (4 for debate): debate, 1 stage, 2 rounds; panel rehearsal"
        in report
    )
    assert len(found["meta_panel_recommendation"]["analysts"]) == 4
    assert [stage["role"] for stage in found["stages"]] == ["Proposer", "Sceptic", "Measurer", "Outsider"]
    assert any("of one family" in warning for warning in found["warnings"])
    assert any("gemini is not installed: npm install" in warning for warning in found["warnings"])
    assert searched.read_text() == "Which cache?\n"
    analysts = list(journal.read(run.door, run.table)["analysts"]["prompts"].values())
    assert len(analysts) == 4
    for prompt in (*analysts, *run.requests("r1").values()):
        assert "```search\nRates rose.\n```" in prompt
        assert "Known on 20" in prompt
    assert all("Rates rose." not in request for request in run.requests("r2").values())
    assert "Context: a search of 20" in report


@pytest.mark.full
def test_a_new_driver_at_every_look_searches_and_seats_once(bus: Bus, searched: Path) -> None:
    """S0.12: crash replay makes no second call of the search, the analysts or the seats."""
    run = FormatRun(bus, "auto", mode="default")
    assert run.drive(crashing=True) == "done", run.said
    assert searched.read_text() == "Which cache?\n"
    assert len(run.snapshot["seats"]) == 4


@pytest.mark.full
@pytest.mark.parametrize("format_", ["auto", "sequential", "hybrid"])
@pytest.mark.parametrize("call", range(1, 30, 3))
def test_a_driver_may_die_at_any_write(bus: Bus, format_: str, call: int) -> None:
    """Killed after any write the run goes on: no step is asked twice, one synthesis, one result."""
    seats = () if format_ == "auto" else ("ann", "bob", "reviewer")
    run = FormatRun(bus, format_, *seats, mode="default", options={"search": False})
    run.dies_at(call, before=False)
    assert run.drive() == "done", run.said
    intents = [m["body"] for m in run.messages() if m["kind"] == "intent"]
    assert len(intents) == len(set(intents)) == 2
    assert [m["kind"] for m in run.messages()].count("synthesis") == 1


def test_auto_merges_what_came_in_time(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    """S0.13, S0.14, S0.22: three answers are enough; type, parts and rounds are theirs; each part goes to its own seat."""
    prompts = analysts_say(monkeypatch, DESIGN, None, DESIGN, DESIGN | {"rounds": 9})
    run = FormatRun(bus, "auto", mode="default", options={"context": "A costs 3."})
    assert run.drive() == "done", run.said
    assert len(prompts) == 4
    assert "A costs 3." in prompts[0]
    assert "- rehearsal" in prompts[0]
    found = result_of(run)
    assert (found["workflow_type"], found["rounds"]) == ("hybrid", 1)
    assert "what it costs" in run.requests("r1")["costs"]
    assert "what it risks" not in run.requests("r1")["costs"]
    assert list(run.requests("stage2")) == ["joiner"]
    assert found["meta_panel_recommendation"]["failed"] == ["rehearsal: timeout"]


def test_without_any_analyst_the_default_panel_of_the_mode_sits(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S0.13: all four fail: the mode's panel, a debate of two rounds, and a warning."""
    analysts_say(monkeypatch, None, None, None, None)
    run = FormatRun(bus, "auto", mode="redteam")
    assert run.drive() == "done", run.said
    found = result_of(run)
    assert [stage["role"] for stage in found["stages"]] == ["Defender", "Analyst", "Attacker", "Red teamer"]
    assert any("all 4 analysts failed" in warning for warning in found["warnings"])
    assert (found["workflow_type"], found["rounds"]) == ("debate", 2)
    assert "Recommended: run it with --validate" in run.file("report.md")


def test_a_mode_flag_settles_panel_and_roles_and_leaves_the_workflow(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S0.2: the mode's four seats sit, each once, where the analysts place them; --debate fixes the type."""
    placed = DESIGN | {
        "stages": [
            {"seat": "architect", "task": "sketch it"},
            {"seat": "reviewer", "task": "check it", "stage": 2},
        ]
    }
    prompts = analysts_say(monkeypatch, *[placed] * 4)
    run = FormatRun(bus, "auto", mode="build", options={"mode": "build", "fixed_mode": True})
    assert run.drive() == "done", run.said
    assert "Every one of them sits" in prompts[0]
    assert "- implementer: Implementer" in prompts[0]
    assert set(run.requests("r1")) == {"architect", "engineer", "implementer"}
    assert list(run.requests("stage2")) == ["reviewer"]
    assert "sketch it" in run.requests("r1")["architect"]


@pytest.mark.full
def test_the_debate_flag_fixes_the_type(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    """S0.2: --debate is a debate, whatever the analysts say."""
    analysts_say(monkeypatch, *[DESIGN] * 4)
    run = FormatRun(
        bus, "auto", mode="debate", options={"mode": "debate", "fixed_mode": True, "fixed_type": "debate"}
    )
    assert run.drive() == "done", run.said
    assert result_of(run)["workflow_type"] == "debate"


@pytest.mark.full
def test_auto_with_quick_has_no_analysts(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    """S0.4: three seats of the mode's panel, one round, no meta-panel."""
    prompts = analysts_say(monkeypatch)
    run = FormatRun(bus, "auto", mode="vote", options={"quick": True})
    assert run.drive() == "done", run.said
    assert prompts == []
    found = result_of(run)
    assert ([stage["seat"] for stage in found["stages"]], found["rounds"]) == (
        ["voter-1", "voter-2", "voter-3"],
        1,
    )


@pytest.mark.full
def test_seats_that_were_given_are_placed(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seats named by hand sit under auto too, all of them."""
    analysts_say(monkeypatch, *[DESIGN | {"type": "debate"}] * 4)
    run = FormatRun(bus, "auto", "ann", "bob", "cy", mode="default")
    assert run.drive() == "done", run.said
    assert set(run.requests("r1")) == {"ann", "bob", "cy"}
