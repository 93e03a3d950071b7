"""Reading: bounds, what is left, the cursor that moves only after the output, crashes, failovers, waiting."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import pytest

from rt_mailbox import groups, keys
from rt_mailbox.mailbox import Mailbox
from tests.helpers import eventually
from tests.integration.bus_fixtures import (
    GROUP,
    IDEAS,
    Table,
    fresh_space,  # noqa: F401 (fixtures)
    ideas,  # noqa: F401
    laid_table,  # noqa: F401
    library_door,  # noqa: F401
    module_server,  # noqa: F401
)

_DRAINER = """
import sys
from rt_mailbox import groups
from rt_mailbox.hot import HotDoor
url, space, group, person = sys.argv[1:]
door = HotDoor(url)
found = groups.read(door, space, group, person, most=3)
print(*(m["seq"] for m in found["messages"]), flush=True)
sys.stdin.readline()
groups.commit(door, space, group, person, found["receipt"])
"""


def fill(box: Mailbox, bodies: list[str]) -> None:
    """Send these as ann."""
    for body in bodies:
        box.send(IDEAS, "ann", body)


def _cursor(box: Mailbox, person: str) -> int:
    return int(box.door.command("HGET", keys.key(box.space, "cursors", IDEAS), person))


def test_a_drain_gives_a_hundred_messages_and_says_how_many_are_left(box: Mailbox) -> None:
    """S4.5: at most 100 at a time by default, oldest first; unread_left counts the rest; nothing is lost in between."""
    fill(box, ["hello"] * 230)
    taken, left = [], []
    while (drained := box.drain(IDEAS, "bob")).messages:
        taken.append([m.seq for m in drained.messages])
        left.append(drained.unread_left)
        drained.commit()
    assert [len(part) for part in taken] == [100, 100, 30]
    assert [seq for part in taken for seq in part] == list(range(1, 231))
    assert left == [130, 30, 0]


def test_a_drain_gives_twenty_four_thousand_characters(box: Mailbox) -> None:
    """By default bodies of at most 24,000 characters in all, however many bytes they are."""
    fill(box, ["ä" * 8_000] * 4)
    drained = box.drain(IDEAS, "bob")
    assert ([m.seq for m in drained.messages], drained.unread_left) == ([1, 2, 3], 1)
    drained.commit()
    assert [m.seq for m in box.drain(IDEAS, "bob").messages] == [4]


def test_a_drain_gives_at_least_one_message_uncut(box: Mailbox) -> None:
    """A body longer than the bound comes alone and whole."""
    fill(box, ["x" * 30_000, "y"])
    drained = box.drain(IDEAS, "bob")
    assert ([len(m.body) for m in drained.messages], drained.unread_left) == ([30_000], 1)


def test_without_bounds_everything_comes(box: Mailbox) -> None:
    """max_messages 0 and max_chars 0 mean no bound, over many pages."""
    fill(box, ["x" * 1_000] * 130)
    drained = box.drain(IDEAS, "bob", max_messages=0, max_chars=0, page=7)
    assert ([m.seq for m in drained.messages], drained.unread_left) == (list(range(1, 131)), 0)


def test_unread_left_skips_own_messages(box: Mailbox) -> None:
    """What is left counts other people's messages only, and a commit at the end moves over own ones."""
    for person in ("ann", "bob", "ann", "bob", "bob"):
        box.send(IDEAS, person, "hello")
    drained = box.drain(IDEAS, "bob", max_messages=1)
    assert ([m.seq for m in drained.messages], drained.unread_left) == ([1], 1)
    drained.commit()
    drained = box.drain(IDEAS, "bob", max_messages=1)
    assert ([m.seq for m in drained.messages], drained.unread_left) == ([3], 0)
    drained.commit()
    assert _cursor(box, "bob") == 5


