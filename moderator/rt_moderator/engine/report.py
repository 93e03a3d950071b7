"""The report of a run and its result as JSON, from the table, its outcome and its journal. Pure."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rt_moderator import citations, status_view
from rt_moderator.quoting import inline, quoted
from rt_moderator.words import span

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from rt_moderator.engine.model import Outcome


def facts(snapshot: Reply, outcome: Outcome, lines: Mapping[str, Any], at: int) -> dict[str, Any]:
    """What the run was: {at, elapsed, degraded, warnings, panel, usage, turns}. `at` and `elapsed` are the end and its distance."""
    table = snapshot["table"]
    jobs = [job for line in lines.values() if isinstance(line, list) for job in line if isinstance(job, dict)]
    created = int(table.get("created_at") or at)
    return {
        "at": at,
        "elapsed": round(max(0, at - created) / 1000, 1),
        "degraded": [*status_view.degraded(snapshot), *_left_out(lines), *outcome.degraded],
        "warnings": outcome.warnings,
        "panel": [_seat(seat) for seat in snapshot["seats"]],
        "usage": _usage(snapshot["seats"], jobs),
        "turns": Counter(turn["state"] for turn in snapshot["turns"]),
    }


def _left_out(lines: Mapping[str, Any]) -> list[dict[str, str]]:
    """Seats that could not sit down while the format ran."""
    done = [line for line in lines.values() if isinstance(line, dict)]
    return [dict(one) for line in done for one in line.get("missing", [])]


def _seat(seat: Reply) -> dict[str, Any]:
    return {
        "slug": seat["slug"], "role": seat.get("role", ""), "profile": seat.get("profile", ""),
        "requested_model": seat.get("requested_model") or seat.get("model") or None,
        "effective_model": seat.get("effective_model") or None, "transport": seat.get("transport", ""),
        "state": seat["state"], "switched": seat.get("switched") or None, "usage": json.loads(seat.get("usage") or "{}"),
    }  # fmt: skip


def _usage(seats: Iterable[Reply], jobs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Calls, tokens by kind and dollars, of seats and of one-shot jobs."""
    total: Counter[str] = Counter()
    for seat in seats:
        total.update(json.loads(seat.get("usage") or "{}"))
    for job in jobs:
        if job.get("text"):
            total.update({"calls": 1, **job.get("usage", {})})
    found: dict[str, Any] = dict(total)
    if "cost_usd" in found:
        found["cost_usd"] = round(found["cost_usd"], 6)
    return found


def render(snapshot: Reply, outcome: Outcome, about: Mapping[str, Any]) -> str:
    """The whole report; what is degraded stands first, before any claim."""
    table = snapshot["table"]
    parts = [f"# {inline(table.get('topic', ''))}"]
    if about["degraded"]:
        parts.append(_degraded(about["degraded"]))
    parts += [_head(table, outcome, about), _panel(about["panel"])]
    if outcome.warnings:
        parts.append("\n".join(["**Warnings**", "", *(f"- {inline(text)}" for text in outcome.warnings)]))
    for section in outcome.sections:
        parts.append(f"## {inline(section.title)}\n\n{section.body.strip()}")
    parts.append(_run(about, outcome.run))
    return "\n\n".join(parts) + "\n"


def _degraded(found: Iterable[Mapping[str, str]]) -> str:
    lines = ["> **DEGRADED**: not everybody took part as planned, so this is no full consensus."]
    for one in found:
        action = f" → {inline(one['action'])}" if one.get("action") else ""
        lines.append(f"> - {inline(one['seat'])}: {inline(one['why'])}{action}")
    return "\n".join(lines)


def _head(table: Reply, outcome: Outcome, about: Mapping[str, Any]) -> str:
    form, mode = table.get("format", ""), table.get("mode") or ""
    score = "N/A" if outcome.consensus_pct is None else f"{outcome.consensus_pct:.0f} %"
    if outcome.agreement is not None:
        score += f" (agreement {outcome.agreement:.0f} %)"
    rows = [
        ("Date", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(about["at"] / 1000))),
        ("Table", f"{table['id']}, format {form}" + (f", mode {mode}" if mode not in ("", form) else "")),
        ("Workflow", outcome.workflow),
        *outcome.header,
        ("Result", outcome.result.replace("_", " ")),
        ("Rounds", str(outcome.rounds) + (f"; stopped: {_why(outcome)}" if outcome.stop_reason else "")),
        ("Consensus", score if outcome.consensus_pct is not None or outcome.agreement is not None else ""),
        ("Validated", outcome.validated or ""),
        ("Synthesis by", outcome.synthesis_model),
    ]
    return "\n".join(f"- {name}: {inline(str(value))}" for name, value in rows if value)


