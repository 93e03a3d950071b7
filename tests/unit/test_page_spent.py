"""What the page says of time and cost: per seat and per round."""

from __future__ import annotations

import json
from typing import Any

from rt_moderator.page import views

TURNS: list[dict[str, Any]] = [
    {"id": "r1/a", "seat": "a", "round": "1", "state": "answered", "opened_at": "1000", "leased_at": "3000",
     "started_at": "1000", "closed_at": "9000", "usage": json.dumps({"calls": 1, "input": 100, "output": 20, "cost_usd": 0.5})},
    {"id": "r2/a", "seat": "a", "round": "2", "state": "answered", "opened_at": "10000", "leased_at": "10000",
     "started_at": "10000", "closed_at": "14000"},
]  # fmt: skip


def test_rounds_say_their_time_and_what_their_answers_cost() -> None:
    """Seconds by the wall, answering and waiting, tokens and dollars where a CLI names them."""
    table = {"id": "t", "created_at": "0"}
    snapshot = {"table": table, "turns": TURNS, "clock_ms": 20_000, "seats": [{"slug": "a", "state": "idle"}]}
    assert views._spent(snapshot) == [
        {"round": 1, "told": "8 s · answered for 6 s · waited 2 s · 120 tokens · $0.50"},
        {"round": 2, "told": "4 s · answered for 4 s"},
    ]
