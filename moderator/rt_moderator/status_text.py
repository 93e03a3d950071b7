"""The status of a table as a screen: what is wrong first, then who does what, then what is left to read. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rt_config import packed_spec
from rt_moderator import status_view
from rt_moderator.words import clock, grid, span
from rt_participant.show import line

if TYPE_CHECKING:
    from rt_mailbox.door import Reply

_TAKEN_WITHIN = 60.0  # seconds after which a turn that nobody took is late
_QUIET = 90.0  # seconds without output after which a seat that prints while it works is late
_DETAILS = 16  # lines of what a gate is about
_GATES = {
    "round": "a round is over",
    "veto": "the seats have voted on the draft",
    "no_replies": "nobody answered",
}
Row = tuple[str, str, str, str, str]


def render(snapshot: Reply, found: Mapping[str, Any], quiet: Mapping[str, float], flag: str = "") -> str:
    """The screen for `found` (as `status_view.view` gave it).

    Args:
        snapshot: the same moment.
        found: the JSON.
        quiet: seconds since the last output, of the seats for which that is known.
        flag: ` -t ID` for the commands that are suggested, when the table had to be named.
    """
    parts = [*_first(found), _title(snapshot, found)]
    busy, idle = _rows(snapshot, quiet, flag)
    parts += grid(busy)
    if idle:
        parts.append(f"  {', '.join(idle)}   idle")
    parts += _procedure(snapshot, found, flag)
    parts.append(_foot(snapshot, found, flag))
    return "\n".join(parts) + "\n"


def _procedure(snapshot: Reply, found: Mapping[str, Any], flag: str) -> list[str]:
    """What a format waits for, or how it ended."""
    about, waiting = snapshot["table"], found["waiting"]
    if waiting["for"] == "gate":
        why = _GATES.get(about.get("gate_reason", ""), about.get("gate_reason", "").replace("_", " "))
        head = f"  waits for you: {line(why)}   → {line(waiting['reason'].rpartition(': ')[2])}{flag}"
        return [head, *_details(about.get("gate_details", ""))]
    if (
        found["format"] != "open"
        and waiting["for"] in ("format", "moderator")
        and found["state"] not in ("done", "failed")
    ):
        return [f"  {line(waiting['reason'] or '', 200)}"]
    if found["result"]:
        why = f", stopped: {line(found['stop_reason'] or '', 120)}" if found["stop_reason"] else ""
        return [f"  result: {line(found['result'])}{why}   → rt show report{flag}"]
    return []


def _details(text: str) -> list[str]:
    """What a gate is about, at most a screen of it."""
    lines = [line(one, 160) for one in text.splitlines() if one.strip()]
    more = [f"    … {len(lines) - _DETAILS} more lines: rt status --json"] if len(lines) > _DETAILS else []
    return [f"    {one}" for one in lines[:_DETAILS]] + more


def _first(found: Mapping[str, Any]) -> list[str]:
    lines = []
    for entry in found["degraded"]:
        lines.append(f"DEGRADED: {line(entry['seat'])} {line(entry['why'])}")
        if entry.get("action"):
            lines.append(f"          → {line(entry['action'])}")
    return lines + [f"WARNING: {line(text)}" for text in found["warnings"]]


def _title(snapshot: Reply, found: Mapping[str, Any]) -> str:
    goal = line(snapshot["table"].get("goal", ""), 120)
    words = [found["table"], found["state"].replace("_", " "), f"round {found['round']}"]
    if found["format"] != "open":
        words.insert(1, f"{found['format']}{' ' + found['mode'] if found['mode'] else ''}")
    return "   ".join([*words, *([f"goal: {goal}"] if goal else [])])


def _rows(snapshot: Reply, quiet: Mapping[str, float], flag: str) -> tuple[list[Row], list[str]]:
    """The seats with something to say, and the slugs of the others."""
    rows, idle = [], []
    for seat in snapshot["seats"]:
        found = doing(snapshot, seat, quiet.get(seat["slug"]), flag)
        if found is None:
            idle.append(seat["slug"])
            continue
        word, detail, hint = found
        runs_on = " ".join(
            filter(
                None,
                (
                    seat.get("profile"),
                    seat.get("effective_model") or seat.get("model"),
                    seat.get("transport"),
                ),
            )
        )
        rows.append((seat["slug"], word, detail, line(runs_on, 60), f"→ {hint}" if hint else ""))
    return rows, idle


def doing(snapshot: Reply, seat: Reply, quiet: float | None, flag: str) -> tuple[str, str, str] | None:
    """A seat's word, detail and hint; None for one that is idle."""
    slug, state = seat["slug"], seat["state"]
    if state in ("failed", "blocked", "dropped"):
        hint = {"failed": f"rt seat restart {slug}{flag}", "blocked": f"rt attach {slug}{flag}"}.get(
            state, ""
        )
        return state.upper(), line(seat.get("reason", ""), 160 if state == "blocked" else 60), hint
    mine = [turn for turn in status_view.open_turns(snapshot) if turn["seat"] == slug]
    if mine:
        return _open(snapshot, seat, mine, quiet, flag)
    if state == "starting":
        return "starting", "", ""
    return _last(snapshot, slug)


