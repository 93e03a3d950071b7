"""All runs in numbers, whatever the file holds."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rt_moderator import stats
from tests.helpers import rt

NOW = 1_796_000_000.0  # 2026-11-30T00:53:20Z


def run(table: str, **fields: Any) -> dict[str, Any]:
    """A line as a run leaves it."""
    basics = {
        "ts": "2026-11-29T00:00:00Z", "table": table, "format": "debate", "mode": "vote", "result": "consensus", "elapsed_time_sec": 60.0,
        "consensus_pct": 80.0, "validated": None, "panel_degraded": False, "usage": {"calls": 4, "input": 100, "output": 10},
    }  # fmt: skip
    return basics | fields


RUNS = [
    run("rt-1"),
    run("rt-2", elapsed_time_sec=120, consensus_pct=None, validated="yes", usage={"calls": 1, "input": 5, "cost_usd": 0.25}),
    run("rt-3", format="table", mode="", result="no_consensus", ts="2026-10-01T00:00:00Z", panel_degraded=True, usage=None),
]  # fmt: skip
DAMAGED = [
    "{",
    '"words"',
    '{"table": 7, "ts": "2026-11-29T00:00:00Z"}',
    '{"table": "rt-9", "ts": "yesterday"}',
    "\x00",
]


def write(lines: list[str]) -> Path:
    path = Path(os.environ["RT_HOME"]) / "scorecard.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return path


def test_runs_are_summed_by_format_and_mode(rt_home: Path) -> None:
    """Issue 6: tables per format and mode, medians, degraded share, validated, usage; a table counts once, damaged lines are counted."""
    path = write(
        [json.dumps(run("rt-1", result="old")), DAMAGED[0], *map(json.dumps, RUNS), *DAMAGED[1:], ""]
    )
    runs, damaged = stats.read(path)
    assert (len(runs), damaged) == (3, 5)
    found = stats.stats(runs, damaged)
    assert (found["tables"], found["results"]) == (3, {"consensus": 2, "no_consensus": 1})
    assert (found["median_seconds"], found["median_consensus_pct"], found["degraded_pct"]) == (
        60.0,
        80.0,
        33.3,
    )
    debate, table = found["formats"]
    assert (debate["format"], debate["mode"], debate["tables"], debate["median_seconds"]) == (
        "debate",
        "vote",
        2,
        90.0,
    )
    assert (debate["validated"], debate["degraded"]) == ({"yes": 1, "partial": 0, "no": 0}, 0)
    assert debate["usage"] == {"calls": 5, "input": 105, "output": 10, "cost_usd": 0.25}
    assert (table["format"], table["mode"], table["usage"]) == ("table", None, {})
    assert [one["table"] for one in stats.chosen(runs, days=30, now=NOW)] == ["rt-1", "rt-2"]
    assert [one["table"] for one in stats.chosen(runs, format_="table", now=NOW)] == ["rt-3"]
    words = "debate vote 2 1 min 30 s 80 % 0 1 yes 115 $0.25"
    assert " ".join(stats.screen(found)[1].split()) == words
    assert "5 lines of scorecard.jsonl could not be read" in stats.screen(found)[-1]


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from([*RUNS[0]]),
            st.none()
            | st.integers()
            | st.floats()
            | st.text(max_size=5)
            | st.dictionaries(st.just("input"), st.floats()),
            max_size=9,
        )
    )
)
def test_odd_values_never_stop_it(lines: list[dict[str, Any]]) -> None:
    """Issue 6: whatever stands in a line, there are numbers and a screen."""
    found = [one for line in lines if (one := stats._run(json.dumps(run("rt-x") | line))) is not None]
    stats.screen(stats.stats(found, 1))


@pytest.mark.usefixtures("rt_home")
def test_stats_at_the_command_line() -> None:
    """Issue 6: nothing yet is said; --json is one object; a format that is none is wrong usage; no server is started."""
    assert "no run yet" in rt("stats").stdout
    write([*map(json.dumps, RUNS), "{"])
    done = rt("stats", "--format", "table", "--json")
    assert (json.loads(done.stdout)["tables"], json.loads(done.stdout)["damaged_lines"]) == (1, 1)
    assert rt("stats", "--format", "opera").returncode == 2
    assert not (Path(os.environ["RT_HOME"]) / "redis").exists()
