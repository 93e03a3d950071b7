"""status, list, events, set and the turn commands as a person or a script runs them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from typing import Any

import pytest

from rt_mailbox import tables, turns
from rt_mailbox.door import mapping
from rt_mailbox.keys import key
from tests.cli.laid import TABLE, Laid
from tests.cli.test_inspect_reading import error_of, read_json
from tests.helpers import BIN, Bus, eventually, rt


@pytest.fixture(name="laid")
def table_in_a_step(bus: Bus) -> Laid:
    """m1 asks two seats; builder has answered."""
    laid = Laid(bus, "builder", "skeptic", goal="a decision", stop_when="two options compared")
    step = laid.ask("Which cache?", "builder", "skeptic")
    laid.reply(f"{step}/builder", "None.")
    return laid


def test_status_says_who_does_what(laid: Laid) -> None:
    """S2.15, S4.8: state, round, each seat, unread, host, record, stop condition, in text and JSON."""
    tables.drop_seat(laid.door, TABLE, "skeptic", "quota\x1b[1m", "[ERROR: quota]")
    done = rt("status")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "DEGRADED: skeptic dropped: quota[1m"
    assert lines[2] == f"{TABLE}   awaiting moderator   round 1   goal: a decision"
    assert lines[-1] == (
        f"  unread 2: rt drain   host pid {os.getpid()}   record m1–m3   stop when: two options compared"
    )
    found = read_json("status")
    assert (found["state"], found["waiting"]["for"]) == ("awaiting_moderator", "moderator")
    assert found["host"] == {"alive": True, "pid": os.getpid()}
    assert [(seat["slug"], seat["state"]) for seat in found["seats"]] == [
        ("builder", "idle"),
        ("skeptic", "dropped"),
    ]
    assert found["degraded"] == [
        {
            "seat": "skeptic",
            "why": "dropped: quota\x1b[1m",
            "action": "check key and quota of rehearsal, then rt seat add skeptic=rehearsal",
        }
    ]
    assert [(turn["turn"], turn["outcome"]) for turn in found["turns"]] == [
        ("m1/builder", "answered"), ("m1/skeptic", "dropped"),
    ]  # fmt: skip
    assert found["record"] == {"messages": 3, "last_seq": 3}
    assert laid.unread() == 2


def test_which_table_is_meant(laid: Laid, bus: Bus) -> None:
    """S4.3: the only open one, else -t or RT_TABLE; several without a name, none, and unknown are errors."""
    assert error_of(rt("status", "-t", "rt-none", "--json")) == "unknown_table"
    other = Laid(bus, "a", table="rt-20260101-1300-other")
    done = rt("status", "--json")
    assert done.returncode == 2
    assert error_of(done) == "ambiguous_table"
    assert TABLE in done.stderr
    assert "rt-20260101-1300-other" in done.stderr
    assert read_json("status", env={"RT_TABLE": TABLE})["table"] == TABLE
    assert "rt drain -t" in rt("status", "-t", TABLE).stdout
    other.mark("ended")
    laid.mark("archived")
    assert error_of(rt("drain", "--json")) == "no_table"


def test_list_shows_tables_and_archived_ones_apart(laid: Laid, bus: Bus) -> None:
    """State, seats, unread and age; the archived ones on request."""
    Laid(bus, "a", table="rt-20260101-1300-other").mark("archived")
    text = rt("list").stdout
    assert text.split()[:2] == [TABLE, "debating"]
    assert re.search(r"   2 seats   unread 1   \d min.* old   Which cache\?\n", text)
    (row,) = read_json("list")["tables"]
    assert set(row) == {
        "table", "topic", "format", "mode", "state", "round", "seats", "unread", "age_seconds",
    }  # fmt: skip
    assert (row["table"], row["seats"], row["unread"]) == (TABLE, ["builder", "skeptic"], 1)
    (row,) = read_json("list", "--archived")["tables"]
    assert (row["table"], row["state"]) == ("rt-20260101-1300-other", "archived")


def test_events_by_seat(laid: Laid) -> None:
    """S2.27: one line each, or one object; an unknown seat is an error."""
    lines = rt("events", "--seat", "builder").stdout.splitlines()
    assert ["asked", "m1/builder"] in [line.split()[2:4] for line in lines]
    assert not any("skeptic" in line for line in lines)
    found = read_json("events")
    assert set(found) == {"table", "events"}
    assert found["events"][0]["type"] == "created"
    assert {"id", "type", "at"} <= set(found["events"][0])
    assert error_of(rt("events", "--seat", "nobody", "--json")) == "unknown_seat"


def test_events_follow_as_json_lines(laid: Laid) -> None:
    """One object a line, as things happen; ended by its reader."""
    seen: list[dict[str, Any]] = []
    command = [str(BIN / "rt"), "events", "--follow", "--json", "--seat", "skeptic"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = process.stdout
        reader = threading.Thread(target=lambda: seen.extend(map(json.loads, lines)), daemon=True)
        reader.start()
        try:
            eventually(lambda: [event for event in seen if event["type"] == "asked"], what="what was")
            laid.reply("m1/skeptic", "All of them.")
            eventually(lambda: seen[-1]["type"] == "replied" and seen[-1]["seq"] == 3, what="what comes")
        finally:
            process.terminate()
            reader.join(10)


def test_set_changes_all_fields_in_one_event(laid: Laid) -> None:
    """Validated first, then set at once, with what it means for what is open."""
    done = rt("set", "goal=another\x1b[1m", "turn-timeout=900", "budget-usd=2")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "goal: another[1m"
    assert "rt turn-extend" in done.stdout
    table = mapping(laid.door.command("HGETALL", key(TABLE, "table")))
    assert (table["goal"], table["turn_timeout"], table["budget_usd"]) == ("another\x1b[1m", "900", "2")
    assert read_json("set", "stop-when=") == {"table": TABLE, "set": {"stop-when": ""}}
    refused = rt("set", "goal=x", "access=all", "--json")
    assert refused.returncode == 2
    assert error_of(refused) == "bad_config"
    kinds = [event["type"] for event in tables.events(laid.door, TABLE)]
    assert kinds.count("set") == 2
    laid.mark("ended")
    assert error_of(rt("set", "goal=x", "-t", TABLE, "--json")) == "table_ended"


def test_turns_are_extended_and_cancelled_by_hand(laid: Laid) -> None:
    """More time, or none; what is closed, or never was, is an error."""
    found = read_json("turn-extend", "m1/skeptic", "900")
    assert set(found) == {"table", "turn", "state", "seconds_left"}
    assert 1400 < found["seconds_left"] <= 1500
    assert rt("turn-extend", "m1/skeptic").stdout.startswith(("m1/skeptic has 9:5", "m1/skeptic has 10:00"))
    assert rt("turn-cancel", "m1/skeptic").stdout == "m1/skeptic is cancelled.\n"
    assert error_of(rt("turn-cancel", "m1/skeptic", "--json")) == "turn_closed"
    assert error_of(rt("turn-extend", "m1/builder", "--json")) == "turn_closed"
    assert error_of(rt("turn-cancel", "m9/skeptic", "--json")) == "unknown_turn"
    late = turns.reply(laid.door, TABLE, "skeptic", "Too late.", turn="m1/skeptic")
    assert late["late"]