def test_nothing_is_marked_before_the_commit(box: Mailbox) -> None:
    """A drain without commit, a peek and a history leave everything unread; a commit marks it once."""
    fill(box, ["one", "two"])
    drained = box.drain(IDEAS, "bob")
    box.peek(IDEAS, "bob")
    list(box.history(IDEAS, "bob"))
    assert box.unread(IDEAS, "bob") == 2
    assert (drained.commit(), drained.commit()) == (True, False)
    assert box.unread(IDEAS, "bob") == 0


def test_a_commit_marks_only_what_was_taken(box: Mailbox) -> None:
    """What arrives between the drain and its commit stays unread."""
    fill(box, ["one"])
    drained = box.drain(IDEAS, "bob")
    fill(box, ["two"])
    drained.commit()
    assert [m.body for m in box.drain(IDEAS, "bob").messages] == ["two"]


def test_a_cursor_never_moves_back(box: Mailbox) -> None:
    """Of two readers of one person the slower commit changes nothing."""
    fill(box, ["one", "two"])
    slow = box.drain(IDEAS, "bob", max_messages=1)
    fast = box.drain(IDEAS, "bob")
    assert (fast.commit(), slow.commit()) == (True, False)
    assert box.unread(IDEAS, "bob") == 0


def test_cursors_are_one_per_person(box: Mailbox) -> None:
    """What bob has read is unread to cy."""
    fill(box, ["one"])
    box.drain(IDEAS, "bob").commit()
    assert (box.unread(IDEAS, "bob"), box.unread(IDEAS, "cy")) == (0, 1)


@pytest.mark.parametrize("killed", [True, False])
def test_a_killed_drainer_skips_nothing(box: Mailbox, bus_url: str, killed: bool) -> None:
    """Kill -9 between the output and the commit shows the same messages again; without it they are read."""
    fill(box, ["hello"] * 5)
    argv = [sys.executable, "-c", _DRAINER, bus_url, box.space, IDEAS, "bob"]
    drainer = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert drainer.stdout
    assert drainer.stdout.readline() == "1 2 3\n"
    if killed:
        drainer.send_signal(signal.SIGKILL)
    drainer.communicate("" if killed else "go\n", timeout=10)
    shown = [m.seq for m in box.drain(IDEAS, "bob").messages]
    assert shown == ([1, 2, 3, 4, 5] if killed else [4, 5])


def _lose(box: Mailbox, first: int) -> None:
    """What a failover to a replica that lags does: the newest messages are gone, cursors written elsewhere are not."""
    log = keys.key(box.space, "log", IDEAS)
    kept = box.door.command("XRANGE", log, "-", f"{first - 1}-0")
    box.door.command("DEL", log)
    for name, fields in kept:
        box.door.command("XADD", log, name, *fields)
    box.door.command("HSET", keys.key(box.space, "group", IDEAS), "head", first - 1)


def test_a_cursor_above_the_head_is_clamped_and_told_once(box: Mailbox) -> None:
    """After a failover the reader hears which seqs were lost, until a commit; new messages of those seqs are unread."""
    fill(box, ["hello"] * 5)
    box.drain(IDEAS, "bob").commit()
    _lose(box, 3)
    box.peek(IDEAS, "bob")
    assert not box.wait(IDEAS, "bob", 0)
    told = box.drain(IDEAS, "bob")
    assert (told.lost, told.messages) == ("3-5", [])
    told.commit()
    fill(box, ["new"])
    drained = box.drain(IDEAS, "bob")
    assert (drained.lost, [(m.seq, m.body) for m in drained.messages]) == ("", [(3, "new")])
    assert box.drain(IDEAS, "cy").lost == ""


def test_a_receipt_from_before_a_failover_moves_nothing(box: Mailbox) -> None:
    """A reader who read messages that were then lost does not mark the new ones of the same seqs as read."""
    fill(box, ["hello"] * 5)
    box.drain(IDEAS, "bob").commit()
    before = box.drain(IDEAS, "cy")
    _lose(box, 3)
    assert box.drain(IDEAS, "bob").lost == "3-5"
    fill(box, ["new"] * 3)
    assert not before.commit()
    assert [m.body for m in box.drain(IDEAS, "cy").messages] == ["hello", "hello", "new", "new", "new"]


