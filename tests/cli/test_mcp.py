"""`rt mcp` and `rt mcp --light` as agents have them: real processes on stdio."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from rt_mailbox import endpoint, tables
from rt_moderator import seating
from tests.cli.laid import Laid
from tests.cli.mcp_world import Light, Person, person
from tests.cli.world import ECHO, World
from tests.helpers import BIN, Bus

GROUP = "group/ideas"
SIX = {f"roundtable_{name}" for name in ("turn", "reply", "read", "post", "show", "wait")}


async def leases(me: Person) -> None:
    """A connection is told of the leases it holds with their tokens, and gets new mail beside those it names."""
    for text in ("one", "two"):
        await me.call("mailbox_send", to_address="agent-deck/notes", subject=text, body=text)
    await me.call("mailbox_bind", addresses=["agent-deck/notes"])
    first = (await me.call("mailbox_recv"))["delivery"]
    assert first["body"] == "one"
    active = await me.call("mailbox_recv")
    assert (active["status"], active["claimed_delivery_ids"]) == (
        "active_leases",
        [first["delivery_id"]],
    )
    assert active["leases"][0]["lease_token"] == first["lease_token"]
    more = await me.call("mailbox_recv", known_delivery_ids=[first["delivery_id"]], max=5)
    assert [one["body"] for one in more["messages"]] == ["two"]
    for one in (first, *more["messages"]):
        settle = {"delivery_id": one["delivery_id"], "lease_token": one["lease_token"]}
        await me.call("mailbox_release", **settle)
        assert await me.refused("mailbox_ack", **settle) == "lease_lost"
    assert await me.refused("mailbox_ack", delivery_id="d00000001") == "usage"
    both = await me.call("mailbox_recv", max=10)
    hows: list[dict[str, Any]] = [{"seconds": 60}, {"reason": "no"}]
    for one, tool, how in zip(both["messages"], ("defer", "fail"), hows, strict=True):
        settle = {"delivery_id": one["delivery_id"], "lease_token": one["lease_token"]}
        await me.call(f"mailbox_{tool}", **settle, **how)
    with anyio.move_on_after(0.3):  # while one waits, the others are served
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: me.call("mailbox_wait", addresses=["agent-deck/nobody"]))
            assert (await me.call("mailbox_status"))["bound_addresses"] == ["agent-deck/notes"]
    seen = await me.client.read_resource("mailbox://bound/overview")
    assert seen.contents


async def groups(me: Person) -> None:
    """Several messages at once, forward and read by id; what is refused has its error_code."""
    group = {"group_address": GROUP}
    assert await me.refused("mailbox_group_members", **group) == "unknown_group"
    await me.call("mailbox_group_create", **group)
    assert await me.refused("mailbox_group_create", **group) == "group_exists"
    for name in ("ann", "bob"):
        await me.call("mailbox_group_add_member", **group, person=name)
    for text in ("one", "two"):
        await me.call("mailbox_send", to_address=GROUP, group=True, as_person="ann", body=text)
    asked = {"addresses": [GROUP], "as_person": "bob"}
    assert (await me.call("mailbox_wait", **asked, timeout=1))["unread"] == 2
    got = await me.call("mailbox_recv", **asked, max=10)
    assert ([one["body"] for one in got["messages"]], got["has_more"]) == (["one", "two"], False)
    assert (await me.call("mailbox_recv", **asked))["status"] == "no_message"
    assert (await me.call("mailbox_wait", **asked, timeout=0))["status"] == "no_message"
    sent = await me.call("mailbox_forward", message_id=f"{GROUP}/m2", to_address="agent-deck/other")
    items = (await me.call("mailbox_read", delivery_ids=[sent["delivery_id"]]))["items"]
    assert [one["body"] for one in items] == ["two"]
    assert (await me.call("mailbox_read", message_ids=[f"{GROUP}/m1"]))["items"][0]["body"] == "one"
    await me.call("mailbox_group_remove_member", **group, person="bob")
    people = (await me.call("mailbox_group_members", **group))["memberships"]
    assert [(one["person"], one["active"]) for one in people] == [("ann", True), ("bob", False)]
    await me.call("mailbox_group_add_subscriber", **group, notify_address="agent-deck/x", person="ann")
    assert len((await me.call("mailbox_group_subscribers", **group))["subscribers"]) == 1
    await me.call("mailbox_group_remove_subscriber", **group, notify_address="agent-deck/x")
    assert await me.refused("mailbox_send", to_address=GROUP, body="x", colour="red") == "usage"


async def test_mail_and_groups_over_mcp(world: World) -> None:
    """S4.15, S2.9: leases of a connection, groups by person; a wait disturbs nobody and ends when it is cancelled."""
    async with person(world.work) as me:
        await groups(me)
        await leases(me)


async def test_a_table_over_mcp(world: World) -> None:
    """S4.13: a whole table by tools alone: plan, start, wait, drain, show, say, synthesis, end, resume, archive."""
    seat = f"a={world.program('echo', ECHO)}"
    async with person(world.work) as me:
        asked = {"topic": "Which cache?", "seats": [seat], "stop_when": "one is left"}
        plan = await me.call("roundtable_start", **asked, dry_run=True)
        assert [one["slug"] for one in plan["seats"]] == ["a"]
        assert (await me.call("roundtable_list"))["tables"] == []
        table = {"table": (await me.call("roundtable_start", **asked))["table"]}
        assert (await me.call("roundtable_start", **asked))["duplicate"] is True
        waited = await me.call("roundtable_wait", **{"for": "all", "timeout": 20})
        assert waited["ready"] is True
        unread = json.loads((await me.client.read_resource("roundtable://unread")).contents[0].text)  # type: ignore[union-attr]
        assert [one["unread"] for one in unread["tables"]] == [1]
        got = await me.call("roundtable_drain", **table)
        assert [one["kind"] for one in got["messages"]] == ["reply"]
        assert (await me.call("roundtable_drain"))["messages"] == []
        reply = got["messages"][0]["id"]
        assert (await me.call("roundtable_show", messages=[reply]))["messages"][0]["body"]
        assert (await me.call("roundtable_say", text="a note", note=True))["asked"] == []
        assert await me.refused("roundtable_synthesis", text="as m99 says") == "unknown_citation"
        said = await me.call("roundtable_synthesis", text="It is settled: m2.")
        assert (said["round"], said["stop_condition"]) == (2, "one is left")
        assert (await me.call("roundtable_status"))["state"] == "awaiting_moderator"
        assert (await me.call("roundtable_search", text="settled"))["matches"]
        assert "It is settled" in (await me.call("roundtable_transcript"))["text"]
        assert (await me.call("roundtable_end", stop_met=True))["stop_met"] == "yes"
        assert (await me.call("roundtable_resume"))["seats"] == {"a": "running"}
        assert (await me.call("roundtable_end", without_synthesis=True))["state"] == "ended"
        assert (await me.call("roundtable_archive", **table))["state"] == "archived"
        assert world.sessions() == []


@pytest.mark.parametrize(
    ("asked", "given"), [("2025-06-18", "2025-06-18"), ("2027-01-01", "2027-01-01"), ("soon", "2025-11-25")]
)
def test_the_light_server_greets_in_the_clients_version(asked: str, given: str, rt_home: Path) -> None:
    """What is dated is spoken, anything else is answered with a version of ours; it ends with its stdin."""
    with Light({}, rt_home.parent) as light:
        greeting = light.ask("initialize", {"protocolVersion": asked, "capabilities": {}})["result"]
        assert (greeting["protocolVersion"], greeting["capabilities"]) == (given, {"tools": {}})
        light.send("notifications/initialized")
        assert light.ask("ping")["result"] == {}


def test_the_light_server_speaks_the_protocol(rt_home: Path) -> None:
    """It lists six tools and refuses what it does not know, each with the protocol's code."""
    with Light({}, rt_home.parent) as light:
        assert {one["name"] for one in light.ask("tools/list")["result"]["tools"]} == SIX
        assert light.ask("server/discover")["error"]["code"] == -32601
        assert light.ask("tools/call", {"name": "mailbox_send"})["error"]["code"] == -32602
        broken = light.ask("tools/call", {"name": "roundtable_post", "arguments": {"text": "x"}})["result"]
        assert broken["isError"]
        assert json.loads(broken["content"][0]["text"])["error_code"] == "usage"
        assert "structuredContent" not in broken  # clients hold it against the tool's type
        light.write(b"[1]")
        assert light.read()["error"]["code"] == -32600
        light.write(b"{")
        assert light.read()["error"]["code"] == -32700


