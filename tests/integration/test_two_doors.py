"""Two doors, one meaning: the same calls through either leave the same keys and give the same answers."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from rt_config.errors import BusDownError, RoundtableError
from rt_mailbox import (
    client,
    directory,
    group_ends,
    groups,
    hot,
    keys,
    lua,
    queues,
    records,
    subscribers,
    tables,
    turns,
)
from rt_mailbox.client import RedisDoor
from rt_mailbox.hot import HotDoor
from rt_mailbox.keeping import moments, staging
from tests.integration.bus_fixtures import (
    GROUP,
    IDEAS,
    Table,
    dump,
    fresh_space,  # noqa: F401 (fixtures)
    lay,
    module_server,  # noqa: F401
)

if TYPE_CHECKING:
    from rt_mailbox.door import Door, Reply

INBOX = "agent-deck/one"
BYTES = bytes(range(1, 256)).decode("utf-8", "surrogateescape")
_TIME = re.compile(r"^1\d{12}(-\d+)?$")
_MARK = re.compile(r"(?<=:)1\d{12}(?=:)")
_CHANCE = frozenset({"lease", "ms", "left_ms", "gap_ms", "seconds_left", "seen", "next_ms", "held", "print"})

MAKERS: dict[str, Callable[[str], Door]] = {
    "hot": HotDoor,
    "library": RedisDoor,
    "hot, old server": lambda url: HotDoor(url, shebang=False),
    "library, old server": lambda url: RedisDoor(url, shebang=False),
}


class Recording:
    """A door that keeps what scripts were run, and what came back."""

    def __init__(self, door: Door) -> None:
        self.url, self.command, self.close = door.url, door.command, door.close
        self._door = door
        self.ran: set[str] = set()
        self.answers: list[Any] = []

    def script(self, name: str, space: str, *args: str | int) -> Reply:
        """As the door's own."""
        self.ran.add(name)
        try:
            found = self._door.script(name, space, *args)
        except RoundtableError as exc:
            self.answers.append((exc.error_code, exc.fields))
            raise
        self.answers.append(dict(found))
        return found


