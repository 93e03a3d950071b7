"""What an operator's command works with: settings, a bus that answers, the table it is about."""

from __future__ import annotations

import os
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

from rt_config.errors import TableArchivedError, UnknownTableError
from rt_mailbox import directory, disk, groups, server, tables
from rt_mailbox.access import Access, door_to
from rt_mailbox.addresses import group_of
from rt_mailbox.endpoint import write_endpoint
from rt_mailbox.keeping import schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from rt_config.settings import Settings
    from rt_mailbox.door import Reply


class Shell:
    """An open bus with its settings. `say` prints progress (stderr)."""

    def __init__(self, settings: Settings, say: Callable[[str], None]) -> None:
        self.settings, self.say = settings, say
        self.url = server.ensure(settings, say)
        self.door = door_to(self.url)
        write_endpoint(settings, self.url)
        self.space = settings.space
        schema.ensure(self.door, self.space, say)

    @property
    def access(self) -> Access:
        """This shell's door as the participant's commands want it."""
        settings = self.settings
        found = {
            "space": settings.space,
            "data_dir": "" if settings.redis_url else disk.data_dir(),
            "min_free_bytes": str(settings.min_free_bytes),
            "max_body_bytes": str(settings.max_body_bytes),
            "max_messages": str(settings.max_messages),
            "max_chars": str(settings.max_chars),
        }
        return Access(self.door, found)

    def resolve(self, given: str | None) -> str:
        """The table that --table, else RT_TABLE names, else the only open one; also one that is only in a file here.

        Raises:
            UnknownTableError, AmbiguousTableError, NoTableError, SchemaNewerError.
        """
        name = given or os.environ.get("RT_TABLE", "")
        try:
            table = directory.resolve(self.door, self.space, name)
        except UnknownTableError:
            from rt_mailbox.keeping import archives

            if name not in archives.known_files():
                raise
            return name
        schema.migrate(self.door, table)
        return table

    def snapshot(self, table: str, latest: int = 50) -> Reply:
        """One consistent moment of the table.

        Raises:
            UnknownTableError: its space is empty. TableArchivedError: it is in a file (see `reading`).
        """
        found = tables.snapshot(self.door, table, latest)
        if found is None:
            raise UnknownTableError(table=table)
        if "offloaded" in found["table"]:
            raise TableArchivedError(table=table)
        return found

    def reading(self, table: str) -> Shell:
        """A shell for reading this table wherever it is: this one, or one on the file of an offloaded table.

        Raises:
            ArchiveMissingError, DamagedFileError: it is in a file that cannot be used.
        """
        found = tables.snapshot(self.door, table, 1)
        if found is not None and "offloaded" not in found["table"]:
            return self
        from rt_mailbox.keeping.file_door import open_archive

        other = copy(self)
        other.door = open_archive(self.door, table)
        return other

    def unread(self, table: str, person: str = "moderator") -> int:
        """How many messages the person has not drained."""
        return int(groups.unread(self.door, table, group_of(table), person)["unread"])

    def guard_disk(self) -> None:
        """Refuse what stores messages while the disk is nearly full.

        Raises:
            DiskFullError.
        """
        disk.disk_guard(self.settings)


def table_folder(table: str) -> Path:
    """Where a table's derived files and its seats' session files live (RT_HOME/tables/<id>)."""
    from rt_config import env

    return Path(env.home()) / "tables" / table
