"""A person steers a running format: what is said is in the record at once and in the next step once, whoever is dead meanwhile."""

from __future__ import annotations

import re

import anyio
import pytest

from rt_mailbox.keys import key
from tests.cli.mcp_world import person
from tests.cli.world import World
from tests.helpers import eventually

TWO = ["--seat", "a=rehearsal:agree", "--seat", "b=rehearsal:dissent"]
STEPS = "## Agreements\n- Both answered (m2, m3).\n\n## Next questions\n- Who pays?\n"


def dead(world: World) -> None:
    """Nothing but the bus lives: host, seats and tmux are killed, at once."""
    for process in world.processes():
        if not {"redis", "valkey"} & set(re.findall("redis|valkey", process.name())):
            process.kill()
    eventually(lambda: not world.processes("rt", "host"), what="the host is gone")


def requests(world: World, table: str, step: str) -> list[str]:
    """What the seats were asked in a step, once it is there."""
    found = eventually(
        lambda: [turn["request"] for turn in world.snapshot(table)["turns"] if turn["step"] == step],
        seconds=30, what=step,
    )  # fmt: skip
    assert len(found) == 2
    return found


@pytest.mark.full
def test_what_is_said_between_two_steps_reaches_the_next_one_once(world: World) -> None:
    """S1.8, S1.19, S2.25: say, a note, post as the user, MCP, and a steer at a gate that waited without a process: each once, in every request."""
    table = world.start(*TWO, "--format", "table")
    world.json("wait", "--for", "gate", "--timeout", "30")
    said = world.json("say", "Mind the invoices.")
    assert (said["asked"], said["next_step"]) == ([], True)
    assert world.record(table)[-1]["body"] == "Mind the invoices."  # before it was acknowledged
    dead(world)
    kept = (world.base / "h" / "tables" / table / "transcript.md").read_text()
    assert "## Round 1" in kept
    assert kept.count("## Position") == 2  # of a killed run every finished round
    world.json("post", "-m", "Customers ask me daily.", "--as", "user", "-t", table)
    assert world.json("synthesis", "--file", "-", stdin=STEPS)["seq"]
    assert world.json("wait", "--for", "gate", "--timeout", "30")["ready"]
    dead(world)
    status = world.snapshot(table)["table"]
    assert (status["phase"], status["gate"]) == ("awaiting_moderator", "r1.gate")

    async def over_mcp() -> None:
        async with person(world.work) as me:
            await me.call("roundtable_say", text="The board meets in May.", note=True)

    anyio.run(over_mcp)
    decided = world.json("decide", "steer", "What would it cost?")
    assert world.record(table)[decided["seq"] - 1]["body"] == "What would it cost?"
    second = requests(world, table, "r2")
    for text in (
        "Mind the invoices.",
        "Customers ask me daily.",
        "The board meets in May.",
        "What would it cost?",
    ):
        assert [request.count(text) for request in second] == [1, 1], text
    world.json("wait", "--for", "gate", "--timeout", "20")
    world.json("synthesis", "--file", "-", stdin=STEPS)
    world.json("wait", "--for", "gate", "--timeout", "30")
    world.json("decide", "continue")
    assert not any("invoices" in request for request in requests(world, table, "r3"))


@pytest.mark.full
def test_an_upgrade_that_renamed_a_step_is_said_and_goes_on_by_hand(world: World) -> None:
    """Replay meets another step: status, run and wait say format_changed; resume --as-open: say, drain, synthesis and end work."""
    how = ["--format", "table", *TWO, "--moderator", "rehearsal"]
    table = world.start(*TWO, "--format", "table", topic="Rename?")
    world.json("wait", "--for", "gate", "--timeout", "30")
    journal = key(table, "journal")
    line = world.door().command("HGET", journal, "r1")
    world.door().command("HSET", journal, "opening", line)  # as an older version called it
    world.door().command("HDEL", journal, "r1")
    world.host(table).kill()
    world.json("status")  # brings the host back
    world.json("wait", "--for", "gate", "--timeout", "30")
    status = world.json("status")
    assert status["stop_reason"].startswith("format_changed: ")
    assert "recorded" in status["stop_reason"]
    assert status["waiting"]["reason"].endswith(f"rt resume {table} --as-open")
    assert f"rt resume {table} --as-open" in world.text("status")
    followed = world.run("run", "Rename?", *how)
    assert followed.returncode == 1
    assert f"rt resume {table} --as-open     go on by hand" in followed.stdout
    assert len(world.record(table, "reply")) == 2  # readable, and nothing more was asked
    world.json("resume", table, "--as-open")
    assert world.json("say", "Go on by hand.")["asked"] == ["a", "b"]
    world.json("wait", "--for", "all", "--timeout", "30")
    assert world.json("drain")["messages"][-1]["kind"] == "reply"
    world.json("synthesis", "--file", "-", stdin="Both answered twice (m2, m3).")
    assert world.json("end")["state"] == "ended"
