"""`debate` from topic to report, with seats that agree, dissent, misbehave or fail."""

from __future__ import annotations

import json

from tests.format_bench import FormatRun, rehearsed
from tests.helpers import Bus

FOUR = ("advocate", "devil", "analyst", "contrarian")


def run_of(bus: Bus, *slugs: str, options: dict[str, object] | None = None, **behaviours: str) -> FormatRun:
    return FormatRun(bus, "debate", *(slugs or FOUR), answer=rehearsed(**behaviours), options=options)


def test_a_debate_from_topic_to_report(bus: Bus) -> None:
    """S0.17, S0.24, S0.26, S0.28: blind round, critique, synthesis by somebody outside; report and result hold all of it."""
    run = run_of(bus, analyst="dissent", devil="agree", advocate="agree", contrarian="agree")
    assert run.drive() == "done", run.said
    result = json.loads(run.file("result.json"))
    print(run.file("report.md"))
    print(json.dumps(result, indent=1))
    for n,r in run.requests("r1").items(): print(n, r); break
    for n,r in run.requests("r2").items(): print(n, r); break
    assert 0