def masked(value: Any, name: str = "") -> Any:
    """`value` without times and tokens."""
    if name in _CHANCE:
        return "chance"
    if isinstance(value, dict):
        return {k: masked(v, k) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [masked(v) for v in value]
    if _TIME.match(str(value)) or (isinstance(value, float) and value > 1e12):
        return "time"
    if isinstance(value, str) and _MARK.search(value):
        return _MARK.sub("time", value)
    return "token" if re.fullmatch(r"[0-9a-f]{16}", str(value)) else value


def refused(call: Callable[..., object], *args: Any, **how: Any) -> None:
    """A call that must be refused."""
    with pytest.raises(RoundtableError):
        call(*args, **how)


def in_groups(door: Door, space: str) -> None:
    """Everything that groups can do."""
    groups.create(door, space, IDEAS)
    refused(groups.create, door, space, IDEAS)
    for person, history in (("ann", "all"), ("bob", "last:3"), ("cy", "none")):
        groups.join(door, space, IDEAS, person, history)
    for n in range(3):
        groups.send(door, space, IDEAS, "ann", f"{n} {BYTES}", key=f"k{n}", subject=BYTES)
    groups.send(door, space, IDEAS, "ann", f"1 {BYTES}", key="k1")
    refused(groups.send, door, space, IDEAS, "ann", "other", key="k1")
    groups.send(door, space, IDEAS, "bob", "mine")
    found = groups.read(door, space, IDEAS, "bob", most=2)
    groups.commit(door, space, IDEAS, "bob", found["receipt"])
    marks = [records.mark(n, 1, "gone", "ann") for n in (2, 9)]
    door.script("history", space, IDEAS, "1", 4, 0, marks[0])
    door.script("history", space, IDEAS, "", 0, 1, *marks)
    groups.leave(door, space, IDEAS, "bob")
    refused(groups.send, door, space, IDEAS, "bob", "gone")
    groups.join(door, space, IDEAS, "bob", "none")


def at_a_table(door: Door, space: str) -> None:
    """Everything that a table can do."""
    table = lay(door, space)
    held = tables.lock(door, space, "take", "h1", pid="1", machine="m", started="2")
    epoch = str(held["epoch"])
    tables.lock(door, space, "keep", "h1", epoch=epoch)
    refused(table.ask, "a", epoch="99")
    table.ask("a", "b", step="r1", epoch=epoch, body=BYTES)
    turns.show(door, space, "a", holder="runner")
    turns.peek(door, space, "a")
    turns.attempt_failed(door, space, "a", "r1/a", 1, "crash", epoch=epoch)
    turns.next_attempt(door, space, "r1/a", 1, "rebuild", epoch=epoch)
    table.reply("a", BYTES, attempt="2")
    table.reply("a", "again")
    turns.extend(door, space, ["r1/b"], seconds=60, epoch=epoch)
    turns.close(door, space, "r1/b", "failed", "why", message="[TIMEOUT]", epoch=epoch)
    table.reply("b", "late", turn="r1/b")
    tables.conclude(door, space, GROUP, "In short.", key="s")
    tables.set_seat(door, space, "a", {"state": "idle"}, event="state", epoch=epoch)
    tables.note(door, space, "nudged", {"seat": "a"}, epoch=epoch)
    tables.add_seat(door, space, GROUP, {"slug": "c", "person": "participant/c", "address": INBOX})
    tables.drop_seat(door, space, "c", "by hand", "[DROPPED]", epoch=epoch)
    tables.bump_epoch(door, space, "restored", group=GROUP, lost=(2, 3))
    tables.bump_epoch(door, space, "restored")
    assert directory.claim(door, space, "t", {"topic": BYTES}, directory.claims(door, space))
    directory.write(door, space, "t", {"topic": BYTES, "state": "open"})
    tables.snapshot(door, space)


def by_mail(door: Door, space: str) -> None:
    """Everything that personal addresses can do."""
    for n in range(4):
        queues.send(door, space, INBOX, "ann", f"{n} {BYTES}", subject=BYTES)
    refused(queues.send, door, space, "agent-deck/typo", "ann", "x", must_exist=True)
    mails, _ = queues.recv(door, space, [INBOX], most=3, holder="h")
    queues.ack(door, space, mails[0]["id"], mails[0]["lease"])
    queues.release(door, space, mails[1]["id"], mails[1]["lease"])
    queues.fail(door, space, mails[2]["id"], mails[2]["lease"], "no idea")
    refused(queues.ack, door, space, mails[0]["id"], mails[0]["lease"])
    queues.send(door, space, INBOX, "ann", BYTES, key="k", forwarded_from="agent-deck/two")
    queues.send(door, space, INBOX, "ann", BYTES, key="k")
    refused(queues.send, door, space, INBOX, "ann", "other", key="k")
    for _ in range(3):
        mails, _ = queues.recv(door, space, [INBOX, "agent-deck/two"], most=1, lease_ms=60_000)
        queues.renew(door, space, mails[0]["id"], mails[0]["lease"])
        queues.fail(door, space, mails[0]["id"], mails[0]["lease"], "poison", (-9.0, -9.0))
    queues.requeue(door, space, mails[0]["id"])
    mails, _ = queues.recv(door, space, [INBOX], most=9, holder="h")
    for n, mail in enumerate(mails):
        queues.defer(door, space, mail["id"], mail["lease"], seconds=1e6 + n)
    queues.due(door, space, [INBOX])
    queues.listed(door, space, [], "queued")
    refused(queues.renew, door, space, mails[0]["id"], mails[0]["lease"])


def by_notice(door: Door, space: str) -> None:
    """Everything that subscribers can do, and how groups end."""
    group = "group/noticed"
    groups.create(door, space, group)
    for person in ("ann", "bob"):
        groups.join(door, space, group, person)
    subscribers.add(door, space, group, "agent-deck/bob", "bob", home=space)
    subscribers.add(door, space, group, "agent-deck/ann", "ann", home=space)
    for how in ("add", "remove"):
        door.script("space_of_address", space, "agent-deck/ann", "another", how)
    refused(subscribers.add, door, space, group, "agent-deck/bob", "ann", home=space)
    groups.send(door, space, group, "agent-deck/ann", BYTES)
    for settle in (queues.release, queues.fail, queues.ack):
        [notice], _ = queues.recv(door, space, ["agent-deck/bob", "agent-deck/ann"], holder="h")
        queues.renew(door, space, notice["id"], notice["lease"], 400_000)
        settle(door, space, notice["id"], notice["lease"])
        groups.send(door, space, group, "ann", "more")
    queues.due(door, space, ["agent-deck/bob"])
    groups.mark_read(door, space, group, "bob", 2)
    subscribers.remove(door, space, group, "agent-deck/ann", home=space)
    refused(subscribers.remove, door, space, group, "agent-deck/ann", home=space)
    group_ends.close(door, space, group)
    refused(group_ends.close, door, space, GROUP)
    groups.create(door, space, "group/gone")
    group_ends.delete(door, space, "group/gone", 0)
    refused(group_ends.delete, door, space, "group/gone")


def kept(door: Door, space: str) -> None:
    """Out of the bus and back: everything that keeps a space in a file."""
    door.script("migrate_0", space)
    door.script("schema_set", space, keys.SCHEMA)
    door.script("offload_begin", space)
    tables.set_table(door, space, {"state": "archived"})
    door.script("offload_begin", space)
    moment = moments.Moment(door, space)
    header, lines = moment.header(None), list(moment.lines())
    for seen in ("another", moment.print):
        door.script("offload_drop", space, seen, "t.jsonl", "5a", "machine", header["messages"])
    refused(groups.send, door, space, GROUP, "moderator", "gone")
    for sha in ("another", "5a"):
        part = staging.Staging(door, space)
        part.fill(lines)
        part.switch(header, sha, "tombstone", bump=True)
    door.script("offload_undo", space)
    door.script("delete_space", space, "another")


def live(door: Door, space: str) -> tuple[dict[str, Any], Recording]:
    """Do all of it."""
    recording = Recording(door)
    in_groups(recording, space)
    at_a_table(recording, space)
    by_mail(recording, space)
    by_notice(recording, space)
    kept(recording, space)
    return dump(door, space), recording


def test_all_doors_leave_the_same_keys(bus_url: str, space: str) -> None:
    """Hot and library door, with the line that servers before 7 do not know and without, over every script there is."""
    found = {}
    for n, (name, make) in enumerate(MAKERS.items()):
        door = make(bus_url)
        after, recording = live(door, f"{space}{n}")
        assert recording.ran == set(lua.names())
        found[name] = (masked(after), masked(recording.answers))
        door.close()
    first = found.pop("hot")
    assert len(first[0]) >= 40
    for name, (after, answers) in found.items():
        assert after == first[0], name
        assert answers == first[1], name


def test_either_door_reads_what_the_other_wrote(bus_url: str, space: str) -> None:
    """Message by message, byte by byte."""
    doors: list[Door] = [HotDoor(bus_url), RedisDoor(bus_url)]
    groups.create(doors[0], space, IDEAS)
    groups.join(doors[0], space, IDEAS, "ann")
    for door in doors:
        groups.send(door, space, IDEAS, "ann", BYTES, subject=BYTES)
    read = [list(records.messages(door, space, IDEAS, [(1, 2)])) for door in doors]
    assert read[0] == read[1]
    assert {m["body"] for m in read[0]} == {m["subject"] for m in read[0]} == {BYTES}
    for door in doors:
        door.close()


def test_only_the_own_space_is_touched(bus_url: str, space: str) -> None:
    """Every key that all of this reads or writes carries the space's hash tag and a kind that `keys` names."""
    door = RedisDoor(bus_url)
    kinds = set(re.findall(r"^    (\w+)(?::<| )", keys.__doc__ or "", re.MULTILINE))
    before = set(door.command("KEYS", "*"))
    live(door, space)
    touched = set(door.command("KEYS", "*")) - before
    assert touched
    root = keys.root(space) + ":"
    assert [name for name in touched if not name.startswith(root)] == []
    assert {name.removeprefix(root).split(":")[0] for name in touched} <= kinds
    door.close()


def test_the_directory_holds_entries_of_any_text(bus_url: str, space: str) -> None:
    """What one door writes the other reads, oldest first, and an id is claimed once."""
    doors: list[Door] = [HotDoor(bus_url), RedisDoor(bus_url)]
    for n, door in enumerate(doors):
        assert directory.claim(door, space, f"t{n}", {"topic": BYTES, "state": "open", "created_at": 9 - n})
        assert directory.claim(doors[1 - n], space, f"t{n}", {"topic": "taken"}) is False
        assert directory.claim(doors[1 - n], space, "late", {}, seen=str(n)) is None
    assert [list(directory.entries(door, space)) for door in doors] == [["t1", "t0"]] * 2
    assert {e["topic"] for e in directory.entries(doors[0], space).values()} == {BYTES}
    for door in doors:
        door.close()


class Silent:
    """A server that takes connections and commands, and never answers a script."""

    def __init__(self) -> None:
        self.received = b""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        """Stop."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                while data := connection.recv(65536):
                    self.received += data
                    if b"EVAL" not in data:
                        connection.sendall(b"+OK\r\n" * data.count(b"CLIENT"))


@pytest.mark.parametrize("kind", [HotDoor, RedisDoor])
def test_a_send_without_an_answer_is_never_sent_twice(
    kind: Callable[[str], Door], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends as bus_down, and the command went out once: the outcome is unknown, so that only the caller may repeat it."""
    monkeypatch.setattr(client, "ANSWER_SECONDS", 0.2)
    monkeypatch.setattr(hot, "ANSWER_SECONDS", 0.2)
    silent = Silent()
    try:
        door = kind(silent.url)
        with pytest.raises(BusDownError):
            groups.send(door, "s", IDEAS, "ann", "the only one")
        door.close()
    finally:
        silent.close()
    assert silent.received.count(b"the only one") == 1


@pytest.mark.parametrize("kind", [HotDoor, RedisDoor])
def test_no_server_is_bus_down(kind: Callable[[str], Door], rt_home: Any) -> None:
    """It names the socket; a folder with a blank and a percent sign in its name is no hindrance to that."""
    with pytest.raises(BusDownError) as caught:
        kind(f"unix://{rt_home}/a%20b%25").command("PING")
    assert "a%20b%25" in str(caught.value)


@pytest.mark.parametrize("kind", [HotDoor, RedisDoor])
def test_a_password_is_in_no_error(kind: Callable[[str], Door]) -> None:
    """Neither in the message nor in a field."""
    with pytest.raises(BusDownError) as caught:
        kind("redis://me:hunter2@127.0.0.1:1/0").command("PING")
    assert "hunter2" not in f"{caught.value} {caught.value.fields}"


@pytest.mark.parametrize("kind", [HotDoor, RedisDoor])
def test_a_door_is_used_again_after_the_server_was_away(
    kind: Callable[[str], Door], bus_url: str, space: str
) -> None:
    """A connection that the server has closed is opened again by itself, at the latest for the second command."""
    door, other = kind(bus_url), RedisDoor(bus_url)
    groups.create(door, space, "group/before")
    other.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    with contextlib.suppress(BusDownError):
        door.command("PING")
    groups.create(door, space, "group/after")
    door.close()
    other.close()


def test_a_wait_leaves_its_connection_usable(bus_url: str, space: str) -> None:
    """After a blocking read that ran out the same connection serves the next command."""
    for kind in (HotDoor, RedisDoor):
        door: Door = kind(bus_url)
        table = Table(door, space)
        groups.create(door, space, f"group/{kind.__name__}")
        groups.join(door, space, f"group/{kind.__name__}", "ann")
        ids = door.command("CLIENT", "ID")
        assert not table.box.wait(f"group/{kind.__name__}", "ann", 0.05)
        assert door.command("CLIENT", "ID") == ids
        door.close()