def test_wait_returns_when_a_message_arrives(box: Mailbox, bus_url: str) -> None:
    """Wait returns true at once when something is unread, and as soon as something is sent, within a tenth of a second."""
    fill(box, ["hello"])
    assert box.wait(IDEAS, "bob", 0)
    box.drain(IDEAS, "bob").commit()
    ended: list[float] = []

    def wait() -> None:
        with Mailbox(bus_url, box.space) as mine:
            assert mine.wait(IDEAS, "bob", 20)
        ended.append(time.monotonic())

    thread = threading.Thread(target=wait)
    thread.start()
    eventually(lambda: "cmd=xread" in box.door.command("CLIENT", "LIST"))
    begun = time.monotonic()
    fill(box, ["hello"])
    thread.join(10)
    assert ended[0] - begun < 0.5


def _reads(box: Mailbox) -> int:
    """How many blocking reads the server has been asked for."""
    stats = str(box.door.command("INFO", "commandstats"))
    return int(
        stats.partition("cmdstat_xread:calls=")[2].partition(",")[0] or 0
    )  # none, as long as the first one blocks


def test_wait_ignores_what_drain_would_not_give(box: Mailbox, bus_url: str) -> None:
    """An own message does not end a wait, nor make it spin; the time does end it."""
    done: list[bool] = []

    def wait() -> None:
        with Mailbox(bus_url, box.space) as mine:
            done.append(mine.wait(IDEAS, "bob", 0.3))

    thread = threading.Thread(target=wait)
    thread.start()
    eventually(lambda: "cmd=xread" in box.door.command("CLIENT", "LIST"))
    before = _reads(box)
    box.send(IDEAS, "bob", "hello")
    thread.join(10)
    assert done == [False]
    assert _reads(box) - before <= 3


def test_wait_returns_when_a_join_makes_something_unread(box: Mailbox, bus_url: str) -> None:
    """Who waits while being away is woken by a rejoin with all."""
    box.remove_member(IDEAS, "bob")
    fill(box, ["hello"])
    done: list[bool] = []

    def wait() -> None:
        with Mailbox(bus_url, box.space) as mine:
            done.append(mine.wait(IDEAS, "bob", 20))

    thread = threading.Thread(target=wait)
    thread.start()
    eventually(lambda: "cmd=xread" in box.door.command("CLIENT", "LIST"))
    box.add_member(IDEAS, "bob", "all")
    thread.join(10)
    assert done == [True]


def test_a_seat_reads_no_further_than_its_turn(table: Table) -> None:
    """While a seat's turn is open its reads end at the step's intent; afterwards they do not."""
    table.ask("a", "b", step="r1")
    table.reply("b", turn="r1/b")
    seat = ("a", "")
    found = groups.read(table.door, table.space, GROUP, "participant/a", seat=seat)
    assert ([m["seq"] for m in found["messages"]], found["upto"]) == ([1], 1)
    table.reply("a", turn="r1/a")
    found = groups.read(table.door, table.space, GROUP, "participant/a", seat=seat)
    assert [m["seq"] for m in found["messages"]] == [1, 2]


def test_a_seat_with_a_hidden_view_reads_intents_only(table: Table) -> None:
    """In a format whose view is not raw a seat reads intents, within the bounds, and skips none for want of room."""
    table.door.command("HSET", keys.key(table.space, "table"), "view", "labels")
    for n in range(3):
        table.ask("b", step=f"r{n}", body="x" * 10_000)
        table.reply("b", turn=f"r{n}/b", body="secret")
    seen, left = [], []
    for _ in range(2):
        found = groups.read(table.door, table.space, GROUP, "participant/a", seat=("a", ""))
        seen += [m["seq"] for m in found["messages"]]
        left.append(found["unread_left"])
        groups.commit(table.door, table.space, GROUP, "participant/a", found["receipt"])
    assert (seen, left) == ([1, 3, 5], [1, 0])
