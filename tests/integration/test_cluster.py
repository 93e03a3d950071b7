"""A real cluster of three on loopback: one table is one slot, and each goes to its node."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from rt_config.errors import BusDownError, BusError
from rt_mailbox import directory, turns
from rt_mailbox.client import RedisDoor
from rt_mailbox.hot import HotDoor
from rt_mailbox.mailbox import Mailbox
from tests.helpers import eventually
from tests.integration.bus_fixtures import GROUP, IDEAS, lay
from tests.integration.hosts_fixtures import Cluster, cluster_of_three  # noqa: F401 (fixture)

SPACES = ("s1", "s2", "s3", "s4", "s5")  # in the slots of all three


@pytest.fixture(name="door")
def clusters_door(cluster: Cluster) -> Iterator[RedisDoor]:
    """The library's door to the cluster."""
    door = RedisDoor(cluster.url)
    yield door
    door.close()


def box_of(door: RedisDoor, space: str) -> Mailbox:
    """The group of this space, with ann and bob."""
    box = Mailbox("", space, door=door)
    box.create_group(IDEAS)
    for person in ("ann", "bob"):
        box.add_member(IDEAS, person)
    return box


def test_a_whole_exchange_in_several_slots(cluster: Cluster, door: RedisDoor) -> None:
    """S4.27: tables in the slots of every node: group, drain, turn, reply, wait and mail; nothing is declared twice."""
    assert {cluster.owner(f"rt:{{{space}}}").port for space in SPACES} == {n.port for n in cluster.nodes}
    for space in SPACES:
        table = lay(door, space)
        table.ask("a", "b")
        shown = turns.show(door, space, "a")
        assert shown is not None
        assert [m["kind"] for m in shown["messages"]] == ["intent"]
        table.reply("a", "An answer.")
        assert table.box.wait(GROUP, "moderator", 5)
        drained = table.box.drain(GROUP, "moderator")
        assert [(m.seq, m.kind) for m in drained.messages] == [(2, "reply")]
        assert drained.commit()
        assert not table.box.wait(GROUP, "moderator", 0.05)
        table.box.send_mail("agent-deck/x", "ann", "hello")
        (mail,) = table.box.recv("agent-deck/x")
        table.box.ack(mail.id, mail.lease)
        directory.write(door, "default", space, {"state": "open"})
    assert list(directory.entries(door, "default")) == list(SPACES)


def test_a_wait_blocks_at_the_right_node(cluster: Cluster, door: RedisDoor) -> None:
    """A blocked read in each node's slots is woken by a send of another client."""
    for space in SPACES[:3]:
        box_of(door, space + "w")
        timer = threading.Timer(0.1, Mailbox(cluster.url, space + "w").send, (IDEAS, "ann", "hello"))
        timer.start()
        assert box_of_wait(door, space + "w")
        timer.join()


def box_of_wait(door: RedisDoor, space: str) -> bool:
    """Bob waits."""
    return Mailbox("", space, door=door).wait(IDEAS, "bob", 10)


def test_scripts_are_loaded_again_at_each_node(cluster: Cluster, door: RedisDoor) -> None:
    """A node that forgot its scripts, as after a restart or a failover, gets them with the next call."""
    boxes = [box_of(door, space + "n") for space in SPACES[:3]]
    for node in cluster.nodes:
        node.ask("SCRIPT", "FLUSH")
    assert [box.send(IDEAS, "ann", "hello").seq for box in boxes] == [1, 1, 1]


def test_a_table_moves_to_another_node(cluster: Cluster, door: RedisDoor) -> None:
    """While its slot is moved nothing is done (a script must see the whole table); then it goes on where it is."""
    space, box = "moving", box_of(door, "moving")
    assert box.send(IDEAS, "ann", "before").seq == 1
    slot = str(cluster.nodes[0].ask("CLUSTER", "KEYSLOT", f"rt:{{{space}}}"))
    source = cluster.owner(f"rt:{{{space}}}")
    target = next(node for node in cluster.nodes if node is not source)
    names = {node: node.ask("CLUSTER", "MYID") for node in (source, target)}
    target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", names[source])
    source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", names[target])
    with pytest.raises(BusDownError, match="being moved"):
        box.send(IDEAS, "ann", "meanwhile")
    keys = source.ask("CLUSTER", "GETKEYSINSLOT", slot, "1000")
    assert source.ask("MIGRATE", "127.0.0.1", str(target.port), "", "0", "5000", "KEYS", *keys) == "OK"
    with pytest.raises(BusDownError, match="being moved"):
        box.send(IDEAS, "ann", "meanwhile")
    for node in (target, source, *cluster.nodes):
        node.ask("CLUSTER", "SETSLOT", slot, "NODE", names[target])
    assert box.send(IDEAS, "ann", "after").seq == 2
    assert [m.body for m in box.drain(IDEAS, "bob").messages] == ["before", "after"]
    assert eventually(lambda: cluster.owner(f"rt:{{{space}}}"), what="an owner") is target


@pytest.mark.parametrize("kind", [RedisDoor, HotDoor])
def test_a_plain_url_of_a_node_is_said_to_be_wrong(cluster: Cluster, kind: type[RedisDoor | HotDoor]) -> None:
    """It names the URL that is meant, instead of a redirection in the server's words."""
    space = next(s for s in SPACES if cluster.owner(f"rt:{{{s}}}") is not cluster.nodes[0])
    door = kind(cluster.nodes[0].url)
    with pytest.raises(BusError, match=r"redis\+cluster://"):
        door.script("group_create", space, IDEAS)
    door.close()


def test_a_dead_cluster_is_bus_down(cluster: Cluster) -> None:
    """Nothing is opened before it is needed; then it is bus_down as for any other server."""
    door = RedisDoor("redis+cluster://:hunter2@127.0.0.1:1,127.0.0.1:2")
    with pytest.raises(BusDownError, match=r"127\.0\.0\.1:1,127\.0\.0\.1:2") as caught:
        door.script("unread", "s", IDEAS, "ann", "", "")
    assert "hunter2" not in str(caught.value)
    door.close()
