"""A table worth looking at, laid into a real bus: for the screenshots in the README and the tests of the page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rt_mailbox import tables
from tests.cli.laid import Laid

if TYPE_CHECKING:
    from tests.helpers import Bus

TOPIC = "Should we move the billing service to event sourcing?"
SEATS = {
    "systems": ("Systems thinker", "feedback loops, second effects", "claude", "opus", "tui"),
    "builder": ("Builder", "what ships this quarter", "codex", "", "headless"),
    "skeptic": ("Skeptic", "what breaks, what it costs", "gemini", "", "headless"),
    "advocate": ("User advocate", "people who get the invoice", "claude", "sonnet", "tui"),
    "contrarian": ("Contrarian", "the case nobody makes", "opencode", "", "acp"),
}
FIRST = {
    "builder": """## Position

Not this quarter. The ledger team has no capacity before March, and the migration cannot be done by us alone.

## Reasons

1. Three of the five tables that would move belong to the ledger team.
2. Dual writes need a rehearsal of the nightly invoice job, which takes a week by itself.

## What would change my mind

A slice that touches **refunds only** and can be switched off with one flag.""",
    "skeptic": """## Position

Two of three outages last year were replays; event sourcing makes replay the normal case.

| outage | cause | hours |
|---|---|---|
| March | replay of a poisoned queue | 7 |
| June | clock skew | 2 |
| October | replay after a restore | 11 |

## Challenge

- Whoever says that replay is safe must name the test that shows it, see m1.""",
    "systems": """## Position

The real coupling is the nightly invoice job; split that first. Everything else follows from who waits for whom.

> A system is what it does at three in the morning.""",
    "contrarian": """## Position

Do it now, but only for refunds, where the audit trail pays by itself.

## Challenge

- **When**: March is a date, not a reason (m2).
- **Replay** is the point, not the risk: today a wrong refund cannot be replayed at all (m3).""",
    "advocate": """## Position

Customers ask why an invoice changed, and today nobody can answer. An append-only history answers that question in one query:

```sql
select at, who, why from invoice_events where invoice = 4711 order by seq;
```""",
}
SYNTHESIS = """## Where we stand

All five want the nightly job split first (m4, and m2 by its consequence). Nobody defends moving everything at once.

## What is open

- **When**: builder says March (m2), contrarian says now for refunds (m5).
- **Replay**: the risk (m3) or the point (m5).

## Next

Compare refunds-only with the job split, on cost and on risk."""
SECOND = {
    "contrarian": """## Position

Refunds-only costs four weeks of two people and touches one table. I accept the split of m4 as its first step.

## Challenge

- **Risk**: a flag that was never thrown in production is a hope (m7).""",
    "skeptic": """## Position

With the split of m4 done first I could live with refunds-only, if the restore of October is rehearsed against it.""",
}
SCORES = {
    "builder": {"skeptic": 7, "systems": 9, "contrarian": 5},
    "skeptic": {"builder": 8, "systems": 8, "contrarian": 4},
    "systems": {"builder": 7, "skeptic": 8, "contrarian": 6},
}
POINTS = [
    {"id": "P1", "statement": "Split the nightly invoice job first", "status": "agreed",
     "positions": {"systems": "proposed", "builder": "yes", "skeptic": "yes"}},
    {"id": "P2", "statement": "Refunds move before March", "status": "disputed",
     "positions": {"contrarian": "yes", "builder": "not before March"}},
]  # fmt: skip


def lay(bus: Bus, table: str = "rt-20260101-1200-event-sourcing", **fields: str) -> Laid:
    """The table: two rounds, a synthesis, a dropped seat, one still answering, scores and points."""
    given = {"topic": TOPIC, "goal": "a decision we can defend", "stop_when": "two options compared on cost and risk",
             "round": "1", "format": "debate"}  # fmt: skip
    found = Laid(bus, *SEATS, table=table, **{**given, **fields})
    for slug, (role, viewpoint, profile, model, transport) in SEATS.items():
        seat = {
            "role": role,
            "viewpoint": viewpoint,
            "profile": profile,
            "model": model,
            "transport": transport,
        }
        usage = {
            "calls": 1,
            "input": 5200 + 311 * len(slug),
            "output": 900 + 77 * len(role),
            "cost_usd": 0.02 * len(slug),
        }
        tables.set_seat(found.door, table, slug, seat | {"usage": json.dumps(usage)})
    step = found.ask(TOPIC + " Answer for a team of six; the brief is in your context.", *SEATS)
    for slug, body in FIRST.items():
        found.reply(f"{step}/{slug}", body)
    tables.conclude(found.door, table, found.group, SYNTHESIS)
    step = found.ask(
        "Compare **refunds-only** with the job split of m4, on cost and on risk.",
        "contrarian",
        "skeptic",
        "systems",
    )
    for slug, body in SECOND.items():
        found.reply(f"{step}/{slug}", body)
    found.post("user", "Finance closes its books on the 28th; nothing may move in that week.")
    tables.drop_seat(
        found.door, table, "advocate", "three failures (claude: quota)", "[ERROR: advocate was dropped]"
    )
    for name, value in (("scores", SCORES), ("points", POINTS)):
        tables.note(found.door, table, "once", {"name": name, "value": json.dumps(value)})
    return found
