"""A space of a newer schema is refused everywhere; an older one is brought up to date once, whatever is killed."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from rt_config.errors import SchemaNewerError, SchemaOlderError
from rt_mailbox import directory, keys, lua, tables, turns
from rt_mailbox.hot import HotDoor
from rt_mailbox.keeping import exporting, schema
from tests.integration.bus_fixtures import dump, module_server  # noqa: F401 (fixture)
from tests.integration.kept_table import (
    GROUP,
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
    from rt_mailbox.door import Door

OTHER = "rt-20260102-0304-too"


def made_old(door: Door, *tables_: str) -> None:
    """Turn tables into what schema 0 looked like: no view, no generation, no failures, members not counted."""
    for table in tables_:
        door.command("HDEL", keys.key(table, "table"), "view")
        door.command("HDEL", keys.key(table, "group", GROUP), "members")
        for slug in ("a", "b"):
            door.command("HDEL", keys.key(table, "seat", slug), "generation", "failures")
        door.command("HSET", keys.key(table, "space"), "schema", "0")


@pytest.mark.parametrize("make", [HotDoor, None])
def test_a_newer_schema_is_refused_on_any_use(door: RedisDoor, make: Callable[[str], Door] | None) -> None:
    """Every script, through either door, says both numbers and changes nothing."""
    lay(door)
    door.command("HSET", keys.key(ID, "space"), "schema", "7")
    before = dump(door, ID)
    through = make(door.url) if make else door
    for name in lua.names():
        if not name.startswith("migrate_"):
            with pytest.raises(SchemaNewerError) as refused:
                through.script(name, ID, GROUP)
            fields = refused.value.fields
            assert (fields["space"], fields["found"], fields["known"]) == (ID, "7", keys.SCHEMA), name
    with pytest.raises(SchemaNewerError):
        schema.migrate(door, ID)
    assert dump(door, ID) == before
    through.close()


def test_older_spaces_are_brought_up_to_date(door: RedisDoor) -> None:
    """S4.27: every table of the directory becomes what it would be now, once; until then its seats are told why not."""
    lay(door)
    for slug in ("a", "b"):
        tables.set_seat(door, ID, slug, {"generation": "0"})
    tables.set_table(door, ID, {"view": "raw"})
    now = content(door)
    made_old(door, ID)
    now["seat:b"]["failures"] = "0"
    seats_own = HotDoor(door.url)
    with pytest.raises(SchemaOlderError):
        turns.peek(seats_own, ID, "a")
    seats_own.close()
    assert schema.ensure(door, HOME) == 1
    assert content(door) == now
    assert schema.ensure(door, HOME) == 0
    assert door.command("HGET", keys.key(HOME, "space"), "schema") == keys.SCHEMA


def test_a_migration_that_is_cut_off_goes_on(door: RedisDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed after any table, the next command does the rest and does nothing twice."""
    for table in (ID, OTHER):
        lay_as(door, table)
    made_old(door, ID, OTHER)
    ran: list[str] = []
    real = type(door).script

    def dying(self: RedisDoor, name: str, space: str, *args: Any) -> Any:
        found = real(self, name, space, *args)
        if name == "migrate_0":
            ran.append(space)
            if len(ran) == 1:
                raise KeyboardInterrupt
        return found

    monkeypatch.setattr(type(door), "script", dying)
    with pytest.raises(KeyboardInterrupt):
        schema.ensure(door, HOME)
    assert schema.ensure(door, HOME) == 1
    assert sorted(ran) == sorted((ID, OTHER))
    for table in (ID, OTHER):
        assert door.command("HGET", keys.key(table, "space"), "schema") == keys.SCHEMA


def lay_as(door: RedisDoor, table: str) -> None:
    """A small table of that id."""
    tables.create(door, table, GROUP, {"id": table, "topic": "x"}, ["moderator"], [])
    directory.write(door, HOME, table, {"topic": "x", "state": "open"})


def test_an_older_file_is_brought_up_to_date(door: RedisDoor, other: RedisDoor) -> None:
    """An export of schema 0 can be imported, and is of this schema then."""
    lay(door)
    file = io.BytesIO()
    exporting.export(door, HOME, ID, file)
    old = old_file(file.getvalue())
    schema.ensure(other, HOME)
    exporting.load(other, HOME, io.BytesIO(old), "a file")
    assert other.command("HGET", keys.key(ID, "space"), "schema") == keys.SCHEMA
    assert other.command("HGET", keys.key(ID, "table"), "view") == "raw"


def old_file(raw: bytes) -> bytes:
    """The file as an older rt would have written it."""
    import json

    from rt_mailbox.keeping import lines

    file = io.BytesIO()
    out = lines.Writer(file, "table")
    for line in map(json.loads, raw.splitlines()[1:-1]):
        if "space" in line:
            line["schema"] = "0"
        if line.get("hash") == "space":
            line["fields"]["schema"] = "0"
        if line.get("hash") == "table":
            line["fields"].pop("view", None)
        out.write(line)
    out.end()
    return file.getvalue()
