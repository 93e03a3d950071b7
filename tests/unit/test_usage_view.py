"""What a table has cost: by seat, by round, in all, and what nobody told stays unknown."""

from __future__ import annotations

import json

from rt_moderator.usage_view import screen, usage_view
from tests.snapshots import NOW, Moment, moment, seat, turn

JOBS = {
    "x": [
        {"text": "made", "usage": {"input": 50, "output": 5, "cost_usd": 0.5}, "seconds": 3.21},
        {"text": ""},
    ],
    "y": {"n": 1},
}


def told(**counts: float) -> str:
    return json.dumps(counts)


def spent() -> Moment:
    """Two rounds of two seats; one of them tells what it costs, and had to be asked twice in the second round."""
    first = {"opened_at": str(NOW - 100_000), "round": "1"}
    turns = [
        turn("a", "r1", "answered", **first, taken_at=str(NOW - 98_000), closed_at=str(NOW - 90_000), usage=told(calls=1, input=100, output=20, cost_usd=0.1)),
        turn("b", "r1", "failed", **first, closed_at=str(NOW - 80_000)),
        turn("a", "r2", opened_at=str(NOW - 10_000), taken_at=str(NOW - 9_000), leased_at=str(NOW - 2_000), round="2"),
    ]  # fmt: skip
    a = seat("a", usage=told(calls=2, input=300, output=40, cached=7, cost_usd=0.3))
    return moment([a, seat("b", usage="not JSON")], turns, table={"created_at": str(NOW - 120_000)})


def test_usage_by_seat_round_and_in_all() -> None:
    """Issue 6: tokens, cost where a CLI tells it, seconds waiting and answering per seat, totals per round and table."""
    found = usage_view(spent(), JOBS)
    a, b = found["seats"]
    assert (a["seat"], a["calls"], a["tokens"], a["cached"], a["cost_usd"]) == ("a", 2, 340, 7, 0.3)
    assert (a["waiting_seconds"], a["answering_seconds"]) == (3.0, 17.0)
    assert (b["calls"], b["tokens"], b["cost_usd"], b["waiting_seconds"]) == (0, 0, None, 20.0)
    one, two = found["rounds"]
    assert (one["round"], one["turns"], one["answered"], one["tokens"], one["seconds"]) == (
        1,
        2,
        1,
        120,
        20.0,
    )
    assert (two["round"], two["answered"], two["cost_usd"], two["answering_seconds"]) == (2, 0, None, 9.0)
    assert (found["jobs"]["calls"], found["jobs"]["cost_usd"], found["jobs"]["seconds"]) == (1, 0.5, 3.2)
    total = found["total"]
    assert (total["calls"], total["tokens"], total["cost_usd"], total["seconds"]) == (3, 395, 0.8, 120.0)
    ended = spent()
    ended["table"]["concluded_at"] = str(NOW - 60_000)
    assert usage_view(ended, {})["total"]["seconds"] == 60.0


def test_the_screen_shows_no_zero_for_what_is_not_known() -> None:
    """Issue 6: rows by seat and round with a total; empty where nothing was told; without any tokens it has to be asked for."""
    lines = screen(usage_view(spent(), JOBS))
    assert lines[0].split() == ["spent", "calls", "tokens", "cost", "waited", "answering"]
    assert lines[1].split() == ["a", "2", "340", "$0.30", "0:03", "0:17"]
    assert lines[2].split() == ["b", "0:20", "0:00"]
    assert lines[3].split() == ["round", "1", "1", "120", "$0.10", "0:22", "0:08"]
    assert lines[5].split() == ["one-shot", "calls", "1", "55", "$0.50", "0:03"]
    assert lines[6].split() == ["in", "all", "3", "395", "$0.80", "0:23", "0:17"]
    quiet = usage_view(moment([seat("a")], [turn("a")]), {})
    assert screen(quiet) == []
    assert [line.split()[0] for line in screen(quiet, always=True)] == ["spent", "a", "in"]
