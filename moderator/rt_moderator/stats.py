"""All runs in numbers, from RT_HOME/scorecard.jsonl: one line a table. Pure, but for `read`."""

from __future__ import annotations

import calendar
import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from rt_moderator.words import grid, span
from rt_participant.show import line as shown

Run = Mapping[str, Any]
_VALIDATED = ("yes", "partial", "no")
_STAMP = "%Y-%m-%dT%H:%M:%SZ"


def read(path: Path) -> tuple[list[Run], int]:
    """The runs in the file, one a table (the latest line counts), and how many lines could not be read.

    Raises:
        OSError: it is there and cannot be opened.
    """
    runs: dict[str, Run] = {}
    damaged = 0
    if not path.exists():
        return [], 0
    with path.open(encoding="utf-8", errors="replace") as file:
        for text in file:
            run = _run(text)
            if run is None:
                damaged += bool(text.strip())
            else:
                runs[str(run["table"])] = run
    return list(runs.values()), damaged


def _run(text: str) -> Run | None:
    """A line as a run: an object with a table, and a time that is one. Other fields may be missing or odd."""
    try:
        found = json.loads(text)
        if not isinstance(found, dict) or not isinstance(found.get("table"), str):
            return None
        return {**found, "at": calendar.timegm(time.strptime(str(found["ts"]), _STAMP))}
    except (ValueError, KeyError, RecursionError):
        return None


def chosen(runs: Iterable[Run], *, format_: str = "", days: float | None = None, now: float) -> list[Run]:
    """The runs of a format (all without one) of the last `days`."""
    since = -1.0 if days is None else now - days * 86_400
    return [run for run in runs if run["at"] >= since and format_ in ("", run.get("format"))]


def stats(runs: Sequence[Run], damaged: int = 0) -> dict[str, Any]:
    """{tables, …, formats: [{format, mode, tables, …}], damaged_lines}: numbers of all runs, and of each format and mode.

    Medians are over the runs that have the number, None without one; degraded_pct is of all runs, validated counts those that
    were validated. usage sums calls, tokens by kind and cost_usd, as far as the CLIs told them.
    """
    kinds = sorted({_kind(run) for run in runs})
    return {
        **_numbers(runs),
        "first": min((str(run["ts"]) for run in runs), default=None),
        "last": max((str(run["ts"]) for run in runs), default=None),
        "formats": [
            {
                "format": kind[0],
                "mode": kind[1] or None,
                **_numbers([run for run in runs if _kind(run) == kind]),
            }
            for kind in kinds
        ],
        "damaged_lines": damaged,
    }


def _kind(run: Run) -> tuple[str, str]:
    return str(run.get("format") or "?"), str(run.get("mode") or "")


def _numbers(runs: Sequence[Run]) -> dict[str, Any]:
    usage: dict[str, float] = {}
    for run in runs:
        told = run.get("usage")
        for name, value in told.items() if isinstance(told, dict) else ():
            usage[str(name)] = usage.get(str(name), 0) + (_number(value) or 0)
    degraded = sum(1 for run in runs if run.get("panel_degraded"))
    cost = usage.get("cost_usd")
    return {
        "tables": len(runs),
        "results": dict(Counter(str(run.get("result") or "?") for run in runs).most_common()),
        "median_seconds": _median(run.get("elapsed_time_sec") for run in runs),
        "median_consensus_pct": _median(run.get("consensus_pct") for run in runs),
        "degraded": degraded,
        "degraded_pct": round(100 * degraded / len(runs), 1) if runs else None,
        "validated": {word: sum(1 for run in runs if run.get("validated") == word) for word in _VALIDATED},
        "usage": {**usage, **({"cost_usd": round(cost, 6)} if cost is not None else {})},
    }


def _median(found: Iterable[Any]) -> float | None:
    numbers = [number for one in found if (number := _number(one)) is not None]
    return round(median(numbers), 1) if numbers else None


def _number(value: Any) -> float | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")
    return value if usable else None


def screen(found: Mapping[str, Any]) -> list[str]:
    """The lines of `rt stats`."""
    head = ("", "tables", "time", "consensus", "degraded", "validated", "tokens", "cost")
    rows = [head, *(_row(_name(one), one) for one in found["formats"]), _row("in all", found)]
    lines = grid(rows, indent="")
    if len(found["formats"]) == 1:
        del lines[-1]
    results = ", ".join(
        f"{count} {shown(name, 40).replace('_', ' ')}" for name, count in found["results"].items()
    )
    lines += ["", f"{results}; time and consensus are medians."]
    if found["damaged_lines"]:
        lines.append(damage(found["damaged_lines"]))
    return lines


def damage(count: int) -> str:
    """What is said of lines that could not be read."""
    return f"! {count} line{'s' if count != 1 else ''} of scorecard.jsonl could not be read and {'are' if count != 1 else 'is'} not in these numbers."


def _name(one: Mapping[str, Any]) -> str:
    mode = one["mode"] if one["mode"] not in (None, one["format"]) else ""
    return shown(" ".join(filter(None, (one["format"], mode))), 40)


def _row(name: str, one: Mapping[str, Any]) -> tuple[str, ...]:
    usage, validated = one["usage"], one["validated"]
    tokens = int(usage.get("input", 0) + usage.get("output", 0))
    counts = [f"{count} {word}" for word, count in validated.items() if count]
    return (
        name,
        str(one["tables"]),
        "" if one["median_seconds"] is None else span(one["median_seconds"]),
        "" if one["median_consensus_pct"] is None else f"{one['median_consensus_pct']:.0f} %",
        f"{one['degraded']} ({one['degraded_pct']:.0f} %)" if one["degraded"] else "0",
        ", ".join(counts),
        f"{tokens:,}" if tokens else "",
        f"${usage['cost_usd']:.2f}" if "cost_usd" in usage else "",
    )
