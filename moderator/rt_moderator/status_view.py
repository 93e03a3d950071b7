"""The status of a table, from one snapshot: what `rt status --json` says. Pure, but for whether a local host's process lives."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rt_moderator import formats, hosting, remedies
from rt_moderator.words import listed, still_answering

if TYPE_CHECKING:
    from rt_mailbox.door import Reply


def state_of(snapshot: Reply) -> str:
    """The table's state as JSON names it; an open table is debating while a turn is open, else the moderator's."""
    state = str(snapshot["table"].get("state", ""))
    if state != "open":
        return state
    phase = str(snapshot["table"].get("phase", ""))
    if open_turns(snapshot) and phase != "veto":
        return "debating"
    if formats.runs(snapshot["table"]):
        return phase or "debating"
    return phase if phase in ("done", "failed") else "awaiting_moderator"


def open_turns(snapshot: Reply) -> list[Reply]:
    """The turns that are open, oldest first."""
    return [turn for turn in snapshot["turns"] if turn["state"] == "open"]


def answering(snapshot: Reply) -> list[str]:
    """The seats with an open turn, each once."""
    return list(dict.fromkeys(turn["seat"] for turn in open_turns(snapshot)))


def view(snapshot: Reply, warnings: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON of `status`. `warnings` are those of the bus; the table's own are added."""
    table = snapshot["table"]
    return {
        "table": table["id"],
        "topic": table.get("topic", ""),
        "format": table.get("format") or "open",
        "mode": table.get("mode") or None,
        "state": state_of(snapshot),
        "round": int(table.get("round") or 1),
        "result": table.get("result") or None,
        "stop_reason": table.get("stop_reason") or None,
        "waiting": _waiting(snapshot),
        "degraded": degraded(snapshot),
        "deadlocks": json.loads(table.get("deadlocks") or "[]"),
        "warnings": [*warnings, *_own_warnings(snapshot)],
        "stop_condition": table.get("stop_when", ""),
        "host": _host(snapshot),
        "seats": [_seat(snapshot, seat) for seat in snapshot["seats"]],
        "turns": [_turn(snapshot, turn) for turn in snapshot["turns"]],
        "record": {"messages": int(snapshot["head"]), "last_seq": int(snapshot["head"])},
    }


def degraded(snapshot: Reply) -> list[dict[str, str]]:
    """Who no longer takes part as planned: what the table has recorded, every seat that was dropped or switched."""
    found: list[dict[str, str]] = json.loads(snapshot["table"].get("degraded") or "[]")
    for seat in snapshot["seats"]:
        slug, profile = seat["slug"], seat.get("profile", "")
        if seat.get("switched"):
            fix = seat.get("switch_fix") or f"rt seat log {slug} -t {snapshot['table']['id']}"
            found.append({"seat": slug, "why": seat["switched"], "action": fix})
        if seat["state"] == "dropped":
            why = f"dropped: {seat.get('reason') or 'no reason given'}"
            fix = remedies.action(seat.get("reason", ""), slug, profile)
            found.append({"seat": slug, "why": why, "action": fix})
    return found


def elapsed(turn: Mapping[str, str], clock_ms: int) -> float | None:
    """Seconds since a turn became its seat's current one, up to its end; None while it waits in the inbox."""
    if "started_at" not in turn:
        return None
    return max(0, int(turn.get("closed_at") or clock_ms) - int(turn["started_at"])) / 1000


def _waiting(snapshot: Reply) -> dict[str, str | None]:
    return _procedure(snapshot) or _by_hand(snapshot)


def _procedure(snapshot: Reply) -> dict[str, str | None]:
    """What a format waits for; empty when it is not the one that waits."""
    table, state = snapshot["table"], state_of(snapshot)
    if table.get("gate"):
        options = "|".join(formats.offered(table))
        reason = f"{table.get('gate_reason', '')}: rt decide {options}"
        return {"for": "gate", "reason": reason, "details": table.get("gate_details") or None}
    if table.get("phase") == "stuck":
        reason = f"{table.get('stop_reason', '')}: rt resume {table['id']} --as-open"
        return {"for": "moderator", "reason": reason}
    if not formats.runs(table) or open_turns(snapshot):
        return {}
    if state == "awaiting_synthesis" and table.get("asks"):
        return {"for": "moderator", "reason": f"{table['asks']}: rt synthesis --file FILE"}
    return {"for": "format", "reason": f"the format {table['format']} is at work"}


