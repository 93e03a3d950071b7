"""What a step would cost, as far as earlier runs tell it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from rt_moderator import prices
from rt_moderator.plan import SeatPlan

CLAUDE = SeatPlan("a", profile="claude", model="opus")


def told(home: Path, table: str, *seats: Mapping[str, object]) -> None:
    """A result.json of an earlier run."""
    folder = home / "tables" / table
    folder.mkdir(parents=True)
    (folder / "result.json").write_text(json.dumps({"seats": seats}))


def test_earlier_runs_price_a_step(tmp_path: Path) -> None:
    """S0.35: the mean of what each CLI told, by profile and model; who told nothing is named, never taken for free."""
    seat = {"profile": "claude", "requested_model": "opus", "usage": {"calls": 2, "cost_usd": 0.3}}
    told(tmp_path, "rt-1", seat, {"profile": "codex", "requested_model": None, "usage": {"calls": 4}})
    told(
        tmp_path, "rt-2", {**seat, "usage": {"calls": 2, "cost_usd": 0.1}}, {"profile": "llm", "usage": None}
    )
    (tmp_path / "tables" / "rt-2" / "other.json").touch()
    (tmp_path / "tables" / "rt-3").mkdir()
    (tmp_path / "tables" / "rt-3" / "result.json").write_text("half a")
    found = prices.estimate([CLAUDE, CLAUDE, SeatPlan("b", profile="codex")], prices.known(tmp_path))
    assert found == {"usd_per_step": 0.2, "priced": ["claude"], "unpriced": ["codex"]}
    assert prices.line(found) == "Earlier runs priced claude: about $0.20 a step; none known for codex."


def test_without_a_price_nothing_is_claimed(tmp_path: Path) -> None:
    """S0.35: another model has no price of its own; no run, no estimate."""
    found = prices.estimate([CLAUDE], prices.known(tmp_path))
    assert (found["usd_per_step"], prices.line(found)) == (None, "")
    cheap = prices.estimate([CLAUDE], {("claude", "opus"): 0.001, ("claude", ""): 3.0})
    assert "less than $0.01 a step" in prices.line(cheap)