def _why(outcome: Outcome) -> str:
    """The stop reason as it reads: `code: what it means` without underscores in the code."""
    code, colon, rest = outcome.stop_reason.partition(":")
    return code.replace("_", " ") + colon + rest


def _panel(panel: Sequence[Mapping[str, Any]]) -> str:
    """Who sat there; a column that nobody fills is left out."""
    head = ["Seat", "Role", "Runs on", "Model asked for", "Model that answered"]
    rows = [
        [
            seat["slug"] + (f" ({seat['state']})" if seat["state"] == "dropped" else ""), seat["role"],
            " ".join(filter(None, (seat["profile"], seat["transport"]))),
            seat["requested_model"] or "", seat["effective_model"] or "",
        ]
        for seat in panel
    ]  # fmt: skip
    kept = [at for at in range(len(head)) if at == 0 or any(row[at] for row in rows)]
    told = {3: "its own choice", 4: "not reported"}
    lines = ["| " + " | ".join(head[at] for at in kept) + " |", "|" + "---|" * len(kept)]
    lines += ["| " + " | ".join(inline(row[at] or told.get(at, "")) for at in kept) + " |" for row in rows]
    return "\n".join(lines)


def _run(about: Mapping[str, Any], more: Iterable[tuple[str, str]]) -> str:
    lines = ["## The run", ""]
    lines += [f"- {name}: {inline(text)}" for name, text in more]
    lines += [f"- Time: {span(about['elapsed'])}"]
    if about["turns"]:
        lines.append(
            "- Turns: " + ", ".join(f"{count} {state}" for state, count in sorted(about["turns"].items()))
        )
    usage = dict(about["usage"])
    cost = usage.pop("cost_usd", None)
    if usage:
        lines.append("- Usage: " + ", ".join(f"{value:,} {name}" for name, value in usage.items()))
    if cost is not None:
        lines.append(f"- Cost where the CLIs name it: ${cost:.4f}")
    lines += [
        f"- {inline(seat['slug'])}: {inline(seat['switched'])}" for seat in about["panel"] if seat["switched"]
    ]
    return "\n".join(lines)


def result(snapshot: Reply, outcome: Outcome, about: Mapping[str, Any]) -> dict[str, Any]:
    """result.json. Fields may be added, not renamed."""
    table = snapshot["table"]
    return {
        "table": table["id"], "date": time.strftime("%Y-%m-%d", time.gmtime(about["at"] / 1000)), "topic": table.get("topic", ""),
        "format": table.get("format", ""), "mode": table.get("mode") or None, "status": outcome.status, "result": outcome.result,
        "rounds": outcome.rounds, "stop_reason": outcome.stop_reason, "workflow_type": outcome.workflow or table.get("format", ""),
        "panel_degraded": bool(about["degraded"]), "panel_degradation_notes": [f"{d['seat']}: {d['why']}" for d in about["degraded"]],
        "degraded": about["degraded"], "warnings": outcome.warnings, "consensus_pct": outcome.consensus_pct,
        "agreement": outcome.agreement, "validated": outcome.validated, "synthesis_model": outcome.synthesis_model or None,
        "elapsed_time_sec": about["elapsed"], "usage": about["usage"], "seats": about["panel"], "synthesis": outcome.synthesis,
        "citations": [f"m{seq}" for seq in citations.cited(outcome.synthesis)], **outcome.extra,
    }  # fmt: skip


def said(name: str, text: str, cite: str = "") -> str:
    """A participant's words as a part of a section, quoted, under its name."""
    return f"**{inline(name)}**{f' ({cite})' if cite else ''}\n\n{quoted(text)}"