def _open(
    snapshot: Reply, seat: Reply, mine: Sequence[Reply], quiet: float | None, flag: str
) -> tuple[str, str, str]:
    """The seat's current turn: how long, of how much, and whether that is too long."""
    turn = mine[0]
    seconds = status_view.elapsed(turn, int(snapshot["clock_ms"])) or 0.0
    more = f", {len(mine) - 1} more waiting" if len(mine) > 1 else ""
    why = _late(snapshot, seat, turn, seconds, quiet)
    if not why:
        word = "answering" if turn.get("leased") == turn["attempt"] else "asked"
        return word, f"{clock(seconds)}{more}", ""
    limit = (int(turn["deadline"]) - int(turn["started_at"])) / 1000 if turn.get("deadline") else 0
    of = f"{clock(seconds)} of {clock(limit)}" if limit else clock(seconds)
    return "LATE", f"{of}, {why}{more}", f"rt seat log {seat['slug']}{flag}"


def _late(snapshot: Reply, seat: Reply, turn: Reply, seconds: float, quiet: float | None) -> str:
    """Why a turn is late, or nothing."""
    if turn.get("deadline") and int(snapshot["clock_ms"]) > int(turn["deadline"]):
        return "past its deadline"
    if turn.get("leased") != turn["attempt"]:
        return "not taken yet" if seconds > _TAKEN_WITHIN else ""
    if quiet is None or not _prints(seat) or min(quiet, seconds) < _QUIET:
        return ""
    return f"no output for {clock(min(quiet, seconds))}"


def _prints(seat: Reply) -> bool:
    """Whether silence says anything: some CLIs print nothing until they are done."""
    return float(packed_spec.unpacked(seat.get("spec") or "{}").get("inactivity_seconds", 1) or 0) > 0


def _last(snapshot: Reply, slug: str) -> tuple[str, str, str] | None:
    """What became of a seat's turn in the latest step; None when it had none."""
    step = snapshot["table"].get("step")
    turn = next((t for t in reversed(snapshot["turns"]) if t["seat"] == slug and t["step"] == step), None)
    if turn is None:
        return None
    if turn["state"] == "answered":
        return "answered", f"m{turn['reply_seq']}", ""
    return turn["state"].upper(), line(turn.get("reason", ""), 60), ""


def _foot(snapshot: Reply, found: Mapping[str, Any], flag: str) -> str:
    unread, head, host = int(snapshot["unread"]), found["record"]["last_seq"], found["host"]
    words = [f"unread {unread}" + (f": rt drain{flag}" if unread else "")]
    if found["state"] not in ("ended", "archived"):
        words.append(f"host pid {host['pid']}" if host["alive"] else "no host")
    words.append({0: "record empty", 1: "record m1"}.get(head, f"record m1–m{head}"))
    if found["stop_condition"]:
        words.append(f"stop when: {line(found['stop_condition'], 120)}")
    return "  " + "   ".join(words)


def table_list(rows: Sequence[Mapping[str, Any]]) -> str:
    """The screen of `rt list`."""
    shown = [
        (
            row["table"],
            row["state"].replace("_", " "),
            f"{len(row['seats'])} seats" if row["seats"] else "",
            f"unread {row['unread']}" if row["unread"] else "",
            span(row["age_seconds"]) + " old",
            line(row["topic"], 60),
        )
        for row in rows
    ]
    return "\n".join(grid(shown, indent="", gap="   ")) + "\n"
