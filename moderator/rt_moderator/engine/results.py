"""How a run ends: report.md, result.json, a scorecard line, copies for --out; all derivable again from journal and record."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_config import env
from rt_config.errors import NoReportError
from rt_mailbox import journal, tables
from rt_mailbox.door import clock_ms
from rt_moderator import files, transcript
from rt_moderator.engine import report
from rt_moderator.engine.model import Outcome

if TYPE_CHECKING:
    from rt_mailbox.door import Door, Reply
    from rt_moderator.engine.commands import Conclude
    from rt_moderator.engine.desk import Desk

LINE = "concluded"


def conclude(desk: Desk, outcome: Outcome) -> None:
    """Keep the outcome, write the files, say that the run is over; safe to repeat."""
    found = desk.put(LINE, {"outcome": outcome.model_dump(mode="json"), "at": clock_ms(desk.door)})
    write(desk.door, desk.table, found, out=desk.options.out)
    kept = Outcome.model_validate(found["outcome"])
    rounds = {"rounds": str(kept.rounds)} if kept.rounds else {}
    desk.set(
        "concluded", phase=kept.status, result=kept.result, stop_reason=kept.stop_reason, gate="", **rounds,
        concluded_at=str(found["at"]),
    )  # fmt: skip
    desk.say(f"the format is over: {kept.result or kept.status}")


def carry_out(desk: Desk, command: Conclude) -> None:
    """Conclude with what the format gave."""
    conclude(desk, Outcome.model_validate(command.outcome))


def write(door: Door, table: str, found: dict[str, Any], *, out: str = "") -> dict[str, Any]:
    """Write all files of a concluded run, which `of` gave; returns result.json's content.

    Raises:
        OSError: the disk is full, or the folder belongs to somebody else.
    """
    whole = transcript.load(door, table)
    assert whole is not None  # noqa: S101 (a run concludes at a table that is there)
    snapshot = whole[0]
    outcome, facts, text, result = _made(door, table, snapshot, found)
    written = {
        "report.md": text,
        "transcript.md": transcript.render_markdown(*whole),
        "result.json": json.dumps(result, ensure_ascii=False, indent=2) + "\n",
    }
    for name, content in written.items():
        files.put(table, name, content)
    _score(snapshot, outcome, facts)
    if out:
        files.copy_out(Path(snapshot["table"].get("cwd") or ".") / out, table, {**written, "final.md": text})
    return result


def _made(
    door: Door, table: str, snapshot: Reply, found: dict[str, Any]
) -> tuple[Outcome, dict[str, Any], str, dict[str, Any]]:
    outcome = Outcome.model_validate(found["outcome"])
    facts = report.facts(snapshot, outcome, journal.read(door, table), int(found["at"]))
    return outcome, facts, report.render(snapshot, outcome, facts), report.result(snapshot, outcome, facts)


def report_of(door: Door, table: str) -> tuple[str, dict[str, Any]]:
    """The report and the result of a concluded run, made anew from journal and record.

    Raises:
        NoReportError.
    """
    found, snapshot = of(door, table), tables.snapshot(door, table, transcript.ALL_TURNS)
    if found is None or snapshot is None:
        raise NoReportError(table=table, reason="no format has ended at it")
    return _made(door, table, snapshot, found)[2:]


def _score(snapshot: Reply, outcome: Outcome, facts: dict[str, Any]) -> None:
    """One line a table, once; whoever repeats this finds it."""
    table = snapshot["table"]["id"]
    line = {
        "ts": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(facts["at"] / 1000)), "table": table,
        "topic": snapshot["table"].get("topic", ""), "format": snapshot["table"].get("format", ""),
        "mode": snapshot["table"].get("mode", ""), "workflow_type": outcome.workflow or snapshot["table"].get("format", ""),
        "result": outcome.result, "elapsed_time_sec": facts["elapsed"], "consensus_pct": outcome.consensus_pct,
        "validated": outcome.validated, "panel_degraded": bool(facts["degraded"]), "usage": facts["usage"],
    }  # fmt: skip
    files.append_once(
        Path(env.home()) / "scorecard.jsonl",
        f'"table": {json.dumps(table)}',
        json.dumps(line, ensure_ascii=False),
    )


def of(door: Door, table: str) -> dict[str, Any] | None:
    """{outcome, at} of a concluded run; None while it goes on, or when no format ran."""
    found: dict[str, Any] | None = journal.get(door, table, LINE)
    return found


def again(door: Door, table: str) -> dict[str, Any] | None:
    """Write the files of a concluded run anew; returns result.json's content, None when there is nothing to write.

    Raises:
        OSError.
    """
    found = of(door, table)
    return None if found is None else write(door, table, found)
