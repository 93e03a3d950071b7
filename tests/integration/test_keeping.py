"""A table in a file and back: everything as it was, nothing twice, and no damaged file gets in."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rt_config.errors import (
    DamagedFileError,
    GroupClosedError,
    LeaseLostError,
    RoundtableError,
    SchemaNewerError,
    TableArchivedError,
    TableExistsError,
    UnknownTableError,
)
from rt_mailbox import directory, groups, keys, queues, tables, turns
from rt_mailbox.client import RedisDoor
from rt_mailbox.door import mapping
from rt_mailbox.keeping import archives, exporting, lines, moments
from tests.integration.bus_fixtures import dump, module_server, root_of  # noqa: F401 (fixture)
from tests.integration.kept_table import (
    BYTES,
    GROUP,
    HOME,
    ID,
    another_server,  # noqa: F401 (fixtures)
    ask,
    content,
    first_door,  # noqa: F401
    lay,
    second_door,  # noqa: F401
)

if TYPE_CHECKING:
    from rt_mailbox.door import Door


def export(door: Door) -> bytes:
    """The table as a file's bytes."""
    file = io.BytesIO()
    exporting.export(door, HOME, ID, file)
    return file.getvalue()


def load(door: Door, raw: bytes) -> exporting.Imported:
    """Import these bytes."""
    return exporting.load(door, HOME, io.BytesIO(raw), "a file")


def test_a_table_comes_out_as_it_went_in(door: RedisDoor, other: RedisDoor) -> None:
    """S4.27: record, ids, cursors, memberships, turns, seats, queues and keys are the same on another server."""
    lay(door, state="open")
    raw = export(door)
    assert load(other, raw) == exporting.Imported(ID, 6, imported=True)
    assert content(other) == content(door)
    assert directory.entries(other, HOME) == directory.entries(door, HOME)
    assert other.command("SMEMBERS", keys.key(HOME, "spaces", "agent-deck/watch")) == [ID]
    assert not [
        name
        for name in other.names("rt:*")
        if ":import:" in name or (other.command("TTL", name) != -1 and not name.endswith(":wake"))
    ]
    again = groups.send(other, ID, GROUP, "user", "a note", key="k1")
    assert (again["seq"], again["duplicate"]) == (4, 1)
    assert turns.reply(other, ID, "a", BYTES, turn="r1/a")["duplicate"] == 1
    assert turns.reply(other, ID, "b", "Done.", turn="r2/b")["seq"] == 7


def test_no_token_leaves_the_bus(door: RedisDoor) -> None:
    """An export holds nothing that a seat's token could be checked against."""
    lay(door)
    assert b"5ec2e7" not in export(door)


def test_a_kept_lease_is_the_holders(door: RedisDoor, other: RedisDoor) -> None:
    """A message that was leased is leased to the same holder with the same token."""
    lay(door)
    ((leased,), _) = queues.recv(door, ID, ["notes/x"], holder="me")
    load(other, export(door))
    ((again,), _) = queues.recv(other, ID, ["notes/x"], holder="me")
    assert (again["id"], again["lease"]) == (leased["id"], leased["lease"])
    assert queues.recv(other, ID, ["notes/x"], holder="you")[0] == []
    queues.ack(other, ID, again["id"], again["lease"])
    with pytest.raises(LeaseLostError):
        queues.ack(other, ID, again["id"], "another")


def test_importing_twice_changes_nothing(door: RedisDoor, other: RedisDoor) -> None:
    """The second import finds everything there; the directory's entry is made again when only that is missing."""
    lay(door)
    raw = export(door)
    load(other, raw)
    before = dump(other, ID)
    directory.remove(other, HOME, ID)
    assert load(other, raw) == exporting.Imported(ID, 6, imported=False)
    assert load(door, raw).imported is False
    assert dump(other, ID) == before
    assert directory.entries(other, HOME)[ID]["topic"] == "kept"


def test_importing_over_another_table_is_refused(door: RedisDoor, other: RedisDoor) -> None:
    """A table of that id that differs in anything stays as it is."""
    lay(door)
    raw = export(door)
    load(other, raw)
    groups.send(other, ID, GROUP, "moderator", "newer")
    before = dump(other, ID)
    with pytest.raises(TableExistsError):
        load(other, raw)
    assert dump(other, ID) == before


def test_every_truncation_is_refused(door: RedisDoor, other: RedisDoor) -> None:
    """Cut after any line, or within one, a file is refused before anything is written."""
    lay(door)
    raw = export(door)
    ends = [m.end() for m in re.finditer(b"\n", raw)]
    for cut in (0, *ends[:-1], *(end - 7 for end in ends), len(raw) - 1):
        with pytest.raises(DamagedFileError):
            load(other, raw[:cut])
    with pytest.raises(DamagedFileError):
        load(other, raw + b"\n")
    assert list(other.names("*")) == []


