"""kill -9 at every step of an offload, of a way back and of a deletion: a whole copy is always there, the next try completes."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rt_mailbox import directory
from rt_mailbox.keeping import archives, exporting, lines
from rt_mailbox.keeping.file_door import FileDoor
from tests.integration.bus_fixtures import dump, module_server, root_of  # noqa: F401 (fixture)
from tests.integration.kept_table import (
    GROUP,
    HEAD,
    HOME,
    ID,
    content,
    first_door,  # noqa: F401 (fixture)
    lay,
)

if TYPE_CHECKING:
    from rt_mailbox.client import RedisDoor

OFFLOAD_STEPS, BACK_STEPS, DELETE_STEPS = 10, 10, 5  # a test holds them against what there are
FEW = {"offload": (7.5, 9), "back": (8.5,), "delete": ()}


def run(how: str, url: str, last: float) -> int:
    """The exit code of a keeper that dies at that step; the number of steps when it lives."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.integration.killed_keeper", how, url, HOME, ID, str(last)],
        cwd=root_of("."), capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return int(done.stdout) if done.returncode == 0 else done.returncode


def whole(door: RedisDoor, wanted: dict[str, Any]) -> str:
    """Where the table is whole: bus or file."""
    left = archives.tombstone(door, ID)
    if left is None:
        found = content(door, tokens=True)
        assert closed_away(found) == closed_away(wanted)
        return "bus"
    path = archives.path_of(ID)
    with path.open("rb") as file:
        assert lines.verify(file, str(path)).sha256 == left["sha256"]
    reader = FileDoor(path, ID)
    assert reader.script("snapshot", ID, 10)["head"] == HEAD
    reader.close()
    return "file"


def closed_away(found: dict[str, Any]) -> dict[str, Any]:
    """Content without what an offload has begun."""
    table, group = dict(found["table"]), dict(found["group:" + GROUP])
    table.pop("group_was", None)
    group.pop("state")
    return found | {"table": table, "group:" + GROUP: group}


def points(how: str) -> list[Any]:
    """A few steps by default, all of them in full."""
    most = {"offload": OFFLOAD_STEPS, "back": BACK_STEPS, "delete": DELETE_STEPS}[how]
    every = [n / 2 for n in range(2, 2 * most + 2)]
    return [n if n in FEW[how] else pytest.param(n, marks=pytest.mark.full) for n in every]


@pytest.mark.parametrize("last", points("offload"))
def test_an_offload_that_is_killed_loses_nothing(door: RedisDoor, last: float) -> None:
    """S4.26: after the kill bus or file is whole; both the next offload and the way back complete."""
    lay(door)
    wanted = content(door, tokens=True)
    assert run("offload", door.url, last) == -signal.SIGKILL
    whole(door, wanted)
    archives.bring_back(door, HOME, ID)
    assert content(door, tokens=True) == wanted
    archives.offload(door, HOME, ID)
    assert whole(door, wanted) == "file"
    assert [path.name for path in archives.path_of(ID).parent.iterdir()] == [f"{ID}.jsonl"]


@pytest.mark.parametrize("last", points("back"))
def test_a_way_back_that_is_killed_loses_nothing(door: RedisDoor, last: float) -> None:
    """S4.26: after the kill bus or file is whole, and the next resume completes."""
    lay(door)
    wanted = content(door, tokens=True)
    archives.offload(door, HOME, ID)
    assert run("back", door.url, last) == -signal.SIGKILL
    whole(door, wanted)
    assert all(
        door.command("TTL", name) > 0 for name in door.names("*:import:*")
    )  # what is left of it goes by itself
    archives.bring_back(door, HOME, ID)
    assert content(door, tokens=True) == wanted


@pytest.mark.parametrize("last", points("delete"))
def test_a_deletion_that_is_killed_can_be_completed(door: RedisDoor, last: float) -> None:
    """The directory names the table until nothing of it is left."""
    lay(door)
    archives.offload(door, HOME, ID)
    assert run("delete", door.url, last) == -signal.SIGKILL
    gone = not archives.path_of(ID).exists() and not dump(door, ID)
    assert gone or ID in directory.entries(door, HOME)
    archives.delete(door, HOME, ID)
    assert dump(door, ID) == directory.entries(door, HOME) == {}
    assert not archives.path_of(ID).exists()


@pytest.mark.full
def test_no_step_is_left_out(door: RedisDoor) -> None:
    """The tests above go through every step there is."""
    lay(door)
    found = {how: run(how, door.url, 0) for how in ("offload", "back", "delete")}
    assert found == {"offload": OFFLOAD_STEPS, "back": BACK_STEPS, "delete": DELETE_STEPS}
    assert exporting.is_id(ID)
