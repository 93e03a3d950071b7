"""Moments of a table, made by hand, for the tests of what is shown of it."""

from __future__ import annotations

from typing import Any

NOW = 10_000_000
TABLE = "rt-20261130-1412-billing"
Moment = dict[str, Any]


def seat(slug: str, **fields: str) -> Moment:
    """A seat; idle unless said otherwise."""
    basics = {"slug": slug, "state": "idle", "failures": "0", "profile": "rehearsal", "transport": "headless"}
    return basics | {"tmux": f"{TABLE}--{slug}"} | fields


def turn(slug: str, step: str = "m1", state: str = "open", **fields: str) -> Moment:
    """A turn that is 41 s old, and leased."""
    basics = {
        "id": f"{step}/{slug}", "step": step, "seat": slug, "state": state, "attempt": "1", "leased": "1", "upto": "1",
        "opened_at": str(NOW - 41_000), "started_at": str(NOW - 41_000), "deadline": str(NOW + 559_000),
        "timeout_ms": "600000", "round": "1",
    }  # fmt: skip
    if state == "answered":
        basics |= {"closed_at": str(NOW - 1_000), "reply_seq": "2", "answered_by": "1"}
    return basics | fields


def moment(seats: list[Moment], turns: list[Moment] | None = None, **fields: Any) -> Moment:
    """A table's snapshot; `table` among the fields changes the table's own."""
    table = {"id": TABLE, "topic": "Billing", "state": "open", "round": "1", "step": "m1"} | fields.pop(
        "table", {}
    )
    return {
        "table": table, "seats": seats, "turns": turns or [], "host": {}, "clock_ms": NOW, "head": 1, "cursor": 1,
        "unread": 0, "last_event": "1-0",
    } | fields  # fmt: skip


def message(seq: int, sender: str, body: str, kind: str = "reply", **fields: Any) -> Moment:
    """A message as records give it; of a reply the sender is a slug."""
    own = kind in ("reply", "late")
    return {
        "seq": seq, "from": f"participant/{sender}" if own else sender, "kind": kind, "round": 1,
        "turn": f"m1/{sender}" if own else "", "subject": "", "body": body, "sent_at": 1_796_047_920_000 + seq * 1000,
        "eligible_count": 3,
    } | fields  # fmt: skip
