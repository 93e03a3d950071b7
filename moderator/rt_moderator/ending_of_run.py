"""What a run comes to for whoever started it: the result as an object, the text for a person, the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rt_config.errors import NoConsensusError
from rt_moderator import status_view
from rt_moderator.engine import results
from rt_moderator.quoting import inline
from rt_participant.show import plain

if TYPE_CHECKING:
    from rt_moderator.following import Ended
    from rt_moderator.shell import Shell

LEFT_AT_A_GATE = 3
_SAYS = {"steer": ' "…"'}


def finish(shell: Shell, ended: Ended, *, as_json: bool, require: bool) -> int:
    """Say how it ended; returns 0 done (also degraded, said), 1 failed, 3 left at a gate.

    Raises:
        NoConsensusError: it was required and is not there; everything is kept.
    """
    from rt_moderator.cli.base import emit, emit_json

    found = summary(shell, ended)
    emit_json(found) if as_json else emit(text(found))
    if ended.how in ("gate", "moderator"):
        nobody = (ended.snapshot["table"].get("gate_reason") or "") == "no_replies"
        return 1 if nobody else LEFT_AT_A_GATE
    if require and found["result"] not in ("consensus", "full_consensus"):
        raise NoConsensusError(
            table=found["table"],
            reason=found["stop_reason"] or found["result"] or "none was found",
            report=found["report_path"],
        )
    return 0 if ended.how == "done" and found["result"] != "no_synthesis" else 1


def summary(shell: Shell, ended: Ended) -> dict[str, Any]:
    """The object of `run --json`."""
    from rt_moderator.shell import table_folder

    about = ended.snapshot["table"]
    table = about["id"]
    kept = results.again(shell.door, table) or {}
    view = status_view.view(ended.snapshot)
    folder = table_folder(table)
    there = bool(kept)
    return {
        "table": table, "format": about.get("format", ""), "mode": about.get("mode") or None, "status": view["state"],
        "result": kept.get("result") or about.get("result") or None, "rounds": kept.get("rounds", int(about.get("round") or 0)),
        "stop_reason": kept.get("stop_reason") or about.get("stop_reason") or None, "waiting": view["waiting"],
        "consensus_pct": kept.get("consensus_pct"), "agreement": kept.get("agreement"), "validated": kept.get("validated"),
        "degraded": kept.get("degraded", view["degraded"]), "warnings": kept.get("warnings", view["warnings"]),
        "seats": kept.get("seats", view["seats"]), "report_path": str(folder / "report.md") if there else None,
        "result_path": str(folder / "result.json") if there else None, "synthesis": kept.get("synthesis"),
        "usage": kept.get("usage", {}), "gate_details": about.get("gate_details") or None,
    }  # fmt: skip


def text(found: dict[str, Any]) -> str:
    """The same for a person: degraded first, then what came out, then where it is and what to type."""
    table = found["table"]
    lines = [
        f"DEGRADED: {one['seat']} {one['why']}\n          → {one['action']}" for one in found["degraded"]
    ]
    if found["waiting"]["for"] in ("gate", "moderator") and found["report_path"] is None:
        lines += [
            *([found["gate_details"].strip(), ""] if found["gate_details"] else []),
            *_waits(found),
        ]
        return plain("\n".join(lines))
    lines.append(_result(found))
    lines += [f"! {inline(warning)}" for warning in found["warnings"]]
    if found["synthesis"]:
        lines += ["", found["synthesis"].strip(), ""]
    if found["report_path"]:
        lines.append(f"report  {found['report_path']}")
    lines += [f'  rt say "…" -t {table}     ask on', f"  rt transcript -t {table}", f"  rt end -t {table}"]
    return plain("\n".join(lines))


def _waits(found: dict[str, Any]) -> list[str]:
    """Why it waits, and each line that can be typed."""
    table, (reason, _, typed) = found["table"], found["waiting"]["reason"].rpartition(": ")
    if typed.startswith("rt resume"):  # its procedure is stuck
        return [f"{table} cannot go on: {reason}", f"  {typed}     go on by hand"]
    lines = [f"{table} waits for you: {reason}"]
    if found["waiting"]["for"] == "gate":
        options = typed.removeprefix("rt decide ").split("|")
        lines += [f"  rt decide {option}{_SAYS.get(option, '')} -t {table}" for option in options]
    else:
        lines.append(f"  {typed} -t {table}")
    return [*lines, f"  rt resume {table}     follow it again"]


def _result(found: dict[str, Any]) -> str:
    parts = [f"{found['table']}: {(found['result'] or found['status']).replace('_', ' ')}"]
    if found["consensus_pct"] is not None:
        parts.append(f"consensus {found['consensus_pct']:.0f} %")
    if found["agreement"] is not None:
        parts.append(f"agreement {found['agreement']:.0f} %")
    parts.append(f"{found['rounds']} round{'s' if found['rounds'] != 1 else ''}")
    if found["stop_reason"]:
        parts.append(f"stopped: {found['stop_reason']}")
    return ", ".join(parts)
