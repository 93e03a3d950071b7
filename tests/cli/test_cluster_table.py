"""A whole table of `rt` on a real cluster: the light door hands over, everything else is as on any bus."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rt_mailbox.client import RedisDoor
from rt_mailbox.keys import key
from tests.cli.world import World, world_of_its_own  # noqa: F401 (fixture)
from tests.helpers import eventually, rt
from tests.integration.hosts_fixtures import Cluster, cluster_of_three  # noqa: F401 (fixture)


@pytest.fixture(name="on_cluster")
def world_on_the_cluster(world: World, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A world whose bus is the cluster."""
    monkeypatch.setenv("RT_REDIS_URL", cluster.url)
    yield world
    world.run("archive", "--without-synthesis", "--json")
    for session in world.sessions():
        world.run("deck", "remove", session)


@pytest.mark.full
@pytest.mark.timeout(120)
def test_a_table_on_a_cluster(on_cluster: World, cluster: Cluster) -> None:
    """S4.27: start, say, wait, drain, a seat's own commands, synthesis, end and archive over redis+cluster://."""
    world = on_cluster
    table = world.start("--seat", "a=rehearsal", "--seat", "b=rehearsal")
    assert world.json("wait", "--for", "all", "--timeout", "30")["ready"] is True
    assert [m["kind"] for m in world.json("drain")["messages"]] == ["reply", "reply"]
    world.json("say", "And now?", "--to", "a")
    assert world.json("wait", "--for", "all", "--timeout", "30")["ready"] is True
    assert world.json("read")["messages"][0]["kind"] == "reply"
    posted = world.json("post", "-m", "a note", "--key", "k")
    assert world.json("post", "-m", "a note", "--key", "k")["duplicate"] is True

    home = Path(os.environ["RT_HOME"])
    seat: dict[str, str | None] = {
        "RT_TABLE": table, "RT_SEAT": "b", "RT_TOKEN_FILE": str(home / "tables" / table / "b.seat"), "RT_REDIS_URL": None
    }  # fmt: skip
    assert json.loads(rt("turn", "--json", env=seat).stdout) == {"turn": None}
    seen = json.loads(rt("read", "--json", env=seat).stdout)["messages"]
    assert posted["seq"] in [m["seq"] for m in seen]
    assert json.loads(rt("post", "-m", "mine", "--json", env=seat).stdout)["seq"] == posted["seq"] + 1
    assert rt("wait", "--timeout", "0.1", env=seat).returncode == 3

    found = world.json("status")
    assert (found["state"], found["degraded"], found["host"]["alive"]) == ("awaiting_moderator", [], True)
    assert "loses nothing that was acknowledged" in world.json("bus", "status")["durability"]
    world.json("drain")
    world.json("synthesis", "-m", "In short: m2.")
    world.json("end", "--stop-met", "yes")
    world.json("archive")
    assert [one["table"] for one in world.json("list", "--archived")["tables"]] == [table]
    eventually(lambda: not world.processes(table), what="no process of the table")

    door = RedisDoor(cluster.url)
    owner, directory = (cluster.owner(name) for name in (key(table, "table"), key("default", "directory")))
    assert {owner.port, directory.port} <= {node.port for node in cluster.nodes}
    assert door.command("HGET", key(table, "table"), "state") == "archived"
    door.close()
