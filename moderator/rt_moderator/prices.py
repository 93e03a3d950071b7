"""What a call has cost on this machine: by profile and model, from the results of earlier runs. No price list ages here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rt_moderator.words import listed

if TYPE_CHECKING:
    from rt_moderator.plan import SeatPlan

    Prices = Mapping[tuple[str, str], float]

_RUNS = 30  # the latest


def known(home: Path) -> Prices:
    """(profile, model) → dollars a call on average, as the CLIs told them in the latest runs below `home`."""
    files = sorted(home.glob("tables/*/result.json"), key=lambda one: one.parent.name)[-_RUNS:]
    return averages(seat for path in files for seat in _seats(path))


def averages(seats: Iterable[Mapping[str, Any]]) -> Prices:
    """(profile, model) → dollars a call; seats as result.json has them. What tells no cost is left out."""
    spent: dict[tuple[str, str], list[float]] = {}
    for seat in seats:
        usage = seat.get("usage")
        if not isinstance(usage, dict):
            continue
        calls, cost = usage.get("calls"), usage.get("cost_usd")
        if isinstance(calls, int) and calls > 0 and isinstance(cost, int | float) and cost >= 0:
            name = (str(seat.get("profile") or ""), str(seat.get("requested_model") or ""))
            total = spent.setdefault(name, [0.0, 0.0])
            total[0] += cost
            total[1] += calls
    return {name: cost / calls for name, (cost, calls) in spent.items()}


def estimate(seats: Sequence[SeatPlan], prices: Prices) -> dict[str, Any]:
    """{usd_per_step, priced, unpriced}: one call of every seat whose price is known (None without any), and who is which."""
    found = [prices.get((seat.profile, seat.model)) for seat in seats]
    sums = [price for price in found if price is not None]
    named = {
        known: tuple(
            dict.fromkeys(
                seat.profile for seat, p in zip(seats, found, strict=True) if (p is not None) == known
            )
        )
        for known in (True, False)
    }
    return {
        "usd_per_step": round(sum(sums), 4) if sums else None, "priced": list(named[True]), "unpriced": list(named[False]),
    }  # fmt: skip


def line(found: Mapping[str, Any]) -> str:
    """The estimate for a person; empty when no price is known."""
    if found["usd_per_step"] is None:
        return ""
    usd = found["usd_per_step"]
    about = f"${usd:.2f}" if usd >= 0.01 else "less than $0.01"
    rest = f"; none known for {listed(found['unpriced'])}" if found["unpriced"] else ""
    return f"Earlier runs priced {listed(found['priced'])}: about {about} a step{rest}."


def _seats(path: Path) -> list[Mapping[str, Any]]:
    try:
        seats = json.loads(path.read_text(encoding="utf-8")).get("seats")
    except (OSError, ValueError, AttributeError):
        return []
    return [seat for seat in seats if isinstance(seat, dict)] if isinstance(seats, list) else []
