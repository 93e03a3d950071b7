"""Which tables there are: one hash in the default space, so that a table is found without scanning keys."""

from __future__ import annotations

from rt_config.errors import AmbiguousTableError, NoTableError, UnknownTableError
from rt_mailbox.door import mapping
from rt_mailbox.keys import key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rt_mailbox.door import Door, Reply

OPEN = ("starting", "open")
FORMAT_OVER = ("done", "failed", "stuck")  # phases in which a table with a format takes `say` again


def write(door: Door, space: str, table: str, entry: Reply) -> None:
    """Write a table's entry: {topic, format, mode, state, created_at, …}. Whole, last writer wins."""
    import json

    door.script("directory_set", space, table, json.dumps(entry))


def claims(door: Door, space: str) -> str:
    """A count that every claim raises: what `claim` takes as `seen`."""
    return str(door.command("HGET", key(space, "space"), "claims") or "0")


def claim(door: Door, space: str, table: str, entry: Reply, seen: str = "") -> bool | None:
    """Write a table's entry unless the id is taken; False when it is, None when others have claimed since `seen`.

    With `seen`, of two callers that looked at the directory at the same moment only one enters a table.

    Raises:
        BusFullError: nothing was stored.
    """
    import json

    found = door.script("directory_claim", space, table, json.dumps(entry), seen)
    return None if found["moved"] else bool(found["claimed"])


def remove(door: Door, space: str, table: str) -> None:
    """Forget a table."""
    door.command("HDEL", key(space, "directory"), table)


def entries(door: Door, space: str) -> dict[str, Reply]:
    """Every table's entry by id, oldest first."""
    import json  # not above: it costs the hot door a third of an interpreter start

    raw = mapping(door.command("HGETALL", key(space, "directory")))
    found = {table: json.loads(text) for table, text in raw.items()}
    return dict(sorted(found.items(), key=lambda item: item[1].get("created_at", 0)))


def resolve(door: Door, space: str, given: str) -> str:
    """The table that `given` names, or, when it is empty, the only open one.

    Raises:
        UnknownTableError, AmbiguousTableError, NoTableError.
    """
    if given:
        if not door.command("HEXISTS", key(space, "directory"), given):
            raise UnknownTableError(table=given)
        return given
    tables = [table for table, entry in entries(door, space).items() if entry.get("state") in OPEN]
    if len(tables) > 1:
        raise AmbiguousTableError(tables=", ".join(tables))
    if not tables:
        raise NoTableError
    return tables[0]