@pytest.fixture(name="laid")
def laid_table(bus: Bus) -> Laid:
    """A table with two seats that nobody sits in."""
    return Laid(bus, "a", "b")


def test_a_seat_answers_over_the_light_server(laid: Laid, bus: Bus, rt_home: Path) -> None:
    """A wait is answered when the turn opens while other calls are served, a read marks, a reply closes; a cancelled wait is silent."""
    sha = seating.token(laid.table, "a", bus.url)
    tables.set_seat(laid.door, laid.table, "a", {"token_sha": sha})
    seat = {"RT_TABLE": laid.table, "RT_SEAT": "a", "RT_TOKEN_FILE": str(seating._seat_file(laid.table, "a"))}
    with Light(seat, rt_home.parent) as light:
        wait = {"name": "roundtable_wait", "arguments": {}}
        light.send("tools/call", wait, key="long")
        assert light.call("roundtable_turn") == {"turn": None}
        laid.post("moderator", "mind the cost")
        assert [one["body"] for one in light.call("roundtable_read")["messages"]] == ["mind the cost"]
        assert light.call("roundtable_read")["messages"] == []
        assert laid.unread("participant/a") == 0
        assert light.call("roundtable_post", body="a note", key="k")["duplicate"] is False
        assert light.call("roundtable_post", body="a note", key="k")["duplicate"] is True
        assert light.call("roundtable_show", messages=["m1"])["messages"][0]["body"] == "mind the cost"
        light.send("notifications/cancelled", {"requestId": "long"})
        assert light.ask("ping")["result"] == {}  # the cancel was heard
        laid.ask("Which cache?", "a")
        light.send("tools/call", wait, key="next")
        assert light.read()["id"] == "next"
        turn = light.call("roundtable_turn")
        assert turn["request"] == "Which cache?"
        assert light.call("roundtable_reply", body="## Position\nThe small one.")["turn"] == turn["turn"]


