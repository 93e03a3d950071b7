"""`rt seat switch` while a table runs, and the same over MCP."""

from __future__ import annotations

import anyio
import pytest

from rt_mailbox import tables
from tests.cli.mcp_world import person
from tests.cli.shop import Shop
from tests.cli.world import ECHO, World, world_of_its_own  # noqa: F401 (fixture)
from tests.helpers import eventually

NAP = "cat >/dev/null; exec sleep 300"


def rungs(world: World, table: str) -> list[str]:
    return [one["rung"] for one in tables.events(world.door(), table) if one["type"] == "rung"]


def test_the_open_turn_goes_on_with_the_new_agent(world: World) -> None:
    """S2.22, S3.8: the next attempt of the same turn answers, once, with the record; no strike; the table names both."""
    nap = world.program("nap", NAP)
    agent = world.program("agent", f"cat > '{world.work}/prompt'; {ECHO} </dev/null")
    table = world.start("--seat", f"a={nap}", "--seat", "b=rehearsal", "--role", "a=Skeptic")
    eventually(lambda: world.processes("sleep 300"), what="the CLI hangs")
    before = world.snapshot(table)["seats"][0]
    found = world.json("seat", "switch", f"a={agent}")
    assert (found["seat"], found["profile"], found["transport"]) == ("a", "command", "headless")
    world.answered(table)
    assert world.turns(table) == {"m1/a": "answered", "m1/b": "answered"}
    assert [m["from"] for m in world.record(table, "reply")].count("participant/a") == 1
    assert rungs(world, table) == ["switched by hand"]
    assert not world.processes("sleep 300")
    after = world.snapshot(table)["seats"][0]
    assert (after["role"], after["person"], after["failures"]) == (before["role"], before["person"], "0")
    assert "Which cache?" in (world.work / "prompt").read_text()
    (told,) = world.json("status")["degraded"]
    assert "switched by hand from !" in told["why"]
    assert "nap" in told["why"]
    assert "rt seat switch" in told["action"]
    assert "switched by hand" in world.text("status")


@pytest.mark.full
def test_an_idle_seat_answers_the_next_question_with_its_new_agent(world: World) -> None:
    """S3.8: two seats of one family are named; the switch back counts as one, too; nothing is asked meanwhile."""
    agent = world.program("agent", ECHO)
    table = world.start("--seat", f"a={agent}", "--seat", "b=rehearsal")
    world.answered(table)
    found = world.json("seat", "switch", "a=rehearsal:agree")
    assert "now of one family with b" in found["degraded"]
    world.json("say", "And now?", "--to", "a")
    world.answered(table)
    assert "rehearsal" in world.record(table, "reply")[-1]["body"]
    assert rungs(world, table) == []
    assert world.json("status")["seats"][0]["requested_model"] == "agree"


def sits(world: World, table: str) -> list[dict[str, str]]:
    """What a switch would change; what its runner still writes about the last call is not part of it."""
    names = ("slug", "profile", "model", "effort", "transport", "spec", "command", "state", "switched")
    return [{name: seat.get(name, "") for name in names} for seat in world.snapshot(table)["seats"]]


def test_what_cannot_sit_there_changes_nothing(world: World) -> None:
    """S3.8: the same agent, an unknown seat, a missing CLI and a failed check are refused, and the seat stays as it was."""
    shop = Shop(world)
    shop.install("keyless", "cat >/dev/null; echo 'not signed in' >&2; exit 1")
    table = world.start("--seat", "a=rehearsal")
    world.answered(table)
    before = sits(world, table)
    assert world.refused("seat", "switch", "a=rehearsal", exit_code=2) == "bad_config"
    assert world.refused("seat", "switch", "x=rehearsal:agree") == "unknown_seat"
    assert world.refused("seat", "switch", "a=keyless") == "cli_missing"
    path = {"PATH": shop.path}
    assert world.refused("seat", "switch", "a=keyless", "--check", env=path) == "checks_failed"
    assert sits(world, table) == before
    assert world.json("status")["degraded"] == []


@pytest.mark.full
def test_seats_and_turns_over_mcp(world: World) -> None:
    """S2.22, S4.23: add, switch, restart, log, drop, turn-cancel and turn-extend, each the twin of its command."""
    nap = world.program("nap", NAP)
    table = world.start("--seat", f"a={nap}")

    async def all_of_them() -> None:
        async with person(world.work) as me:
            late = await me.call("roundtable_seat_add", seat="b=rehearsal", role="Builder")
            assert (late["table"], late["person"]) == (table, "participant/b")
            more = await me.call("roundtable_turn_extend", turn="m1/a", seconds=1000)
            assert more["seconds_left"] > 1000
            assert (await me.call("roundtable_turn_cancel", turn="m1/a"))["state"] == "cancelled"
            assert await me.refused("roundtable_turn_cancel", turn="m1/a") == "turn_closed"
            moved = await me.call("roundtable_seat_switch", seat="a=rehearsal")
            assert moved["degraded"].startswith("switched by hand from !")
            assert (await me.call("roundtable_seat_restart", slug="b"))["seat"] == "b"
            assert isinstance((await me.call("roundtable_seat_log", slug="b"))["lines"], list)
            assert (await me.call("roundtable_seat_drop", slug="b"))["dropped"] is True
            assert [d["seat"] for d in (await me.call("roundtable_status"))["degraded"]] == ["a", "b"]

    anyio.run(all_of_them)
    world.json("say", "Well?")
    world.answered(table)
    assert [m["from"] for m in world.record(table, "reply")] == ["participant/a"]
