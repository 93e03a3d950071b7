"""A table with a bit of everything, two servers to move it between, and what of it must stay the same."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from rt_mailbox import directory, groups, queues, server, subscribers, tables, turns
from rt_mailbox.addresses import deck_address, group_of, person_of, session_of
from rt_mailbox.client import RedisDoor
from tests.integration.bus_fixtures import SETTINGS, dump

if TYPE_CHECKING:
    from rt_mailbox.door import Door, Reply

ID = "rt-20260102-0304-kept"
GROUP = group_of(ID)
HOME = "default"
BYTES = bytes(range(1, 256)).decode("utf-8", "surrogateescape")
HEAD = 6
_MOVES = ("host", "wake")
_OF_SPACE = ("clock", "drift", "from_file")


@pytest.fixture(scope="module", name="other_url")
def another_server() -> Iterator[str]:
    """A second server, empty at first, as on another machine."""
    with (
        tempfile.TemporaryDirectory(prefix="rtk-", dir="/tmp") as home,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("RT_HOME", home)
        url = server.ensure(SETTINGS, lambda _line: None)
        patch.undo()
        yield url
        patch.setenv("RT_HOME", home)
        server.stop(SETTINGS, 5.0)


@pytest.fixture(name="door")
def first_door(bus_url: str) -> Iterator[RedisDoor]:
    """The first server, empty."""
    yield from _emptied(bus_url)


@pytest.fixture(name="other")
def second_door(other_url: str) -> Iterator[RedisDoor]:
    """The second server, empty."""
    yield from _emptied(other_url)


def _emptied(url: str) -> Iterator[RedisDoor]:
    door = RedisDoor(url)
    door.command("FLUSHALL")
    yield door
    door.close()


def lay(door: Door, *, state: str = "archived") -> None:
    """The table: a record of HEAD messages, turns in several states, members who came and went, mail, a subscriber."""
    seats: list[Reply] = [
        {"slug": slug, "person": person_of(slug), "address": deck_address(session_of(ID, slug)), "token_sha": "5ec2e7"}
        for slug in ("a", "b")
    ]  # fmt: skip
    persons = ["moderator", "user", *(seat["person"] for seat in seats)]
    tables.create(door, ID, GROUP, {"id": ID, "topic": BYTES}, persons, seats)
    held = tables.lock(door, ID, "take", "h1", pid="1", machine="m", started="2")
    ask(door, "r1", "a", "b")
    turns.show(door, ID, "a", holder="runner")
    turns.reply(door, ID, "a", BYTES, turn="r1/a")
    turns.attempt_failed(door, ID, "b", "r1/b", 1, "crash", epoch=str(held["epoch"]))
    turns.close(door, ID, "r1/b", "failed", "deadline", message="[TIMEOUT]")
    groups.send(door, ID, GROUP, "user", "a note", key="k1")
    groups.join(door, ID, GROUP, "late", "last:1")
    groups.leave(door, ID, GROUP, "user")
    found = groups.read(door, ID, GROUP, "moderator", most=1)
    groups.commit(door, ID, GROUP, "moderator", found["receipt"])
    ask(door, "r2", "b")
    subscribers.add(door, ID, GROUP, "agent-deck/watch", "late")
    queues.send(door, ID, "notes/x", "me", "personal")
    queues.recv(door, ID, ["notes/x"], holder="me")
    queues.send(door, ID, "notes/y", "me", BYTES)
    tables.conclude(door, ID, GROUP, "m2 it is.", key="s1")
    tables.set_table(door, ID, {"state": state})
    directory.write(door, HOME, ID, {"topic": "kept", "state": state, "created_at": 1.5})


def ask(door: Door, step: str, *slugs: str) -> None:
    """Put a step."""
    asked = [(slug, f"request {BYTES}", "subject", "control") for slug in slugs]
    tables.ask(door, ID, GROUP, f"{step}?", asked, step=step)


def content(door: Door, space: str = ID, *, tokens: bool = False) -> dict[str, Any]:
    """Every key of the space but what moves, or goes, by itself."""
    found = {n: v for n, v in dump(door, space).items() if n not in _MOVES and not n.startswith("import:")}
    for name, value in found.items():
        if name == "space":
            found[name] = {k: v for k, v in value.items() if k not in _OF_SPACE}
        if name.startswith("seat:") and not tokens:
            found[name] = {k: v for k, v in value.items() if k != "token_sha"}
    return found