def _by_hand(snapshot: Reply) -> dict[str, str | None]:
    state = state_of(snapshot)
    if state == "debating":
        return {"for": "seats", "reason": still_answering(answering(snapshot))}
    if state in ("awaiting_moderator", "done", "failed"):
        unread = int(snapshot["unread"])
        reason = (
            f"{unread} not drained: rt drain" if unread else "no turn is open: rt say, rt synthesis or rt end"
        )
        return {"for": "moderator", "reason": reason}
    if state == "starting":
        return {
            "for": "moderator",
            "reason": "the start was not finished: the same rt start again completes it",
        }
    return {"for": None, "reason": None}


def _own_warnings(snapshot: Reply) -> Iterable[str]:
    yield from json.loads(snapshot["table"].get("warnings") or "[]")
    if hosting.needed(snapshot) and snapshot["table"]["state"] == "open":
        yield "no host runs: nobody rings the seats or watches deadlines (rt resume)"
    for name, how in snapshot["table"].items():
        if name.startswith("sink/") and how:
            yield f"sink {name.removeprefix('sink/')} {how}"
    lost = [seat["slug"] for seat in snapshot["seats"] if seat["state"] in ("failed", "blocked")]
    if lost:
        yield f"{listed(lost)} cannot answer: rt seat log {lost[0]}"
    for seat in snapshot["seats"]:
        if _other_model(seat):
            asked = seat.get("requested_model") or seat["model"]
            yield f"{seat['slug']} was asked for {asked} and answers with {seat['effective_model']}"


def _other_model(seat: Reply) -> bool:
    """Whether another model answers than was asked for; an alias such as opus is part of the full name."""
    asked, found = (
        str(seat.get(first) or seat.get(then) or "").lower().rpartition("/")[2]
        for first, then in (("requested_model", "model"), ("effective_model", ""))
    )
    return bool(asked and found) and asked not in found and found not in asked


def _host(snapshot: Reply) -> dict[str, Any]:
    alive = hosting.alive(snapshot)
    return {"alive": alive, "pid": int(snapshot["host"]["pid"]) if alive else None}


def _seat(snapshot: Reply, seat: Reply) -> dict[str, Any]:
    current = next((turn["id"] for turn in open_turns(snapshot) if turn["seat"] == seat["slug"]), None)
    return {
        "slug": seat["slug"],
        "state": seat["state"],
        "reason": seat.get("reason") or None,
        "turn": current,
        "transport": seat.get("transport") or None,
        "failures": int(seat.get("failures") or 0),
        "requested_model": seat.get("requested_model") or seat.get("model") or None,
        "effective_model": seat.get("effective_model") or None,
        "usage": json.loads(seat.get("usage") or "null"),
    }


def _turn(snapshot: Reply, turn: Reply) -> dict[str, Any]:
    transports = {seat["slug"]: seat.get("transport") or None for seat in snapshot["seats"]}
    return {
        "turn": turn["id"],
        "seat": turn["seat"],
        "attempt": int(turn.get("answered_by") or turn["attempt"]),
        "transport": transports.get(turn["seat"]),
        "outcome": turn["state"],
        "stop_reason": turn.get("reason") or None,
        "seconds": elapsed(turn, int(snapshot["clock_ms"])),
    }


def seconds_left(snapshot: Reply, turn: str) -> float:
    """How long an open turn may still take; one that waits in the inbox has its whole time. 0 for any other."""
    found = next((one for one in open_turns(snapshot) if one["id"] == turn), None)
    if found is None:
        return 0.0
    if "deadline" not in found:
        return int(found["timeout_ms"]) / 1000
    return max(0, int(found["deadline"]) - int(snapshot["clock_ms"])) / 1000
