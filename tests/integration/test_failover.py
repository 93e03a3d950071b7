"""A real failover on loopback: the master is killed with a tail that its replica never got, and a sentinel promotes the replica."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

from rt_config.errors import BusDownError
from rt_config.settings import Settings
from rt_mailbox import groups, server, server_status
from rt_mailbox.client import RedisDoor
from rt_mailbox.mailbox import Mailbox
from rt_mailbox.memory import KEEP, Memory
from rt_mailbox.patience import PatientDoor
from rt_mailbox.waiting import Watch, until
from tests.helpers import eventually
from tests.integration.bus_fixtures import GROUP, IDEAS, lay
from tests.integration.hosts_fixtures import Replicated, master_replica_sentinel  # noqa: F401 (fixture)

T = TypeVar("T")


def in_the_end(call: Callable[[], T]) -> T:
    """What a caller with an idempotency key does: again, until the bus is back."""

    def tried() -> tuple[T] | None:
        with contextlib.suppress(BusDownError):
            return (call(),)
        return None

    return eventually(tried, seconds=20, what="the bus after a failover")[0]


class Waiter(threading.Thread):
    """Bob's blocked wait in a process that is patient with its bus; `woken_at` is when it ended."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.door = PatientDoor(RedisDoor(url))
        self.woken_at = 0.0
        self._watch = Watch(self.door, "s", f"log {IDEAS}")

    def run(self) -> None:
        """Wait."""
        if until(self._watch, lambda: bool(groups.unread(self.door, "s", IDEAS, "bob")["unread"]), 30):
            self.woken_at = time.monotonic()
        self.door.close()


def send_all(box: Mailbox, numbers: Iterable[int]) -> list[tuple[int, bool]]:
    """Ann sends these, each with its key, until it is acknowledged: (seq, duplicate)."""
    sent = [in_the_end(lambda n=n: box.send(IDEAS, "ann", f"message {n}", key=f"k{n}")) for n in numbers]  # type: ignore[misc]
    return [(one.seq, one.duplicate) for one in sent]


@pytest.mark.timeout(90)
def test_a_failover_that_lost_the_tail(replicated: Replicated) -> None:
    """S4.23, S4.27: the client finds the new master; the lost range is told once; a table is degraded.

    Who sends again with a key is stored once, whether the first time survived or not, and who waited goes on waiting.
    """
    settings = Settings(redis_url=replicated.url)
    assert server.ensure(settings, lambda _line: None) == replicated.url
    assert server_status.status(settings).running
    box = Mailbox(replicated.url, "s")
    box.create_group(IDEAS)
    for person in ("ann", "bob"):
        box.add_member(IDEAS, person)
    table, memory = lay(box.door, "t"), Memory()
    table.ask("a", "b")
    send_all(box, range(5))
    box.drain(IDEAS, "bob").commit()

    replicated.synced()
    replicated.cut()
    assert send_all(box, range(5, 8)) == [(6, False), (7, False), (8, False)]
    box.drain(IDEAS, "bob").commit()
    table.reply("a", turn="m1/a")
    memory.look(box.door, "t", GROUP, wanted=KEEP)
    waiter = Waiter(replicated.url)
    waiter.start()
    replicated.fail_over()

    assert send_all(box, [7, 4]) == [(6, False), (5, True)]
    waiter.join(35)
    assert waiter.woken_at > 0
    drained = box.drain(IDEAS, "bob")
    assert (drained.lost, [(m.seq, m.body) for m in drained.messages]) == ("6-8", [(6, "message 7")])
    assert drained.commit()
    assert box.drain(IDEAS, "bob").lost == ""

    assert memory.look(box.door, "t", GROUP, wanted=KEEP) == "2-2"
    (event,) = table.events("history_lost")
    assert (event["from"], event["to"], table.turn("m1/a")["state"]) == ("2", "2", "open")
    assert table.reply("a", turn="m1/a")["duplicate"] == 0
    box.close()