def test_every_changed_bit_is_refused(door: RedisDoor, other: RedisDoor) -> None:
    """Whatever bit is flipped, a file is refused before anything is written."""
    lay(door)
    raw = export(door)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exporting, "put", lambda *_args, **_how: pytest.fail("it went in"))
        for at in range(0, len(raw), max(1, len(raw) // 700)):
            broken = bytearray(raw)
            broken[at] ^= 1 << (at % 8)
            with pytest.raises((DamagedFileError, SchemaNewerError)):
                load(other, bytes(broken))
    assert list(other.names("*")) == []


@pytest.mark.parametrize(
    "lines_of",
    [
        [{"space": "s"}],
        [{"message": 1, "group": "g", "fields": {"a": "b"}}],
        [{"space": "../x", "table": "../x", "schema": "1", "epoch": "1", "clock": "0", "messages": 0, "events": 0, "keys": 0}],
        [{"space": ID, "table": ID, "schema": "1", "epoch": "1", "clock": "0", "messages": 0, "events": 0, "keys": 1}],
        [{"space": ID, "table": ID, "schema": "1", "epoch": "1", "clock": "0", "messages": 1, "events": 0, "keys": 0},
         {"message": 2, "group": "g", "fields": {"a": "b"}}],
        [{"space": ID, "table": ID, "schema": "1", "epoch": "1", "clock": "0", "messages": 0, "events": 0, "keys": 1},
         {"hash": "table", "fields": {"a": 1}}],
        [{"space": ID, "table": ID, "schema": "1", "epoch": "1", "clock": "0", "messages": 0, "events": 0, "keys": 1},
         {"script": "x"}],
    ],
)  # fmt: skip
def test_a_file_that_lies_is_refused(other: RedisDoor, lines_of: list[lines.Line]) -> None:
    """A right checksum is not enough: counts, seqs, kinds and names must hold, too."""
    file = io.BytesIO()
    out = lines.Writer(file, "table")
    for line in lines_of:
        out.write(line)
    out.end()
    with pytest.raises(DamagedFileError):
        load(other, file.getvalue())
    assert list(other.names("*")) == []


def test_a_newer_file_is_refused(door: RedisDoor, other: RedisDoor) -> None:
    """A file of a newer format or schema says both numbers."""
    lay(door)
    raw = export(door)
    for old, new in ((b'"format":1', b'"format":7'), (b'"schema":"1"', b'"schema":"7"')):
        with pytest.raises(SchemaNewerError) as refused:
            load(other, raw.replace(old, new))
        assert "7" in str(refused.value)
        assert "1" in str(refused.value)


def test_an_export_is_one_moment(door: RedisDoor, other: RedisDoor) -> None:
    """What happens while the record is being read is not in the file, or all of it is."""
    lay(door, state="open")
    before = content(door)

    class Busy(io.BytesIO):
        """Something happens with every line that is written."""

        def write(self, data: Any, /) -> int:
            groups.send(door, ID, GROUP, "moderator", "meanwhile")
            return super().write(data)

    file = Busy()
    exporting.export(door, HOME, ID, file)
    load(other, file.getvalue())
    assert content(other) == before


def test_an_unknown_table_cannot_be_exported(door: RedisDoor) -> None:
    """It is unknown_table."""
    with pytest.raises(UnknownTableError):
        export(door)


def test_every_kind_of_key_is_kept(door: RedisDoor) -> None:
    """What `keys` describes is what a moment looks at: a kind that is forgotten would be lost."""
    kinds = set(re.findall(r"^    (\w+)(?::<| )", keys.__doc__ or "", re.MULTILINE))
    text = root_of("mailbox/rt_mailbox/scripts/lib/keep.lua").read_text()
    named = set(re.findall(r"'(\w+):?'", text))
    assert kinds - named == {"wake", "import", "spaces"}
    lay(door)
    found = door.script("keep_read", ID)
    looked_at = {one[1] for one in found["held"]} | {one[0] for one in found["streams"]}
    assert set(dump(door, ID)) - {"wake"} == looked_at


def test_an_offloaded_table_is_archived_and_comes_back(door: RedisDoor) -> None:
    """S4.26: after an offload a tombstone answers; bring_back puts everything back, the group open as before."""
    lay(door)
    before = content(door, tokens=True)
    found = archives.offload(door, HOME, ID)
    assert (found.messages, found.again) == (6, False)
    assert found.path.stat().st_mode & 0o777 == 0o600
    assert set(dump(door, ID)) <= {"space", "table", "wake"}
    assert archives.offload(door, HOME, ID).again is True
    for refused in (
        lambda: groups.send(door, ID, GROUP, "moderator", "x"),
        lambda: groups.unread(door, ID, GROUP, "moderator"),
        lambda: turns.reply(door, ID, "a", "x", turn="r1/a"),
        lambda: tables.set_seat(door, ID, "a", {"x": "y"}),
        lambda: export(door),
    ):
        with pytest.raises(TableArchivedError):
            refused()
    assert archives.bring_back(door, HOME, ID) is True
    assert content(door, tokens=True) == before
    assert archives.bring_back(door, HOME, ID) is False
    assert content(door, tokens=True) == before


def test_an_offload_lets_nothing_be_lost(door: RedisDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    """What changes after the file was written keeps the table in the bus until a file has it; an open table stays."""
    lay(door)
    tries = []
    real = archives.write

    def write(*args: Any) -> exporting.Exported:
        done = real(*args)
        tries.append(done)
        if len(tries) < 3:
            queues.send(door, ID, "notes/x", "me", "meanwhile")
        with pytest.raises(GroupClosedError):
            groups.send(door, ID, GROUP, "moderator", "too late")
        return done

    monkeypatch.setattr(archives, "write", write)
    archives.offload(door, HOME, ID)
    assert len(tries) == 3
    archives.bring_back(door, HOME, ID)
    assert len(mapping(door.command("HGETALL", keys.key(ID, "mail", "d00000006")))) > 0
    tables.set_table(door, ID, {"state": "open"})
    with pytest.raises(RoundtableError, match="not archived"):
        archives.offload(door, HOME, ID)


def test_a_deleted_record_is_gone(door: RedisDoor) -> None:
    """Nothing of the table stays: keys, directory, file; deleting again is harmless."""
    lay(door)
    archives.offload(door, HOME, ID)
    path = archives.path_of(ID)
    archives.bring_back(door, HOME, ID)
    assert path.exists()
    assert archives.delete(door, HOME, ID) is True
    assert not path.exists()
    assert dump(door, ID) == {}
    assert directory.entries(door, HOME) == {}
    assert archives.delete(door, HOME, ID) is False


TEXT = (
    st.binary(min_size=1, max_size=40).map(lambda b: b.decode("utf-8", "surrogateescape")).filter(str.strip)
)
NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)


@pytest.mark.parametrize(
    "examples", [6, pytest.param(200, marks=[pytest.mark.full, pytest.mark.timeout(600)])]
)
def test_any_table_comes_out_as_it_went_in(door: RedisDoor, other: RedisDoor, examples: int) -> None:
    """Whatever was said, by whom, in whatever state turns and queues are: the round trip changes nothing."""

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def holds(data: st.DataObject) -> None:
        round_trip(door, other, data)

    holds()


def round_trip(door: RedisDoor, other: RedisDoor, data: st.DataObject) -> None:
    """One table."""
    for one in (door, other):
        one.command("FLUSHALL")
    lay(door, state="open")
    for n in range(data.draw(st.integers(0, 8))):
        act(door, n, data)
    raw = export(door)
    load(other, raw)
    assert content(other) == content(door)
    assert moments.same(moments.Moment(other, ID), moments.Moment(door, ID).lines())
    assert export(other).splitlines()[2:-1] == raw.splitlines()[2:-1]


def act(door: Door, n: int, data: st.DataObject) -> None:
    """Something that people do at a table."""
    text = data.draw(TEXT)
    data.draw(st.sampled_from([_join, _send, _ask, _reply, _close, _mail, _read]))(door, f"{n} {text}", data)


def _join(door: Door, _text: str, data: st.DataObject) -> None:
    person, history = data.draw(NAMES), data.draw(st.sampled_from(["all", "none", "last:2"]))
    try:
        groups.join(door, ID, GROUP, person, history)
    except RoundtableError:
        groups.leave(door, ID, GROUP, person)


def _send(door: Door, text: str, _data: st.DataObject) -> None:
    groups.send(door, ID, GROUP, "moderator", text, subject=text, key=text)


def _ask(door: Door, text: str, data: st.DataObject) -> None:
    ask(door, f"x{text.split(maxsplit=1)[0]}", *data.draw(st.sampled_from([("a",), ("b",), ("a", "b")])))


def _reply(door: Door, text: str, _data: st.DataObject) -> None:
    if turns.show(door, ID, "b"):
        turns.reply(door, ID, "b", text)


def _close(door: Door, text: str, data: st.DataObject) -> None:
    if turn := turns.peek(door, ID, "a")["turn"]:
        turns.close(door, ID, turn, data.draw(st.sampled_from(["failed", "cancelled"])), text, message=text)


def _mail(door: Door, text: str, data: st.DataObject) -> None:
    queues.send(door, ID, f"inbox/{data.draw(NAMES)}", "me", text, subject=text)


def _read(door: Door, _text: str, _data: st.DataObject) -> None:
    found = groups.read(door, ID, GROUP, "moderator", most=2)
    groups.commit(door, ID, GROUP, "moderator", found["receipt"])
