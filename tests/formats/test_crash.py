"""Crash replay of every format: whichever write the driver dies at, the finished run is the one that was never disturbed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from rt_mailbox import journal
from tests.format_bench import FormatRun, rehearsed
from tests.helpers import Bus

_MASKED = re.compile(r"\b\d+(?:\.\d+)? (?:s|min)\b|\d{4}-\d\d-\d\d(?: \d\d:\d\d UTC)?|\b\d+ calls?\b")


@dataclass(frozen=True, slots=True)
class Case:
    """One run: its format, its seats with their behaviours, what it was asked for."""

    name: str
    seats: Mapping[str, str]
    options: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)


MIXED = {"ann": "agree", "bob": "dissent", "cy": ""}
CASES = [
    Case("debate", MIXED, {"search": False, "validate": True}),
    Case("sequential", {"drafter": "", "writer": "agree", "reviewer": "dissent"}, {"search": False}),
    Case("hybrid", {"costs": "", "risks": "dissent", "integrator": ""}, {"search": False}),
    Case("auto", {}, {"search": False}, {"mode": "default"}),
    Case("panel", MIXED, {"on_deadlock": "stop"}),
    Case("pingpong", {"ann": "agree", "bob": "dissent"}, {"on_deadlock": "stop"}),
    Case("roles", MIXED, {"on_deadlock": "stop"}),
    Case("interpret", MIXED),
    Case("table", MIXED, {"rounds": 2}),
]


def lay(bus: Bus, case: Case) -> FormatRun:
    """The case on an empty bus."""
    options = {"moderator": "rehearsal", "synthesizer": "rehearsal", **case.options}
    return FormatRun(
        bus, case.name, *case.seats, answer=rehearsed(**case.seats), options=options, **case.fields
    )


def clear(run: FormatRun) -> None:
    """Take the whole table away, so that the next one has the same numbers on the same bus."""
    assert run.door.script("delete_space", run.table, run.table)["deleted"]


def finished(run: FormatRun) -> dict[str, Any]:
    """What a run left, without times and usage: outcome, report, record, steps."""
    outcome = run.outcome.model_dump(mode="json")
    text = json.dumps(outcome, sort_keys=True, ensure_ascii=False)
    said = [(m["seq"], m["from"], m["kind"], m["turn"], m["body"]) for m in run.messages()]
    return {
        "outcome": _MASKED.sub("…", text),
        "report": _MASKED.sub("…", run.file("report.md")),
        "record": said,
        "steps": run.steps(),
        "turns": sorted((t["id"], t["state"]) for t in run.snapshot["turns"]),
    }


def disturbed(bus: Bus, case: Case, undisturbed: dict[str, Any], call: int, *, before: bool) -> bool:
    """Whether the driver lived to its n-th write and died there; what follows must not show it."""
    run = lay(bus, case)
    died = run.dies_at(call, before=before)
    assert run.drive() == "done", run.said[-3:]
    assert finished(run) == undisturbed, f"{case.name}, {'before' if before else 'after'} write {call}"
    clear(run)
    return died


def undisturbed_run(bus: Bus, case: Case) -> dict[str, Any]:
    """The run as it is when nothing happens to it."""
    run = lay(bus, case)
    assert run.drive() == "done", run.said[-3:]
    found = finished(run)
    assert len(journal.read(run.door, run.table)) > 3
    clear(run)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_killed_format_ends_as_if_nothing_had_happened(bus: Bus, case: Case) -> None:
    """S0–S3: dies in the middle of its second step; report, record and steps are those of an undisturbed run."""
    undisturbed = undisturbed_run(bus, case)
    assert disturbed(bus, case, undisturbed, 9, before=len(case.name) % 2 == 0)


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_format_may_be_killed_at_every_write(bus: Bus, case: Case, *, before: bool) -> None:
    """Every write of every format is a place to die."""
    undisturbed = undisturbed_run(bus, case)
    call = 1
    while disturbed(bus, case, undisturbed, call, before=before):
        call += 1
    assert call > 10
