"""For the tests of the bus: one real server a module, a fresh space a test, and tables laid in a line."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rt_config.settings import Settings
from rt_mailbox import addresses, keys, server, tables, turns
from rt_mailbox.client import RedisDoor
from rt_mailbox.door import mapping, pairs
from rt_mailbox.mailbox import Mailbox

if TYPE_CHECKING:
    from rt_mailbox.door import Door, Reply

TABLE = "rt-20260102-0304-topic"
GROUP = addresses.group_of(TABLE)
IDEAS = "group/ideas"
SETTINGS = Settings(min_free_bytes=0)


@pytest.fixture(scope="module", name="bus_url")
def module_server() -> Iterator[str]:
    """The URL of a running embedded server that the module's tests share, each in a space of its own."""
    home = tempfile.mkdtemp(prefix="rtb-", dir="/tmp")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RT_HOME", home)
        url = server.ensure(SETTINGS, lambda _line: None)
    try:
        yield url
    finally:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("RT_HOME", home)
            server.stop(SETTINGS, 5.0)
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(name="space")
def fresh_space() -> str:
    """A space that no other test uses."""
    return uuid.uuid4().hex[:12]


@pytest.fixture(name="door")
def library_door(bus_url: str) -> Iterator[RedisDoor]:
    """The library's door to the shared server."""
    door = RedisDoor(bus_url)
    yield door
    door.close()


@pytest.fixture(name="box")
def ideas(bus_url: str, space: str) -> Iterator[Mailbox]:
    """A mailbox with the group `ideas` and its members ann, bob and cy."""
    with Mailbox(bus_url, space) as box:
        box.create_group(IDEAS)
        for person in ("ann", "bob", "cy"):
            box.add_member(IDEAS, person)
        yield box


@dataclass(frozen=True)
class Table:
    """A table with moderator, user and the seats a and b, in a space of its own."""

    door: Door
    space: str

    @property
    def box(self) -> Mailbox:
        """The table's mailbox."""
        return Mailbox("", self.space, door=self.door)

    def ask(self, *slugs: str, body: str = "What do you think?", **how: Any) -> Reply:
        """Open a step for these seats; `how` as `tables.ask` takes it."""
        asked = [(slug, f"request for {slug}", "subject", f"control for {slug}") for slug in slugs]
        return tables.ask(self.door, self.space, GROUP, body, asked, **how)

    def turn(self, name: str) -> Reply:
        """One turn's hash."""
        return mapping(self.door.command("HGETALL", keys.key(self.space, "turn", name)))

    def seat(self, slug: str) -> Reply:
        """One seat's hash."""
        return mapping(self.door.command("HGETALL", keys.key(self.space, "seat", slug)))

    def mail(self, turn: str) -> Reply:
        """A turn's control mail."""
        return mapping(self.door.command("HGETALL", keys.key(self.space, "mail", self.turn(turn)["mail"])))

    def events(self, kind: str) -> list[Reply]:
        """The table's events of one type."""
        return [e for e in tables.events(self.door, self.space) if e["type"] == kind]

    def record(self) -> list[tuple[int, str, str]]:
        """The record: (seq, sender, kind)."""
        return [(m.seq, m.sender, m.kind) for m in self.box.history(GROUP)]

    def reply(self, slug: str, body: str = "An answer.", **how: Any) -> Reply:
        """Answer as a seat."""
        return turns.reply(self.door, self.space, slug, body, **how)


def lay(door: Door, space: str) -> Table:
    """Lay the table that the tests use."""
    seats: list[Reply] = [
        {
            "slug": slug,
            "person": addresses.person_of(slug),
            "address": addresses.deck_address(addresses.session_of(TABLE, slug)),
        }
        for slug in ("a", "b")
    ]
    persons = ["moderator", "user", *(seat["person"] for seat in seats)]
    assert tables.create(door, space, GROUP, {"id": TABLE, "topic": "a topic"}, persons, seats)
    return Table(door, space)


@pytest.fixture(name="table")
def laid_table(door: RedisDoor, space: str) -> Table:
    """A freshly laid table."""
    return lay(door, space)


def dump(door: Door, space: str) -> dict[str, Any]:
    """Every key of a space with its value, names without the space."""
    root = keys.root(space)
    pattern = root.replace("{", "[{]").replace("}", "[}]") + ":*"
    cursor, names = "0", set[str]()
    while True:
        cursor, found = door.command("SCAN", cursor, "MATCH", pattern, "COUNT", 1000)
        names.update(found)
        if str(cursor) == "0":
            break
    return {name.removeprefix(root + ":"): _value(door, name) for name in sorted(names)}


def _value(door: Door, name: str) -> Any:
    readers: dict[str, Callable[[], Any]] = {
        "hash": lambda: mapping(door.command("HGETALL", name)),
        "set": lambda: sorted(door.command("SMEMBERS", name)),
        "zset": lambda: [
            (m, float(s)) for m, s in _scored(door.command("ZRANGE", name, 0, -1, "WITHSCORES"))
        ],
        "stream": lambda: [(i, mapping_of(f)) for i, f in door.command("XRANGE", name, "-", "+")],
    }
    return readers[door.command("TYPE", name)]()


def mapping_of(fields: Any) -> Reply:
    """A stream entry's fields."""
    return fields if isinstance(fields, dict) else pairs(fields)


def _scored(reply: list[Any]) -> list[tuple[str, Any]]:
    if reply and isinstance(reply[0], (list, tuple)):
        return [(m, s) for m, s in reply]
    return list(zip(reply[::2], reply[1::2], strict=True))


def root_of(path: str) -> Path:
    """A file of the repository."""
    return Path(__file__).parents[2] / path
