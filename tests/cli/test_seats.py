"""Who sits at a table while it runs: seat add, restart, drop, log; turn-cancel, turn-extend."""

from __future__ import annotations

import pytest

from tests.cli.world import ECHO, World
from tests.helpers import eventually

NAP = "cat >/dev/null; exec sleep 300"


@pytest.mark.full
def test_a_seat_comes_late(world: World) -> None:
    """S4.21: a seat that is added sees the whole record, is asked with the next question, and is nobody's twin."""
    table = world.start("--seat", "a=rehearsal")
    world.answered(table)
    agent = world.program("agent", f'cat > "$RT_HOME/prompt"; {ECHO} </dev/null')
    found = world.json("seat", "add", f"late={agent}", "--role", "Ops", "--viewpoint", "night")
    assert (found["person"], found["session"]) == ("participant/late", f"roundtable-{table}-late")
    assert world.refused("seat", "add", "late=rehearsal") == "seat_exists"
    assert world.refused("seat", "add", "x=nothing", exit_code=2) == "unknown_profile"
    assert world.refused("seat", "add", "a--b=rehearsal", exit_code=2) == "bad_slug"
    assert world.refused("seat", "add", "x=rehearsal", "--cwd", "/no/such", exit_code=2) == "workdir_missing"
    world.json("say", "Welcome?")
    world.answered(table)
    assert [m["from"] for m in world.record(table, "reply")].count("participant/late") == 1
    prompt = (world.base / "h" / "prompt").read_text()
    assert "m2 · participant/a" in prompt
    assert "Ops" in prompt


def test_a_seat_is_restarted_by_hand(world: World) -> None:
    """S4.22: a restart gives a new session and no strike; the open turn goes on in it and is answered once."""
    agent = world.program("agent", f"if mkdir '{world.work}/first'; then {NAP}; fi; {ECHO}")
    table = world.start("--seat", f"a={agent}")
    eventually(lambda: world.processes("sleep 300"), what="the CLI hangs")
    found = world.json("seat", "restart", "a")
    assert found["session"] == f"roundtable-{table}-a"
    world.answered(table)
    assert world.turns(table) == {"m1/a": "answered"}
    assert not world.processes("sleep 300")
    assert world.json("status")["seats"][0]["failures"] == 0
    assert world.json("status")["degraded"] == []
    assert world.refused("seat", "restart", "nobody") == "unknown_seat"


def test_a_seat_is_dropped_by_hand(world: World) -> None:
    """S4.23: a dropped seat's open turn closes, its CLI ends, it is asked no more, and the table says it is degraded."""
    nap = world.program("nap", NAP)
    table = world.start("--seat", f"a={nap}", "--seat", "b=rehearsal")
    eventually(lambda: world.processes("sleep 300"), what="the CLI hangs")
    assert world.json("seat", "drop", "a")["dropped"] is True
    assert world.turns(table)["m1/a"] == "dropped"
    assert world.json("seat", "drop", "a")["dropped"] is False
    eventually(lambda: not world.processes("sleep 300"), what="the CLI is gone")
    assert world.json("say", "Who is left?")["asked"] == ["b"]
    assert world.refused("say", "x", "--to", "a") == "unknown_seat"
    world.answered(table)
    assert [gone["seat"] for gone in world.json("status")["degraded"]] == ["a"]
    assert "ERROR" in world.record(table, "system")[0]["body"]
    world.json("seat", "add", "a=rehearsal")
    world.json("say", "Again?", "--to", "a")
    world.answered(table)
    assert world.record(table, "reply")[-1]["from"] == "participant/a"
    assert world.refused("seat", "drop", "nobody") == "unknown_seat"


@pytest.mark.full
def test_the_last_seat_is_dropped(world: World) -> None:
    """Without a live seat there is nobody to ask; a note is still taken."""
    table = world.start("--seat", "a=rehearsal")
    world.answered(table)
    world.json("seat", "drop", "a")
    assert world.refused("say", "x") == "no_seats"
    assert world.json("say", "x", "--note")["seq"] == 3


@pytest.mark.full
def test_a_seats_screen(world: World) -> None:
    """S4.23: `seat log` shows what a seat printed, without control characters; a session that is gone is named."""
    loud = world.program("loud", "cat >/dev/null; printf 'hello \\033[31mred\\033[0m \\007\\n'")
    table = world.start("--seat", f"a={loud}")
    world.answered(table)
    text = world.text("seat", "log", "a")
    assert "hello" in text
    assert not set(text) & {"\x1b", "\x07"}
    assert any("hello" in line for line in world.json("seat", "log", "a", "--lines", "40")["lines"])
    assert world.refused("seat", "log", "nobody") == "unknown_seat"
    world.json("archive", "--without-synthesis")
    assert world.refused("seat", "log", "a", "-t", table) == "session_gone"


@pytest.mark.full
def test_turns_are_cancelled_and_extended(world: World) -> None:
    """S4.23: a turn cancelled by hand closes without a strike and ends its CLI; an extended one gets more time."""
    nap = world.program("nap", f"if mkdir '{world.work}/first'; then {NAP}; fi; {ECHO}")
    table = world.start("--seat", f"a={nap}", "--turn-timeout", "100")
    eventually(lambda: world.processes("sleep 300"), what="the CLI hangs")
    assert 390 < world.json("turn-extend", "m1/a", "300")["seconds_left"] <= 400
    assert 95 < world.json("turn-extend", "m1/a")["seconds_left"] <= 100
    assert world.json("turn-cancel", "m1/a")["state"] == "cancelled"
    assert world.refused("turn-cancel", "m1/a") == "turn_closed"
    assert world.refused("turn-extend", "m1/a", "5") == "turn_closed"
    assert world.refused("turn-cancel", "m9/a") == "unknown_turn"
    eventually(lambda: not world.processes("sleep 300"), what="the CLI is gone")
    world.json("say", "And now?")
    world.answered(table)
    assert world.turns(table) == {"m1/a": "cancelled", "m2/a": "answered"}
    assert world.json("status")["seats"][0]["failures"] == 0
