"""What a seat on its own screen is shown: the record when its session is new, what is new when it is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rt_mailbox import groups, tables
from tests.helpers import rt
from tests.integration.conftest import Seated
from tests.integration.seats import TABLE, Table, spec


def shown(table: Table, *words: str, **env: str) -> Any:
    """What the seat's own `rt` says."""
    own = {"RT_TABLE": TABLE, "RT_SEAT": "a", "RT_TOKEN_FILE": str(table.folder / "a.seat")}
    done = rt(*words, env=own | env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if "--json" in words else done.stdout


def seqs(found: Any) -> list[int]:
    return [message["seq"] for message in found["messages"]]


def test_a_new_session_is_shown_the_record(seated: Seated) -> None:
    """S1.24: the first turn of a session shows all that the seat may see, its own words too; later ones what is new."""
    table = seated({"a": spec(), "b": spec()})
    tables.set_seat(table.door, TABLE, "a", {"transport": "tui", "native_ready": "0", "native_session": "x"})
    table.ask("One?", "a")
    assert seqs(shown(table, "turn", "--json")) == [1]
    shown(table, "reply", "-m", "## Position\nfirst")
    seat = table.seat("a")
    assert (seat["native_ready"], seat["native_turn"], seat["native_upto"]) == ("1", "m1/a", "1")
    table.ask("Two?", "a")
    assert seqs(shown(table, "turn", "--json")) == [3]
    tables.set_seat(table.door, TABLE, "a", {"native_ready": "0"})
    assert seqs(shown(table, "turn", "--json")) == [1, 2, 3]
    tables.set_seat(table.door, TABLE, "a", {"fresh": "1"})
    assert seqs(shown(table, "turn", "--json")) == []


def test_a_long_record_is_shown_from_its_end(seated: Seated) -> None:
    """What is left out of a long record is named."""
    table = seated({"a": spec()})
    tables.set_seat(table.door, TABLE, "a", {"transport": "tui", "native_ready": "0"})
    for _ in range(3):
        groups.send(table.door, TABLE, table.group, "user", "x" * 10_000)
    table.ask("And now?", "a")
    found = shown(table, "turn", "--json")
    assert (seqs(found), found["left_out"]) == ([2, 3, 4], "m1–m1")
    assert "Left out here because it is long: m1–m1 (rt show m1)." in shown(table, "turn")


def test_the_hook_keeps_the_sessions_id(seated: Seated, tmp_path: Path) -> None:
    """S1.11: a CLI that names its own session tells it after its turn; what is no plain id, or no JSON, changes nothing."""
    table = seated({"a": spec(hook_session="thread-id")})
    for told in ("no json", '{"thread-id": "-x; rm"}', '{"thread-id": 5}', "[]", '{"other": "y"}'):
        shown(table, "seat", "hook", told)
    assert table.seat("a").get("native_session", "") == ""
    shown(table, "seat", "hook", '{"type": "agent-turn-complete", "thread-id": "0199-ab_c"}')
    assert table.seat("a")["native_session"] == "0199-ab_c"