@pytest.mark.parametrize(("words", "tool"), [(("mcp", "--light"), "read"), (("mcp",), "drain")])
def test_a_closed_pipe_loses_nothing(
    words: tuple[str, ...], tool: str, laid: Laid, bus: Bus, rt_home: Path
) -> None:
    """What could not be written whole is not marked as read, by either server."""
    endpoint.write_endpoint(bus.settings, bus.url)
    laid.post("participant/a", "hello")
    server = Light({}, rt_home.parent, words)
    assert server.process.stdin is not None
    assert server.process.stdout is not None
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    server.ask("initialize", hello)
    server.send("notifications/initialized")
    server.process.stdout.close()
    server.send("tools/call", {"name": f"roundtable_{tool}", "arguments": {}}, key=2)
    assert server.process.wait(20) == 1  # with its stdin still open
    server.process.stdin.close()
    assert laid.unread() == 1


def test_in_a_seat_only_the_light_server_works(world: World) -> None:
    """The other one answers not_in_a_seat."""
    seat = {"RT_TABLE": "rt-20260101-1200-cache", "RT_SEAT": "a"}
    assert world.refused("mcp", env=seat, exit_code=2) == "not_in_a_seat"


def test_the_light_server_has_loaded_nothing_heavy() -> None:
    """What a seat pays for is the standard library's JSON and the hot door."""
    code = "import sys, rt_moderator.main, rt_participant.mcp_light; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"mcp", "redis", "pydantic", "click", "asyncio", "anyio", "threading", "pathlib", "typing"}
    assert heavy & set(found.stdout.split()) <= _of_the_interpreter()


def _of_the_interpreter() -> set[str]:
    code = "import sys; print(*sys.modules)"
    return set(
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
    )


def test_the_light_server_greets_soon(rt_home: Path) -> None:
    """It answers initialize within eight bare interpreter starts, process start included; medians of interleaved runs."""
    line = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}\n'
    bare, ours = [], []
    for _ in range(9):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        bare.append(time.perf_counter() - began)
        began = time.perf_counter()
        with subprocess.Popen(
            [BIN / "rt", "mcp", "--light"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as one:
            assert one.stdin is not None
            assert one.stdout is not None
            one.stdin.write(line)
            one.stdin.flush()
            assert b'"serverInfo"' in one.stdout.readline()
            ours.append(time.perf_counter() - began)
            one.stdin.close()
    assert statistics.median(ours) <= 8 * statistics.median(bare), (ours, bare)
