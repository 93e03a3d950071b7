"""Close and delete a group through a door. A table's own group is ended with its table."""

from __future__ import annotations

from rt_config import env

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rt_mailbox.door import Door


def close(door: Door, space: str, group: str) -> bool:
    """Make a group read-only; False when it was closed already.

    Raises:
        UnknownGroupError, TableGroupError: nothing changed.
    """
    return bool(door.script("group_close", space, group)["was_open"])


def delete(
    door: Door, space: str, group: str, head: int | None = None, *, home: str = env.DEFAULT_SPACE
) -> int:
    """Delete a group with its record; returns how many messages it had. With `head`, only while that is its last message.

    Raises:
        UnknownGroupError, TableGroupError, GroupChangedError: nothing changed.
    """
    found = door.script("group_delete", space, group, "" if head is None else head)
    for address, left in zip(found["addresses"], found["left"], strict=True):
        if space != home and not left:
            door.script("space_of_address", home, address, space, "remove")
    return int(found["head"])
