"""The whole bus in a file while it is in use, and back."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

from rt_config.errors import DamagedFileError, StaleHostError, TableExistsError
from rt_mailbox import directory, groups, keys, queues, tables
from rt_mailbox.keeping import backups, exporting
from tests.integration.bus_fixtures import IDEAS, dump, module_server  # noqa: F401 (fixture)
from tests.integration.kept_table import (
    BYTES,
    GROUP,
    HEAD,
    HOME,
    ID,
    another_server,  # noqa: F401 (fixtures)
    content,
    first_door,  # noqa: F401
    lay,
    second_door,  # noqa: F401
)

if TYPE_CHECKING:
    from rt_mailbox.client import RedisDoor


def fill(door: RedisDoor) -> None:
    """A table, and a group with mail in the default space."""
    lay(door, state="open")
    groups.create(door, HOME, IDEAS)
    groups.join(door, HOME, IDEAS, "ann")
    groups.send(door, HOME, IDEAS, "ann", BYTES)
    queues.send(door, HOME, "notes/z", "ann", "z")


def backup(door: RedisDoor) -> bytes:
    """Everything."""
    file = io.BytesIO()
    backups.backup(door, backups.spaces_of(door), file)
    return file.getvalue()


def restore(door: RedisDoor, raw: bytes, **how: Any) -> backups.Backup:
    """Bring it back."""
    return backups.restore(door, HOME, io.BytesIO(raw), "a file", **how)


def restored(found: dict[str, Any]) -> dict[str, Any]:
    """Content without the marks of a restore."""
    found["space"].pop("epoch")
    found["events"] = [one for one in found.get("events", []) if one[1]["type"] != "epoch"]
    return found


def test_everything_comes_back(door: RedisDoor, other: RedisDoor) -> None:
    """Every space is as it was, tokens included, on another server; what that one had besides stays."""
    fill(door)
    raw = backup(door)
    directory.write(other, HOME, "rt-20260101-0000-mine", {"topic": "mine", "state": "open"})
    found = restore(other, raw)
    assert (found.spaces, found.same, found.messages) == ([HOME, ID], [], HEAD + 1)
    for space in (HOME, ID):
        there, here = (
            restored(content(other, space, tokens=True)),
            restored(content(door, space, tokens=True)),
        )
        for one in (there, here):
            one.pop("directory", None)
        assert there == here
    assert sorted(directory.entries(other, HOME)) == ["rt-20260101-0000-mine", ID]
    assert other.command("SMEMBERS", keys.key(HOME, "spaces", "agent-deck/watch")) == [ID]


def test_a_restore_is_an_earlier_state(door: RedisDoor) -> None:
    """The epoch rises: a receipt from before moves no cursor, and a host from before is refused."""
    fill(door)
    raw = backup(door)
    epoch = door.command("HGET", keys.key(ID, "host"), "epoch")
    receipt = groups.read(door, ID, GROUP, "participant/a")["receipt"]
    groups.send(door, ID, GROUP, "moderator", "newer")
    with pytest.raises(TableExistsError):
        restore(door, raw)
    assert restore(door, raw, force=True).spaces == [ID]
    assert groups.commit(door, ID, GROUP, "participant/a", receipt) is False
    with pytest.raises(StaleHostError):
        tables.set_table(door, ID, {"x": "y"}, epoch=epoch)
    assert groups.unread(door, ID, GROUP, "moderator")["head"] == HEAD


def test_a_refused_restore_changes_nothing(door: RedisDoor, other: RedisDoor) -> None:
    """One space that differs, a cut file or a table's export: nothing is restored."""
    fill(door)
    raw = backup(door)
    lay(other)
    groups.create(other, HOME, "group/mine")
    before = dump(other, ID), dump(other, HOME)
    for wrong in (TableExistsError, DamagedFileError):
        with pytest.raises(wrong):
            restore(other, raw if wrong is TableExistsError else raw[:-80])
    file = io.BytesIO()
    exporting.export(door, HOME, ID, file)
    with pytest.raises(DamagedFileError):
        restore(other, file.getvalue())
    with pytest.raises(DamagedFileError):
        exporting.load(other, HOME, io.BytesIO(raw), "a file")
    assert (dump(other, ID), dump(other, HOME)) == before


def test_a_restore_that_was_cut_off_goes_on(
    door: RedisDoor, other: RedisDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came back stays as it is by now; the rest follows."""  # fmt: skip
    fill(door)
    raw = backup(door)
    put = exporting.put

    def once(*args: Any, **how: Any) -> bool:
        monkeypatch.setattr(exporting, "put", lambda *_a, **_h: (_ for _ in ()).throw(KeyboardInterrupt))
        return put(*args, **how)

    monkeypatch.setattr(exporting, "put", once)
    with pytest.raises(KeyboardInterrupt):
        restore(other, raw)
    monkeypatch.undo()
    groups.send(other, HOME, IDEAS, "ann", "already at work")
    found = restore(other, raw)
    assert (found.spaces, found.same) == ([ID], [HOME])
    assert groups.unread(other, HOME, IDEAS, "ann")["head"] == 2
    assert restored(content(other)) == restored(content(door))
    before = dump(other, ID)
    assert restore(other, raw).same == [HOME, ID]
    assert dump(other, ID) == before
