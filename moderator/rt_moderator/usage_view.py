"""What a table has cost, in tokens, money and time: by seat, by round, in all. Pure, but for `of`, which reads the bus."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rt_moderator.words import clock, grid
from rt_participant.show import line

if TYPE_CHECKING:
    from rt_mailbox.door import Door, Reply

    Counts = dict[str, Any]

_KINDS = ("input", "output", "cached")
_END = ("ended_at", "concluded_at")


def of(door: Door, table: str) -> Counts | None:
    """`usage_view` of a table as it is now; None when there is no such table."""
    from rt_mailbox import journal, tables
    from rt_moderator.transcript import ALL_TURNS

    snapshot = tables.snapshot(door, table, ALL_TURNS)
    return None if snapshot is None else usage_view(snapshot, journal.read(door, table))


def usage_view(snapshot: Reply, journal: Mapping[str, Any]) -> Counts:
    """{seats, rounds, jobs, total}; `snapshot` must hold all turns that are to count.

    Every entry has calls, input, output and cached tokens, tokens (input and output) and cost_usd, which is None where no CLI
    names a price: it is no zero. waiting_seconds is the time from the question to the first `turn` of the seat,
    answering_seconds from there to the turn's end; both are sums over turns, which overlap. `seconds` is by the wall: of
    a round from its first question to its last end, of the table from its start to its end. Tokens of a round are those of
    answered turns; what seats and one-shot calls spent beside them is only in the total.
    """
    now = int(snapshot["clock_ms"])
    turns = snapshot["turns"]
    jobs = [one for found in journal.values() if isinstance(found, list) for one in found if _job(one)]
    seats = [
        {"seat": seat["slug"], **_counted([_usage(seat)]), **times(_of(turns, "seat", seat["slug"]), now)}
        for seat in snapshot["seats"]
    ]
    numbers = sorted({int(turn.get("round") or 0) for turn in turns})
    spent = [_usage(seat) for seat in snapshot["seats"]] + [_of_job(job) for job in jobs]
    return {
        "seats": seats,
        "rounds": [_round(number, _of(turns, "round", str(number)), now) for number in numbers],
        "jobs": {**_counted(map(_of_job, jobs)), "seconds": _rounded(job.get("seconds") for job in jobs)},
        "total": {**_counted(spent), **times(turns, now), "seconds": _wall(snapshot["table"], now)},
    }


def _of(turns: Iterable[Reply], name: str, value: str) -> list[Reply]:
    return [turn for turn in turns if turn.get(name, "0") == value]


def _round(number: int, turns: list[Reply], now: int) -> Counts:
    opened = min(int(turn["opened_at"]) for turn in turns)
    closed = max(int(turn.get("closed_at") or now) for turn in turns)
    answered = [turn for turn in turns if turn["state"] == "answered"]
    return {
        "round": number, "turns": len(turns), "answered": len(answered), **_counted(map(_usage, turns)), **times(turns, now),
        "seconds": _seconds(closed - opened),
    }  # fmt: skip


def times(turns: Iterable[Reply], now: int) -> Counts:
    """{waiting_seconds, answering_seconds} of some turns; `now` in ms of the bus's clock. Pure."""
    waiting = answering = 0
    for turn in turns:
        closed = int(turn.get("closed_at") or now)
        taken = min(int(turn.get("taken_at") or turn.get("leased_at") or closed), closed)
        waiting += max(0, taken - int(turn["opened_at"]))
        answering += closed - taken
    return {"waiting_seconds": _seconds(waiting), "answering_seconds": _seconds(answering)}


def _wall(table: Reply, now: int) -> float | None:
    """From the start to the end; a table that goes on has none yet."""
    if not table.get("created_at"):
        return None
    ends = [int(table[name]) for name in _END if table.get(name)]
    return _seconds(max(0, (max(ends) if ends else now) - int(table["created_at"])))


def _counted(found: Iterable[Mapping[str, Any]]) -> Counts:
    """Sums over usages as CLIs told them."""
    total: Counts = {"calls": 0, **dict.fromkeys(_KINDS, 0), "tokens": 0, "cost_usd": None}
    for one in found:
        for name in ("calls", *_KINDS):
            total[name] += _number(one.get(name))
        if "cost_usd" in one:
            total["cost_usd"] = round((total["cost_usd"] or 0.0) + float(one["cost_usd"] or 0), 6)
    total["tokens"] = total["input"] + total["output"]
    return total


def _usage(found: Reply) -> Mapping[str, Any]:
    """The usage of a seat or a turn; what cannot be read counts nothing."""
    try:
        usage = json.loads(found.get("usage") or "{}")
    except ValueError:
        return {}
    return usage if isinstance(usage, dict) else {}


def _job(found: Any) -> bool:
    return isinstance(found, dict) and bool(found.get("text"))


def _of_job(job: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"calls": 1, **(job.get("usage") or {})}


def _number(value: Any) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _rounded(found: Iterable[Any]) -> float:
    return round(sum(float(one or 0) for one in found), 1)


def _seconds(ms: int) -> float:
    return round(ms / 1000, 1)


def screen(found: Counts, *, always: bool = False) -> list[str]:
    """The lines of `rt status`; none when no CLI told tokens or a price, unless `always`."""
    total = found["total"]
    if not (always or total["tokens"] or total["cost_usd"] is not None):
        return []
    rows = [("spent", "calls", "tokens", "cost", "waited", "answering")]
    rows += [_row(line(one["seat"], 40), one) for one in found["seats"]]
    rows += [_row(f"round {one['round']}", one) for one in found["rounds"] if len(found["rounds"]) > 1]
    if found["jobs"]["calls"]:
        rows.append(_row("one-shot calls", found["jobs"] | {"answering_seconds": found["jobs"]["seconds"]}))
    rows.append(_row("in all", total))
    return grid(rows)


def _row(name: str, one: Mapping[str, Any]) -> tuple[str, str, str, str, str, str]:
    """Cost and tokens that nobody told are left empty: they are not zero."""
    times = [
        clock(one[key]) if one.get(key) is not None else ""
        for key in ("waiting_seconds", "answering_seconds")
    ]
    return (
        name,
        str(one["calls"] or ""),
        money_and_tokens(one)[0],
        money_and_tokens(one)[1],
        times[0],
        times[1],
    )


def money_and_tokens(one: Mapping[str, Any]) -> tuple[str, str]:
    """('12,340', '$0.14'); '' for what is not known."""
    tokens = f"{one['tokens']:,}" if one["tokens"] else ""
    return tokens, "" if one["cost_usd"] is None else f"${one['cost_usd']:.2f}"
