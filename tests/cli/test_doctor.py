"""`rt doctor` on a real machine with real servers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rt_mailbox import directory
from rt_mailbox.addresses import group_of
from rt_mailbox.mailbox import Mailbox
from tests.cli.world import World, world_of_its_own  # noqa: F401 (fixture)
from tests.helpers import rt
from tests.integration.hosts_fixtures import Node


@pytest.fixture(name="lax")
def server_that_forgets(tmp_path: Path) -> Iterator[Node]:
    """A server of the user's own: everysec, evicts, nearly full, wants a password."""
    node = Node(
        tmp_path / "lax", "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--appendfsync", "everysec",
        "--maxmemory-policy", "allkeys-lru", "--requirepass", "hunter2",
    )  # fmt: skip
    node.url = f"redis://:hunter2@127.0.0.1:{node.port}/0"
    try:
        node.await_ready()
        yield node
    finally:
        node.kill()


def by_check(found: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Findings by what they are about."""
    return {one["check"]: one for one in found["findings"]}


def test_the_embedded_server_before_and_after_its_start(world: World) -> None:
    """Nothing is started to look; with a bus it says what a crash loses, and nothing fails."""
    found = by_check(world.json("doctor"))
    assert (found["server"]["level"], "none runs" in found["server"]["text"]) == ("ok", True)
    assert not world.json("bus", "status")["running"]
    world.json("bus", "start")
    found = by_check(world.json("doctor"))
    assert "loses nothing that was acknowledged" in found["durability"]["text"]
    assert "seats are scripted" in found.pop("agents")["text"], "there is no agent CLI on a test's PATH"
    assert {one["level"] for one in found.values()} == {"ok"}
    assert {"server", "durability", "memory", "disk", "tmux", "terminal", "rt", "home"} <= set(found)
    text = world.text("doctor")
    assert "ok    tmux" in text


def test_a_server_of_ones_own_is_told_apart(world: World, lax: Node) -> None:
    """S4.23: everysec and eviction are warnings with their fixes; a full memory names the largest tables; no password is shown."""
    table = "rt-20260102-0304-large"
    with Mailbox(lax.url, table) as box:
        box.create_group(group_of(table))
        box.add_member(group_of(table), "ann")
        for _ in range(8):
            box.send(group_of(table), "ann", "x" * 900_000)
        directory.write(box.door, "default", table, {"state": "open"})
    with lax.wire() as wire:  # not over the limit, or the server would delete the record at once
        used = int(wire.info("memory")["used_memory"])
        wire.ask("CONFIG", "SET", "maxmemory", str(int(used * 1.12)))
    facts = by_check(world.json("doctor", env={"RT_REDIS_URL": lax.url}))
    facts.pop("agents")
    assert {check: one["level"] for check, one in facts.items() if one["level"] != "ok"} == dict.fromkeys(
        ("durability", "eviction", "memory"), "warn"
    )
    assert "appendfsync always" in facts["durability"]["fix"]
    assert table in facts["memory"]["text"]
    assert "hunter2" not in str(facts)
    assert "disk" not in facts


@pytest.mark.full
def test_a_bus_that_does_not_answer_fails(world: World) -> None:
    """Exit 1, with the reason and the fix; the rest is looked at all the same."""
    for url in ("redis://:hunter2@127.0.0.1:1", "redis+cluster://:hunter2@127.0.0.1:1", "http://:hunter2@h"):
        done = rt("doctor", env={"RT_REDIS_URL": url}, cwd=world.work)
        assert done.returncode == 1, done
        assert "FAIL  bus" in done.stdout
        assert "tmux" in done.stdout
        assert "hunter2" not in done.stdout + done.stderr
