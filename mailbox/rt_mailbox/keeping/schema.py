"""The schema of spaces: older ones are brought up to date by an operator's command, newer ones are refused.

A space says its schema in its own hash; every script looks there first (`keys.LUA_SCHEMA`). Each migration is one script
that does the whole space and only when it has the schema it starts from: that script is the lock, so that two commands, or
one that was killed and runs again, do each space once.
"""

from __future__ import annotations

from rt_config.errors import SchemaNewerError
from rt_mailbox import directory
from rt_mailbox.keeping.progress import silent, told
from rt_mailbox.keys import SCHEMA, key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rt_mailbox.door import Door
    from rt_mailbox.keeping.progress import Say

MIGRATIONS = {"0": "migrate_0"}  # schema → the script that makes the next one of it


def ensure(door: Door, space: str, say: Say = silent) -> int:
    """Bring a space and every table in its directory up to date; how many spaces were changed. One round trip if none.

    The space itself comes last: while it is old, the next command goes through all of them again.

    Raises:
        SchemaNewerError: written by a newer rt; nothing was changed.
    """
    if _known(door, space) == SCHEMA:
        return 0
    tables = list(directory.entries(door, space))
    changed = sum(migrate(door, table) for table in told(tables, len(tables), "migrating", say))
    changed += migrate(door, space)
    door.script("schema_set", space, SCHEMA)
    return changed


def migrate(door: Door, space: str) -> bool:
    """Bring one space up to date; True when it was older. One that is empty has every schema.

    Raises:
        SchemaNewerError: written by a newer rt; nothing was changed.
    """
    changed = False
    while (found := _known(door, space)) in MIGRATIONS:
        changed |= bool(door.script(MIGRATIONS[found], space)["migrated"])
    return changed


def _known(door: Door, space: str) -> str:
    """The space's schema, '' when it says none."""
    found = door.command("HGET", key(space, "space"), "schema") or ""
    if found and (not found.isdecimal() or int(found) > int(SCHEMA)):
        raise SchemaNewerError(space=space, found=found, known=SCHEMA)
    return str(found)
